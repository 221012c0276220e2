"""What would decide an open check: whether its sizes could ever pass, and how many clean clusters it needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from surefoot.grading.ends import ClusterTable, Side
from surefoot.stats import clusters as cluster_stats
from surefoot.stats.clusters import ClusterBounds

SEARCH_LIMIT = 10_000_000
"""More clean clusters than this are not offered as a way out."""

_TIE = 1e-12
"""A bound this near to the limit is the limit: the tail there is the error budget itself, and floats cannot tell.

As a part of the limit, or of what it leaves to 1: at a limit of 1e-12 the bound 2e-12 is no tie.
"""
_FLOATS = 4
"""And so many neighbouring floats, where the limit is next to 1."""


@dataclass(frozen=True)
class BoundRule:
    """Which bound grades, and how: fixed by the plan before any data."""

    side: Side
    limit: float
    confidence_level: float
    bound: str = "guaranteed"
    weighting: str = "question"
    scores: bool = False

    def bounds(self, table: ClusterTable) -> ClusterBounds:
        """All bounds on the side of the limit."""
        return self._bounds(table, upper=self.side == "at_most")

    def opposite_bounds(self, table: ClusterTable) -> ClusterBounds:
        """All bounds on the side that would prove the limit broken."""
        return self._bounds(table, upper=self.side == "at_least")

    def graded(self, bounds: ClusterBounds) -> float:
        """The one bound that decides."""
        return bounds.guaranteed if self.bound == "guaranteed" else bounds.largest_of_three

    def clears(self, graded_bound: float) -> bool:
        return clears(self.side, self.limit, graded_bound)

    def breaks(self, opposite_bound: float) -> bool:
        return breaks(self.side, self.limit, opposite_bound)

    def passes(self, table: ClusterTable) -> bool:
        return self.clears(self.graded(self.bounds(table)))

    def _bounds(self, table: ClusterTable, *, upper: bool) -> ClusterBounds:
        return _bounds_of(table, upper, self.confidence_level, self.weighting == "cluster")


@lru_cache(maxsize=64)
def _bounds_of(
    table: ClusterTable, upper: bool, confidence_level: float, each_cluster_once: bool
) -> ClusterBounds:
    """A check asks for the bounds of one table several times: to decide, to compare rules, to show them."""
    compute = cluster_stats.upper_bounds if upper else cluster_stats.lower_bounds
    return compute(
        table.sizes,
        table.events,
        clusters=table.clusters,
        confidence_level=confidence_level,
        weighting="cluster" if each_cluster_once else "question",
        repeated=table.repeated,
    )


def clears(side: Side, limit: float, graded_bound: float) -> bool:
    """Does the bound on the side of the limit clear it? A tie clears."""
    near = _tie(limit)
    return graded_bound <= limit + near if side == "at_most" else graded_bound >= limit - near


def breaks(side: Side, limit: float, opposite_bound: float) -> bool:
    """Does the opposite bound prove the limit broken? Strictly: a tie does not."""
    near = _tie(limit)
    return opposite_bound > limit + near if side == "at_most" else opposite_bound < limit - near


def _tie(limit: float) -> float:
    return max(_TIE * min(limit, 1 - limit), _FLOATS * math.ulp(limit))


@dataclass(frozen=True)
class Needs:
    """How many clean clusters would decide, counting what was already seen.

    ``clean_clusters`` is the total, ``more_clean_clusters`` how many that is more than now, and
    ``more_trials`` the trials they take at the median size. ``if_one_trial`` and ``if_one_cluster``
    are the totals if one more trial, or one whole further cluster, turns out bad.
    """

    clean_clusters: int
    more_clean_clusters: int
    tasks_per_cluster: int
    trials_per_task: int
    if_one_trial: int | None
    if_one_cluster: int | None

    @property
    def more_trials(self) -> int:
        return self.more_clean_clusters * self.tasks_per_cluster * self.trials_per_task

    @property
    def trials_per_cluster(self) -> int:
        return self.tasks_per_cluster * self.trials_per_task

    def to_dict(self) -> dict[str, Any]:
        return {
            "clean_clusters": self.clean_clusters,
            "more_clean_clusters": self.more_clean_clusters,
            "trials_per_cluster": self.trials_per_cluster,
            "more_trials": self.more_trials,
            "clusters_if_one_trial_is_bad": self.if_one_trial,
            "clusters_if_one_cluster_is_bad": self.if_one_cluster,
        }


def clean_clusters_needed(rule: BoundRule, table: ClusterTable, *, trials_per_task: int = 1) -> Needs | None:
    """How many further clean clusters of the median size would make the check PASS?

    None where no number up to ten million does, as when a fixed share of the weight is bad.
    """
    size = table.median_size if table.cluster_count else 1

    def total_with(extra_bad: float) -> int | None:
        start = table if extra_bad == 0 else _with_cluster(rule.side, table, size, extra_bad)
        more = least(lambda n: rule.passes(_with_clean(rule.side, start, size, n)))
        return None if more is None else start.cluster_count + more

    total = total_with(0)
    if total is None:
        return None
    one_trial = total_with(1 / trials_per_task)
    one_cluster = one_trial if size * trials_per_task == 1 else total_with(size)
    return Needs(
        clean_clusters=total,
        more_clean_clusters=total - table.cluster_count,
        tasks_per_cluster=size,
        trials_per_task=trials_per_task,
        if_one_trial=one_trial,
        if_one_cluster=one_cluster,
    )


def least(holds: Callable[[int], bool], *, largest: int = SEARCH_LIMIT) -> int | None:
    """The least whole number >= 0 at which a condition that stays true once true holds, or None up to `largest`."""
    if holds(0):
        return 0
    low, high = 0, 1
    while not holds(high):
        if high >= largest:
            return None
        low, high = high, min(high * 4, largest)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _with_clean(side: Side, table: ClusterTable, size: int, more: int) -> ClusterTable:
    return table.with_rows([size], [0.0 if side == "at_most" else float(size)], [more]) if more else table


def _with_cluster(side: Side, table: ClusterTable, size: int, bad: float) -> ClusterTable:
    return table.with_rows([size], [bad if side == "at_most" else size - bad], [1])
