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
# Numbers of cells must fit into 64 bits; beyond, equal pairs are not worth a search.
_MOST_CELLS = 2**62


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
        return _one_by_one(events, trials, compute)
    first_trial, first_event = int(trials.min()), int(events.min())
    width = int(events.max()) - first_event + 1
    cells = width * (int(trials.max()) - first_trial + 1)
    if cells > _MOST_CELLS:
        return _one_by_one(events, trials, compute)
    cell = _cells(events, trials, first_event, first_trial, width)
    if cells > _CELLS_PER_PAIR * size:
        used, place = np.unique(cell, return_inverse=True)
    elif trials.size == 1 and cells * _PAIRS_PER_CELL <= size:
        used, place = np.arange(cells), cell
    else:
        used, place = _used_cells(cell, cells)
    answers = compute(used % width + first_event, used // width + first_trial)
    return tuple(answer.take(place).reshape(shape) for answer in answers)


def _one_by_one(
    events: Integers, trials: Integers, compute: Callable[[Integers, Integers], tuple[Floats, ...]]
) -> tuple[Floats, ...]:
    pairs = np.broadcast_arrays(events, trials)
    return tuple(column.reshape(pairs[0].shape) for column in compute(pairs[0].ravel(), pairs[1].ravel()))


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


def _used_cells(cell: NDArray[np.intp], cells: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The cells that occur, in order, and the place of each pair among them."""
    seen = np.zeros(cells, dtype=np.bool_)
    seen[cell] = True
    used = np.flatnonzero(seen)
    rank = np.empty(cells, dtype=np.intp)
    rank[used] = np.arange(used.size)
    return used, rank[cell]
