"""What a rate check says of itself: the reason of its verdict, and the steps that would decide it."""

from __future__ import annotations

import math

from surefoot.grading import wording
from surefoot.grading.counts import CheckCounts, Profile
from surefoot.grading.ends import ClusterTable, bad_end
from surefoot.grading.provable import BoundRule, Needs, clears, least
from surefoot.grading.rate_decision import RateDecision, fixed_bound
from surefoot.grading.verdict import ReasonCode, Verdict

REPEATS_SEARCHED = 100_000
_WORTH_SAYING = 0.5
"""A limit that allows more than half of all trials to go wrong is no advice."""


def evidence(counts: CheckCounts) -> str:
    """What was counted: ``"140 trials in 7 clusters"``."""
    profile = counts.profile
    text = wording.count(profile.trial_count, "trial")
    if profile.task_count != profile.trial_count:
        text += f" of {wording.count(profile.task_count, 'task')}"
    if profile.cluster is not None:
        text += f" in {wording.count(counts.clusters, 'cluster')}"
    return text


def reason(rule: BoundRule, counts: CheckCounts, decision: RateDecision, *, fixed: bool) -> str:
    """Why the verdict is what it is, with the unit counted and the confidence."""
    upper = rule.side == "at_most"
    sure = wording.confidence(rule.confidence_level)
    limit = wording.limit(rule.limit, scores=rule.scores)
    what = "mean" if rule.scores else "rate"
    unit = evidence(counts) + (", a claim about these tasks only" if fixed else "")
    allowed = _amount(rule, decision.graded_bound)
    proved = (
        f"the worst {what} the evidence still allows is {allowed} ({sure})"
        if upper
        else f"the evidence proves a {what} of at least {allowed} ({sure})"
    )
    if decision.code is ReasonCode.PROVED:
        return f"{proved}, counting {unit}; the limit is {limit}"
    if decision.code is ReasonCode.BROKEN:
        shown = wording.amount(decision.opposite_bound, scores=rule.scores, rounded="down" if upper else "up")
        side = "at least" if upper else "at most"
        return f"the true {what} is {side} {shown} ({sure}), counting {unit}; the limit is {limit}"
    if decision.code is ReasonCode.TOO_FEW:
        return f"no trial was scored, so nothing is known; counting {unit}"
    if decision.code is ReasonCode.UNSCORED_DECIDE:
        unscored = wording.count(counts.profile.unscored_count, "unscored trial")
        return f"{unscored} decide: counted at their bad end {proved}, not {limit}; counting {unit}"
    if decision.code is ReasonCode.CANNOT_PASS:
        # The published rule is not monotone: it may pass with an event where it does not without any.
        never = "this plan could never pass" if rule.bound == "guaranteed" else "a clean run could not pass"
        return f"{never}: {proved}, and with nothing bad seen it would still miss {limit}; counting {unit}"
    return f"what was seen keeps it open: {proved}, not {limit}; counting {unit}"


def next_steps(
    rule: BoundRule,
    counts: CheckCounts,
    bad: ClusterTable,
    decision: RateDecision,
    needs: Needs | None,
    *,
    fixed: bool,
) -> tuple[str, ...]:
    """At most three steps that would decide an open check."""
    if decision.verdict is not Verdict.INCONCLUSIVE:
        return ()
    steps = []
    if decision.code is ReasonCode.UNSCORED_DECIDE:
        unscored = wording.count(counts.profile.unscored_count, "unscored trial")
        steps.append(f"score the {unscored} and grade again")
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


def _amount(rule: BoundRule, bound: float) -> str:
    """A bound on the side of the limit, rounded outward."""
    return wording.amount(bound, scores=rule.scores, rounded="up" if rule.side == "at_most" else "down")


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
    """Where clusters or repeats are what keeps it open: the claim about these tasks alone, if that is proved."""
    profile = counts.profile
    if profile.events.size == 0 or _unit(counts) == "trial":
        return []
    value = fixed_bound(rule, profile, bad_end(profile, rule.side), upper=rule.side == "at_most")
    if not clears(rule.side, rule.limit, value):
        return []
    side = "at most" if rule.side == "at_most" else "at least"
    return [
        f"another, narrower claim, about these {wording.count(profile.task_count, 'task')} only, is proved "
        f"({side} {_amount(rule, value)}): target fixed-tasks"
    ]


def _provable_limit(rule: BoundRule, counts: CheckCounts, bad: ClusterTable) -> list[str]:
    """The limit in whole percents that the evidence at hand would already prove, if it is worth having."""
    graded = rule.graded(rule.bounds(bad))
    upper = rule.side == "at_most"
    whole = math.ceil(graded * 100 - 1e-9) if upper else math.floor(graded * 100 + 1e-9)
    worth_saying = whole / 100 <= _WORTH_SAYING if upper else whole / 100 >= _WORTH_SAYING
    if not 0 < whole < 100 or not worth_saying:
        return []
    limit = wording.limit(whole / 100, scores=rule.scores)
    return [
        f"for the next plan: {_unit(counts)}s like these prove {'at most' if upper else 'at least'} {limit}, "
        "committed before a new run"
    ]


def _more_repeats(rule: BoundRule, profile: Profile) -> list[str]:
    """More clean repeats of the same tasks narrow a claim about these tasks."""
    if profile.task_count == 0:
        return []
    upper = rule.side == "at_most"
    bad = bad_end(profile, rule.side)

    def passes(more: int) -> bool:
        longer = Profile(profile.trials + more, profile.events, profile.unscored, profile.tasks)
        events = bad if upper else bad + more
        return clears(rule.side, rule.limit, fixed_bound(rule, longer, events, upper=upper))

    more = least(passes, largest=REPEATS_SEARCHED)
    if not more:
        return []
    repeats = wording.count(more, "more clean repeat")
    return [f"{repeats} of each of the {profile.task_count:,} tasks"]
