"""The percentile bootstrap of pass^k, computed instead of drawn. For display only."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincc, ndtri

from surefoot.errors import ArgumentError
from surefoot.stats.arguments import Integers, count_columns, events_and_trials, whole_number
from surefoot.stats.deduplicate import for_each_pair
from surefoot.stats.results import Interval, error_budget
from surefoot.stats.subsets import share_all_passed

Floats = NDArray[np.float64]


def bootstrap_interval(passed: int, trials: int, k: int, *, confidence_level: float = 0.95) -> Interval:
    """What does the customary percentile bootstrap of the pass^k estimate say? For display only.

    Say: "10 of 12 passed: resampling the trials spreads the estimate of pass^5 from 3 % to 100 %."

    Parameters
    ----------
    passed, trials, k
        As for the estimate of pass^k, with k at most the trials.
    confidence_level
        In [0.75, 1), shared by the two ends.

    Returns
    -------
    Interval
        Never used for a verdict. Where all trials went alike it has no width, whatever their number, and
        its ``method`` says so.

    Raises
    ------
    ArgumentError
        A count that is not a whole number, more passes than trials, a confidence level out of range, or k more
        than the trials: there is no estimate to resample.

    **Assumes** that the trials seen stand for all trials.

    **Errs towards** too narrow an interval: 12 passes of 12 give [1, 1], three of three as well.

    Notes
    -----
    A resample matters only through its passes, which are Binomial(trials, passed / trials): the ends are
    the estimates at the least count whose distribution function reaches budget / 2 and 1 - budget / 2.
    Nothing is drawn, so there is no seed and no scatter.

    Examples
    --------
    >>> interval = bootstrap_interval(10, 12, 5)
    >>> round(interval.low, 9), interval.high
    (0.026515152, 1.0)
    >>> print(bootstrap_interval(12, 12, 5))
    [1, 1] with 95 % confidence (percentile bootstrap, without width because all trials went alike)
    """
    passed, trials = events_and_trials(passed, trials, name="passed")
    tries = whole_number("k", k, least=1)
    if tries > trials:
        raise ArgumentError("k", expected=f"at most the number of trials, {trials}", got=k)
    low, high = _bootstrap(passed, trials, tries, error_budget(confidence_level) / 2)
    alike = ", without width because all trials went alike" if passed in (0, trials) else ""
    inputs = {"passed": passed, "trials": trials, "k": tries}
    return Interval(low, high, confidence_level, f"percentile bootstrap{alike}", inputs)


def bootstrap_intervals(
    passed: ArrayLike, trials: ArrayLike, k: int, *, confidence_level: float = 0.95
) -> tuple[Floats, Floats]:
    """:func:`bootstrap_interval` for arrays of counts, the low and the high ends; NaN where k is more than the trials.

    For display only.

    Examples
    --------
    >>> low, high = bootstrap_intervals([10, 12], 12, 5)
    >>> low.round(6), high
    (array([0.026515, 1.      ]), array([1., 1.]))
    """
    tries, tail = whole_number("k", k, least=1), error_budget(confidence_level) / 2

    def compute(c: Integers, n: Integers) -> tuple[Floats, ...]:
        pairs = zip(c.tolist(), n.tolist(), strict=True)
        ends = [_bootstrap(x, m, tries, tail) if tries <= m else (math.nan, math.nan) for x, m in pairs]
        low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
        return low, high

    low, high = for_each_pair(*count_columns(passed, trials, name="passed"), compute)
    return low, high


def _bootstrap(passed: int, trials: int, k: int, tail: float) -> tuple[float, float]:
    if passed in (0, trials):
        value = float(passed > 0)
        return value, value
    rate = passed / trials
    spread = -float(ndtri(tail)) * math.sqrt(passed * (trials - passed) / trials)
    low = _least(trials, passed - spread, lambda c: betaincc(c + 1, trials - c, rate) >= tail)
    high = _least(trials, passed + spread, lambda c: betainc(c + 1, trials - c, rate) <= tail)
    return share_all_passed(low, trials, k), share_all_passed(high, trials, k)


def _least(trials: int, guess: float, reached: Callable[[int], Any]) -> int:
    """The least count below `trials` from which on `reached` holds, else `trials`; sought around a guess."""
    low, high, step = -1, trials, 1
    middle = min(max(round(guess), 0), trials - 1)
    while high - low > 1:
        if reached(middle):
            high = middle
            middle = max(middle - step, (low + high) // 2) if low < 0 else (low + high) // 2
        else:
            low = middle
            middle = min(middle + step, (low + high) // 2) if high == trials else (low + high) // 2
        step *= 2
    return high
