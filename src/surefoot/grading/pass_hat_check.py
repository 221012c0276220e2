"""The reliability check: is the mean chance of succeeding k times out of k over a threshold?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefoot.grading import wording
from surefoot.grading.counts import CheckCounts, FloatArray, IntArray, Profile
from surefoot.grading.ends import ClusterTable, cluster_table
from surefoot.grading.provable import breaks, clears, least
from surefoot.grading.verdict import CheckGrade, ReasonCode, Verdict
from surefoot.plan.checks import PassHatCheck
from surefoot.plan.shares import share_text
from surefoot.stats import clusters as cluster_stats
from surefoot.stats import task_sets
from surefoot.stats.pass_k import pass_hat_k_values
from surefoot.stats.task_profiles import TaskProfile
from surefoot.stats.task_set_methods import profile_values

REPEATS_SEARCHED = 1_000
TASKS_SEARCHED = 100_000


@dataclass(frozen=True)
class _Ends:
    """The number that decides, with unscored trials failed (bad) and passed (good)."""

    bad: float | None
    good: float | None
    opposite_good: float
    opposite_bad: float


def grade_pass_hat(check: PassHatCheck, counts: CheckCounts, *, confidence_level: float) -> CheckGrade:
    """Is mean pass^k over the threshold, by the proved bound (default) or by the estimate (the textbook gate)?"""
    profile = counts.profile
    k = check.pass_hat
    ends = _by_bound(check, profile, confidence_level) if check.basis == "bound" else _by_estimate(profile, k)
    too_short = int(profile.tasks[profile.trials < k].sum())
    verdict, code = _decide(check, profile, ends, confidence_level)
    scored = profile.trial_count - profile.unscored_count
    estimate = estimate_of(profile, k)
    return CheckGrade(
        name=check.name,
        kind=check.kind,
        side="at_least",
        limit=check.limit,
        confidence_level=confidence_level,
        verdict=verdict,
        reason_code=code,
        reason=_reason(check, profile, ends, estimate, code, too_short, confidence_level),
        next_steps=_next_steps(check, profile, code, too_short, confidence_level),
        trials=profile.trial_count,
        scored=scored,
        unscored=profile.unscored_count,
        details=_details(check, profile, ends, estimate, confidence_level),
    )


def estimate_of(profile: Profile, k: int) -> float | None:
    """Mean of C(c,k)/C(n,k) over the tasks with at least k scored trials, from scored trials only."""
    scored = profile.trials - profile.unscored
    return task_sets.mean_pass_hat_k(profile.events, scored, k, tasks=profile.tasks).value


def pass_hat_bound(
    passed: FloatArray, profile: Profile, k: int, *, target: str, confidence_level: float, upper: bool
) -> float:
    """The bound on mean pass^k for the target the plan names."""
    if target == "fixed-tasks":
        compute = task_sets.fixed_tasks_upper_bound if upper else task_sets.fixed_tasks_lower_bound
        return compute(
            passed, profile.trials, k, tasks=profile.tasks, confidence_level=confidence_level
        ).value
    if profile.cluster is not None:
        table = _cluster_means(passed, profile, k, missing=1.0 if upper else 0.0)
        bounds = cluster_stats.upper_bounds if upper else cluster_stats.lower_bounds
        return bounds(
            table.sizes,
            table.events,
            clusters=table.clusters,
            confidence_level=confidence_level,
            weighting="question",
            repeated=True,
        ).guaranteed
    population = task_sets.population_upper_bound if upper else task_sets.population_lower_bound
    return population(passed, profile.trials, k, tasks=profile.tasks, confidence_level=confidence_level).value


def _cluster_means(passed: FloatArray, profile: Profile, k: int, *, missing: float) -> ClusterTable:
    """Clusters of tasks whose value is C(c,k)/C(n,k): a task is one trial of that value."""
    values = pass_hat_k_values(passed, profile.trials, k)
    values = np.where(profile.trials < k, missing, values)
    ones: IntArray = np.ones_like(profile.trials)
    return cluster_table(Profile(ones, values, np.zeros_like(ones), profile.tasks, profile.cluster), values)


def _by_bound(check: PassHatCheck, profile: Profile, confidence_level: float) -> _Ends:
    def bound(passed: FloatArray, *, upper: bool) -> float:
        return pass_hat_bound(
            passed,
            profile,
            check.pass_hat,
            target=check.target,
            confidence_level=confidence_level,
            upper=upper,
        )

    bad, good = profile.events, profile.events + profile.unscored
    return _Ends(
        bad=bound(bad, upper=False),
        good=bound(good, upper=False),
        opposite_good=bound(good, upper=True),
        opposite_bad=bound(bad, upper=True),
    )


def _by_estimate(profile: Profile, k: int) -> _Ends:
    """Tasks with fewer than k trials count 0 at the bad end and 1 at the good end: nothing is known of them."""
    if profile.task_count == 0 or not (profile.trials >= k).any():
        return _Ends(None, None, 1.0, 1.0)
    bad = _mean_with(profile.events, profile, k, missing=0.0)
    good = _mean_with(profile.events + profile.unscored, profile, k, missing=1.0)
    return _Ends(bad, good, good, bad)


def _mean_with(passed: FloatArray, profile: Profile, k: int, *, missing: float) -> float:
    merged = TaskProfile.of(passed, profile.trials, profile.tasks)
    return min(1.0, merged.total(profile_values(merged, k, otherwise=missing)) / merged.task_count)


def _decide(
    check: PassHatCheck, profile: Profile, ends: _Ends, confidence_level: float
) -> tuple[Verdict, ReasonCode]:
    scored = profile.trial_count - profile.unscored_count
    if scored == 0 or ends.bad is None or ends.good is None:
        return Verdict.INCONCLUSIVE, ReasonCode.TOO_FEW
    if clears("at_least", check.limit, ends.bad):
        return Verdict.PASS, ReasonCode.PROVED
    if breaks("at_least", check.limit, ends.opposite_good):
        return Verdict.FAIL, ReasonCode.BROKEN
    if profile.unscored_count and (
        clears("at_least", check.limit, ends.good) or breaks("at_least", check.limit, ends.opposite_bad)
    ):
        return Verdict.INCONCLUSIVE, ReasonCode.UNSCORED_DECIDE
    if check.basis == "estimate":
        return Verdict.INCONCLUSIVE, ReasonCode.TOO_FEW
    provable = _provable(check, profile, confidence_level)
    return Verdict.INCONCLUSIVE, ReasonCode.EVENTS_SEEN if provable else ReasonCode.CANNOT_PASS


def _provable(check: PassHatCheck, profile: Profile, confidence_level: float) -> bool:
    """Would the check pass, had every trial passed?"""
    if check.basis == "estimate":
        best = _by_estimate(_all_passed(profile), check.pass_hat).bad
        return best is not None and clears("at_least", check.limit, best)
    return clears("at_least", check.limit, _clean_bound(check, profile, confidence_level))


def _all_passed(profile: Profile) -> Profile:
    passed = profile.trials.astype(np.float64)
    return replace(profile, events=passed, unscored=np.zeros_like(profile.unscored))


def _clean_bound(check: PassHatCheck, profile: Profile, confidence_level: float) -> float:
    """The bound had every trial passed."""
    return pass_hat_bound(
        profile.trials.astype(np.float64),
        profile,
        check.pass_hat,
        target=check.target,
        confidence_level=confidence_level,
        upper=False,
    )


def _details(
    check: PassHatCheck,
    profile: Profile,
    ends: _Ends,
    estimate: float | None,
    confidence_level: float,
) -> dict[str, Any]:
    k = check.pass_hat
    has_tasks = profile.task_count > 0
    bounds = {
        target: pass_hat_bound(
            profile.events, profile, k, target=target, confidence_level=confidence_level, upper=False
        )
        for target in ("fixed-tasks", "task-population")
    }
    return {
        "k": k,
        "target": check.target,
        "basis": check.basis,
        "events": int(profile.event_total),
        "tasks": profile.task_count,
        "estimate": estimate,
        "estimate_range": [
            _mean_with(profile.events, profile, k, missing=0.0) if has_tasks else 0.0,
            _mean_with(profile.events + profile.unscored, profile, k, missing=1.0) if has_tasks else 1.0,
        ],
        "tasks_left_out": int(profile.tasks[profile.trials - profile.unscored < k].sum()),
        "bounds": bounds,
        "graded_bound": ends.bad,
        "graded_by": f"{check.target} bound" if check.basis == "bound" else "estimate",
        "opposite_bound": ends.opposite_good,
        "provable": _provable(check, profile, confidence_level),
    }


def _reason(
    check: PassHatCheck,
    profile: Profile,
    ends: _Ends,
    estimate: float | None,
    code: ReasonCode,
    too_short: int,
    confidence_level: float,
) -> str:
    k, limit = check.pass_hat, share_text(check.limit)
    unit = f"{wording.count(profile.task_count, 'task')}, {wording.count(profile.trial_count, 'trial')}"
    seen = "not measured" if estimate is None else wording.percent(estimate)
    left_out = f"; {wording.count(too_short, 'task')} with fewer than {k} trials" if too_short else ""
    if code is ReasonCode.TOO_FEW:
        return f"pass^{k} needs at least {k} trials of every task{left_out}; counting {unit}"
    if check.basis == "estimate":
        if code is ReasonCode.UNSCORED_DECIDE:
            return f"unscored trials decide: mean pass^{k} seen {seen}, threshold {limit}; counting {unit}"
        side = "over" if code is ReasonCode.PROVED else "under"
        return f"mean pass^{k} seen {seen}, {side} the threshold {limit} (an estimate, not a proof); counting {unit}"
    sure = wording.confidence(confidence_level)
    whom = "these tasks" if check.target == "fixed-tasks" else "tasks like these"
    proved = f"mean pass^{k} of {whom} is proved at least {wording.percent(ends.bad or 0.0, rounded='down')} ({sure})"
    if code is ReasonCode.PROVED:
        return f"{proved}, seen {seen}; threshold {limit}; counting {unit}{left_out}"
    if code is ReasonCode.BROKEN:
        most = wording.percent(ends.opposite_good, rounded="up")
        return f"mean pass^{k} of {whom} is at most {most} ({sure}), seen {seen}; threshold {limit}; counting {unit}{left_out}"
    if code is ReasonCode.UNSCORED_DECIDE:
        return (
            f"unscored trials decide: {proved} with them failed; threshold {limit}; counting {unit}{left_out}"
        )
    if code is ReasonCode.CANNOT_PASS:
        return f"this many trials could never pass: {proved}, and all passes would still miss {limit}; counting {unit}{left_out}"
    return (
        f"the failures seen keep it open: {proved}, seen {seen}; threshold {limit}; counting {unit}{left_out}"
    )


def _next_steps(
    check: PassHatCheck, profile: Profile, code: ReasonCode, too_short: int, confidence_level: float
) -> tuple[str, ...]:
    if code in (ReasonCode.PROVED, ReasonCode.BROKEN) or profile.task_count == 0:
        return ()
    steps = []
    if code is ReasonCode.UNSCORED_DECIDE:
        steps.append(f"score the {wording.count(profile.unscored_count, 'unscored trial')} and grade again")
    if too_short:
        steps.append(f"repeat {wording.count(too_short, 'task')} until each has {check.pass_hat} trials")
    if check.basis == "bound":
        steps += _more_evidence(check, profile, confidence_level)
    return tuple(steps[:3])


def _more_evidence(check: PassHatCheck, profile: Profile, confidence_level: float) -> list[str]:
    def passes(grown: Profile) -> bool:
        bound = pass_hat_bound(
            grown.events,
            grown,
            check.pass_hat,
            target=check.target,
            confidence_level=confidence_level,
            upper=False,
        )
        return clears("at_least", check.limit, bound)

    if check.target == "fixed-tasks":
        more = least(lambda n: passes(_with_clean_repeats(profile, n)), largest=REPEATS_SEARCHED)
        if not more:
            return [
                f"mend the failing tasks: more than {REPEATS_SEARCHED:,} clean repeats of each would be needed"
            ]
        trials = more * profile.task_count
        return [f"{wording.count(more, 'more clean repeat')} of each task ({wording.count(trials, 'trial')})"]
    more = least(lambda n: passes(_with_clean_tasks(profile, n)), largest=TASKS_SEARCHED)
    if not more:
        return []
    return [
        f"{wording.count(more, 'more task')} like these, every trial passed ({profile.task_count + more:,} in all)"
    ]


def _with_clean_repeats(profile: Profile, more: int) -> Profile:
    return replace(profile, trials=profile.trials + more, events=profile.events + more)


def _with_clean_tasks(profile: Profile, more: int) -> Profile:
    """Further tasks with as many trials as any has, all passed; each in a cluster of its own where there are clusters."""
    if more == 0:
        return profile
    repeats = int(profile.trials.max())
    rows, tasks = (1, more) if profile.cluster is None else (more, 1)
    cluster = profile.cluster
    if cluster is not None:
        cluster = np.append(cluster, cluster.max(initial=-1) + 1 + np.arange(rows))
    return Profile(
        trials=np.append(profile.trials, np.full(rows, repeats)),
        events=np.append(profile.events, np.full(rows, float(repeats))),
        unscored=np.append(profile.unscored, np.zeros(rows, dtype=np.int64)),
        tasks=np.append(profile.tasks, np.full(rows, tasks)),
        cluster=cluster,
    )
