"""How often does the system pass a whole set of tasks every time? Means of p_i^k, for two targets.

*fixed tasks* are a claim about exactly these tasks; *population* is a claim about tasks like these, drawn
independently. The plan names the target, and with it the method: which of the exact bounds applies
depends on the planned numbers of trials only, never on what was seen.

A set of tasks comes as a profile, see :mod:`surefoot.stats.task_profiles`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from surefoot.stats.arguments import whole_number
from surefoot.stats.hinge import hinge_lower, hinge_upper
from surefoot.stats.results import Bound, Estimate, error_budget
from surefoot.stats.task_profiles import TaskProfile
from surefoot.stats.task_set_methods import (
    fixed_lower,
    fixed_upper,
    profile_values,
    rate_lower,
    rate_upper,
    slack,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_HINGE = "hinge over tasks"


def mean_pass_hat_k(
    passed: ArrayLike, trials: ArrayLike, k: int, *, tasks: ArrayLike | None = None
) -> Estimate:
    """How often would all of k trials of a task pass, on average over the tasks?

    Say: "a task of this set passes 5 times out of 5 in an estimated 71 % of attempts".

    Parameters
    ----------
    passed
        How many trials of each task passed, shape (tasks,), whole numbers in [0, trials].
    trials
        How many trials of each task were planned, same shape, whole numbers >= 0.
    k
        How many trials must all pass, >= 1.
    tasks
        How many tasks have that pair of counts, same shape; one each by default.

    Returns
    -------
    Estimate
        The mean of C(c, k) / C(n, k) over the tasks with at least k trials; its inputs say how many tasks
        are left out. None where no task has k trials.

    Raises
    ------
    ArgumentError
        A count that is not a whole number in its range, or arrays of different shapes.

    Examples
    --------
    >>> mean_pass_hat_k([4, 0], [4, 4], 4).value
    0.5
    >>> mean_pass_hat_k([12, 3], [12, 3], 5).inputs["tasks_left_out"]
    1
    """
    return _mean(*_arguments(passed, trials, k, tasks), "mean pass^k", failures=False)


def mean_pass_at_k(
    passed: ArrayLike, trials: ArrayLike, k: int, *, tasks: ArrayLike | None = None
) -> Estimate:
    """How often would at least one of k trials of a task pass, on average over the tasks?

    Say: "within 5 attempts a task of this set is solved in an estimated 96 % of cases".

    Parameters and errors are those of :func:`mean_pass_hat_k`.

    Returns
    -------
    Estimate
        The mean of 1 - C(n - c, k) / C(n, k) over the tasks with at least k trials.

    Examples
    --------
    >>> mean_pass_at_k([4, 0], [4, 4], 4).value
    0.5
    """
    return _mean(*_arguments(passed, trials, k, tasks), "mean pass@k", failures=True)


def fixed_tasks_lower_bound(
    passed: ArrayLike,
    trials: ArrayLike,
    k: int,
    *,
    tasks: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> Bound:
    """How low may the mean pass^k of exactly these tasks still be?

    Say: "on these 30 tasks, all of 5 trials pass in at least 95.9 % of attempts, with 95 % confidence".

    Parameters
    ----------
    passed, trials, k, tasks
        As for :func:`mean_pass_hat_k`. A trial without a verdict counts as planned and as not passed.
    confidence_level
        In [0.75, 1), one-sided.

    Returns
    -------
    Bound
        On the mean of p_i^k. `method` says which: one task; over all trials (k = 1, equal n); over the
        tasks that always passed (k = n for all); the closed form when every trial passed; the dual
        Chernoff bound; or, where a task has fewer than k planned trials, the bound of the mean pass rate
        to the power of k.

    Raises
    ------
    ArgumentError
        As :func:`mean_pass_hat_k`, and a confidence level outside [0.75, 1).

    **Assumes** all trials are independent, those of one task share one p_i, and n_i and k were planned
    beforehand. Nothing about how the p_i differ.

    **Errs towards** a lower bound. Exact for one task and when every trial passed; otherwise a little low.

    Notes
    -----
    With S the sum of C(c_i, k) / C(n_i, k), the dual Chernoff bound is the largest value of
    ``(log a + theta S - sum_i max_p [log E_p exp(theta f_i) - mu p^k]) / (T mu)`` over theta, mu > 0; each
    of them is valid, and each maximum over p is certified from above. With fewer than k trials somewhere:
    mean(p_i^k) >= mean(p_i)^k (Jensen). The bound of one task goes through its p, so with c < k it may lie
    above the estimate, which is then 0. A smaller k may come out below a larger one, since each has its own
    method: show both, never the larger of the two.

    References
    ----------
    Chernoff (1952); Hoeffding (1956), On the distribution of the number of successes in independent trials.

    Examples
    --------
    >>> bound = fixed_tasks_lower_bound([12], [12], 5, tasks=[30])
    >>> round(bound.value, 9), bound.method
    (0.959246314, 'closed form, every trial passed')
    >>> round(fixed_tasks_lower_bound([12, 10], [12, 12], 5, tasks=[28, 2]).value, 4)
    0.8696
    """
    profile, k = _arguments(passed, trials, k, tasks)
    budget = error_budget(confidence_level)
    value, method = fixed_lower(profile, k, budget)
    return Bound(value, "lower", confidence_level, method, _bound_inputs(profile, k))


def fixed_tasks_upper_bound(
    passed: ArrayLike,
    trials: ArrayLike,
    k: int,
    *,
    tasks: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> Bound:
    """How high may the mean pass^k of exactly these tasks still be?

    Say: "on these tasks, all of 5 trials pass in at most 98 % of attempts, with 95 % confidence".

    Parameters, errors and the choice of the method are those of :func:`fixed_tasks_lower_bound`; where a
    task has fewer than k planned trials it is the upper bound of the mean pass rate, since p^k <= p.

    **Assumes** as :func:`fixed_tasks_lower_bound`.

    **Errs towards** a higher bound.

    Examples
    --------
    >>> round(fixed_tasks_upper_bound([12, 10], [12, 12], 5, tasks=[28, 2]).value, 3)
    0.992
    """
    profile, k = _arguments(passed, trials, k, tasks)
    budget = error_budget(confidence_level)
    value, method = fixed_upper(profile, k, budget)
    return Bound(value, "upper", confidence_level, method, _bound_inputs(profile, k))


def population_lower_bound(
    passed: ArrayLike,
    trials: ArrayLike,
    k: int,
    *,
    tasks: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> Bound:
    """How low may the mean pass^k of tasks like these still be?

    Say: "on tasks like these 30, all of 5 trials pass in at least 90 % of attempts, with 95 % confidence".

    Parameters and errors are those of :func:`fixed_tasks_lower_bound`. A task with fewer than k trials
    counts as one that never passes.

    **Assumes** the tasks were drawn independently from the population the claim is about, and the trials
    of a task are independent.

    **Errs towards** a lower bound: equal to Clopper-Pearson over tasks when all pass, a few per cent wider
    otherwise. More repeats of the same tasks cannot lift it past budget^(1/tasks).

    Examples
    --------
    >>> round(population_lower_bound([12], [12], 5, tasks=[30]).value, 9)
    0.904966147
    """
    profile, k = _arguments(passed, trials, k, tasks)
    budget = error_budget(confidence_level)
    total, units = profile.total(profile_values(profile, k, otherwise=0.0)), profile.task_count
    value = hinge_lower(total if total.is_integer() else total * (1 - slack(k)), units, budget)
    return Bound(value, "lower", confidence_level, _HINGE, _bound_inputs(profile, k))


def population_upper_bound(
    passed: ArrayLike,
    trials: ArrayLike,
    k: int,
    *,
    tasks: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> Bound:
    """How high may the mean pass^k of tasks like these still be?

    Parameters and errors are those of :func:`fixed_tasks_lower_bound`. A task with fewer than k trials
    counts as one that always passes.

    **Assumes** as :func:`population_lower_bound`.

    **Errs towards** a higher bound.

    Examples
    --------
    >>> round(population_upper_bound([0], [12], 5, tasks=[30]).value, 9)
    0.095033853
    """
    profile, k = _arguments(passed, trials, k, tasks)
    budget = error_budget(confidence_level)
    total, units = profile.total(profile_values(profile, k, otherwise=1.0)), profile.task_count
    value = hinge_upper(total if total.is_integer() else min(units, total * (1 + slack(k))), units, budget)
    return Bound(value, "upper", confidence_level, _HINGE, _bound_inputs(profile, k))


def fixed_tasks_rate_lower_bound(
    events: ArrayLike, trials: ArrayLike, *, tasks: ArrayLike | None = None, confidence_level: float = 0.95
) -> Bound:
    """How low may the mean event rate of exactly these tasks still be?

    Say: "on these tasks the event happens in at least 4 % of trials, each task counting once".

    Parameters
    ----------
    events
        How many trials of each task showed the event, shape (tasks,), whole numbers in [0, trials].
    trials
        How many trials of each task were planned, same shape. A task with none may have any rate.
    tasks
        How many tasks have that pair of counts; one each by default.
    confidence_level
        In [0.75, 1), one-sided.

    Returns
    -------
    Bound
        On the mean of the tasks' own rates: Clopper-Pearson over all trials where the planned numbers are
        equal, else the dual Chernoff bound with each trial weighted 1 / (tasks x its task's trials).

    Raises
    ------
    ArgumentError
        A count that is not a whole number in its range, or a confidence level outside [0.75, 1).

    **Assumes** all trials are independent; the numbers of trials were planned beforehand.

    **Errs towards** a lower bound.

    Examples
    --------
    >>> round(fixed_tasks_rate_lower_bound([0, 1, 2, 3, 4], [4] * 5, tasks=[14, 12, 10, 4, 10]).value, 6)
    0.361279
    """
    profile, budget = TaskProfile.of(events, trials, tasks, name="events"), error_budget(confidence_level)
    value, method = rate_lower(profile, budget)
    return Bound(value, "lower", confidence_level, method, _rate_inputs(profile))


def fixed_tasks_rate_upper_bound(
    events: ArrayLike, trials: ArrayLike, *, tasks: ArrayLike | None = None, confidence_level: float = 0.95
) -> Bound:
    """How high may the mean event rate of exactly these tasks still be?

    Parameters, errors, assumptions and method are those of :func:`fixed_tasks_rate_lower_bound`.

    **Assumes** as :func:`fixed_tasks_rate_lower_bound`.

    **Errs towards** a higher bound.

    Examples
    --------
    >>> round(fixed_tasks_rate_upper_bound([0], [4], tasks=[30]).value, 7)
    0.0246554
    """
    profile, budget = TaskProfile.of(events, trials, tasks, name="events"), error_budget(confidence_level)
    value, method = rate_upper(profile, budget)
    return Bound(value, "upper", confidence_level, method, _rate_inputs(profile))


def _arguments(
    passed: ArrayLike, trials: ArrayLike, k: int, tasks: ArrayLike | None
) -> tuple[TaskProfile, int]:
    return TaskProfile.of(passed, trials, tasks), whole_number("k", k, least=1)


def _mean(profile: TaskProfile, k: int, method: str, *, failures: bool) -> Estimate:
    counted = profile.where(profile.trials >= k)
    inputs = {**profile.sums(), "k": k, "tasks_left_out": profile.task_count - counted.task_count}
    if counted.task_count == 0:
        return Estimate(None, method, inputs)
    hits = counted.trials - counted.passed if failures else counted.passed
    counted = TaskProfile(hits, counted.trials, counted.tasks)
    total = counted.total(profile_values(counted, k, otherwise=0.0))
    mean = min(1.0, total / counted.task_count)
    return Estimate(1 - mean if failures else mean, method, inputs)


def _bound_inputs(profile: TaskProfile, k: int) -> dict[str, Any]:
    short = int(profile.tasks[profile.trials < k].sum())
    return {**profile.sums(), "k": k, "tasks_with_fewer_than_k_trials": short}


def _rate_inputs(profile: TaskProfile) -> dict[str, Any]:
    inputs: dict[str, Any] = {**profile.sums()}
    inputs["events"] = inputs.pop("passed")
    return inputs
