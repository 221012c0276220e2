"""Quantiles of the beta law that are checked: each is put back into the tail it came from.

The inverses of scipy are starting points only. For large parameters they are off by up to 1e-7 in the tail, near 1
they can be off by any factor, and some builds return NaN. So every root is solved on the side of 1/2 where it is
small, improved by Newton's method, put back, and found by bisection if it still does not fit.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln, xlog1py, xlogy

Floats = NDArray[np.float64]
Tail = Literal["above", "below"]

_NEWTON_STEPS = 4
_FIT = 1e-11
_EPS = 2.0**-52
# Halving 62 bits leaves two neighbouring floats.
_HALVINGS = 62


def beta_upper(a: ArrayLike, b: ArrayLike, budget: float) -> Floats:
    """Above which value does a Beta(a, b) variable lie with probability `budget`?

    Parameters
    ----------
    a, b
        Positive numbers, not only whole ones; they broadcast.
    budget
        In (0, 0.25].

    Returns
    -------
    numpy.ndarray
        Values in [0, 1]; nearest float where the answer is close to 1.

    **Assumes** valid arguments; they are not checked.

    **Errs towards** 1 where arithmetic fails.
    """
    first, second = _broadcast(a, b)
    with np.errstate(all="ignore"):
        small = betaincc(first, second, 0.5) <= budget
    value = np.empty(first.shape)
    value[small] = _small_root("above", first[small], second[small], budget)
    value[~small] = 1.0 - _small_root("below", second[~small], first[~small], budget)
    return value


def beta_lower(a: ArrayLike, b: ArrayLike, budget: float) -> Floats:
    """Below which value does a Beta(a, b) variable lie with probability `budget`?

    Parameters and returns are those of :func:`beta_upper`.

    **Assumes** valid arguments; they are not checked.

    **Errs towards** 0 where arithmetic fails.
    """
    first, second = _broadcast(a, b)
    with np.errstate(all="ignore"):
        large = betainc(first, second, 0.5) <= budget
    value = np.empty(first.shape)
    value[large] = 1.0 - _small_root("above", second[large], first[large], budget)
    value[~large] = _small_root("below", first[~large], second[~large], budget)
    return value


def _broadcast(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    first, second = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    return first, second


def _small_root(tail: Tail, a: Floats, b: Floats, budget: float) -> Floats:
    """The value in [0, 1/2] whose tail is the budget."""
    if a.size == 0:
        return np.empty(a.shape)
    with np.errstate(all="ignore"):
        inverse = betainccinv if tail == "above" else betaincinv
        root = np.clip(inverse(a, b, budget), 0.0, 0.5)
        root, fits = _improve(tail, root, a, b, budget)
        if not fits.all():
            root[~fits] = _bisect(tail, a[~fits], b[~fits], budget)
    return root


def _improve(
    tail: Tail, root: Floats, a: Floats, b: Floats, budget: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """Newton steps until the root, put back into the tail, gives the budget; and where it does."""
    downhill = -1.0 if tail == "above" else 1.0
    fits = np.zeros(root.shape, dtype=np.bool_)
    for _ in range(_NEWTON_STEPS):
        density = np.exp(xlogy(a - 1, root) + xlog1py(b - 1, -root) - betaln(a, b))
        excess = _tail(tail, a, b, root) - budget
        # What one rounding of the root does to the tail is no misfit.
        allowed = _FIT * budget + 4 * _EPS * root * density
        fits = np.abs(excess) <= allowed
        step = np.where(np.abs(excess) > _EPS * budget, downhill * excess / density, 0.0)
        better = np.clip(root - step, 0.0, 0.5)
        root = np.where(np.isfinite(better), better, root)
        if fits.all():
            break
    return root, fits


def _bisect(tail: Tail, a: Floats, b: Floats, budget: float) -> Floats:
    """The root by halving, on the safe side: its tail is at most the budget.

    Floats >= 0 are ordered like the integers with the same bits, so halving those finds a root of any size to its
    last digit. A tail that is NaN counts as too large.
    """
    low = np.zeros(a.shape)
    high = np.full(a.shape, 0.5)
    for _ in range(_HALVINGS):
        middle = ((low.view(np.int64) + high.view(np.int64)) // 2).view(np.float64)
        within = _tail(tail, a, b, middle) <= budget
        move_high = within if tail == "above" else ~within
        high = np.where(move_high, middle, high)
        low = np.where(move_high, low, middle)
    return high if tail == "above" else low


def _tail(tail: Tail, a: Floats, b: Floats, value: Floats) -> Floats:
    return np.asarray(betaincc(a, b, value) if tail == "above" else betainc(a, b, value), dtype=np.float64)
