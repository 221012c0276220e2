"""The time-bomb check: is any task flakier than the cap, as seen (estimate) or as proved (bound)?"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot.grading import wording
from surefoot.grading.counts import CheckCounts, IntArray, Profile, TaskRow
from surefoot.grading.verdict import CheckGrade, ReasonCode, Verdict
from surefoot.plan.checks import FlakinessCheck
from surefoot.stats.flakiness import flakiness as flakiness_of
from surefoot.stats.flakiness import flakiness_range, flakiness_values
from surefoot.stats.flakiness_classes import classes_within, repeats_to_prove_stable, repeats_to_see_failure
from surefoot.stats.flakiness_gate import failures_forgiven, gate_block_rate, gate_catch_rate
from surefoot.stats.results import error_budget

OFFENDERS_NAMED = 5

_HEALTHY_PASS_RATE = 0.999
"""A task that fails one run in a thousand: the yardstick for how often the gate blocks by bad luck."""


def grade_flakiness(check: FlakinessCheck, counts: CheckCounts, *, confidence_level: float) -> CheckGrade:
    """Does any task flip more than the cap allows?

    On "estimate" no task may be *seen* over the cap; on "bound" every task must be *proved* under it.
    PASS takes the completion of unscored trials that makes a task flakiest, FAIL the one that makes it
    least flaky.
    """
    profile = counts.profile
    judged = _judge_estimate if check.basis == "estimate" else _judge_bound
    verdict, code, over = judged(check, profile, confidence_level)
    scored = profile.trial_count - profile.unscored_count
    offending = _offending(check, counts)
    return CheckGrade(
        name=check.name,
        kind=check.kind,
        side="at_most",
        limit=check.limit,
        confidence_level=confidence_level,
        verdict=verdict,
        reason_code=code,
        reason=_reason(check, profile, verdict, code, over, offending, confidence_level),
        next_steps=_next_steps(check, profile, verdict, code, offending, confidence_level),
        trials=profile.trial_count,
        scored=scored,
        unscored=profile.unscored_count,
        details=_details(check, profile, over, offending),
    )


def not_measured(profile: Profile) -> int:
    """Tasks with fewer than two scored trials: one run cannot show a flip."""
    return int(profile.tasks[(profile.trials - profile.unscored) < 2].sum())


def _judge_estimate(
    check: FlakinessCheck, profile: Profile, confidence_level: float
) -> tuple[Verdict, ReasonCode, int]:
    smallest, largest = flakiness_range(profile.events, profile.trials, profile.unscored)
    scored = profile.trials - profile.unscored
    measured = scored >= 2
    over = int(profile.tasks[measured & (smallest > check.limit)].sum())
    if not measured.any():
        return Verdict.INCONCLUSIVE, ReasonCode.TOO_FEW, over
    if over:
        return Verdict.FAIL, ReasonCode.BROKEN, over
    # Tasks planned for one run are listed as not measured; one that lost its repeats to errors stays open.
    if bool(((profile.trials >= 2) & (largest > check.limit)).any()):
        return Verdict.INCONCLUSIVE, ReasonCode.UNSCORED_DECIDE, over
    return Verdict.PASS, ReasonCode.PROVED, over


def _judge_bound(
    check: FlakinessCheck, profile: Profile, confidence_level: float
) -> tuple[Verdict, ReasonCode, int]:
    def classes(passed: Any, budget: float) -> Any:
        return classes_within(passed, profile.trials, cap=check.limit, budget=budget)

    bad, good = profile.events, profile.events + profile.unscored
    if profile.trial_count == profile.unscored_count:
        return Verdict.INCONCLUSIVE, ReasonCode.TOO_FEW, 0
    budget = error_budget(confidence_level)
    at_bad, at_good = classes(bad, budget), classes(good, budget)
    # Every completion lies between the two ends, and both classes are monotone in the passes.
    proved = ((at_bad == "stable pass") & (at_good == "stable pass")) | (
        (at_bad == "stable fail") & (at_good == "stable fail")
    )
    if proved.all():
        return Verdict.PASS, ReasonCode.PROVED, 0
    each = budget / profile.task_count
    flaky = (classes(bad, each) == "flaky") & (classes(good, each) == "flaky")
    over = int(profile.tasks[flaky].sum())
    if over:
        return Verdict.FAIL, ReasonCode.BROKEN, over
    # Flakiness is provable first at half and half, so the completion nearest to it is tried.
    halves = np.clip(profile.trials // 2, bad, good)
    could_be_flaky = bool(((profile.unscored > 0) & (classes(halves, each) == "flaky")).any())
    could_be_stable = bool(((at_good == "stable pass") | (at_bad == "stable fail") | proved).all())
    if profile.unscored_count and (could_be_flaky or could_be_stable):
        return Verdict.INCONCLUSIVE, ReasonCode.UNSCORED_DECIDE, 0
    need = repeats_to_prove_stable(check.limit, confidence_level=confidence_level)
    if int(profile.trials.min()) < need:
        return Verdict.INCONCLUSIVE, ReasonCode.CANNOT_PASS, 0
    return Verdict.INCONCLUSIVE, ReasonCode.EVENTS_SEEN, 0


def _offending(check: FlakinessCheck, counts: CheckCounts) -> list[TaskRow]:
    """The tasks seen over the cap, worst first."""
    found = []
    for row in counts.task_rows:
        value = flakiness_of(int(row.passed), row.trials - row.unscored).value
        if value is not None and value > check.limit:
            found.append(row)
    return found


def _details(check: FlakinessCheck, profile: Profile, over: int, offending: list[TaskRow]) -> dict[str, Any]:
    scored = profile.trials - profile.unscored
    seen = flakiness_values(profile.events, scored)
    return {
        "basis": check.basis,
        "target": "fixed-tasks",
        "tasks": profile.task_count,
        "tasks_over_cap": int(profile.tasks[np.nan_to_num(seen, nan=0.0) > check.limit].sum()),
        "offending_tasks": [
            {
                "task": row.task,
                "trials": row.trials,
                "passed": int(row.passed),
                "failed_at": list(row.failed_at),
                "flakiness": flakiness_of(int(row.passed), row.trials - row.unscored).value,
            }
            for row in offending
        ],
        "not_measured": not_measured(profile),
        "tasks_deciding": over,
        "gate": _gate_rates(check, profile),
        "events": int((scored - profile.events).dot(profile.tasks)),
        "estimate": None,
        "graded_by": check.basis,
    }


def _gate_rates(check: FlakinessCheck, profile: Profile) -> dict[str, Any] | None:
    """How often the estimate gate errs, at the number of trials that most tasks have."""
    repeats = _usual_trials(profile)
    if check.basis != "estimate" or repeats < 2:
        return None
    rate = _HEALTHY_PASS_RATE
    return {
        "trials": repeats,
        "failures_forgiven": failures_forgiven(repeats, check.limit),
        "healthy_pass_rate": rate,
        "block_rate_one_task": gate_block_rate(repeats, check.limit, rate),
        "block_rate_all_tasks": gate_block_rate(repeats, check.limit, rate, tasks=profile.task_count),
        "catch_rate_one_in_six": gate_catch_rate(repeats, check.limit, 5 / 6),
    }


def _usual_trials(profile: Profile) -> int:
    if profile.task_count == 0:
        return 0
    trials: IntArray = np.unique(profile.trials)
    tasks = [int(profile.tasks[profile.trials == n].sum()) for n in trials]
    return int(trials[int(np.argmax(tasks))])


def _reason(
    check: FlakinessCheck,
    profile: Profile,
    verdict: Verdict,
    code: ReasonCode,
    over: int,
    offending: list[TaskRow],
    confidence_level: float,
) -> str:
    cap = f"{check.limit:g}"
    unit = (
        f"counting {wording.count(profile.task_count, 'task')}, {wording.count(profile.trial_count, 'trial')}"
    )
    once = not_measured(profile)
    aside = f"; {wording.count(once, 'task')} with fewer than two scored trials not measured" if once else ""
    if verdict is Verdict.FAIL:
        how = "seen" if check.basis == "estimate" else "proved"
        names = ", ".join(row.task for row in offending[:OFFENDERS_NAMED])
        named = f": {names}{', ...' if over > OFFENDERS_NAMED else ''}" if names else ""
        return f"{wording.count(over, 'task')} {how} over the flakiness cap {cap}{named}; {unit}{aside}"
    if verdict is Verdict.PASS:
        how = (
            "no task was seen over the flakiness cap"
            if check.basis == "estimate"
            else f"every task is proved under the flakiness cap ({wording.confidence(confidence_level)} each)"
        )
        return f"{how} {cap}; {unit}{aside}"
    if code is ReasonCode.TOO_FEW:
        return f"no task has two scored trials, so no flip could be seen; {unit}"
    if code is ReasonCode.UNSCORED_DECIDE:
        return f"unscored trials decide whether a task is over the flakiness cap {cap}; {unit}{aside}"
    need = repeats_to_prove_stable(check.limit, confidence_level=confidence_level)
    if code is ReasonCode.CANNOT_PASS:
        return (
            f"this plan could never pass: {need} clean repeats of a task would prove it under the cap {cap}, "
            f"the fewest here are {int(profile.trials.min())}; {unit}"
        )
    return f"not every task is proved under the flakiness cap {cap}; {unit}"


def _failures(row: TaskRow) -> str:
    """``trials 5 and 10 of searchRunbook``, or as much of it as the log tells."""
    if not row.failed_at:
        return f"the failing trials of {row.task}"
    failed = row.trials - row.unscored - int(row.passed)
    shown = ", ".join(str(index) for index in row.failed_at)
    more = ", ..." if failed > len(row.failed_at) else ""
    return f"the failed {'trial' if failed == 1 else 'trials'} {shown}{more} of {row.task}"


def _next_steps(
    check: FlakinessCheck,
    profile: Profile,
    verdict: Verdict,
    code: ReasonCode,
    offending: list[TaskRow],
    confidence_level: float,
) -> tuple[str, ...]:
    if verdict is Verdict.PASS:
        return ()
    if verdict is Verdict.FAIL:
        return tuple(f"look at {_failures(row)}" for row in offending[:3])
    if code is ReasonCode.UNSCORED_DECIDE:
        return (f"score the {wording.count(profile.unscored_count, 'unscored trial')} and grade again",)
    if code is ReasonCode.TOO_FEW:
        see = repeats_to_see_failure(1 / 6, confidence_level=confidence_level)
        return (
            f"repeat each task {see} times: that shows a failure of one run in six "
            f"with {wording.confidence(confidence_level)}",
        )
    need = repeats_to_prove_stable(check.limit, confidence_level=confidence_level)
    more = np.maximum(0, need - profile.trials)
    trials = int((more * profile.tasks).sum())
    steps = [
        f"{need} clean repeats of each task prove it under {check.limit:g}: "
        f"{wording.count(trials, 'more trial')} in all"
    ]
    if offending:
        names = ", ".join(row.task for row in offending[:OFFENDERS_NAMED])
        steps.append(f"mend the tasks seen over the cap first: {names}")
    return tuple(steps)
