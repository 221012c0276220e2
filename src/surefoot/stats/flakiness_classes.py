"""What was seen of a task and what is proved of it: stable or flaky, and the repeats that proof needs."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincc

from surefoot.stats.arguments import count_columns, events_and_trials, inside, whole_number
from surefoot.stats.binomial import clopper_pearson_lower, clopper_pearson_upper
from surefoot.stats.deduplicate import for_each_pair
from surefoot.stats.planning import required_trials
from surefoot.stats.results import error_budget

ObservedClass = Literal["all pass", "all fail", "mixed", "not measured"]
ProvedClass = Literal["stable pass", "stable fail", "flaky", "undetermined"]

# A tail within this of the budget is the budget: the bounds are solved no closer.
_TIE = 1e-11


def observed_class(passed: int, trials: int) -> ObservedClass:
    """Which way did the trials of the task go?

    Say: "all 12 trials passed" or "it went both ways".

    Returns
    -------
    str
        ``"all pass"``, ``"all fail"``, ``"mixed"``, or ``"not measured"`` without trials.

    Raises
    ------
    ArgumentError
        A count that is not a whole number, or more passes than trials.

    **Assumes** nothing: it says what was seen, and nothing of what will be.

    **Errs towards** "all pass" and "all fail" when trials are few: a failure of one run in six is missed by
    three trials in 58 % of cases. :func:`proved_class` says what is sure.

    Examples
    --------
    >>> observed_class(11, 12)
    'mixed'
    """
    passed, trials = events_and_trials(passed, trials, name="passed")
    if trials == 0:
        return "not measured"
    if passed == trials:
        return "all pass"
    return "mixed" if passed else "all fail"


def proved_class(passed: int, trials: int, *, cap: float, confidence_level: float = 0.95) -> ProvedClass:
    """Is the task proved to be stable, or proved to be flaky, at this cap?

    Say: "56 of 56 trials passed: with 95 % confidence its flakiness is under 0.2, and it passes."

    Parameters
    ----------
    passed, trials
        Trials that passed, and scored trials of the task; whole numbers, passed <= trials.
    cap
        The flakiness that is still called stable, in (0, 1).
    confidence_level
        In [0.75, 1), one-sided.

    Returns
    -------
    str
        ``"stable pass"`` or ``"stable fail"``: flakiness at most `cap`, on that side; ``"flaky"``: above `cap`;
        else ``"undetermined"``.

    Raises
    ------
    ArgumentError
        A count that is not a whole number, more passes than trials; also a cap outside (0, 1).

    **Assumes** independent trials with one pass rate.

    **Errs towards** "undetermined": a wrong class is proved in at most ``1 - confidence_level`` of reviews.

    Notes
    -----
    With ``a = (1 - sqrt(1 - cap)) / 2``: stable pass if the lower bound of the pass rate is at least 1 - a,
    stable fail if the upper bound is at most a, flaky if the bounds lie strictly between a and 1 - a. A task at
    the cap may be taken for stable on either side, so the two errors together must keep the budget: stable
    needs ``P(B <= x) + P(B >= trials - x) <= 1 - confidence_level``, x the trials that went the rarer way,
    B ~ Bin(trials, a). For caps up to 0.8 the second term is next to nothing.

    Examples
    --------
    >>> proved_class(56, 56, cap=0.2), proved_class(55, 55, cap=0.2), proved_class(15, 30, cap=0.2)
    ('stable pass', 'undetermined', 'flaky')
    """
    passed, trials = events_and_trials(passed, trials, name="passed")
    classes = proved_classes([passed], [trials], cap=cap, confidence_level=confidence_level)
    found: ProvedClass = classes[0].item()
    return found


def proved_classes(
    passed: ArrayLike, trials: ArrayLike, *, cap: float, confidence_level: float = 0.95
) -> NDArray[np.str_]:
    """:func:`proved_class` for arrays of counts.

    Examples
    --------
    >>> proved_classes([56, 0, 15], [56, 56, 30], cap=0.2).tolist()
    ['stable pass', 'stable fail', 'flaky']
    """
    return classes_within(passed, trials, cap=cap, budget=error_budget(confidence_level))


def classes_within(passed: ArrayLike, trials: ArrayLike, *, cap: float, budget: float) -> NDArray[np.str_]:
    """:func:`proved_classes` for an error budget in (0, 0.25], such as a share of the budget of many tasks.

    Examples
    --------
    >>> classes_within([56, 15], [56, 30], cap=0.2, budget=0.05 / 30).tolist()
    ['undetermined', 'flaky']
    """
    edge = cap_pass_rate(cap)
    passes, failures, fewest_passes, fewest_failures, over = for_each_pair(
        *count_columns(passed, trials, name="passed"),
        lambda c, n: (
            clopper_pearson_upper(c, n, budget),
            clopper_pearson_upper(n - c, n, budget),
            clopper_pearson_lower(c, n, budget),
            clopper_pearson_lower(n - c, n, budget),
            _over_budget(np.minimum(c, n - c), n, edge, budget),
        ),
    )
    flaky = (fewest_passes > edge) & (fewest_failures > edge)
    classes = np.full(passes.shape, "undetermined", dtype="<U12")
    classes[flaky] = "flaky"
    classes[(failures <= edge) & (over == 0)] = "stable pass"
    classes[(passes <= edge) & (over == 0)] = "stable fail"
    return classes


def _over_budget(rarer: ArrayLike, trials: ArrayLike, edge: float, budget: float) -> NDArray[np.float64]:
    """By how much do both errors of a task at the cap, taken for stable on either side, exceed the budget?

    0 where only one of them counts: its bound has decided.
    """
    x, n = np.asarray(rarer, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    apart = 2 * x < n
    low, size = np.where(apart, x, 0.0), np.where(apart, n, 1.0)
    near, far = betaincc(low + 1, size - low, edge), betainc(size - low, low + 1, edge)
    counts = apart & (far > _TIE * budget)
    return np.asarray(np.where(counts, np.maximum(near + far - budget * (1 + _TIE), 0.0), 0.0))


def cap_pass_rate(cap: float) -> float:
    """Up to which pass rate is a task that mostly fails still stable? Beyond 1 minus it, one that mostly passes.

    Say: "flakiness 0.2 is a task that goes the rarer way in 5.3 % of its runs."

    Parameters
    ----------
    cap
        The flakiness that is still called stable, in (0, 1).

    Returns
    -------
    float
        The smaller p with ``4 p (1 - p) = cap``, in (0, 0.5).

    Raises
    ------
    ArgumentError
        A cap outside (0, 1).

    **Assumes** nothing.

    **Errs towards** neither side.

    Examples
    --------
    >>> round(cap_pass_rate(0.2), 10)
    0.0527864045
    """
    value = inside("cap", cap)
    return value / (2 * (1 + math.sqrt(1 - value)))


def repeats_to_prove_stable(cap: float, *, failures: int = 0, confidence_level: float = 0.95) -> int:
    """How many trials prove a task stable, if so many of them go the rarer way?

    Say: "56 passes without a failure prove a flakiness under 0.2."

    Parameters
    ----------
    cap
        The flakiness that is still called stable, in (0, 1).
    failures
        Trials to allow for that go the other way; a whole number >= 0.
    confidence_level
        In [0.75, 1), one-sided.

    Returns
    -------
    int
        The least number of trials, those failures included.

    Raises
    ------
    ArgumentError
        A cap outside (0, 1), or failures that are not a whole number >= 0.

    **Assumes** independent trials with one pass rate.

    **Errs towards** neither side: the number is exact.

    Examples
    --------
    >>> [repeats_to_prove_stable(cap) for cap in (0.05, 0.1, 0.2, 0.3, 0.5)]
    [236, 116, 56, 36, 19]
    """
    edge, allowed = cap_pass_rate(cap), whole_number("failures", failures)
    trials = required_trials(at_most=edge, events=allowed, confidence_level=confidence_level)
    budget = error_budget(confidence_level)
    while float(_over_budget(allowed, trials, edge, budget)) > 0:
        trials += 1
    return trials


def repeats_to_see_failure(rate: float, *, confidence_level: float = 0.95) -> int:
    """How many trials show a failure of this rate at least once?

    Say: "17 repeats show a failure of one run in six with 95 % confidence."

    Parameters
    ----------
    rate
        Share of the runs that fail, in (0, 1).
    confidence_level
        In [0.75, 1): the chance to see at least one failure.

    Returns
    -------
    int
        The least number of trials.

    Raises
    ------
    ArgumentError
        A rate outside (0, 1).

    **Assumes** independent trials with one failure rate.

    **Errs towards** neither side: the number is exact.

    Examples
    --------
    >>> repeats_to_see_failure(1 / 6)
    17
    """
    return required_trials(at_most=inside("rate", rate), confidence_level=confidence_level)
