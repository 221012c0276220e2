"""The plain rule: has anything happened that must never happen?"""

from __future__ import annotations

from surefoot.grading import wording
from surefoot.grading.counts import CheckCounts
from surefoot.grading.ends import cluster_table
from surefoot.grading.provable import BoundRule
from surefoot.grading.rate_words import evidence
from surefoot.grading.verdict import CheckGrade, ReasonCode, Verdict
from surefoot.plan.checks import ForbidCheck


def grade_forbid(check: ForbidCheck, counts: CheckCounts, *, confidence_level: float) -> CheckGrade:
    """Was the forbidden event seen?

    Any event seen is FAIL. None seen, with every trial scored, is PASS *of the rule*; the bound on the
    rate stands beside it, because "none seen" is not "none".
    """
    profile = counts.profile
    events, unscored = int(profile.event_total), profile.unscored_count
    scored = profile.trial_count - unscored
    rule = BoundRule("at_most", 0.0, confidence_level)
    bounds = rule.bounds(cluster_table(profile, profile.events + profile.unscored))
    allowed = wording.percent(bounds.guaranteed, rounded="up")
    beside = (
        f"the evidence still allows a rate of {allowed} ({wording.confidence(confidence_level)}), "
        f"counting {evidence(counts)}"
    )
    steps: tuple[str, ...] = ()
    if events:
        verdict, code = Verdict.FAIL, ReasonCode.BROKEN
        named = ", ".join(_where(row.task, row.trial_index) for row in counts.event_rows[:3])
        reason = f"seen {wording.count(events, 'time')}: {named}{', ...' if events > 3 else ''}"
        steps = tuple(f"look at {_where(row.task, row.trial_index)}" for row in counts.event_rows[:3])
    elif scored == 0:
        verdict, code = Verdict.INCONCLUSIVE, ReasonCode.TOO_FEW
        reason = f"no trial was scored, so nothing is known; counting {evidence(counts)}"
    elif unscored:
        verdict, code = Verdict.INCONCLUSIVE, ReasonCode.UNSCORED_DECIDE
        reason = (
            f"none seen, but {wording.count(unscored, 'trial')} without a verdict could hide one; {beside}"
        )
        steps = (f"score the {wording.count(unscored, 'unscored trial')} and grade again",)
    else:
        verdict, code = Verdict.PASS, ReasonCode.PROVED
        reason = f"none seen: the rule holds on what was run; {beside}"
    return CheckGrade(
        name=check.name,
        kind=check.kind,
        side="at_most",
        limit=None,
        confidence_level=confidence_level,
        verdict=verdict,
        reason_code=code,
        reason=reason,
        next_steps=steps,
        trials=profile.trial_count,
        scored=scored,
        unscored=unscored,
        details={
            "target": "clusters",
            "events_seen": events,
            "events": [
                {"task": row.task, "trial_index": row.trial_index, "file": row.file}
                for row in counts.event_rows
            ],
            "clusters": counts.clusters,
            "estimate": events / scored if scored else None,
            "bounds": {
                "question": bounds.question,
                "cluster": bounds.cluster,
                "design_effect": bounds.design_effect,
                "guaranteed": bounds.guaranteed,
            },
            "graded_bound": None,
            "graded_by": "rule",
        },
    )


def _where(task: str, trial_index: int | None) -> str:
    return f"task {task}" if trial_index is None else f"task {task} trial {trial_index}"
