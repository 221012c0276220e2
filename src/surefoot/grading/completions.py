"""The published rule over every completion of unscored trials: its design effect does not grow with the events."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np

from surefoot.grading.counts import Profile
from surefoot.grading.ends import ClusterTable, cluster_table
from surefoot.grading.provable import BoundRule
from surefoot.stats.design_effect import design_effect
from surefoot.stats.results import error_budget

COMPLETIONS_AT_MOST = 4096
"""With more completions than this the published rule proves nothing: the check stays open."""


@dataclass(frozen=True)
class GradedRange:
    """The graded bound at its worst and at its best over all completions of the unscored trials."""

    worst: float
    best: float


def graded_over_completions(
    rule: BoundRule, profile: Profile, bad: ClusterTable, good: ClusterTable
) -> GradedRange:
    """How bad, and how good, could the graded bound be, whatever the unscored trials would have been?

    The question and the cluster bound, and the guaranteed bound, are worst at the bad end; only the design
    effect of the published rule can be worse in between, and is tried at every completion. `best` may be
    better than any one completion gives; it only tells whether unscored trials are what keeps a check open.
    """
    at_bad, at_good = rule.bounds(bad), rule.bounds(good)
    if rule.bound == "guaranteed" or profile.unscored_count == 0:
        return GradedRange(rule.graded(at_bad), rule.graded(at_good))
    found = _design_effects(rule, profile)
    upper = rule.side == "at_most"
    if found is None:
        return GradedRange(1.0, 0.0) if upper else GradedRange(0.0, 1.0)
    worst, best = [at_bad.question, at_bad.cluster], [at_good.question, at_good.cluster]
    if found:
        worst.append(max(found) if upper else min(found))
        best.append(min(found) if upper else max(found))
    return GradedRange(max(worst), max(best)) if upper else GradedRange(min(worst), min(best))


def _design_effects(rule: BoundRule, profile: Profile) -> list[float] | None:
    """The design-effect bound of every completion; None where they are too many, or any number in [0, 1] is one."""
    if rule.scores:
        return None
    split = _split(profile)
    if split is None or math.prod(len(sums) for _, sums in split[1]) > COMPLETIONS_AT_MOST:
        return None
    fixed, open_clusters = split
    side: Literal["upper", "lower"] = "upper" if rule.side == "at_most" else "lower"
    budget = error_budget(rule.confidence_level)
    sizes = [size for size, _ in open_clusters]
    found = []
    for sums in product(*(sums for _, sums in open_clusters)):
        table = fixed.with_rows(sizes, list(sums), [1] * len(sizes))
        bound = design_effect(side, table.sizes, table.events, table.clusters, budget).bound
        if bound is not None:
            found.append(bound)
    return found


def _open_clusters(profile: Profile) -> int:
    if profile.cluster is None:
        return int(profile.tasks[profile.unscored > 0].sum())
    return len(np.unique(profile.cluster[profile.unscored > 0]))


def _split(profile: Profile) -> tuple[ClusterTable, list[tuple[int, list[float]]]] | None:
    """Clusters with every trial scored as one table, and each other cluster as (size, sums it can reach).

    None where so many are open that their completions, two each at least, are too many.
    """
    if 2 ** min(_open_clusters(profile), 64) > COMPLETIONS_AT_MOST:
        return None
    if profile.cluster is None:
        codes = np.arange(profile.tasks.sum())
        repeat = np.repeat(np.arange(len(profile.tasks)), profile.tasks)
        ones = np.ones(len(repeat), dtype=np.int64)
        profile = Profile(
            profile.trials[repeat], profile.events[repeat], profile.unscored[repeat], ones, codes
        )
    assert profile.cluster is not None
    has_open = np.isin(profile.cluster, np.unique(profile.cluster[profile.unscored > 0]))
    fixed = cluster_table(_rows(profile, ~has_open), profile.events[~has_open])
    open_clusters = []
    for code in np.unique(profile.cluster[has_open]):
        rows = _rows(profile, profile.cluster == code)
        open_clusters.append((int(rows.tasks.sum()), _reachable(rows)))
    return fixed, open_clusters


def _rows(profile: Profile, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Profile:
    assert profile.cluster is not None
    return Profile(
        profile.trials[kept],
        profile.events[kept],
        profile.unscored[kept],
        profile.tasks[kept],
        profile.cluster[kept],
    )


def _reachable(rows: Profile) -> list[float]:
    sums = {float((rows.events / rows.trials * rows.tasks).sum())}
    for trials, unscored, tasks in zip(rows.trials, rows.unscored, rows.tasks, strict=True):
        for _ in range(int(unscored * tasks)):
            sums |= {round(value + 1 / trials, 12) for value in sums}
            if len(sums) > COMPLETIONS_AT_MOST:
                return sorted(sums)
    size = float(rows.tasks.sum())
    return sorted(min(value, size) for value in sums)
