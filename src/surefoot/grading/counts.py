"""The few numbers that millions of rows become: what grading sees of a log, and all it sees."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Profile:
    """Tasks with equal counts are one row: columns of equal length, one row per distinct count.

    Parameters
    ----------
    trials
        Trials of each such task that the check selects, unscored ones included, >= 1.
    events
        Scored trials of them that are events (or, of a mean check, the sum of their values; in clusters the
        mean of these sums over the row's tasks).
    unscored
        Trials of them without a verdict.
    tasks
        How many tasks share the row.
    cluster
        A code per cluster, or None where each task is its own cluster. Codes carry no order.
    """

    trials: IntArray
    events: FloatArray
    unscored: IntArray
    tasks: IntArray
    cluster: IntArray | None = None

    @property
    def task_count(self) -> int:
        return int(self.tasks.sum())

    @property
    def trial_count(self) -> int:
        return int((self.trials * self.tasks).sum())

    @property
    def unscored_count(self) -> int:
        return int((self.unscored * self.tasks).sum())

    @property
    def event_total(self) -> float:
        # Added up exactly, so that the order of rows (the names of clusters) cannot show in the last digit.
        return math.fsum((self.events * self.tasks).tolist())


class TaskRow(NamedTuple):
    """One task by name, with its counts and, where it is shown, its runs in order.

    ``failed_at`` holds the trial indexes of its first failures, where the log numbers its trials.
    """

    task: str
    trials: int
    passed: float
    unscored: int
    runs: str | None = None
    failed_at: tuple[int, ...] = ()


@dataclass(frozen=True)
class EventRow:
    """One trial that a forbid check forbids."""

    task: str
    trial_index: int | None
    file: str | None


@dataclass(frozen=True)
class ClusterRow:
    """One cluster by name, with the trials and events in it."""

    cluster: str
    trials: int
    events: float


@dataclass(frozen=True)
class CheckCounts:
    """What one check selects and counts in one group.

    ``where_unknown`` counts rows whose ``where`` is NULL, ``missing_cluster`` rows without a cluster id,
    ``out_of_range`` values of a mean check outside [0, 1]; ``split_tasks`` names tasks that lie in
    several clusters.
    """

    profile: Profile
    clusters: int
    rows_selected: int
    where_unknown: int = 0
    missing_cluster: int = 0
    out_of_range: int = 0
    split_tasks: tuple[str, ...] = ()
    task_rows: tuple[TaskRow, ...] = ()
    cluster_rows: tuple[ClusterRow, ...] = ()
    event_rows: tuple[EventRow, ...] = ()


@dataclass(frozen=True)
class Duplicates:
    """Rows that share a slot (run, task, trial_index): equal ones were counted once."""

    equal: int = 0
    conflicting: int = 0
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class Counts:
    """All that is known of one group of trials (the whole log, or one value of ``--by``).

    ``passes`` is the profile of passed trials per task (events = passes), None where the log was not
    asked about success. ``provenance`` holds the distinct values seen of each column that must match
    before trials are pooled (None for a missing value).
    """

    by: Mapping[str, str | None]
    rows: int
    tasks: int
    unscored_by_cause: Mapping[str, int]
    passes: Profile | None
    task_rows: tuple[TaskRow, ...]
    checks: tuple[CheckCounts, ...]
    provenance: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    runs: int = 1
    has_trial_index: bool = True
    duplicates: Duplicates = field(default_factory=Duplicates)
    missing_task: int = 0
    mixed_id_types: tuple[str, ...] = ()
    identical_output_tasks: int = 0
    repeated_tasks: int = 0

    @property
    def unscored(self) -> int:
        return sum(self.unscored_by_cause.values())
