"""The dual Chernoff bound for the mean of p_i^k over a fixed set of tasks.

The tasks are independent, task i passes each of its n_i trials with its own unknown p_i. With
f_i = C(c_i, k) / C(n_i, k), whose mean is p_i^k, and S the sum of the f_i, Markov's inequality gives for
every theta > 0 and mu > 0, wherever the mean of p_i^k is at most ``pi``,

    log P(S >= s) <= -theta s + mu T pi + sum_i G_i(theta, mu),
    G_i(theta, mu) = max over p of  log E_p exp(theta f_i) - mu p^k.

So ``(log a + theta s - sum_i G_i) / (T mu)`` is a valid lower bound for each (theta, mu), and so is the
largest of them: it does not fall as s grows, hence errs only when S reaches a value of probability below a.
The upper bound is the mirror image: exp(-theta f_i), +mu p^k, and the ends exchanged.

Two parts are kept apart. The *search* for a good (theta, mu) may be rough: a poorer pair is only
conservative. The *certificate* of G_i at the pair it found may not: it is an upper bound on the maximum
over all p, never the largest value on a grid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln, logsumexp

from surefoot.stats.pass_k_certificate import SameTrials, Sign, largest

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

_EPS = float(np.finfo(np.float64).eps)
_ROUNDS = 8
_GOLDEN = (math.sqrt(5) - 1) / 2
_LOG_MU_RANGE = (-60.0, 140.0)
_THETA_STEP = 1e-8
_MU_STEPS = 56
_SMALLEST_MEAN = 1e-200
_ZOOMS = 4
_PEAKS = 3


@dataclass(frozen=True)
class _Points:
    """The levels of p at which the search looks, for each size (rows)."""

    p: Floats
    x: Floats
    log_pmf: tuple[Floats, ...]
    pmf: tuple[Floats, ...]

    @classmethod
    def of(cls, sizes: tuple[SameTrials, ...], p: Floats) -> _Points:
        logs = tuple(size.log_pmf(row) for size, row in zip(sizes, p, strict=True))
        return cls(p, p ** sizes[0].k, logs, tuple(np.exp(log) for log in logs))

    def log_means(self, sizes: tuple[SameTrials, ...], slope: float) -> Floats:
        return np.stack(
            [
                _log_mean(log, pmf, slope * size.values)
                for size, log, pmf in zip(sizes, self.log_pmf, self.pmf, strict=True)
            ]
        )


@dataclass(frozen=True)
class _Problem:
    """One side (sign 1: lower, -1: upper) of one bound."""

    sizes: tuple[SameTrials, ...]
    tasks: Floats
    total: float
    log_budget: float
    sign: Sign

    @property
    def task_count(self) -> float:
        return float(self.tasks.sum())

    def level(self, theta: float) -> float:
        return self.log_budget + self.sign * theta * self.total


def dual_lower(total: float, trials: Whole, tasks: Whole, k: int, budget: float) -> float:
    """What is the least mean of p_i^k that `total` still allows?

    Parameters
    ----------
    total
        Sum over all tasks of C(c_i, k) / C(n_i, k).
    trials
        The distinct numbers of trials n_g >= k, shape (G,).
    tasks
        How many tasks have that number, shape (G,).
    k
        How many trials must all pass.
    budget
        How often the bound may be wrong, in (0, 1).

    Returns
    -------
    float
        Lower bound on the mean of p_i^k, in [0, 1].

    **Assumes** trials are independent and those of one task share one p_i; `trials` and k were fixed
    beforehand. Arguments are not checked.

    **Errs towards** a lower bound: a Chernoff bound is not attained, and the search may miss the best pair
    by about 1e-10.
    """
    size = int(tasks.sum())
    if total <= 0 or size == 0:
        return 0.0
    if total >= size * (1 - 4 * _EPS):
        return clean_lower(trials, tasks, k, budget)
    problem = _problem(total * (1 - 8 * _EPS), trials, tasks, k, budget, 1)
    return max(0.0, _best(problem))


def dual_upper(total: float, trials: Whole, tasks: Whole, k: int, budget: float) -> float:
    """What is the largest mean of p_i^k that `total` still allows?

    The mirror image of `dual_lower`: same parameters, assumptions and method.

    **Assumes** as `dual_lower`.

    **Errs towards** a higher bound.
    """
    size = int(tasks.sum())
    if size == 0 or total >= size * (1 - 4 * _EPS):
        return 1.0
    problem = _problem(total * (1 + 8 * _EPS), trials, tasks, k, budget, -1)
    return min(1.0, -_best(problem))


def clean_lower(trials: Whole, tasks: Whole, k: int, budget: float) -> float:
    """What is the least mean of p_i^k when every trial of every task passed?

    That has probability prod p_i^n_i. With x_i = p_i^k it is prod x_i^(n_i/k), a log-concave function: for a
    given mean of x it is largest at x_i = min(1, n_i / z) with one water level z for all tasks. The
    bound is the mean at which this largest probability equals `budget`; with equal n it is
    ``budget ** (k / (T n))``. No valid bound that is monotone in the evidence can be higher.

    **Assumes** as `dual_lower`.

    **Errs towards** neither side: it is attained.
    """
    order = np.argsort(trials)
    n, m = trials[order].astype(np.float64), tasks[order].astype(np.float64)
    weight = m * n / k
    log_n = np.log(n / n[0])
    log_z = (np.cumsum(weight * log_n) - math.log(budget)) / np.cumsum(weight)
    below = np.append(log_n[1:], math.inf) >= log_z
    x = np.exp(np.minimum(0.0, log_n - log_z[int(np.argmax(below))]))
    return float(np.dot(m, x) / m.sum()) * (1 - 4 * _EPS)


def _problem(total: float, trials: Whole, tasks: Whole, k: int, budget: float, sign: Sign) -> _Problem:
    order = np.argsort(trials)
    sizes = tuple(SameTrials.of(int(n), k, seen=total > 0) for n in trials[order])
    return _Problem(sizes, tasks[order].astype(np.float64), total, math.log(budget), sign)


def _best(problem: _Problem) -> float:
    """Alternate between the best pair for the levels of p looked at and the levels worst for that pair."""
    z = np.linspace(-12.0, 16.0, 113)
    grid = np.concatenate([[0.0], 1 / (1 + np.exp(-z)), [1.0]])
    p = np.tile(grid, (len(problem.sizes), 1))
    log_theta, width, log_mu, last = _log_theta_range(problem)[0], 1.0, 0.0, math.inf
    for _ in range(_ROUNDS):
        points = _Points.of(problem.sizes, p)
        log_theta, log_mu, value = _search(problem, points, log_theta, width)
        if abs(last - value) <= 1e-11:
            break
        last, width = value, 0.05
        p = _with_worst_levels(problem, points, math.exp(log_theta), math.exp(log_mu))
    return _certified(problem, math.exp(log_theta), math.exp(log_mu))


def _log_theta_range(problem: _Problem) -> tuple[float, float]:
    """Below the first theta no mu gives more than the trivial bound; the best is never near the second."""
    room, rest = problem.total, problem.task_count - problem.total
    if problem.sign == -1:
        room, rest = rest, room
    first = math.log(-problem.log_budget / room) + 1e-3
    return first, 12.0 + (max(first, -math.log(rest)) if rest > 0 else max(first, 0.0))


def _search(problem: _Problem, points: _Points, start: float, width: float) -> tuple[float, float, float]:
    """Golden section over log theta: the value is quasi-concave in (theta, mu)."""
    seen: dict[float, tuple[float, float]] = {}

    def value(log_theta: float) -> float:
        if log_theta not in seen:
            seen[log_theta] = _best_mu(problem, points, math.exp(log_theta))
        return seen[log_theta][0]

    low, high = _bracket(value, start, width, *_log_theta_range(problem))
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    while high - low > _THETA_STEP:
        if value(left) < value(right):
            low, left, right = left, right, left + _GOLDEN * (high - left)
        else:
            high, right, left = right, left, right - _GOLDEN * (right - low)
    best = max(seen, key=lambda t: seen[t][0])
    return best, seen[best][1], seen[best][0]


def _bracket(
    value: Callable[[float], float], start: float, width: float, least: float, most: float
) -> tuple[float, float]:
    middle, step = max(least, start), width
    low, high = max(least, middle - step), min(most, middle + step)
    while high < most and value(high) > value(middle):
        step *= 2
        low, middle, high = middle, high, min(most, high + step)
    while low > least and value(low) > value(middle):
        step *= 2
        low, middle, high = max(least, low - step), low, middle
    return low, high


def _best_mu(problem: _Problem, points: _Points, theta: float) -> tuple[float, float]:
    """The best value at this theta over the levels looked at, and its log mu.

    The value rises in mu as long as the log means at the worst levels add up to more than the level.
    It turns where one size changes its worst level: once only that size differs between the ends, the next
    mu tried is the one at which its two levels are equally bad.
    """
    h = points.log_means(problem.sizes, problem.sign * theta)
    level = problem.level(theta)
    rows = np.arange(len(problem.sizes))

    def worst(log_mu: float) -> Whole:
        columns: Whole = np.argmax(h - problem.sign * math.exp(log_mu) * points.x, axis=1)
        return columns

    low, high = _LOG_MU_RANGE
    at_low, at_high = worst(low), worst(high)
    for _ in range(_MU_STEPS):
        middle, turning = _next_log_mu(problem, points, h, (low, at_low), (high, at_high))
        columns = worst(middle)
        if turning is not None and columns[turning] in (at_low[turning], at_high[turning]):
            break
        if float(problem.tasks @ h[rows, columns]) > level:
            low, at_low = middle, columns
        else:
            high, at_high = middle, columns
    mu = math.exp(middle)
    maxima = h[rows, columns] - problem.sign * mu * points.x[rows, columns]
    return (level - float(problem.tasks @ maxima)) / (problem.task_count * mu), middle


def _next_log_mu(
    problem: _Problem, points: _Points, h: Floats, low: tuple[float, Whole], high: tuple[float, Whole]
) -> tuple[float, int | None]:
    """The log mu to try next, and the one size that turns there, if there is but one."""
    changed = np.flatnonzero(low[1] != high[1])
    if len(changed) == 1:
        row = int(changed[0])
        one, other = low[1][row], high[1][row]
        rise = problem.sign * (h[row, one] - h[row, other])
        run = points.x[row, one] - points.x[row, other]
        if rise * run > 0:
            return min(high[0], max(low[0], math.log(rise / run))), row
    return (low[0] + high[0]) / 2, None


def _with_worst_levels(problem: _Problem, points: _Points, theta: float, mu: float) -> Floats:
    """Add to each size the levels around its largest local maxima, found by zooming in."""
    g = points.log_means(problem.sizes, problem.sign * theta) - problem.sign * mu * points.x
    added = [_zoom(problem, row, points.p[row], g[row], theta, mu) for row in range(len(problem.sizes))]
    return np.sort(np.concatenate([points.p, np.stack(added)], axis=1), axis=1)


def _zoom(problem: _Problem, row: int, p: Floats, g: Floats, theta: float, mu: float) -> Floats:
    """Each peak between its two neighbours, and levels ever nearer to it on both sides."""
    size, sign = problem.sizes[row], problem.sign
    p, first = np.unique(p, return_index=True)
    g = g[first]
    left, right = np.append(g[0], g[:-1]), np.append(g[1:], g[-1])
    peaks = np.flatnonzero((g >= left) & (g >= right))
    # Between the levels a peak may be as much higher as it stands out from them; rounding noise does not.
    hopes = 2 * g - np.minimum(left, right)
    peaks = peaks[np.argsort(-hopes[peaks], kind="stable")][:_PEAKS]
    left_end, right_end = p[np.maximum(peaks - 1, 0)], p[np.minimum(peaks + 1, len(p) - 1)]
    low, high = left_end, right_end
    for _ in range(_ZOOMS):
        fine = np.linspace(low, high, 17, axis=1)
        values = size.log_mean(fine.ravel(), sign * theta) - sign * mu * fine.ravel() ** size.k
        best = np.argmax(values.reshape(fine.shape), axis=1)
        pick = np.arange(len(fine))
        low, high = fine[pick, np.maximum(best - 1, 0)], fine[pick, np.minimum(best + 1, 16)]
    top = ((low + high) / 2)[:, None]
    steps = np.array([1.0, 1 / 4, 1 / 16, 1 / 64])
    below = top - steps * (top - left_end[:, None]) / 2
    above = top + steps * (right_end[:, None] - top) / 2
    return np.resize(np.concatenate([below, top, above], axis=1), 9 * _PEAKS)


def _certified(problem: _Problem, theta: float, mu: float) -> float:
    """The bound this pair really gives: certified maxima, every rounding charged against it."""
    tolerance = max(1e-11 * mu, 1e-13)
    maxima = np.array([largest(size, problem.sign, theta, mu, tolerance) for size in problem.sizes])
    rounding = np.array(
        [
            _EPS * (8 * float(gammaln(size.trials + 1)) + (8 + 2 * size.k) * theta + 8 * mu + 64)
            for size in problem.sizes
        ]
    )
    spent = float(problem.tasks @ (maxima + rounding))
    scale = abs(problem.log_budget) + theta * problem.total + float(problem.tasks @ np.abs(maxima))
    return (problem.level(theta) - spent - 16 * _EPS * scale) / (problem.task_count * mu)


def _log_mean(log_pmf: Floats, pmf: Floats, exponent: Floats) -> Floats:
    """Log of the means of exp(exponent) for the rows of pmf; the slow way only where the other underflows."""
    top = float(exponent.max())
    means = pmf @ np.exp(exponent - top)
    small = means < _SMALLEST_MEAN
    means[small] = 1.0
    logs = np.log(means) + top
    if small.any():
        logs[small] = logsumexp(log_pmf[small] + exponent, axis=1)
    return np.asarray(logs, dtype=np.float64)
