"""Counts as they come in: whole numbers, never silently rounded, never more events than trials."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.errors import ArgumentError

Integers = NDArray[np.int64]

_LARGEST = 2**63 - 1


def whole_number(name: str, value: Any, *, least: int = 0) -> int:
    """The value as an int, if it is a whole number that is large enough.

    Raises
    ------
    ArgumentError
        A bool, a fraction, NaN, infinity, no number at all, less than `least`, or 2^63 and more.
    """
    whole = isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))
    if not whole and isinstance(value, (float, np.floating)):
        whole = math.isfinite(value) and value == math.floor(value)
    if not whole or int(value) < least:
        raise ArgumentError(name, expected=f"a whole number >= {least}", got=value)
    if int(value) > _LARGEST:
        raise ArgumentError(name, expected="a whole number below 2^63", got=value)
    return int(value)


def events_and_trials(events: object, trials: object, *, name: str = "events") -> tuple[int, int]:
    """Both counts as ints; `name` is what the caller calls the events.

    Raises
    ------
    ArgumentError
        A count that is not a whole number >= 0, or more events than trials.
    """
    trial_count = whole_number("trials", trials)
    event_count = whole_number(name, events)
    if event_count > trial_count:
        raise ArgumentError(name, expected=f"at most the number of trials, {trial_count}", got=events)
    return event_count, trial_count


def share(name: str, value: Any) -> float:
    """The value as a float, if it is a number in [0, 1].

    Raises
    ------
    ArgumentError
        A bool, NaN, no number at all, or outside [0, 1].
    """
    number = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
    if not number or not 0 <= float(value) <= 1:
        raise ArgumentError(name, expected="a number in [0, 1]", got=value)
    return float(value)


def inside(name: str, value: Any) -> float:
    """The value as a float, if it is a number between 0 and 1, both excluded.

    Raises
    ------
    ArgumentError
        A bool, NaN, no number at all, or outside (0, 1).
    """
    checked = share(name, value)
    if not 0 < checked < 1:
        raise ArgumentError(name, expected="a number between 0 and 1, both excluded", got=value)
    return checked


def count_columns(events: ArrayLike, trials: ArrayLike, *, name: str = "events") -> tuple[Integers, Integers]:
    """Both counts as integer arrays that broadcast against each other.

    They keep the shapes that came in: one number of trials for a million tasks stays one number.

    Raises
    ------
    ArgumentError
        A value that is not a whole number >= 0, more events than trials, or shapes that do not fit.
    """
    trial_column = whole_column("trials", trials)
    event_column = whole_column(name, events)
    try:
        np.broadcast_shapes(event_column.shape, trial_column.shape)
    except ValueError:
        raise ArgumentError(
            name,
            expected=f"one number for each of the trials, shape {trial_column.shape}",
            got=event_column.shape,
        ) from None
    _refuse_excess(event_column, trial_column, name)
    return event_column, trial_column


def whole_column(name: str, values: ArrayLike, *, least: int = 0) -> Integers:
    """The values as an array of integers, if all are whole numbers that are large enough.

    Raises
    ------
    ArgumentError
        Names the argument and shows the first value that does not fit.
    """
    column = np.asarray(values)
    expected = f"whole numbers >= {least}"
    if column.dtype.kind == "f":
        wrong = ~(np.isfinite(column) & (np.floor(column) == column) & (np.abs(column) < 2.0**63))
        if wrong.any():
            raise ArgumentError(name, expected=expected, got=column[wrong].flat[0].item())
        column = column.astype(np.int64)
    if column.dtype.kind not in "iu":
        got: object = values if column.ndim == 0 else f"an array of {column.dtype}"
        raise ArgumentError(name, expected=expected, got=got)
    if column.size and (column.min() < least or column.max() > _LARGEST):
        wrong_value = column.min() if column.min() < least else column.max()
        raise ArgumentError(name, expected=expected, got=wrong_value.item())
    return column.astype(np.int64, copy=False)


def _refuse_excess(events: Integers, trials: Integers, name: str) -> None:
    if not events.size or not trials.size or events.max() <= trials.min():
        return
    excess = events > trials
    if excess.any():
        at = int(np.argmax(excess))
        event, trial = (column.flat[at].item() for column in np.broadcast_arrays(events, trials))
        raise ArgumentError(name, expected=f"at most the number of trials, {trial}", got=event)
