"""The largest of log E_p exp(+-theta f) -+ mu p^k over p, from above: the certificate of the dual bound.

Tasks of equal n share it. A largest value on a grid of p would be too small, and the bound built on it
wrong; here every cell between two levels of p has an upper bound of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import gammaln, logsumexp, xlog1py, xlogy

from surefoot.stats.subsets import share_all_passed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Sign = Literal[1, -1]

_HALVINGS = 60
_MAX_CELLS = 4096


def pass_hat_k_table(trials: int, k: int) -> Floats:
    """What is C(c, k) / C(n, k) for c = 0..n?"""
    return np.array([share_all_passed(passed, trials, k) for passed in range(trials + 1)])


@dataclass(frozen=True)
class SameTrials:
    """All tasks of one number of trials: they share one maximisation."""

    trials: int
    k: int
    log_choices: Floats
    values: Floats

    @classmethod
    def of(cls, trials: int, k: int, *, seen: bool) -> SameTrials:
        table = pass_hat_k_table(trials, k)
        # With nothing seen the best theta is infinite; "f is not 0" at a finite theta says the same.
        return cls(trials, k, _log_choices(trials), table if seen else np.sign(table))

    def log_pmf(self, p: Floats) -> Floats:
        """Log of the binomial probabilities: one row for each p."""
        passes = np.arange(self.trials + 1)
        column = p[:, None]
        logs = self.log_choices + xlogy(passes, column) + xlog1py(self.trials - passes, -column)
        return np.asarray(logs, dtype=np.float64)

    def log_mean(self, p: Floats, slope: float) -> Floats:
        """Log of E_p exp(slope f)."""
        return np.asarray(logsumexp(self.log_pmf(p) + slope * self.values, axis=1), dtype=np.float64)


def largest(size: SameTrials, sign: Sign, theta: float, mu: float, tolerance: float) -> float:
    """An upper bound on max_p [log E_p exp(sign theta f) - sign mu p^k], at most `tolerance` too high.

    Cells of p are halved where their upper bound still exceeds the largest value found; what is left when
    the halvings run out is returned as it is, so the answer is an upper bound however the halving went.
    """
    edges = 1 / (1 + np.exp(-np.linspace(-14.0, 18.0, 65)))
    edges = np.concatenate([[0.0], edges, [1.0]])
    low, high = edges[:-1], edges[1:]
    settled = -math.inf
    found = -math.inf
    for _ in range(_HALVINGS):
        ends, bound = _cells(size, sign, theta, mu, low, high)
        found = max(found, float(ends.max()))
        alive = bound > found + tolerance
        settled = max(settled, float(bound[~alive].max(initial=-math.inf)))
        if not alive.any():
            return settled
        if np.count_nonzero(alive) > _MAX_CELLS:
            break
        low, high = low[alive], high[alive]
        middle = (low + high) / 2
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return max(settled, float(bound[alive].max()))


def _cells(
    size: SameTrials, sign: Sign, theta: float, mu: float, low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """For each cell the larger value at its ends, and an upper bound on the values inside.

    First bound, by monotonicity: log E_p exp(..) at one end and p^k at the other. Second, tight to the square
    of the width: E_p exp(..) lies below its chord plus width^2/8 times the largest -d2/dp2, and p^k between
    its tangent and its chord; log(linear) + linear is concave, so it lies below any of its tangents.
    """
    h_low, h_high = size.log_mean(low, sign * theta), size.log_mean(high, sign * theta)
    x_low, x_high = low**size.k, high**size.k
    ends = np.maximum(h_low - sign * mu * x_low, h_high - sign * mu * x_high)
    monotone = h_high - mu * x_low if sign == 1 else h_low + mu * x_high
    width = high - low
    scale = np.maximum(h_low, h_high)
    start = np.exp(h_low - scale)
    rise = np.exp(h_high - scale) - start
    if sign == 1:
        middle = (low + high) / 2
        slope = -mu * size.k * middle ** (size.k - 1) * width
        offset = -mu * middle**size.k - slope / 2
    else:
        slope = mu * (x_high - x_low)
        offset = mu * x_low
        start = start + np.exp(np.minimum(_log_sag(size, theta, low, high) - scale, 600.0)) * width**2 / 8
    chord = scale + offset + _concave_top(np.maximum(start, 1e-300), rise, slope)
    return ends, np.minimum(monotone, chord)


def _concave_top(start: Floats, rise: Floats, slope: Floats) -> Floats:
    """Upper bound on log(start + rise t) + slope t over t in [0, 1], by the tangent at the best t."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        t = np.nan_to_num(-1 / slope - start / rise, nan=0.0)
    t = np.clip(t, 0.0, 1.0)
    inside = np.maximum(start + rise * t, 1e-300)
    tangent = rise / inside + slope
    return np.asarray(np.log(inside) + slope * t + np.maximum(-tangent * t, tangent * (1 - t)))


def _log_sag(size: SameTrials, theta: float, low: Floats, high: Floats) -> Floats:
    """Log of an upper bound on -d2/dp2 E_p exp(-theta f) in each cell.

    The second derivative is n(n-1) times the mean, over n-2 trials, of the second differences of
    exp(-theta f); the probability of c in n-2 is largest at the level of the cell nearest to c / (n-2).
    For exp(+theta f) the second differences are >= 0 (f is convex in c, exp is convex and rises): no sag.
    """
    n, f = size.trials, theta * size.values
    if n < 2:
        return np.full(len(low), -math.inf)
    second = np.expm1(f[:-2] - f[2:]) - 2 * np.expm1(f[:-2] - f[1:-1])
    with np.errstate(divide="ignore"):
        log_drop = np.log(np.maximum(-second, 0.0)) - f[:-2]
    passes = np.arange(n - 1)
    level = np.clip(passes / max(n - 2, 1), low[:, None], high[:, None])
    logs = _log_choices(n - 2) + xlogy(passes, level) + xlog1py(n - 2 - passes, -level)
    with np.errstate(divide="ignore"):
        return np.asarray(logsumexp(logs + log_drop, axis=1) + math.log(n * (n - 1)), dtype=np.float64)


def _log_choices(trials: int) -> Floats:
    passes = np.arange(trials + 1)
    logs = gammaln(trials + 1) - gammaln(passes + 1) - gammaln(trials - passes + 1)
    return np.asarray(logs, dtype=np.float64)
