"""The published rule over every completion of unscored trials: its design effect does not grow with the events."""

from __future__ import annotations

import math
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


def graded_over_completions(rule: BoundRule, profile: Profile, bad: ClusterTable) -> float:
    """The graded bound at its worst over all completions of the unscored trials.

    The question and the cluster bound, and the guaranteed bound, are worst at the bad end; only the design
    effect of the published rule can be worse in between, and is tried at every completion.
    """
    bounds = rule.bounds(bad)
    if rule.bound == "guaranteed" or profile.unscored_count == 0:
        return rule.graded(bounds)
    nothing_proved = 1.0 if rule.side == "at_most" else 0.0
    fixed, open_clusters = _split(profile)
    if math.prod(len(sums) for _, sums in open_clusters) > COMPLETIONS_AT_MOST:
        return nothing_proved
    worst = [bounds.question, bounds.cluster]
    side: Literal["upper", "lower"] = "upper" if rule.side == "at_most" else "lower"
    budget = error_budget(rule.confidence_level)
    sizes = [size for size, _ in open_clusters]
    for sums in product(*(sums for _, sums in open_clusters)):
        table = fixed.with_rows(sizes, list(sums), [1] * len(sizes))
        found = design_effect(side, table.sizes, table.events, table.clusters, budget).bound
        if found is not None:
            worst.append(found)
    return max(worst) if side == "upper" else min(worst)


def _split(profile: Profile) -> tuple[ClusterTable, list[tuple[int, list[float]]]]:
    """Clusters with every trial scored as one table, and each other cluster as (size, sums it can reach)."""
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
