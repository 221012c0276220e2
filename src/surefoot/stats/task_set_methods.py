"""Which bound applies to a set of fixed tasks: the planned trials decide, not what was seen.

In this order: one task; k = 1; some task with fewer than k trials; k = n for all tasks; anything else.
When every trial passed, the closed form is the limit of the dual Chernoff bound, not another choice.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from surefoot.stats.binomial import (
    clopper_pearson_lower,
    clopper_pearson_upper,
    pooled_lower,
    pooled_upper,
)
from surefoot.stats.dual_chernoff import weighted_lower, weighted_upper
from surefoot.stats.pass_k_dual import dual_lower, dual_upper
from surefoot.stats.subsets import share_all_passed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from surefoot.stats.task_profiles import TaskProfile

    Floats = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)

ONE_TASK = "Clopper-Pearson bound of the one task, to the power of k"
ONE_PLAYED = "Clopper-Pearson of the one task with trials"
OVER_TRIALS = "Clopper-Pearson over all trials, repaired for unequal tasks"
OVER_TASKS = "Clopper-Pearson over the tasks that always passed, repaired for unequal tasks"
ALL_CLEAN = "closed form, every trial passed"
DUAL = "dual Chernoff"
WEIGHTED = "dual Chernoff over weighted trials"
TIERED = "mean pass rate to the power of k (tasks with fewer than k trials)"
TIERED_UPPER = "mean pass rate (tasks with fewer than k trials)"
NO_TASKS = "no tasks"


def fixed_lower(profile: TaskProfile, k: int, budget: float) -> tuple[float, str]:
    if profile.task_count == 0:
        return 0.0, NO_TASKS
    passed, trials = int(profile.passed[0]), int(profile.trials[0])
    if profile.task_count == 1:
        return _power(clopper_pearson_lower(passed, trials, budget), k, 0.0), ONE_TASK
    if k == 1:
        return rate_lower(profile, budget)
    if trials < k:
        return _power(rate_lower(profile, budget)[0], k, 0.0), TIERED
    if profile.trials[-1] == k:
        return pooled_lower(profile.all_passed, profile.task_count, budget), OVER_TASKS
    clean = profile.all_passed == profile.task_count
    total = float(profile.task_count) if clean else profile.total(profile_values(profile, k, otherwise=0.0))
    return dual_lower(total, *profile.sizes(), k, budget), ALL_CLEAN if clean else DUAL


def fixed_upper(profile: TaskProfile, k: int, budget: float) -> tuple[float, str]:
    if profile.task_count == 0:
        return 1.0, NO_TASKS
    passed, trials = int(profile.passed[0]), int(profile.trials[0])
    if profile.task_count == 1:
        return _power(clopper_pearson_upper(passed, trials, budget), k, 1.0), ONE_TASK
    if k == 1:
        return rate_upper(profile, budget)
    if trials < k:
        return rate_upper(profile, budget)[0], TIERED_UPPER
    if profile.trials[-1] == k:
        return pooled_upper(profile.all_passed, profile.task_count, budget), OVER_TASKS
    return dual_upper(
        profile.total(profile_values(profile, k, otherwise=1.0)), *profile.sizes(), k, budget
    ), DUAL


def rate_lower(profile: TaskProfile, budget: float) -> tuple[float, str]:
    """A task without trials has a rate >= 0: it only dilutes."""
    played = profile.where(profile.trials > 0)
    if played.task_count == 0:
        return 0.0, NO_TASKS
    value, method = _played_rate(played, budget, "lower")
    share = played.task_count / profile.task_count
    return (value if share == 1 else math.nextafter(share * value, 0.0)), method


def rate_upper(profile: TaskProfile, budget: float) -> tuple[float, str]:
    """A task without trials has a rate <= 1."""
    played = profile.where(profile.trials > 0)
    if played.task_count == 0:
        return 1.0, NO_TASKS
    value, method = _played_rate(played, budget, "upper")
    share = played.task_count / profile.task_count
    return (value if share == 1 else min(1.0, (1 - share * (1 - value)) * (1 + 4 * _EPS))), method


def _played_rate(profile: TaskProfile, budget: float, side: str) -> tuple[float, str]:
    trials, tasks = profile.sizes()
    events = int((profile.tasks * profile.passed).sum())
    if profile.task_count == 1:
        one = clopper_pearson_lower if side == "lower" else clopper_pearson_upper
        return one(events, int(trials[0]), budget), ONE_PLAYED
    if len(trials) == 1:
        pooled = pooled_lower if side == "lower" else pooled_upper
        return pooled(events, int(trials[0] * tasks[0]), budget), OVER_TRIALS
    weighted = weighted_lower if side == "lower" else weighted_upper
    total = profile.total(profile.passed / profile.trials)
    return weighted(1.0 / trials, total, budget, trials * tasks), WEIGHTED


def profile_values(profile: TaskProfile, k: int, *, otherwise: float) -> Floats:
    """C(c, k) / C(n, k) of each row; `otherwise` where n < k."""
    rows = zip(profile.passed.tolist(), profile.trials.tolist(), strict=True)
    return np.array([share_all_passed(c, n, k) if n >= k else otherwise for c, n in rows], dtype=np.float64)


def _power(rate: float, k: int, outward: float) -> float:
    return rate if k == 1 else math.nextafter(rate**k, outward)


def slack(k: int) -> float:
    """What the k roundings of each value and those of the sum may amount to."""
    return (2 * k + 8) * _EPS
