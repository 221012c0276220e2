"""Shares of the k-subsets of n trials, to full precision for five trials and for a thousand million."""

from __future__ import annotations

import math

import numpy as np

# Beyond so many factors their logarithms are added: k factors would lose k roundings.
_FACTORS = 64
# exp(-800) is zero in floats.
_LOG_ZERO = 800


def share_all_passed(passed: int, trials: int, k: int) -> float:
    """The share of the k-subsets of the trials that hold no failure: C(passed, k) / C(trials, k), for k <= trials."""
    if passed < k:
        return 0.0
    if k > _FACTORS:
        return math.exp(_log_misses(trials - passed, trials, k))
    return math.prod((passed - i) / (trials - i) for i in range(k))


def share_any_passed(passed: int, trials: int, k: int) -> float:
    """The share of the k-subsets of the trials that hold a pass: 1 - C(trials - passed, k) / C(trials, k)."""
    if trials - passed < k:
        return 1.0
    if k > _FACTORS:
        return -math.expm1(_log_misses(passed, trials, k))
    # One minus a product loses the digits of a small answer; this sum has terms of one sign.
    total = 0.0
    for i in range(k):
        total += (1 - total) * passed / (trials - i)
    return total


def _log_misses(marked: int, trials: int, k: int) -> float:
    """Log of the chance that k trials drawn without replacement miss all the marked ones, trials - marked >= k."""
    # C(trials - marked, k) / C(trials, k) is the same with marked and k exchanged: take the fewer factors.
    few, many = min(marked, k), max(marked, k)
    if few * many > _LOG_ZERO * trials:
        return -math.inf
    return float(np.log1p(-many / (trials - np.arange(few, dtype=np.float64))).sum())
