"""Rate and mean checks: is the rate of events (or the mean of a column) under, or over, a limit?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefoot.grading import wording
from surefoot.grading.completions import graded_over_completions
from surefoot.grading.counts import CheckCounts, FloatArray, Profile
from surefoot.grading.ends import ClusterTable, bad_end, cluster_table, good_end
from surefoot.grading.provable import BoundRule, Needs, clean_clusters_needed, clears, least
from surefoot.grading.verdict import CheckGrade, ReasonCode, Verdict
from surefoot.plan.checks import MeanCheck, RateCheck
from surefoot.plan.shares import share_text
from surefoot.stats import binomial, task_means, task_sets


@dataclass(frozen=True)
class _Decision:
    verdict: Verdict
    code: ReasonCode
    graded_bound: float
    opposite_bound: float
    provable: bool


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
    decision = (_decide_fixed if fixed else _decide_clusters)(rule, profile, bad, good)
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
        reason=_reason(rule, counts, decision, fixed=fixed),
        next_steps=_next_steps(rule, counts, bad, decision, needs, fixed=fixed),
        trials=profile.trial_count,
        scored=profile.trial_count - profile.unscored_count,
        unscored=profile.unscored_count,
        details=details,
    )


def _decide_clusters(rule: BoundRule, profile: Profile, bad: ClusterTable, good: ClusterTable) -> _Decision:
    graded = graded_over_completions(rule, profile, bad, good)
    return _decision(
        rule,
        profile,
        graded=graded.worst,
        graded_if_good=graded.best,
        opposite=rule.opposite_bounds(good).guaranteed,
        opposite_if_bad=rule.opposite_bounds(bad).guaranteed,
        # The published rule may pass with an event and not without any: what passes can pass.
        provable=rule.passes(bad.all_clean(rule.side)) or rule.clears(graded.worst),
    )


def _decide_fixed(rule: BoundRule, profile: Profile, bad: ClusterTable, good: ClusterTable) -> _Decision:
    clean = np.zeros_like(profile.events) if rule.side == "at_most" else profile.trials.astype(np.float64)
    bad_events, good_events = bad_end(profile, rule.side), good_end(profile, rule.side)
    upper = rule.side == "at_most"
    return _decision(
        rule,
        profile,
        graded=fixed_bound(rule, profile, bad_events, upper=upper),
        graded_if_good=fixed_bound(rule, profile, good_events, upper=upper),
        opposite=fixed_bound(rule, profile, good_events, upper=not upper),
        opposite_if_bad=fixed_bound(rule, profile, bad_events, upper=not upper),
        provable=rule.clears(fixed_bound(rule, profile, clean, upper=upper)),
    )


def fixed_bound(rule: BoundRule, profile: Profile, events: FloatArray, *, upper: bool) -> float:
    """The bound on the mean rate of these tasks, order-free (a claim about them only)."""
    trials, tasks, level = profile.trials, profile.tasks, rule.confidence_level
    if rule.scores:
        mean = task_means.fixed_tasks_mean_upper_bound if upper else task_means.fixed_tasks_mean_lower_bound
        return mean(events, trials, tasks=tasks, confidence_level=level).value
    rate = task_sets.fixed_tasks_rate_upper_bound if upper else task_sets.fixed_tasks_rate_lower_bound
    return rate(events, trials, tasks=tasks, confidence_level=level).value


def _decision(
    rule: BoundRule,
    profile: Profile,
    *,
    graded: float,
    graded_if_good: float,
    opposite: float,
    opposite_if_bad: float,
    provable: bool,
) -> _Decision:
    scored = profile.trial_count - profile.unscored_count
    if scored == 0:
        verdict, code = Verdict.INCONCLUSIVE, ReasonCode.TOO_FEW
    elif rule.clears(graded):
        verdict, code = Verdict.PASS, ReasonCode.PROVED
    elif rule.breaks(opposite):
        verdict, code = Verdict.FAIL, ReasonCode.BROKEN
    elif rule.clears(graded_if_good) or rule.breaks(opposite_if_bad):
        verdict, code = Verdict.INCONCLUSIVE, ReasonCode.UNSCORED_DECIDE
    elif not provable:
        verdict, code = Verdict.INCONCLUSIVE, ReasonCode.CANNOT_PASS
    else:
        verdict, code = Verdict.INCONCLUSIVE, ReasonCode.EVENTS_SEEN
    return _Decision(verdict, code, graded, opposite, provable)


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
    decision: _Decision,
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
        "clusters_with_event": bounds.clusters_with_event,
        "tasks": profile.task_count,
        "estimate": _estimate(profile, check),
        "estimate_range": sorted([_mean(good, check.weighting), _mean(bad, check.weighting)]),
        "bounds": shown,
        "graded_bound": decision.graded_bound,
        "graded_by": "fixed-tasks" if fixed else rule.bound,
        "guaranteed_method": bounds.guaranteed_method,
        "opposite_bound": decision.opposite_bound,
        "provable": decision.provable,
        "verdict_by_largest_of_three": None
        if fixed
        else str(_decide_clusters(published, profile, bad, good).verdict),
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


def _estimate(profile: Profile, check: RateCheck | MeanCheck) -> float | None:
    """The rate over scored trials, weighted as the claim weighs: by tasks, or each cluster once."""
    scored = profile.trials - profile.unscored
    seen = scored > 0
    if not seen.any():
        return None
    cluster = None if profile.cluster is None else profile.cluster[seen]
    measured = Profile(
        scored[seen], profile.events[seen], np.zeros_like(scored[seen]), profile.tasks[seen], cluster
    )
    return _mean(cluster_table(measured, measured.events), check.weighting)


def _mean(table: ClusterTable, weighting: str) -> float | None:
    if not table.cluster_count:
        return None
    if weighting == "cluster":
        return float((table.events / table.sizes * table.clusters).sum() / table.cluster_count)
    return float((table.events * table.clusters).sum() / (table.sizes * table.clusters).sum())


def _whole(number: float) -> int | float:
    return int(number) if float(number).is_integer() else float(number)


def evidence(counts: CheckCounts) -> str:
    """What was counted: ``"140 trials of 140 tasks in 7 clusters"``."""
    profile = counts.profile
    text = wording.count(profile.trial_count, "trial")
    if profile.task_count != profile.trial_count:
        text += f" of {wording.count(profile.task_count, 'task')}"
    if profile.cluster is not None:
        text += f" in {wording.count(counts.clusters, 'cluster')}"
    return text


def _reason(rule: BoundRule, counts: CheckCounts, decision: _Decision, *, fixed: bool) -> str:
    at_most = rule.side == "at_most"
    sure = wording.confidence(rule.confidence_level)
    limit = share_text(rule.limit)
    allowed = wording.percent(decision.graded_bound, rounded="up" if at_most else "down")
    unit = evidence(counts) + (", a claim about these tasks only" if fixed else "")
    proved = (
        f"the worst rate the evidence still allows is {allowed} ({sure})"
        if at_most
        else f"the evidence proves a rate of at least {allowed} ({sure})"
    )
    if decision.code is ReasonCode.PROVED:
        return f"{proved}, counting {unit}; the limit is {limit}"
    if decision.code is ReasonCode.BROKEN:
        shown = wording.percent(decision.opposite_bound, rounded="down" if at_most else "up")
        side = "at least" if at_most else "at most"
        return f"the true rate is {side} {shown} ({sure}), counting {unit}; the limit is {limit}"
    if decision.code is ReasonCode.TOO_FEW:
        return f"no trial was scored, so nothing is known; counting {unit}"
    if decision.code is ReasonCode.UNSCORED_DECIDE:
        unscored = wording.count(counts.profile.unscored_count, "unscored trial")
        return f"{unscored} decide: counted at their bad end {proved}, not {limit}; counting {unit}"
    if decision.code is ReasonCode.CANNOT_PASS:
        return f"this plan could never pass: {proved}, and with nothing bad seen it would still miss {limit}; counting {unit}"
    return f"what was seen keeps it open: {proved}, not {limit}; counting {unit}"


def _next_steps(
    rule: BoundRule,
    counts: CheckCounts,
    bad: ClusterTable,
    decision: _Decision,
    needs: Needs | None,
    *,
    fixed: bool,
) -> tuple[str, ...]:
    if decision.verdict is not Verdict.INCONCLUSIVE:
        return ()
    steps = []
    if decision.code is ReasonCode.UNSCORED_DECIDE:
        steps.append(
            f"score the {wording.count(counts.profile.unscored_count, 'unscored trial')} and grade again"
        )
    if needs is not None:
        steps.append(_more_clusters(counts, needs))
    if fixed:
        steps += _more_repeats(rule, counts.profile)
    else:
        steps += _narrower_claim(rule, counts)
        steps += _provable_limit(rule, counts, bad)
    return tuple(steps[:3])


def _unit(counts: CheckCounts) -> str:
    """What is counted as independent: clusters, tasks, or trials where each task is one trial of its own."""
    if counts.profile.cluster is not None:
        return "cluster"
    return "task" if bool((counts.profile.trials > 1).any()) else "trial"


def _more_clusters(counts: CheckCounts, needs: Needs) -> str:
    unit = _unit(counts)
    size = "" if unit == "trial" else f" of {wording.count(needs.trials_per_cluster, 'trial')}"
    more = "" if unit == "trial" else f", {wording.count(needs.more_trials, 'more trial')}"
    text = (
        f"{wording.count(needs.more_clean_clusters, f'more {unit}')}{size}, all clean: "
        f"{needs.clean_clusters:,} in all{more}"
    )
    if needs.if_one_trial is not None:
        text += f" (if one more trial is bad: {needs.if_one_trial:,} in all"
        if needs.if_one_cluster is not None and needs.if_one_cluster != needs.if_one_trial:
            text += f"; if a whole {unit} is: {needs.if_one_cluster:,}"
        text += ")"
    return text


def _narrower_claim(rule: BoundRule, counts: CheckCounts) -> list[str]:
    profile = counts.profile
    upper = rule.side == "at_most"
    if profile.events.size == 0:
        return []
    value = fixed_bound(rule, profile, bad_end(profile, rule.side), upper=upper)
    if not clears(rule.side, rule.limit, value):
        return []
    shown = wording.percent(value, rounded="up" if upper else "down")
    side = "at most" if upper else "at least"
    return [
        f"a claim about these {wording.count(profile.task_count, 'task')} only, another claim: "
        f'target = "fixed-tasks" in the plan ({side} {shown})'
    ]


def _provable_limit(rule: BoundRule, counts: CheckCounts, bad: ClusterTable) -> list[str]:
    """The limit in whole percents that the evidence at hand would already prove."""
    graded = rule.graded(rule.bounds(bad))
    whole = np.ceil(graded * 100 - 1e-9) if rule.side == "at_most" else np.floor(graded * 100 + 1e-9)
    if not 0 < whole < 100:
        return []
    side = "at most" if rule.side == "at_most" else "at least"
    return [
        f"for the next plan: {_unit(counts)}s like these prove {side} {whole:.0f} %, committed before a new run"
    ]


def _more_repeats(rule: BoundRule, profile: Profile) -> list[str]:
    """More clean repeats of the same tasks narrow a claim about these tasks."""
    upper = rule.side == "at_most"
    bad = bad_end(profile, rule.side)

    def passes(more: int) -> bool:
        longer = Profile(profile.trials + more, profile.events, profile.unscored, profile.tasks)
        events = bad if upper else bad + more
        return clears(rule.side, rule.limit, fixed_bound(rule, longer, events, upper=upper))

    more = least(passes, largest=100_000)
    return (
        []
        if not more
        else [f"{wording.count(more, 'more clean repeat')} of each of the {profile.task_count:,} tasks"]
    )
