"""Flakiness of one task: 4 p (1 - p), 0 for a task that always goes the same way and 1 for half and half."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc

from surefoot.errors import ArgumentError
from surefoot.stats.arguments import count_columns, events_and_trials, share, whole_column, whole_number
from surefoot.stats.binomial import clopper_pearson_lower, clopper_pearson_upper, two_sided_intervals
from surefoot.stats.deduplicate import for_each_pair
from surefoot.stats.planning import required_trials
from surefoot.stats.results import Estimate, Interval, error_budget

Floats = NDArray[np.float64]
ObservedClass = Literal["all pass", "all fail", "mixed", "not measured"]
ProvedClass = Literal["stable pass", "stable fail", "flaky", "undetermined"]


def flakiness(passed: int, trials: int) -> Estimate:
    """How much does the task go both ways, as seen?

    Say: "10 of 12 trials passed: flakiness 0.56, where 0 is always the same and 1 is half and half."

    Parameters
    ----------
    passed
        Trials that passed, a whole number in [0, trials].
    trials
        Scored trials of the task, a whole number >= 0.

    Returns
    -------
    Estimate
        None for fewer than two trials: one run cannot show a flip, so it is not measured.

    Raises
    ------
    ArgumentError
        A count that is not a whole number, or more passes than trials.

    **Assumes** independent trials with one pass rate.

    **Errs towards** a lower value, by the factor (n - 1) / n on average; :func:`unbiased_flakiness` does not.

    Notes
    -----
    ``4 p (1 - p)`` at p = passed / trials.

    Examples
    --------
    >>> print(flakiness(10, 12))
    0.555556 (flakiness)
    >>> print(flakiness(1, 1))
    not measured (flakiness)
    """
    passed, trials = events_and_trials(passed, trials, name="passed")
    value = 4 * passed * (trials - passed) / (trials * trials) if trials > 1 else None
    return Estimate(value, "flakiness", {"passed": passed, "trials": trials})


def unbiased_flakiness(passed: int, trials: int) -> Estimate:
    """How much does the task go both ways, on average over repetitions of the whole experiment?

    Say: "10 of 12 trials passed: unbiased flakiness 0.61."

    Parameters, returns and errors are those of :func:`flakiness`. The value can exceed 1 (2 for one pass in
    two trials): that is the price of no bias.

    **Assumes** independent trials with one pass rate.

    **Errs towards** neither side.

    Notes
    -----
    ``4 c (n - c) / (n (n - 1))``, four times the chance that two different trials, drawn in order, are a
    pass and a failure.

    Examples
    --------
    >>> print(unbiased_flakiness(10, 12))
    0.606061 (unbiased flakiness)
    """
    passed, trials = events_and_trials(passed, trials, name="passed")
    value = 4 * passed * (trials - passed) / (trials * (trials - 1)) if trials > 1 else None
    return Estimate(value, "unbiased flakiness", {"passed": passed, "trials": trials})


def flakiness_values(passed: ArrayLike, trials: ArrayLike) -> Floats:
    """:func:`flakiness` for arrays of counts; NaN for fewer than two trials.

    Meant for displays, which must show NaN as "not measured". No verdict may rest on these values as they are.

    Examples
    --------
    >>> flakiness_values([10, 3, 1], [12, 3, 1]).round(6)
    array([0.555556, 0.      ,      nan])
    """
    c, n = (column.astype(np.float64) for column in count_columns(passed, trials, name="passed"))
    return _seen(c, n)


def flakiness_range(passed: ArrayLike, trials: ArrayLike, unscored: ArrayLike) -> tuple[Floats, Floats]:
    """How small and how large could the flakiness be, whatever the unscored trials would have been?

    Say: "9 passed, 1 failed, 2 not scored: flakiness between 0.31 and 0.75."

    Parameters
    ----------
    passed
        Scored trials that passed; whole numbers.
    trials
        Planned trials, scored and unscored together.
    unscored
        Trials without a verdict; passed + unscored <= trials.

    Returns
    -------
    tuple of numpy.ndarray
        The smallest and the largest flakiness over all completions; NaN where fewer than two trials were planned.

    Raises
    ------
    ArgumentError
        A count that is not a whole number, or more passed and unscored trials than trials.

    **Assumes** nothing: every completion is considered.

    **Errs towards** neither side.

    Examples
    --------
    >>> smallest, largest = flakiness_range([9], [12], [2])
    >>> smallest.round(6), largest
    (array([0.305556]), array([0.75]))
    """
    c, n = count_columns(passed, trials, name="passed")
    missing = whole_column("unscored", unscored)
    most, _ = count_columns(c + missing, n, name="passed + unscored")
    halves = np.clip(n // 2, c, most)
    fewest, widest, total = c.astype(np.float64), most.astype(np.float64), n.astype(np.float64)
    smallest = np.minimum(_seen(fewest, total), _seen(widest, total))
    return smallest, _seen(halves.astype(np.float64), total)


def flakiness_interval(passed: int, trials: int, *, confidence_level: float = 0.95) -> Interval:
    """Between which values may the task's flakiness lie?

    Say: "12 of 12 trials passed: with 95 % confidence the flakiness is between 0 and 0.78."

    Parameters
    ----------
    passed, trials
        As in :func:`flakiness`; no trials give [0, 1].
    confidence_level
        In [0.75, 1), shared by the two ends.

    Returns
    -------
    Interval
        Of ``4 p (1 - p)``.

    Raises
    ------
    ArgumentError
        As :func:`flakiness`; also a confidence level out of range.

    **Assumes** independent trials with one pass rate.

    **Errs towards** a wider interval.

    Notes
    -----
    All values of ``4 p (1 - p)`` for p in the two-sided Clopper-Pearson interval: it holds whenever that one does.

    Examples
    --------
    >>> print(flakiness_interval(10, 12))
    [0.0817091, 0.998994] with 95 % confidence (Clopper-Pearson)
    """
    passed, trials = events_and_trials(passed, trials, name="passed")
    low, high = flakiness_intervals([passed], trials, confidence_level=confidence_level)
    inputs = {"passed": passed, "trials": trials}
    return Interval(float(low[0]), float(high[0]), confidence_level, "Clopper-Pearson", inputs)


def flakiness_intervals(
    passed: ArrayLike, trials: ArrayLike, *, confidence_level: float = 0.95
) -> tuple[Floats, Floats]:
    """:func:`flakiness_interval` for arrays of counts: the low and the high ends.

    Examples
    --------
    >>> low, high = flakiness_intervals([10, 12], 12)
    >>> low.round(6), high.round(6)
    (array([0.081709, 0.      ]), array([0.998994, 0.778439]))
    """
    columns = count_columns(passed, trials, name="passed")
    return _spread(*two_sided_intervals(*columns, confidence_level=confidence_level))


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
        As :func:`flakiness`.

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
        As in :func:`flakiness`.
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
        As :func:`flakiness`; also a cap outside (0, 1).

    **Assumes** independent trials with one pass rate.

    **Errs towards** "undetermined": a wrong class is proved in at most ``1 - confidence_level`` of reviews.

    Notes
    -----
    With ``a = (1 - sqrt(1 - cap)) / 2``: stable pass if the lower bound of the pass rate is at least 1 - a,
    stable fail if the upper bound is at most a, flaky if the bounds lie strictly between a and 1 - a.

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
    edge, budget = cap_pass_rate(cap), error_budget(confidence_level)
    passes, failures, fewest_passes, fewest_failures = for_each_pair(
        *count_columns(passed, trials, name="passed"),
        lambda c, n: (
            clopper_pearson_upper(c, n, budget),
            clopper_pearson_upper(n - c, n, budget),
            clopper_pearson_lower(c, n, budget),
            clopper_pearson_lower(n - c, n, budget),
        ),
    )
    flaky = (fewest_passes > edge) & (fewest_failures > edge)
    classes = np.full(passes.shape, "undetermined", dtype="<U12")
    classes[flaky] = "flaky"
    classes[failures <= edge] = "stable pass"
    classes[passes <= edge] = "stable fail"
    return classes


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
    value = _inside("cap", cap)
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
    return required_trials(at_most=edge, events=allowed, confidence_level=confidence_level)


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
    return required_trials(at_most=_inside("rate", rate), confidence_level=confidence_level)


def failures_forgiven(trials: int, cap: float) -> int:
    """How many failures of one task does the gate on the estimate let pass?

    Say: "with 12 trials and a cap of 0.2 it forgives none; with 19 it forgives one."

    Parameters
    ----------
    trials
        Scored trials of the task, a whole number >= 0.
    cap
        The flakiness that is still called stable, in (0, 1).

    Returns
    -------
    int
        The largest number such that neither it nor any smaller number of failures is seen over the cap. All
        trials where no number is: with one trial, or with few trials and a cap near 1.

    Raises
    ------
    ArgumentError
        Trials that are not a whole number >= 0, or a cap outside (0, 1).

    **Assumes** nothing.

    **Errs towards** neither side.

    Examples
    --------
    >>> failures_forgiven(12, 0.2), failures_forgiven(19, 0.2)
    (0, 1)
    """
    n, limit = whole_number("trials", trials), _inside("cap", cap)
    low, high = 0, n // 2 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if 4 * middle * (n - middle) / (n * n) > limit else (middle, high)
    return low if low < n // 2 else n


def gate_block_rate(trials: int, cap: float, pass_rate: float, tasks: int = 1) -> float:
    """How often does the gate on the estimate block a release of such tasks?

    Say: "30 tasks that pass 99 % of their runs, 12 trials each: this gate blocks them in 97 % of releases."

    Parameters
    ----------
    trials
        Scored trials of each task, a whole number >= 0.
    cap
        The flakiness above which one task blocks, in (0, 1).
    pass_rate
        True pass rate of each task, in [0, 1].
    tasks
        How many such tasks, a whole number >= 0.

    Returns
    -------
    float
        The chance that at least one task is seen over the cap. 0 for fewer than two trials: what is not
        measured does not block.

    Raises
    ------
    ArgumentError
        A count that is not a whole number, a cap outside (0, 1) or a rate outside [0, 1].

    **Assumes** independent trials, and independent tasks of one pass rate.

    **Errs towards** neither side: the chance is exact.

    Examples
    --------
    >>> round(gate_block_rate(12, 0.2, 0.99, tasks=30), 3)
    0.973
    """
    forgiven, n = failures_forgiven(trials, cap), int(trials)
    rate, count = share("pass_rate", pass_rate), whole_number("tasks", tasks)
    if forgiven == n:
        return 0.0
    rarer = min(rate, 1 - rate)
    one = float(betainc(forgiven + 1, n - forgiven, rarer) - betainc(n - forgiven, forgiven + 1, rarer))
    return 1.0 if one >= 1 and count else -math.expm1(count * math.log1p(-one))


def gate_catch_rate(trials: int, cap: float, pass_rate: float) -> float:
    """How often does the gate on the estimate see one flaky task?

    Say: "19 trials catch a task that fails one run in six in 85 % of releases."

    Parameters, errors and assumptions are those of :func:`gate_block_rate`, for one task.

    **Assumes** independent trials with one pass rate.

    **Errs towards** neither side: the chance is exact.

    Examples
    --------
    >>> round(gate_catch_rate(19, 0.2, 5 / 6), 3)
    0.85
    """
    return gate_block_rate(trials, cap, pass_rate)


def _seen(passed: Floats, trials: Floats) -> Floats:
    measured = trials > 1
    squares = np.where(measured, trials * trials, np.nan)
    return np.asarray(4 * passed * (trials - passed) / squares, dtype=np.float64)


def _spread(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest 4 p (1 - p) for p in [low, high]."""
    at_low, at_high = 4 * low * (1 - low), 4 * high * (1 - high)
    holds_half = (low <= 0.5) & (high >= 0.5)
    return np.minimum(at_low, at_high), np.where(holds_half, 1.0, np.maximum(at_low, at_high))


def _inside(name: str, value: float) -> float:
    checked = share(name, value)
    if not 0 < checked < 1:
        raise ArgumentError(name, expected="a number between 0 and 1, both excluded", got=value)
    return checked
