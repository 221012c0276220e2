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
    return beta_quantile("above", a, b, budget)[0]


def beta_lower(a: ArrayLike, b: ArrayLike, budget: float) -> Floats:
    """Below which value does a Beta(a, b) variable lie with probability `budget`?

    Parameters and returns are those of :func:`beta_upper`.

    **Assumes** valid arguments; they are not checked.

    **Errs towards** 0 where arithmetic fails.
    """
    return beta_quantile("below", a, b, budget)[0]


def beta_quantile(tail: Tail, a: ArrayLike, b: ArrayLike, budget: float) -> tuple[Floats, Floats]:
    """Beyond which value does a Beta(a, b) variable lie with probability `budget`, and what is one minus it?

    Parameters are those of :func:`beta_upper` (`tail` "above") and :func:`beta_lower` ("below").

    Returns
    -------
    tuple of numpy.ndarray
        The value and one minus the value, each with all its digits: whichever is below 1/2 is solved.

    **Assumes** valid arguments; they are not checked.

    **Errs towards** 1 above and 0 below where arithmetic fails.
    """
    first, second = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    value, rest = np.empty(first.shape), np.empty(first.shape)
    fits = np.zeros(first.shape, dtype=np.bool_)
    with np.errstate(all="ignore"):
        # The mean says on which side of 1/2 the value is likely to be; what does not fit there is tried on the other.
        for near_zero in (first <= second, first > second):
            direct, other = near_zero & ~fits, ~near_zero & ~fits
            value[direct], fits[direct] = _improve(tail, first[direct], second[direct], budget)
            rest[direct] = 1.0 - value[direct]
            rest[other], fits[other] = _improve(_mirrored(tail), second[other], first[other], budget)
            value[other] = 1.0 - rest[other]
        if not fits.all():
            value[~fits], rest[~fits] = _bisected(tail, first[~fits], second[~fits], budget)
    return value, rest


def _mirrored(tail: Tail) -> Tail:
    return "below" if tail == "above" else "above"


def _inverse(tail: Tail, a: Floats, b: Floats, budget: float) -> Floats:
    return np.asarray(
        betainccinv(a, b, budget) if tail == "above" else betaincinv(a, b, budget), dtype=np.float64
    )


def _improve(tail: Tail, a: Floats, b: Floats, budget: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Newton steps from the inverse until the root, put back into the tail, gives the budget; and where it does.

    Guesses above 1/2 never fit: the mirrored law has their digits.
    """
    root, fits = _inverse(tail, a, b, budget), np.zeros(a.shape, dtype=np.bool_)
    open_ = np.flatnonzero(root <= 0.5)
    for _ in range(_NEWTON_STEPS):
        if not open_.size:
            break
        x, first, second = root[open_], a[open_], b[open_]
        density = np.exp(xlogy(first - 1, x) + xlog1py(second - 1, -x) - betaln(first, second))
        excess = _tail(tail, first, second, x) - budget
        # What one rounding of the root does to the tail is no misfit.
        fit = np.abs(excess) <= _FIT * budget + 4 * _EPS * x * density
        better = x + (excess if tail == "above" else -excess) / density
        root[open_] = np.where((better > 0) & (better <= 0.5), better, x)
        fits[open_] = fit
        open_ = open_[~fit]
    return root, fits


def _bisected(tail: Tail, a: Floats, b: Floats, budget: float) -> tuple[Floats, Floats]:
    """The value, and one minus it, by halving, whatever the inverses said."""
    small = _tail(tail, a, b, np.full(a.shape, 0.5)) <= budget
    if tail == "below":
        small = ~small
    root = np.empty(a.shape)
    root[small] = _bisect(tail, a[small], b[small], budget)
    root[~small] = _bisect(_mirrored(tail), b[~small], a[~small], budget)
    return np.where(small, root, 1.0 - root), np.where(small, 1.0 - root, root)


def _bisect(tail: Tail, a: Floats, b: Floats, budget: float) -> Floats:
    """The root in [0, 1/2] by halving, on the safe side: its tail is at most the budget.

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
