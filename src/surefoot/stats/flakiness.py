"""Flakiness of one task: 4 p (1 - p), 0 for a task that always goes the same way and 1 for half and half."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.stats.arguments import count_columns, events_and_trials, whole_column
from surefoot.stats.binomial import two_sided_intervals
from surefoot.stats.flakiness_classes import (
    ObservedClass,
    ProvedClass,
    cap_pass_rate,
    observed_class,
    proved_class,
    proved_classes,
    repeats_to_prove_stable,
    repeats_to_see_failure,
)
from surefoot.stats.flakiness_gate import failures_forgiven, gate_block_rate, gate_catch_rate
from surefoot.stats.results import Estimate, Interval

__all__ = [
    "ObservedClass",
    "ProvedClass",
    "cap_pass_rate",
    "failures_forgiven",
    "flakiness",
    "flakiness_interval",
    "flakiness_intervals",
    "flakiness_range",
    "flakiness_values",
    "gate_block_rate",
    "gate_catch_rate",
    "observed_class",
    "proved_class",
    "proved_classes",
    "repeats_to_prove_stable",
    "repeats_to_see_failure",
    "unbiased_flakiness",
]

Floats = NDArray[np.float64]


def flakiness(passed: int, trials: int) -> Estimate:
    """How much does the task go both ways, as seen?

    Say: "10 of 12 trials passed: flakiness 0.56, where 0 is always the same and 1 is half and half."

    Parameters
    ----------
    passed
        Trials that passed, a whole number in [0, trials].
    trials
        Scored trials of the task, a whole number >= 0.

    Returns
    -------
    Estimate
        None for fewer than two trials: one run cannot show a flip, so it is not measured.

    Raises
    ------
    ArgumentError
        A count that is not a whole number, or more passes than trials.

    **Assumes** independent trials with one pass rate.

    **Errs towards** a lower value, by the factor (n - 1) / n on average; :func:`unbiased_flakiness` does not.

    Notes
    -----
    ``4 p (1 - p)`` at p = passed / trials.

    Examples
    --------
    >>> print(flakiness(10, 12))
    0.555556 (flakiness)
    >>> print(flakiness(1, 1))
    not measured (flakiness)
    """
    passed, trials = events_and_trials(passed, trials, name="passed")
    value = 4 * passed * (trials - passed) / (trials * trials) if trials > 1 else None
    return Estimate(value, "flakiness", {"passed": passed, "trials": trials})


def unbiased_flakiness(passed: int, trials: int) -> Estimate:
    """How much does the task go both ways, on average over repetitions of the whole experiment?

    Say: "10 of 12 trials passed: unbiased flakiness 0.61."

    Parameters, returns and errors are those of :func:`flakiness`. The value can exceed 1 (2 for one pass in
    two trials): that is the price of no bias.

    **Assumes** independent trials with one pass rate.

    **Errs towards** neither side.

    Notes
    -----
    ``4 c (n - c) / (n (n - 1))``, four times the chance that two different trials, drawn in order, are a
    pass and a failure.

    Examples
    --------
    >>> print(unbiased_flakiness(10, 12))
    0.606061 (unbiased flakiness)
    """
    passed, trials = events_and_trials(passed, trials, name="passed")
    value = 4 * passed * (trials - passed) / (trials * (trials - 1)) if trials > 1 else None
    return Estimate(value, "unbiased flakiness", {"passed": passed, "trials": trials})


def flakiness_values(passed: ArrayLike, trials: ArrayLike) -> Floats:
    """:func:`flakiness` for arrays of counts; NaN for fewer than two trials.

    Meant for displays, which must show NaN as "not measured". No verdict may rest on these values as they are.

    Examples
    --------
    >>> flakiness_values([10, 3, 1], [12, 3, 1]).round(6)
    array([0.555556, 0.      ,      nan])
    """
    c, n = (column.astype(np.float64) for column in count_columns(passed, trials, name="passed"))
    return _seen(c, n)


def flakiness_range(passed: ArrayLike, trials: ArrayLike, unscored: ArrayLike) -> tuple[Floats, Floats]:
    """How small and how large could the flakiness be, whatever the unscored trials would have been?

    Say: "9 passed, 1 failed, 2 not scored: flakiness between 0.31 and 0.75."

    Parameters
    ----------
    passed
        Scored trials that passed; whole numbers.
    trials
        Planned trials, scored and unscored together.
    unscored
        Trials without a verdict; passed + unscored <= trials.

    Returns
    -------
    tuple of numpy.ndarray
        The smallest and the largest flakiness over all completions; NaN where fewer than two trials were planned.

    Raises
    ------
    ArgumentError
        A count that is not a whole number, or more passed and unscored trials than trials.

    **Assumes** nothing: every completion is considered.

    **Errs towards** neither side.

    Examples
    --------
    >>> smallest, largest = flakiness_range([9], [12], [2])
    >>> smallest.round(6), largest
    (array([0.305556]), array([0.75]))
    """
    c, n = count_columns(passed, trials, name="passed")
    missing = whole_column("unscored", unscored)
    most, _ = count_columns(c + missing, n, name="passed + unscored")
    halves = np.clip(n // 2, c, most)
    fewest, widest, total = c.astype(np.float64), most.astype(np.float64), n.astype(np.float64)
    smallest = np.minimum(_seen(fewest, total), _seen(widest, total))
    return smallest, _seen(halves.astype(np.float64), total)


def flakiness_interval(passed: int, trials: int, *, confidence_level: float = 0.95) -> Interval:
    """Between which values may the task's flakiness lie?

    Say: "12 of 12 trials passed: with 95 % confidence the flakiness is between 0 and 0.78."

    Parameters
    ----------
    passed, trials
        As in :func:`flakiness`; no trials give [0, 1].
    confidence_level
        In [0.75, 1), shared by the two ends.

    Returns
    -------
    Interval
        Of ``4 p (1 - p)``.

    Raises
    ------
    ArgumentError
        As :func:`flakiness`; also a confidence level out of range.

    **Assumes** independent trials with one pass rate.

    **Errs towards** a wider interval.

    Notes
    -----
    All values of ``4 p (1 - p)`` for p in the two-sided Clopper-Pearson interval: it holds whenever that one does.

    Examples
    --------
    >>> print(flakiness_interval(10, 12))
    [0.0817091, 0.998994] with 95 % confidence (Clopper-Pearson)
    """
    passed, trials = events_and_trials(passed, trials, name="passed")
    low, high = flakiness_intervals([passed], trials, confidence_level=confidence_level)
    inputs = {"passed": passed, "trials": trials}
    return Interval(float(low[0]), float(high[0]), confidence_level, "Clopper-Pearson", inputs)


def flakiness_intervals(
    passed: ArrayLike, trials: ArrayLike, *, confidence_level: float = 0.95
) -> tuple[Floats, Floats]:
    """:func:`flakiness_interval` for arrays of counts: the low and the high ends.

    Examples
    --------
    >>> low, high = flakiness_intervals([10, 12], 12)
    >>> low.round(6), high.round(6)
    (array([0.081709, 0.      ]), array([0.998994, 0.778439]))
    """
    columns = count_columns(passed, trials, name="passed")
    return _spread(*two_sided_intervals(*columns, confidence_level=confidence_level))


def _seen(passed: Floats, trials: Floats) -> Floats:
    measured = trials > 1
    squares = np.where(measured, trials * trials, np.nan)
    return np.asarray(4 * passed * (trials - passed) / squares, dtype=np.float64)


def _spread(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest 4 p (1 - p) for p in [low, high]."""
    at_low, at_high = 4 * low * (1 - low), 4 * high * (1 - high)
    holds_half = (low <= 0.5) & (high >= 0.5)
    return np.minimum(at_low, at_high), np.where(holds_half, 1.0, np.maximum(at_low, at_high))
