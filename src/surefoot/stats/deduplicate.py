"""Many pairs of counts, few different ones: compute each once, then look it up."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from surefoot.stats.arguments import Integers

Floats = NDArray[np.float64]

# A table with so many cells for each pair of counts is cheaper than sorting the pairs.
_CELLS_PER_PAIR = 4
# With so many pairs for each cell it is cheaper to fill all cells than to look which ones are used.
_PAIRS_PER_CELL = 1000
_SMALL = 64


def for_each_pair(
    events: Integers, trials: Integers, compute: Callable[[Integers, Integers], tuple[Floats, ...]]
) -> tuple[Floats, ...]:
    """What `compute` makes of every pair, called once with the different pairs only.

    Parameters
    ----------
    events, trials
        Integer arrays that broadcast, 0 <= events <= trials.
    compute
        From two equally long arrays to one or more arrays of floats of that length.

    Returns
    -------
    tuple of numpy.ndarray
        One array of the broadcast shape for each array of `compute`.
    """
    shape = np.broadcast_shapes(events.shape, trials.shape)
    size = int(np.prod(shape))
    if size <= _SMALL:
        pairs = np.broadcast_arrays(events, trials)
        return tuple(column.reshape(shape) for column in compute(pairs[0].ravel(), pairs[1].ravel()))
    first_trial, first_event = int(trials.min()), int(events.min())
    width = int(events.max()) - first_event + 1
    cells = width * (int(trials.max()) - first_trial + 1)
    if cells > _CELLS_PER_PAIR * size:
        return _by_sorting(events, trials, compute)
    cell = _cells(events, trials, first_event, first_trial, width)
    if trials.size == 1 and cells * _PAIRS_PER_CELL <= size:
        used = np.arange(cells)
    else:
        seen = np.zeros(cells, dtype=np.bool_)
        seen[cell] = True
        used = np.flatnonzero(seen)
    answers = compute(used % width + first_event, used // width + first_trial)
    return tuple(_look_up(used, answer, cell, cells).reshape(shape) for answer in answers)


def _cells(
    events: Integers, trials: Integers, first_event: int, first_trial: int, width: int
) -> NDArray[np.intp]:
    """The cell of each pair in a table with a row for each number of trials."""
    column = events.astype(np.intp, copy=False)
    if first_event:
        column = column - first_event
    if trials.size == 1:
        return column
    row = trials.astype(np.intp, copy=False) * width
    return row + (column - first_trial * width if first_trial else column)


def _look_up(used: NDArray[np.intp], answer: Floats, cell: NDArray[np.intp], cells: int) -> Floats:
    table = np.empty(cells)
    table[used] = answer
    return np.asarray(table.take(cell), dtype=np.float64)


def _by_sorting(
    events: Integers, trials: Integers, compute: Callable[[Integers, Integers], tuple[Floats, ...]]
) -> tuple[Floats, ...]:
    columns = np.broadcast_arrays(events, trials)
    pairs = np.stack([columns[0].ravel(), columns[1].ravel()])
    unique, place = np.unique(pairs, axis=1, return_inverse=True)
    answers = compute(unique[0], unique[1])
    return tuple(answer[place.ravel()].reshape(columns[0].shape) for answer in answers)
