"""Counts that were given as numbers, not read from a log: what one bound, or the dual gate, needs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from surefoot.errors import ArgumentError
from surefoot.grading.counts import CheckCounts, Counts, Profile, TaskRow
from surefoot.plan.checks import Check


def counts_of_tasks(tasks: Mapping[str, tuple[int, int]], checks: tuple[Check, ...]) -> Counts:
    """Counts of named tasks: task -> (passed, trials).

    Raises
    ------
    ArgumentError
        No task, or counts that are not whole numbers with ``0 <= passed <= trials`` and ``trials >= 1``.
    """
    if not tasks:
        raise ArgumentError("tasks", expected="at least one task: {name: (passed, trials)}", got=tasks)
    rows = tuple(
        TaskRow(task=str(task), trials=trials, passed=float(passed), unscored=0)
        for task, (passed, trials) in tasks.items()
        if _checked(task, passed, trials)
    )
    profile = Profile(
        trials=np.array([row.trials for row in rows], dtype=np.int64),
        events=np.array([row.passed for row in rows], dtype=np.float64),
        unscored=np.zeros(len(rows), dtype=np.int64),
        tasks=np.ones(len(rows), dtype=np.int64),
    )
    worst_first = tuple(sorted(rows, key=lambda row: abs(row.passed / row.trials - 0.5)))
    each = CheckCounts(
        profile=profile, clusters=len(rows), rows_selected=profile.trial_count, task_rows=worst_first
    )
    return Counts(
        by={},
        rows=profile.trial_count,
        tasks=len(rows),
        unscored_by_cause={},
        passes=profile,
        task_rows=worst_first,
        checks=tuple(each for _ in checks),
    )


def counts_of_events(events: int, trials: int, clusters: int | None) -> CheckCounts:
    """Counts of ``events / trials`` in independent trials, or in clusters of equal size.

    In clusters of equal size the guaranteed bound depends on the events only through their number; the
    cluster bound is told for events in as many clusters as they can reach. The design effect depends on where
    they lie, which nobody told: it has no answer here.

    Raises
    ------
    ArgumentError
        Counts that are not ``0 <= events <= trials``, or trials that do not split evenly into the clusters.
    """
    _checked("trials", events, trials)
    if clusters is None:
        profile = Profile(
            trials=np.array([1, 1], dtype=np.int64),
            events=np.array([0.0, 1.0]),
            unscored=np.zeros(2, dtype=np.int64),
            tasks=np.array([trials - events, events], dtype=np.int64),
        )
        profile = _without_empty_rows(profile)
        return CheckCounts(profile=profile, clusters=trials, rows_selected=trials)
    if clusters < 1 or trials % clusters:
        raise ArgumentError(
            "clusters",
            expected=f"a number that splits {trials} trials evenly (for clusters of unequal size grade the log itself)",
            got=clusters,
        )
    size = trials // clusters
    spread, more = divmod(events, clusters)
    events_in = spread + (np.arange(clusters) < more)
    profile = Profile(
        trials=np.ones(2 * clusters, dtype=np.int64),
        events=np.repeat([0.0, 1.0], clusters),
        unscored=np.zeros(2 * clusters, dtype=np.int64),
        tasks=np.concatenate([size - events_in, events_in]).astype(np.int64),
        cluster=np.tile(np.arange(clusters, dtype=np.int64), 2),
    )
    return CheckCounts(profile=_without_empty_rows(profile), clusters=clusters, rows_selected=trials)


def _without_empty_rows(profile: Profile) -> Profile:
    kept = profile.tasks > 0
    return Profile(
        profile.trials[kept],
        profile.events[kept],
        profile.unscored[kept],
        profile.tasks[kept],
        None if profile.cluster is None else profile.cluster[kept],
    )


def _checked(name: str, events: int, trials: int) -> bool:
    for number in (events, trials):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise ArgumentError(str(name), expected="whole numbers", got=number)
    if not 0 <= events <= trials or trials < 1:
        raise ArgumentError(
            str(name), expected="0 <= count <= trials and at least one trial", got=f"{events}/{trials}"
        )
    return True
