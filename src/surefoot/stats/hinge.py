"""Bounds on the mean of independent values in [0, 1] of any shape and any unequal means: the hinge bound.

The engine below every bound over clusters, over tasks drawn from a population and over averaged repeats.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import betainccinv, betaincinv, expit, gammaln, logit

from surefoot.errors import ArgumentError
from surefoot.stats.results import Bound, error_budget

# Errors allowed to the evaluation of the tail and to its root; both are taken to the safe side.
_TAIL_ERROR = 4e-15
_ROOT_ERROR = 1e-15
_NEGLIGIBLE = 1e-18
_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


def upper_bound(total: float, units: int, *, confidence_level: float = 0.95) -> Bound:
    """How high may the mean still be, when `units` independent values in [0, 1] add up to `total`?

    Say: "with 95 % confidence the mean of these units is at most 4.8 %."

    Parameters
    ----------
    total
        Sum of the observed values, in [0, units]; used as it is, never rounded.
    units
        How many independent units (clusters, tasks), >= 0. None at all gives 1.
    confidence_level
        In [0.75, 1), one-sided.

    Returns
    -------
    Bound
        On the average of the units' own expectations.

    Raises
    ------
    ArgumentError
        A total that is not a number in [0, units], or a count that is not a whole number >= 0.

    **Assumes** the units are independent of each other. Nothing else: each may have its own
    expectation and its own law on [0, 1].

    **Errs towards** a higher bound: equal to Clopper-Pearson at a total of 0, a few per cent wider at
    whole totals. Rounding is outward.

    Notes
    -----
    The bound is the rate r at which ``min over whole t > total of E(t - B)+ / (t - total)``,
    B ~ Bin(units, r), has fallen to the error budget. Why it holds: ``1{x <= S} <= (t - x)+ / (t - S)``;
    a chord replaces each value by a yes-or-no unit of the same mean, and Hoeffding replaces those by units
    of one common mean, neither of which lowers the expectation of a convex function of the sum. The tail
    falls in r and rises continuously in the total, so a total off by a rounding error gives a bound off
    by a rounding error, also next to whole numbers.

    References
    ----------
    Hoeffding (1956), On the distribution of the number of successes in independent trials, Theorem 3.

    Examples
    --------
    >>> round(upper_bound(1, 100).value, 9)
    0.048319849
    >>> round(upper_bound(0.25, 100).value, 9)
    0.032300955
    """
    total, units = _checked(total, units)
    value = hinge_upper(total, units, error_budget(confidence_level))
    return Bound(value, "upper", confidence_level, "hinge", {"total": total, "units": units})


def lower_bound(total: float, units: int, *, confidence_level: float = 0.95) -> Bound:
    """How low may the mean still be, when `units` independent values in [0, 1] add up to `total`?

    Say: "with 95 % confidence the mean of these units is at least 90.5 %."

    Parameters, returns and errors are those of :func:`upper_bound`; no units at all give 0.

    **Assumes** the units are independent of each other; nothing of their laws on [0, 1].

    **Errs towards** a lower bound.

    Notes
    -----
    One minus the upper bound of the complements, computed without the loss of digits that the
    subtraction would bring where the bound is small.

    Examples
    --------
    >>> round(lower_bound(30, 30).value, 9)
    0.904966147
    >>> round(lower_bound(0.5, 30).value, 9)
    0.000833333
    """
    total, units = _checked(total, units)
    value = hinge_lower(total, units, error_budget(confidence_level))
    return Bound(value, "lower", confidence_level, "hinge", {"total": total, "units": units})


def hinge_upper(total: float, units: int, budget: float) -> float:
    """The upper bound of the mean for an error budget in (0, 0.25]; arguments are not checked."""
    if units == 0 or total >= units:
        return 1.0
    if total <= 0:
        return -math.expm1(math.log(budget) / units)
    if total >= units - 1:
        return 1.0 - budget * (units - total) / units
    start = logit(betainccinv(total + 1, units - total, budget))
    problem = _Problem(units, math.floor(total) + 1, lambda t: t - total, float(logit(total / units)))
    return float(expit(problem.root(budget, float(start))))


def hinge_lower(total: float, units: int, budget: float) -> float:
    """The lower bound of the mean for an error budget in (0, 0.25]; arguments are not checked."""
    if units == 0 or total <= 0:
        return 0.0
    if total >= units:
        return math.exp(math.log(budget) / units)
    if total <= 1:
        return budget * total / units
    start = -logit(betaincinv(total, units - total + 1, budget))
    missing = units - math.ceil(total)
    problem = _Problem(units, missing + 1, lambda t: total - (units - t), -float(logit(total / units)))
    return float(expit(-problem.root(budget, float(start))))


def hinge_tail(total: float, units: int, rate: float) -> float:
    """How surprising is a sum of at most `total` at a mean of `rate`? An upper bound of its probability.

    Compare it with the error budget to test a limit without going through a root. Arguments are not checked.
    """
    if units == 0 or total >= units or units * rate <= total:
        return 1.0
    if rate >= 1:
        return 0.0
    problem = _Problem(units, math.floor(total) + 1, lambda t: t - total, -math.inf)
    log_odds = float(logit(rate))
    return min(1.0, math.exp(problem.log_tail(problem.best_t(log_odds), log_odds)[0]))


class _Problem:
    """The tail as a function of the log-odds of the rate.

    Log-odds keep all digits of a rate and of its complement at once, so that the lower bound can be
    solved as the mirror image. ``gap(t)`` is ``t - total``, ``first`` the least whole t where it is
    positive, ``floor`` log-odds at which the tail is not below 1.
    """

    def __init__(self, units: int, first: int, gap: Callable[[int], float], floor: float) -> None:
        self.units = units
        self.first = first
        self.gap = gap
        self.floor = floor

    def root(self, budget: float, start: float) -> float:
        """The log-odds at which the tail has fallen to the budget."""
        # For each t the crossing is a valid bound; moving between the best t at a rate and the crossing of
        # that t only ever lowers it, and ends where the best t stays the same.
        target = math.log(budget) - _TAIL_ERROR
        # At t = units the crossing has a closed form; a start that is beyond it, or not a number, is of no use.
        highest = math.log(self.units / self.gap(self.units)) - target
        start = max(start, self.floor) if start < highest else highest
        best = math.inf
        t = self.best_t(start)
        while True:
            crossing = self._crossing(t, target, start)
            if crossing >= best:
                return best
            best = start = crossing
            following = self.best_t(crossing)
            if following == t:
                return best
            t = following

    def best_t(self, log_odds: float) -> int:
        """The whole t that makes the tail least: the first where gap(t) P(B <= t) >= E(t - B)+."""
        rate = float(expit(log_odds))
        low, high = self.first, max(self.first, min(self.units, math.ceil(self.units * rate) + 1))
        while low < high:
            t = (low + high) // 2
            mass, excess = _lower_sums(t, self.units, log_odds)
            next_term = (self.units - t + 1) / t * math.exp(log_odds)
            if self.gap(t) * (mass + next_term) >= excess:
                high = t
            else:
                low = t + 1
        return low

    def log_tail(self, t: int, log_odds: float) -> tuple[float, float]:
        """log of E(t - B)+ / gap(t), and its slope in the log-odds."""
        mass, excess = _lower_sums(t, self.units, log_odds)
        log_tail = _log_pmf(t - 1, self.units, log_odds) + math.log(excess / self.gap(t))
        return log_tail, -float(expit(log_odds)) * ((self.units - t) * mass / excess + 1)

    def _crossing(self, t: int, target: float, start: float) -> float:
        # Newton, held between the ends. The upper end is always a valid bound.
        low, high, at = self.floor, math.inf, start
        for _ in range(60):
            value, slope = self.log_tail(t, at)
            low, high = (at, high) if value > target else (low, at)
            following = at - (value - target) / slope
            if not low <= following <= high:
                following = (low + high) / 2 if math.isfinite(high) else at + 1
            step, at = following - at, following
            if abs(step) <= _ROOT_ERROR * (1 + abs(at)):
                return at + _ROOT_ERROR * (1 + abs(at))
        return high


def _lower_sums(t: int, units: int, log_odds: float) -> tuple[float, float]:
    """P(B <= t-1) and E(t - B)+, both divided by P(B = t-1): sums of positive terms, so nothing cancels."""
    if t == 1:
        return 1.0, 1.0
    odds_against = math.exp(-log_odds)
    length = min(t, 64)
    while True:
        j = np.arange(1.0, length)
        terms = np.cumprod((t - j) / (units - t + j + 1) * odds_against)
        weighted = terms * (j + 1)
        mass, excess = 1.0 + float(terms.sum()), 1.0 + float(weighted.sum())
        if length == t or weighted[-1] * units <= _NEGLIGIBLE * excess:
            return mass, excess
        length = min(t, 4 * length)


def _log_pmf(k: int, n: int, log_odds: float) -> float:
    """log P(B = k) by Loader's saddle-point form, which keeps its digits at a million units."""
    rate, complement = float(expit(log_odds)), float(expit(-log_odds))
    if k == 0:
        return n * -math.log1p(math.exp(log_odds))
    if k == n:
        return n * -math.log1p(math.exp(-log_odds))
    correction = _stirling_error(n) - _stirling_error(k) - _stirling_error(n - k)
    deviance = _deviance(k, n * rate) + _deviance(n - k, n * complement)
    return correction - deviance - _HALF_LOG_TWO_PI + 0.5 * math.log(n / (k * (n - k)))


def _deviance(observed: float, expected: float) -> float:
    relative = (observed - expected) / expected
    return expected * ((1 + relative) * math.log1p(relative) - relative)


def _stirling_error(n: int) -> float:
    if n < 16:
        return float(gammaln(n + 1)) - (n + 0.5) * math.log(n) + n - _HALF_LOG_TWO_PI
    square = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / n


def _checked(total: float, units: int) -> tuple[float, int]:
    if isinstance(units, bool) or not isinstance(units, (int, np.integer)) or units < 0:
        raise ArgumentError("units", expected="a whole number >= 0", got=units)
    if isinstance(total, bool) or not isinstance(total, (int, float, np.integer, np.floating)):
        raise ArgumentError("total", expected=f"a number in [0, {units}]", got=total)
    if not 0 <= total <= units:
        raise ArgumentError("total", expected=f"a number in [0, {units}]", got=total)
    return float(total), int(units)
