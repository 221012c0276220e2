"""Unscored trials at their bad and at their good end, and tasks gathered into clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from surefoot.grading.counts import FloatArray, IntArray, Profile

Side = Literal["at_most", "at_least"]

_EXACT = 2**53
"""Whole numbers below this are exact as floats."""


@dataclass(frozen=True, eq=False)
class ClusterTable:
    """Clusters with equal contents are one row. Compared by identity, so that its bounds are worked out once.

    Parameters
    ----------
    sizes
        Tasks in each such cluster.
    events
        Sum of the values of its tasks, in [0, size].
    clusters
        How many clusters share the row.
    repeated
        True when some task has more than one trial, so that a task's value may be fractional.
    """

    sizes: IntArray
    events: FloatArray
    clusters: IntArray
    repeated: bool

    @property
    def cluster_count(self) -> int:
        return int(self.clusters.sum())

    @property
    def median_size(self) -> int:
        """Tasks in the cluster in the middle (the smaller of two middles)."""
        order = np.argsort(self.sizes, kind="stable")
        reached = np.cumsum(self.clusters[order])
        middle = np.searchsorted(reached, (self.cluster_count + 1) // 2)
        return int(self.sizes[order][middle])

    def with_rows(self, sizes: list[int], events: list[float], clusters: list[int]) -> ClusterTable:
        """The same clusters and these."""
        return ClusterTable(
            sizes=np.append(self.sizes, np.asarray(sizes, dtype=np.int64)),
            events=np.append(self.events, np.asarray(events, dtype=np.float64)),
            clusters=np.append(self.clusters, np.asarray(clusters, dtype=np.int64)),
            repeated=self.repeated,
        )

    def all_clean(self, side: Side) -> ClusterTable:
        """The same clusters, had nothing bad happened in any of them."""
        clean = np.zeros_like(self.events) if side == "at_most" else self.sizes.astype(np.float64)
        return ClusterTable(self.sizes, clean, self.clusters, self.repeated)


def bad_end(profile: Profile, side: Side) -> FloatArray:
    """Events per task with every unscored trial counted against the check: PASS is decided here."""
    return _events_at(profile, unscored_are_events=side == "at_most")


def good_end(profile: Profile, side: Side) -> FloatArray:
    """Events per task with every unscored trial counted for the check: FAIL is decided here."""
    return _events_at(profile, unscored_are_events=side == "at_least")


def _events_at(profile: Profile, *, unscored_are_events: bool) -> FloatArray:
    return profile.events + profile.unscored if unscored_are_events else profile.events


def cluster_table(profile: Profile, events: FloatArray, *, scores: bool = False) -> ClusterTable:
    """Gather task values (events per planned trial) by cluster. The result does not depend on the order of rows.

    `scores` says that a trial's value is a number in [0, 1] by plan: then no bound may rest on values being
    0 or 1, even where all that were seen are.
    """
    trials, tasks = profile.trials, profile.tasks
    repeated = scores or bool((trials > 1).any())
    if profile.cluster is None:
        sizes, sums, counts = np.ones_like(tasks), events / trials, tasks
    else:
        order = np.lexsort((events, trials, profile.cluster))
        starts = np.flatnonzero(np.diff(profile.cluster[order], prepend=np.int64(-1)))
        if not starts.size:
            return ClusterTable(trials[:0], events[:0], tasks[:0], repeated)
        sizes = np.add.reduceat(tasks[order], starts)
        sums = _summed_values(events[order], trials[order], tasks[order], starts)
        counts = np.ones_like(sizes)
    rows, inverse = np.unique(np.column_stack([sizes, sums]), axis=0, return_inverse=True)
    clusters = np.bincount(inverse.ravel(), weights=counts, minlength=len(rows)).astype(np.int64)
    return ClusterTable(rows[:, 0].astype(np.int64), rows[:, 1], clusters, repeated)


def _summed_values(events: FloatArray, trials: IntArray, tasks: IntArray, starts: IntArray) -> FloatArray:
    # Over a common denominator the sum of x/n is a whole number until the one division: 1/3 + 2/3 is 1.
    denominator = _common_multiple(trials)
    whole = bool((events == np.floor(events)).all())
    if whole and denominator is not None and denominator * float((events * tasks).sum()) < _EXACT:
        numerators = (events * tasks).astype(np.int64) * (denominator // trials)
        return np.asarray(np.add.reduceat(numerators, starts) / denominator, dtype=np.float64)
    return np.asarray(np.add.reduceat(events / trials * tasks, starts), dtype=np.float64)


def _common_multiple(trials: IntArray) -> int | None:
    """The least common multiple, or None where floats no longer hold it: many different numbers of trials."""
    multiple = 1
    for n in np.unique(trials):
        multiple = math.lcm(multiple, int(n))
        if multiple >= _EXACT:
            return None
    return multiple
