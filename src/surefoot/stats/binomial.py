"""Bounds on the rate of an event from counts of independent trials: Clopper-Pearson, and Wilson for display."""

from __future__ import annotations

import math
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from surefoot.stats.arguments import Integers, count_columns, events_and_trials
from surefoot.stats.beta_quantiles import beta_lower, beta_quantile, beta_upper
from surefoot.stats.deduplicate import for_each_pair
from surefoot.stats.results import Bound, Interval, error_budget

Floats = NDArray[np.float64]

_METHOD = "Clopper-Pearson"
_POOLED_METHOD = "Clopper-Pearson for unequal rates"


def upper_bound(events: int, trials: int, *, confidence_level: float = 0.95) -> Bound:
    """How high may the event rate still be, given what was seen?

    Say: "no event in 120 trials: with 95 % confidence the rate is at most 2.5 %."

    Parameters
    ----------
    events
        Trials in which the event happened, a whole number in [0, trials].
    trials
        Independent trials made, a whole number >= 0. None at all gives 1.
    confidence_level
        In [0.75, 1), one-sided.

    Returns
    -------
    Bound
        On the event rate of one trial, in [0, 1].

    Raises
    ------
    ArgumentError
        A count that is not a whole number, more events than trials, or a confidence level out of range.

    **Assumes** independent trials of one and the same event rate. For trials of unequal rates use
    :func:`pooled_upper_bound`; for trials that share causes, the bounds over clusters.

    **Errs towards** a higher bound: counts are whole, so the true confidence is at least the one asked for.

    Notes
    -----
    The rate u with ``P(Binomial(trials, u) <= events) = 1 - confidence_level``, a quantile of
    Beta(events + 1, trials - events); ``1 - (1 - confidence_level)^(1/trials)`` for no event. The answer
    is put back into the tail and agrees to 1e-11.

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26, 404-413.

    Examples
    --------
    >>> print(upper_bound(0, 120))
    at most 0.0246555 with 95 % confidence (Clopper-Pearson)
    """
    events, trials = events_and_trials(events, trials)
    value = clopper_pearson_upper(events, trials, error_budget(confidence_level))
    return Bound(value, "upper", confidence_level, _METHOD, {"events": events, "trials": trials})


def lower_bound(events: int, trials: int, *, confidence_level: float = 0.95) -> Bound:
    """How low may the event rate still be, given what was seen?

    Say: "10 of 12 trials passed: with 95 % confidence the pass rate is at least 56 %."

    Parameters, errors and assumptions are those of :func:`upper_bound`; no trials at all give 0.

    **Assumes** independent trials of one and the same event rate. For trials of unequal rates use
    :func:`pooled_lower_bound`.

    **Errs towards** a lower bound.

    Notes
    -----
    One minus the upper bound of the complement, computed without the loss of digits of a subtraction.

    Examples
    --------
    >>> print(lower_bound(10, 12))
    at least 0.561894 with 95 % confidence (Clopper-Pearson)
    """
    events, trials = events_and_trials(events, trials)
    value = clopper_pearson_lower(events, trials, error_budget(confidence_level))
    return Bound(value, "lower", confidence_level, _METHOD, {"events": events, "trials": trials})


def two_sided_interval(events: int, trials: int, *, confidence_level: float = 0.95) -> Interval:
    """Between which values may the event rate lie, given what was seen?

    Say: "10 of 12 trials passed: with 95 % confidence the pass rate is between 52 % and 98 %."

    Parameters, errors and assumptions are those of :func:`upper_bound`; the budget is halved between
    the two ends. No trials at all give [0, 1].

    **Assumes** independent trials of one and the same event rate.

    **Errs towards** a wider interval.

    Examples
    --------
    >>> print(two_sided_interval(10, 12))
    [0.515862, 0.979138] with 95 % confidence (Clopper-Pearson)
    """
    events, trials = events_and_trials(events, trials)
    budget = error_budget(confidence_level) / 2
    low, high = clopper_pearson_lower(events, trials, budget), clopper_pearson_upper(events, trials, budget)
    return Interval(low, high, confidence_level, _METHOD, {"events": events, "trials": trials})


def upper_bounds(events: ArrayLike, trials: ArrayLike, *, confidence_level: float = 0.95) -> Floats:
    """How high may each event rate still be? :func:`upper_bound` for arrays of counts.

    Parameters
    ----------
    events, trials
        Arrays of whole numbers that broadcast against each other. Equal pairs are computed once, so
        millions of tasks cost little more than looking their bounds up in a table.
    confidence_level
        In [0.75, 1), one-sided, of each bound by itself.

    Returns
    -------
    numpy.ndarray
        Of the broadcast shape.

    **Assumes**, for each pair, what :func:`upper_bound` assumes. Nothing is claimed of all bounds together.

    **Errs towards** higher bounds.

    Examples
    --------
    >>> upper_bounds([0, 1], 100).round(6)
    array([0.029513, 0.04656 ])
    """
    budget = error_budget(confidence_level)
    return for_each_pair(*count_columns(events, trials), lambda x, n: (clopper_pearson_upper(x, n, budget),))[
        0
    ]


def lower_bounds(events: ArrayLike, trials: ArrayLike, *, confidence_level: float = 0.95) -> Floats:
    """How low may each event rate still be? :func:`lower_bound` for arrays of counts.

    Parameters and returns are those of :func:`upper_bounds`.

    **Assumes**, for each pair, what :func:`lower_bound` assumes.

    **Errs towards** lower bounds.

    Examples
    --------
    >>> lower_bounds([10, 12], 12).round(6)
    array([0.561895, 0.779078])
    """
    budget = error_budget(confidence_level)
    return for_each_pair(*count_columns(events, trials), lambda x, n: (clopper_pearson_lower(x, n, budget),))[
        0
    ]


def two_sided_intervals(
    events: ArrayLike, trials: ArrayLike, *, confidence_level: float = 0.95
) -> tuple[Floats, Floats]:
    """Between which values may each event rate lie? :func:`two_sided_interval` for arrays of counts.

    Parameters are those of :func:`upper_bounds`.

    Returns
    -------
    tuple of numpy.ndarray
        The low ends and the high ends.

    **Assumes**, for each pair, what :func:`two_sided_interval` assumes.

    **Errs towards** wider intervals.

    Examples
    --------
    >>> low, high = two_sided_intervals([10, 12], 12)
    >>> low.round(6), high.round(6)
    (array([0.515862, 0.735352]), array([0.979137, 1.      ]))
    """
    budget = error_budget(confidence_level) / 2
    low, high = for_each_pair(*count_columns(events, trials), lambda x, n: _both_ends(x, n, budget))
    return low, high


def pooled_upper_bound(events: int, trials: int, *, confidence_level: float = 0.95) -> Bound:
    """How high may the mean event rate of trials with unequal rates still be?

    Say: "with 95 % confidence the mean event rate of these trials is at most 2.5 %."

    Parameters, returns and errors are those of :func:`upper_bound`.

    **Assumes** independent trials. Each may have an event rate of its own, as the trials of different
    tasks have.

    **Errs towards** a higher bound.

    Notes
    -----
    Clopper-Pearson with one repair: with all events but one the bound is at least ``1 - budget / trials``.
    Hoeffding's theorem gives the tails of the unequal trials those of equal ones except next to the ends;
    without the repair the bound holds in 94.876 % of reviews instead of 95 % (71.397 % instead of 75 %).

    References
    ----------
    Hoeffding (1956), On the distribution of the number of successes in independent trials.

    Examples
    --------
    >>> pooled_upper_bound(89, 90).value > upper_bound(89, 90).value
    True
    """
    events, trials = events_and_trials(events, trials)
    value = pooled_upper(events, trials, error_budget(confidence_level))
    return Bound(value, "upper", confidence_level, _POOLED_METHOD, {"events": events, "trials": trials})


def pooled_lower_bound(events: int, trials: int, *, confidence_level: float = 0.95) -> Bound:
    """How low may the mean event rate of trials with unequal rates still be?

    Say: "with 95 % confidence the mean pass rate of these trials is at least 97 %."

    Parameters, returns and errors are those of :func:`lower_bound`.

    **Assumes** independent trials. Each may have an event rate of its own.

    **Errs towards** a lower bound.

    Notes
    -----
    Clopper-Pearson with one repair: with a single event the bound is at most ``budget / trials``.
    See :func:`pooled_upper_bound`.

    Examples
    --------
    >>> round(pooled_lower_bound(1, 90).value, 9)
    0.000555556
    >>> round(lower_bound(1, 90).value, 9)
    0.000569763
    """
    events, trials = events_and_trials(events, trials)
    value = pooled_lower(events, trials, error_budget(confidence_level))
    return Bound(value, "lower", confidence_level, _POOLED_METHOD, {"events": events, "trials": trials})


def wilson_interval(events: int, trials: int, *, confidence_level: float = 0.95) -> Interval:
    """What does the customary interval for a pass rate say? For display only.

    Say: "180 of 200 passed; the usual (Wilson) interval is 85.1 % to 93.4 %."

    Parameters and errors are those of :func:`upper_bound`. No trials at all give [0, 1].

    Returns
    -------
    Interval
        Never used for a verdict.

    **Assumes** independent trials of one event rate, and enough of them for the normal approximation.

    **Errs towards** too narrow an interval at some rates: it holds at the stated confidence on average
    over rates, not at each.

    Notes
    -----
    ``(x + z^2/2 -+ z sqrt(x (n-x) / n + z^2/4)) / (n + z^2)`` with z the normal quantile.

    References
    ----------
    Wilson (1927), Journal of the American Statistical Association 22, 209-212.

    Examples
    --------
    >>> print(wilson_interval(180, 200))
    [0.850594, 0.93433] with 95 % confidence (Wilson)
    """
    events, trials = events_and_trials(events, trials)
    inputs = {"events": events, "trials": trials}
    z = -float(ndtri(error_budget(confidence_level) / 2))
    if trials == 0:
        return Interval(0.0, 1.0, confidence_level, "Wilson", inputs)
    spread = z * math.sqrt(events * (trials - events) / trials + z * z / 4)
    low = (events + z * z / 2 - spread) / (trials + z * z) if events else 0.0
    high = (events + z * z / 2 + spread) / (trials + z * z) if events < trials else 1.0
    return Interval(low, high, confidence_level, "Wilson", inputs)


@overload
def clopper_pearson_upper(events: float, trials: float, budget: float) -> float: ...
@overload
def clopper_pearson_upper(events: NDArray[Any], trials: NDArray[Any], budget: float) -> Floats: ...
def clopper_pearson_upper(events: ArrayLike, trials: ArrayLike, budget: float) -> float | Floats:
    """The Clopper-Pearson upper bound for an error budget in (0, 0.25]; arguments are not checked.

    The counts may be fractional, as effective sample sizes are.

    Examples
    --------
    >>> round(clopper_pearson_upper(0, 120, 0.05), 9)
    0.024655401
    """
    x, n = np.broadcast_arrays(np.asarray(events, dtype=np.float64), np.asarray(trials, dtype=np.float64))
    bound = np.ones(x.shape)
    clean = (x <= 0) & (n > 0)
    mixed = (x > 0) & (x < n)
    bound[clean] = -np.expm1(math.log(budget) / n[clean])
    bound[mixed] = beta_upper(x[mixed] + 1, n[mixed] - x[mixed], budget)
    return bound if bound.ndim else float(bound)


@overload
def clopper_pearson_lower(events: float, trials: float, budget: float) -> float: ...
@overload
def clopper_pearson_lower(events: NDArray[Any], trials: NDArray[Any], budget: float) -> Floats: ...
def clopper_pearson_lower(events: ArrayLike, trials: ArrayLike, budget: float) -> float | Floats:
    """The Clopper-Pearson lower bound for an error budget in (0, 0.25]; arguments are not checked.

    The counts may be fractional, as effective sample sizes are.

    Examples
    --------
    >>> round(clopper_pearson_lower(12, 12, 0.05), 9)
    0.779077808
    """
    x, n = np.broadcast_arrays(np.asarray(events, dtype=np.float64), np.asarray(trials, dtype=np.float64))
    bound = np.zeros(x.shape)
    full = (x >= n) & (n > 0)
    mixed = (x > 0) & (x < n)
    bound[full] = np.exp(math.log(budget) / n[full])
    bound[mixed] = beta_lower(x[mixed], n[mixed] - x[mixed] + 1, budget)
    return bound if bound.ndim else float(bound)


def pooled_upper(events: int, trials: int, budget: float) -> float:
    """The upper bound for trials of unequal rates, for an error budget; arguments are not checked."""
    plain = clopper_pearson_upper(events, trials, budget)
    return max(plain, 1 - budget / trials) if events == trials - 1 else plain


def pooled_lower(events: int, trials: int, budget: float) -> float:
    """The lower bound for trials of unequal rates, for an error budget; arguments are not checked."""
    plain = clopper_pearson_lower(events, trials, budget)
    return min(plain, budget / trials) if events == 1 else plain


def _both_ends(events: Integers, trials: Integers, budget: float) -> tuple[Floats, ...]:
    """Both bounds of each pair. Counts and their complements share their bounds, so each is solved once."""
    rarer = np.minimum(events, trials - events)

    def solve(x: Integers, n: Integers) -> tuple[Floats, ...]:
        inside = (x > 0) & (x < n)
        clean = (x == 0) & (n > 0)
        low, from_low, high, from_high = (
            np.zeros(x.shape),
            np.ones(x.shape),
            np.ones(x.shape),
            np.zeros(x.shape),
        )
        low[inside], from_low[inside] = beta_quantile("below", x[inside], n[inside] - x[inside] + 1, budget)
        high[inside], from_high[inside] = beta_quantile("above", x[inside] + 1, n[inside] - x[inside], budget)
        power = math.log(budget) / n[clean]
        high[clean], from_high[clean] = -np.expm1(power), np.exp(power)
        return low, from_low, high, from_high

    low, from_low, high, from_high = for_each_pair(rarer, trials, solve)
    mirrored = events != rarer
    return np.where(mirrored, from_high, low), np.where(mirrored, from_low, high)
