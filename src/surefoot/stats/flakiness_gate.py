"""How often the gate on the flakiness seen errs: blocks by bad luck, or catches a flaky task."""

from __future__ import annotations

import math

from scipy.special import betainc

from surefoot.stats.arguments import inside, share, whole_number


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
    n, limit = whole_number("trials", trials), inside("cap", cap)
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
    return float(count > 0) if one >= 1 else -math.expm1(count * math.log1p(-one))


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
