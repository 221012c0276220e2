"""How much evidence a limit needs, by the bound that will grade it."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from decimal import Decimal
from typing import Literal

from scipy.special import betaincc

from surefoot.errors import ArgumentError
from surefoot.stats.hinge import hinge_tail
from surefoot.stats.results import error_budget

# A tail this near to the budget is the budget itself: floats cannot tell, and a tie clears the limit.
_TIE = 1 + 1e-12


def required_trials(
    *,
    at_most: float | None = None,
    at_least: float | None = None,
    events: int = 0,
    confidence_level: float = 0.95,
) -> int:
    """How many independent trials does a limit need, if so many of them turn out bad?

    Say: "299 clean trials show a rate of at most 1 %; with one event it takes 473."

    Parameters
    ----------
    at_most
        The limit of a harm's rate, in (0, 1).
    at_least
        Or the limit of a success rate, in (0, 1): the same question about the failures, at
        ``at_most = 1 - at_least``. Give exactly one of the two.
    events
        Bad trials to allow for: harms, or failures of the success; a whole number >= 0.
    confidence_level
        In [0.75, 1), one-sided.

    Returns
    -------
    int
        The least number of trials at which the Clopper-Pearson bound with that many bad ones clears the
        limit. Every larger number does too.

    Raises
    ------
    ArgumentError
        No limit or two, a limit outside (0, 1), a count that is not a whole number >= 0.

    **Assumes** independent trials; clusters of several tasks are :func:`required_clusters`.

    **Errs towards** neither side: the number is exact, and a tie with the limit counts as cleared.

    Notes
    -----
    The least n with ``P(Binomial(n, at_most) <= events) <= 1 - confidence_level``. Power moves in steps at
    these numbers and falls between them, so only they are worth planning.

    Examples
    --------
    >>> [required_trials(at_most=0.01, events=c) for c in range(4)]
    [299, 473, 628, 773]
    >>> required_trials(at_least=0.95)
    59
    """
    limit, bad, budget = _checked(at_most, at_least, events, confidence_level)
    return _least(lambda n: float(betaincc(bad + 1, n - bad, limit)) <= budget * _TIE, bad + 1)


def required_clusters(
    *,
    at_most: float | None = None,
    at_least: float | None = None,
    events: int = 0,
    confidence_level: float = 0.95,
    method: Literal["bernoulli", "whole clusters"] = "whole clusters",
) -> int:
    """How many independent clusters does a limit need, if so many of them turn out wholly bad?

    Say: "299 clean clusters show a rate of at most 1 %; with one of them wholly bad it takes 492."

    Parameters
    ----------
    at_most, at_least
        The limit, as in :func:`required_trials`. Give exactly one of the two.
    events
        Clusters to allow for in which everything is bad; a whole number >= 0.
    confidence_level
        In [0.75, 1), one-sided.
    method
        The bound that will grade: ``"whole clusters"``, the hinge bound for clusters of several tasks
        (equal sizes) or tasks of several trials; ``"bernoulli"``, Clopper-Pearson for clusters of one
        task tried once.

    Returns
    -------
    int
        The least number of clusters at which that bound clears the limit. Every larger number does too.

    Raises
    ------
    ArgumentError
        As :func:`required_trials`; also an unknown method.

    **Assumes** independent clusters of equal size. Unequal sizes need more.

    **Errs towards** more clusters than needed where a bad cluster is bad only in part.

    Examples
    --------
    >>> [required_clusters(at_most=0.01, events=c) for c in range(4)]
    [299, 492, 662, 822]
    """
    if method == "bernoulli":
        return required_trials(
            at_most=at_most, at_least=at_least, events=events, confidence_level=confidence_level
        )
    if method != "whole clusters":
        raise ArgumentError("method", expected='"bernoulli" or "whole clusters"', got=method)
    limit, bad, budget = _checked(at_most, at_least, events, confidence_level)
    return _least(lambda n: hinge_tail(bad, n, limit) <= budget * _TIE, bad + 1)


def _least(clears: Callable[[int], bool], first: int) -> int:
    low, high = first - 1, first
    while not clears(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if clears(middle) else (middle, high)
    return high


def _checked(
    at_most: float | None, at_least: float | None, events: int, confidence_level: float
) -> tuple[float, int, float]:
    if (at_most is None) == (at_least is None):
        raise ArgumentError(
            "at_most", expected="exactly one of at_most and at_least", got=(at_most, at_least)
        )
    name, limit = ("at_most", at_most) if at_least is None else ("at_least", at_least)
    if isinstance(limit, bool) or not isinstance(limit, numbers.Real) or not 0 < limit < 1:
        raise ArgumentError(name, expected="a rate between 0 and 1, both excluded", got=limit)
    if isinstance(events, bool) or not isinstance(events, numbers.Integral) or events < 0:
        raise ArgumentError("events", expected="a whole number >= 0", got=events)
    rate = float(limit) if name == "at_most" else float(1 - Decimal(repr(float(limit))))
    return rate, int(events), error_budget(confidence_level)
