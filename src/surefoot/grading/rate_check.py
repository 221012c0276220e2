"""Rate and mean checks: is the rate of events (or the mean of a column) under, or over, a limit?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from surefoot.grading import rate_words
from surefoot.grading.counts import CheckCounts, Profile
from surefoot.grading.ends import ClusterTable, bad_end, cluster_table, good_end
from surefoot.grading.provable import BoundRule, Needs, clean_clusters_needed
from surefoot.grading.rate_decision import RateDecision, decide_clusters, decide_fixed
from surefoot.grading.verdict import CheckGrade, Verdict
from surefoot.plan.checks import MeanCheck, RateCheck
from surefoot.stats import binomial


def grade_rate(
    check: RateCheck | MeanCheck, counts: CheckCounts, *, confidence_level: float, bound: str
) -> CheckGrade:
    """Does the evidence clear the limit, break it, or leave it open?

    PASS needs the bound on the side of the limit with every unscored trial at its bad end, FAIL the
    opposite bound with every unscored trial at its good end.
    """
    rule = BoundRule(
        side=check.side,
        limit=check.limit,
        confidence_level=confidence_level,
        bound=bound,
        weighting=check.weighting,
        scores=check.kind == "mean",
    )
    profile = counts.profile
    bad = cluster_table(profile, bad_end(profile, check.side), scores=rule.scores)
    good = bad
    if profile.unscored_count:
        good = cluster_table(profile, good_end(profile, check.side), scores=rule.scores)
    fixed = check.target == "fixed-tasks"
    decision = decide_fixed(rule, profile) if fixed else decide_clusters(rule, profile, bad, good)
    needs = None
    if decision.verdict is Verdict.INCONCLUSIVE and not fixed:
        needs = clean_clusters_needed(rule, bad, trials_per_task=_median_trials(profile))
    details = _details(check, rule, counts, bad, good, decision, needs)
    return CheckGrade(
        name=check.name,
        kind=check.kind,
        side=check.side,
        limit=check.limit,
        confidence_level=confidence_level,
        verdict=decision.verdict,
        reason_code=decision.code,
        reason=rate_words.reason(rule, counts, decision, fixed=fixed),
        next_steps=rate_words.next_steps(rule, counts, bad, decision, needs, fixed=fixed),
        trials=profile.trial_count,
        scored=profile.trial_count - profile.unscored_count,
        unscored=profile.unscored_count,
        details=details,
    )


def _median_trials(profile: Profile) -> int:
    order = np.argsort(profile.trials, kind="stable")
    reached = np.cumsum(profile.tasks[order])
    return (
        int(profile.trials[order][np.searchsorted(reached, (profile.task_count + 1) // 2)])
        if reached.size
        else 1
    )


def _details(
    check: RateCheck | MeanCheck,
    rule: BoundRule,
    counts: CheckCounts,
    bad: ClusterTable,
    good: ClusterTable,
    decision: RateDecision,
    needs: Needs | None,
) -> dict[str, Any]:
    profile = counts.profile
    fixed = check.target == "fixed-tasks"
    bounds = rule.bounds(bad)
    shown = {
        "question": bounds.question,
        "cluster": bounds.cluster,
        "design_effect": bounds.design_effect,
        "guaranteed": bounds.guaranteed,
    }
    if fixed:
        shown["fixed_tasks"] = decision.graded_bound
    published = replace(rule, bound="largest-of-three")
    details: dict[str, Any] = {
        "target": check.target,
        "weighting": check.weighting,
        "events": _whole(profile.event_total),
        "clusters": counts.clusters,
        # As seen: unscored trials are no events here, though the bounds count them at the bad end.
        "clusters_with_event": rule.bounds(good).clusters_with_event,
        "tasks": profile.task_count,
        "estimate": _estimate(profile, check, bad),
        "estimate_range": _estimate_range(good, bad, check.weighting),
        "bounds": shown,
        "graded_bound": decision.graded_bound,
        "graded_by": "fixed-tasks" if fixed else rule.bound,
        "guaranteed_method": bounds.guaranteed_method,
        "opposite_bound": decision.opposite_bound,
        "provable": decision.provable,
        "verdict_by_largest_of_three": None
        if fixed
        else str(decide_clusters(published, profile, bad, good).verdict),
        "needs": None if needs is None else needs.to_dict(),
        "worst_clusters": [
            {"cluster": row.cluster, "trials": row.trials, "bad_trials": _whole(row.events)}
            for row in counts.cluster_rows
        ],
    }
    detector = getattr(check, "detector", None)
    if detector is not None:
        recall = binomial.lower_bound(
            detector.caught, detector.planted, confidence_level=rule.confidence_level
        ).value
        details["detector"] = {
            "caught": detector.caught,
            "planted": detector.planted,
            "recall_lower_bound": recall,
        }
    return details


def _estimate(profile: Profile, check: RateCheck | MeanCheck, bad: ClusterTable) -> float | None:
    """The rate over scored trials, weighted as the claim weighs: by tasks, or each cluster once."""
    if not profile.unscored_count:
        return _mean(bad, check.weighting)
    scored = profile.trials - profile.unscored
    seen = scored > 0
    if not seen.any():
        return None
    cluster = None if profile.cluster is None else profile.cluster[seen]
    measured = Profile(
        scored[seen], profile.events[seen], np.zeros_like(scored[seen]), profile.tasks[seen], cluster
    )
    return _mean(cluster_table(measured, measured.events), check.weighting)


def _estimate_range(good: ClusterTable, bad: ClusterTable, weighting: str) -> list[float]:
    """The rate with every unscored trial at either end; anything is possible where nothing was selected."""
    ends = [_mean(good, weighting), _mean(bad, weighting)]
    known = sorted(end for end in ends if end is not None)
    return known if len(known) == 2 else [0.0, 1.0]


def _mean(table: ClusterTable, weighting: str) -> float | None:
    if not table.cluster_count:
        return None
    if weighting == "cluster":
        return float((table.events / table.sizes * table.clusters).sum() / table.cluster_count)
    return float((table.events * table.clusters).sum() / (table.sizes * table.clusters).sum())


def _whole(number: float) -> int | float:
    return int(number) if float(number).is_integer() else float(number)
