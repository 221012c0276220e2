"""Bounds on a weighted mean of independent values in [0, 1]: the dual of the Chernoff bound.

Made for clusters of unequal size, weighted by their size, and for trials of tasks with unequal repeats
(each trial weighted one over its task's repeats): a yes-or-no trial is a value in [0, 1].
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

# The value of the formula is a sum of terms that are not negative: a few roundings, taken outward.
_OUTWARD = 1 + 16 * 2.0**-53
_LARGEST_LOG = 600.0


def weighted_upper(
    weights: ArrayLike, total: float, budget: float, multiplicity: ArrayLike | None = None
) -> float:
    """How high may the weighted mean still be, when the weighted values add up to `total`?

    Parameters
    ----------
    weights
        One weight > 0 per unit, or per kind of units. Only their ratios matter.
    total
        Sum of weight times value over all units, in [0, sum of the weights], on the scale of the weights.
    budget
        Allowed error, in (0, 0.25].
    multiplicity
        How many units share each weight (whole numbers >= 1); one each where left out.

    Returns
    -------
    float
        Upper bound of ``sum w_i mu_i / sum w_i`` with mu_i the expectation of unit i, in [0, 1].

    **Assumes** the units are independent; each may have its own expectation and its own law on [0, 1].
    The weights do not depend on what was observed. Arguments are not checked.

    **Errs towards** a higher bound: at total 0 it is sharp (no bound valid for yes-or-no units is
    lower); with events it is a Chernoff bound, some 20 to 50 % wide at small totals.

    Notes
    -----
    For l, v >= 0 and any laws with weighted mean r, by a chord and the largest possible rates,
    ``log P(sum w Y <= s) <= l s + sum_i max_m [log(1 - m d_i) + v w_i m] - v r``, d_i = 1 - exp(-l w_i).
    So ``(l s + sum_i max_m [...] - log budget) / v`` is a valid bound *whatever l and v are*: the
    search below only makes it small, and what is returned is that formula at the l and v found, rounded
    outward. In v the best value solves ``sum_i log(1 - m_i d_i) = log budget - l s``, piecewise linear in
    log v; in l the formula has a single valley. At total 0, l is infinite and water is filled in:
    v with ``sum over w_i > v of log(w_i / v) = -log budget`` gives ``sum over w_i > v of (w_i - v)``.

    References
    ----------
    Chernoff (1952); Hoeffding (1963), Probability inequalities for sums of bounded random variables.

    Examples
    --------
    Twenty clusters of one question and five of ten, first without an event, then with one:

    >>> round(weighted_upper([1, 10], 0, 0.05, [20, 5]), 9)
    0.321942663
    >>> round(weighted_upper([1, 10], 1, 0.05, [20, 5]), 9)
    0.358641947
    """
    units = _Units(weights, multiplicity)
    if not units.counts.size or total >= units.total:
        return 1.0
    log_budget = -math.log(budget)
    share = total / units.largest
    value = units.without_events(log_budget) if share <= 0 else units.with_events(share, log_budget)
    return min(1.0, value * units.largest / units.total * _OUTWARD)


def weighted_lower(
    weights: ArrayLike, total: float, budget: float, multiplicity: ArrayLike | None = None
) -> float:
    """How low may the weighted mean still be, when the weighted values add up to `total`?

    One minus :func:`weighted_upper` of the complements, with the same parameters and assumptions.

    **Errs towards** a lower bound.

    Examples
    --------
    >>> round(weighted_lower([1, 2], 120, 0.05, [80, 20]), 9)
    0.953630553
    """
    units = _Units(weights, multiplicity)
    return 1.0 - weighted_upper(weights, max(0.0, units.total - total), budget, multiplicity)


class _Units:
    """Units gathered by weight, in one order whatever order they came in, the largest weight being 1."""

    def __init__(self, weights: ArrayLike, multiplicity: ArrayLike | None) -> None:
        given = np.atleast_1d(np.asarray(weights, dtype=np.float64))
        counts = np.ones_like(given) if multiplicity is None else np.asarray(multiplicity, dtype=np.float64)
        distinct, inverse = np.unique(given, return_inverse=True)
        gathered = np.bincount(inverse.ravel(), weights=counts, minlength=distinct.size)
        self.counts: FloatArray = gathered.astype(np.float64)
        self.largest = float(distinct[-1]) if distinct.size else 1.0
        self.total = math.fsum((distinct * self.counts).tolist())
        self.weights: FloatArray = distinct / self.largest

    def without_events(self, log_budget: float) -> float:
        starts = -np.log(self.weights)
        level = _level(starts, np.full_like(starts, log_budget), self.counts, log_budget)
        costs = np.maximum(level - starts, 0.0)
        return self._formula(level, costs, -np.expm1(-costs), log_budget)

    def with_events(self, share: float, log_budget: float) -> float:
        """The lowest value over the tilt l: its slope changes sign once."""
        low = math.log(log_budget / (self.total / self.largest - share))
        high, high_slope, low_slope, best = low, -1.0, -1.0, math.inf
        while high_slope < 0 and high < _LARGEST_LOG:
            low, low_slope, high = high, high_slope, high + 1.0
            value, high_slope = self._at(math.exp(high), share, log_budget)
            best = min(best, value)
        side = 0
        while high - low > 1e-9:
            middle = (low * high_slope - high * low_slope) / (high_slope - low_slope)
            middle = min(max(middle, low + 0.01 * (high - low)), high - 0.01 * (high - low))
            value, slope = self._at(math.exp(middle), share, log_budget)
            best = min(best, value)
            if slope >= 0:
                high, high_slope = middle, slope
                low_slope *= 0.5 if side > 0 else 1.0
                side = 1
            else:
                low, low_slope = middle, slope
                high_slope *= 0.5 if side < 0 else 1.0
                side = -1
        return best

    def _at(self, tilt: float, share: float, log_budget: float) -> tuple[float, float]:
        """The bound at tilt l and the v that is best for it, and its slope in l (up to a positive factor)."""
        falls = -np.expm1(-tilt * self.weights)
        starts, heights = np.log(falls / self.weights), tilt * self.weights
        level = _level(starts, heights, self.counts, log_budget + tilt * share)
        costs = np.clip(level - starts, 0.0, heights)
        rates = -np.expm1(-costs) / falls
        tilted = self.counts * self.weights * rates * np.exp(costs - heights)
        value = self._formula(level, costs, rates, log_budget + tilt * share)
        return value, share - math.fsum(tilted.tolist())

    def _formula(self, level: float, costs: FloatArray, rates: FloatArray, amount: float) -> float:
        """(amount + sum [v w m - cost]) / v with v = exp(level): the same, but no v too large for a float.

        What the level leaves unspent is next to nothing; it is counted all the same, so that the value
        is a valid bound at this very level.
        """
        unspent = amount - math.fsum((self.counts * costs).tolist())
        return math.fsum((self.counts * self.weights * rates).tolist()) + math.exp(-level) * unspent


def _level(starts: FloatArray, heights: FloatArray, counts: FloatArray, amount: float) -> float:
    """The water level at which vessels with these floors and heights hold the amount."""
    points = np.concatenate([starts, starts + heights])
    order = np.argsort(points, kind="stable")
    points = points[order]
    widths = np.cumsum(np.concatenate([counts, -counts])[order])
    held = np.concatenate([[0.0], np.cumsum(widths[:-1] * np.diff(points))])
    at = max(0, int(np.searchsorted(held, amount, side="left")) - 1)
    return float(points[at] + (amount - held[at]) / widths[at]) if widths[at] > 0 else float(points[at])
