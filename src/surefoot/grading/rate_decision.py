"""How a rate or a mean is decided: the bound against the limit, with unscored trials at either end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefoot.grading.completions import graded_over_completions
from surefoot.grading.counts import FloatArray, Profile
from surefoot.grading.ends import ClusterTable, bad_end, good_end
from surefoot.grading.provable import BoundRule
from surefoot.grading.verdict import ReasonCode, Verdict
from surefoot.stats import task_means, task_sets


@dataclass(frozen=True)
class RateDecision:
    """What the evidence says, why, and the two bounds that said it."""

    verdict: Verdict
    code: ReasonCode
    graded_bound: float
    opposite_bound: float
    provable: bool


def decide_clusters(rule: BoundRule, profile: Profile, bad: ClusterTable, good: ClusterTable) -> RateDecision:
    """Decide a claim about clusters like these."""
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


def decide_fixed(rule: BoundRule, profile: Profile) -> RateDecision:
    """Decide a claim about these tasks only."""
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
) -> RateDecision:
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
    return RateDecision(verdict, code, graded, opposite, provable)
