"""Small queries over the table of counts: profiles with a multiplicity, totals, and the few tasks that are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.counting.engines import DuckDbEngine
from surefoot.counting.measures import MeasuredCheck, Measures
from surefoot.counting.query import COUNTED, events_sql, merged_sql
from surefoot.grading.counts import CheckCounts, ClusterRow, EventRow, IntArray, Profile, TaskRow
from surefoot.trials.ids import join_sql
from surefoot.trials.relation import TrialRelation
from surefoot.trials.sql import quote_identifier, quote_text

EVENTS_LISTED = 20
CLUSTERS_LISTED = 10
CHECK_TASKS_LISTED = 1_000
SPLIT_TASKS_LISTED = 5
RUNS_SHOWN = 50
FAILURES_LISTED = 5

_WHOLE_NUMBERS_FIRST = "TRY_CAST(task AS BIGINT) NULLS LAST, task"


@dataclass(frozen=True)
class Totals:
    """Sums over one group. Rows without a task id are counted apart."""

    rows: int
    tasks: int
    unscored: int
    missing_task: int
    identical_output_tasks: int
    repeated_tasks: int


@dataclass(frozen=True)
class ProfileReader:
    """What the small queries need to know; `scope` narrows it to one group.

    `split` says that some task of some group lies in several rows of the table of counts, `has_cause` that
    trials may have a cause for being unscored.
    """

    engine: DuckDbEngine
    relation: TrialRelation
    source: str
    by: tuple[str, ...]
    measures: Measures
    split: bool
    has_cause: bool

    def scope(self, group: tuple[str | None, ...]) -> Scope:
        return Scope(self, group)


@dataclass(frozen=True)
class Scope:
    """The small queries of one group."""

    reader: ProfileReader
    group: tuple[str | None, ...]

    @cached_property
    def _condition(self) -> str:
        return (
            " AND ".join(
                f"CAST({quote_identifier(name)} AS VARCHAR) IS NOT DISTINCT FROM "
                + ("NULL" if value is None else quote_text(value))
                for name, value in zip(self.reader.by, self.group, strict=True)
            )
            or "TRUE"
        )

    @cached_property
    def _counted(self) -> str:
        """The rows of this group, whole tasks only."""
        return f"(SELECT * FROM {COUNTED} WHERE {self._condition} AND task IS NOT NULL)"

    @cached_property
    def _tasks_are_split(self) -> bool:
        if not self.reader.split:
            return False
        counted, tasks = self._row(f"SELECT COUNT(*), COUNT(DISTINCT task) FROM {self._counted}")
        return int(counted) != int(tasks)

    def _by_task(self, cluster: Sequence[str]) -> str:
        """One row per task (and cluster): other keys of the table of counts may have split a task."""
        if not self._tasks_are_split:
            return self._counted
        return merged_sql(
            self._counted,
            keys=("task", *cluster),
            measures=len(self.reader.measures.measures),
        )

    def totals(self) -> Totals:
        relation = self.reader.relation
        cause = "SUM(cause_count)" if self.reader.has_cause else "0"
        same = "COUNT(*) FILTER (WHERE same_output)" if "output_hash" in relation.columns else "0"
        tasks = "COUNT(DISTINCT task)" if self._tasks_are_split else "COUNT(task)"
        rows, tasks, unscored, missing, identical, repeated = self._row(
            f"SELECT COALESCE(SUM(row_count), 0), {tasks}, COALESCE({cause}, 0), "
            f"COALESCE(SUM(row_count) FILTER (WHERE task IS NULL), 0), {same}, COUNT(*) FILTER (WHERE row_count > 1) "
            f"FROM {COUNTED} WHERE {self._condition}"
        )
        return Totals(int(rows), int(tasks), int(unscored), int(missing), int(identical), int(repeated))

    def unscored_by_cause(self) -> dict[str, int]:
        rows = self._rows(
            f"SELECT unscored_cause, COUNT(*) FROM {self.reader.source} "
            f"WHERE unscored_cause IS NOT NULL AND {self._condition} GROUP BY 1 ORDER BY 1"
        )
        return {str(cause): int(trials) for cause, trials in rows}

    def distinct(self, name: str) -> tuple[str | None, ...]:
        column = quote_identifier(name)
        rows = self._rows(
            f"SELECT DISTINCT {column} FROM {COUNTED} WHERE {self._condition} ORDER BY 1 NULLS LAST LIMIT 6"
        )
        return tuple(None if value is None else str(value) for (value,) in rows)

    def run_count(self) -> int:
        if "run" not in self.reader.relation.columns:
            return 1
        (runs,) = self._row(f"SELECT COUNT(DISTINCT run) FROM {self.reader.source} WHERE {self._condition}")
        return max(1, int(runs))

    def mixed_id_types(self) -> tuple[str, ...]:
        """Task ids that the log holds both as a number and as text, such as 1 and "1"."""
        if not self.reader.relation.has_task_type:
            return ()
        rows = self._rows(
            f"SELECT task FROM {self.reader.source} WHERE {self._condition} GROUP BY task "
            f"HAVING MIN(_task_type) <> MAX(_task_type) ORDER BY task LIMIT {SPLIT_TASKS_LISTED}"
        )
        return tuple(str(task) for (task,) in rows)

    def profile(self, measure: int, cluster: Sequence[str]) -> Profile:
        """Tasks with equal counts (in the same cluster) as one row."""
        selected = f"FROM {self._by_task(cluster)} WHERE trials_{measure} > 0"
        if not cluster:
            columns = self._columns(
                f"SELECT {self._counts(measure)}, COUNT(*) AS tasks {selected} GROUP BY ALL ORDER BY ALL"
            )
            return _profile(columns, None)
        label = join_sql(cluster, self.reader.relation.columns)
        counts, grouped = self._counts(measure), "ALL"
        if self.reader.measures.measures[measure].is_number:
            # Scores hardly ever repeat, and of a cluster only their sum is used: its tasks share their mean.
            total = events_sql(self.reader.measures.measures[measure], measure, summed=True)
            counts = (
                f"trials_{measure} AS trials, {total} / COUNT(*) AS events, unscored_{measure} AS unscored"
            )
            grouped = "1, 2, 4"
        columns = self._columns(
            f"SELECT dense_rank() OVER (ORDER BY label) - 1 AS cluster, trials, events, unscored, tasks FROM "
            f"(SELECT {label} AS label, {counts}, COUNT(*) AS tasks {selected} AND {label} IS NOT NULL "
            f"GROUP BY {grouped}) ORDER BY ALL"
        )
        return _profile(columns, np.asarray(columns["cluster"], dtype=np.int64))

    def _counts(self, measure: int) -> str:
        events = events_sql(self.reader.measures.measures[measure], measure)
        return f"trials_{measure} AS trials, {events} AS events, unscored_{measure} AS unscored"

    def check_counts(self, measured: MeasuredCheck) -> CheckCounts:
        number, cluster, kind = measured.measure, measured.cluster, measured.check.kind
        profile = self.profile(number, cluster)
        rows, unknown, outside = self._row(
            f"SELECT COALESCE(SUM(trials_{number}), 0), COALESCE(SUM(unknown_{number}), 0), "
            f"COALESCE(SUM(outside_{number}), 0) FROM {self._counted}"
        )
        clusters = profile.task_count if profile.cluster is None else int(profile.cluster.max(initial=-1)) + 1
        return CheckCounts(
            profile=profile,
            clusters=clusters,
            rows_selected=int(rows),
            where_unknown=int(unknown),
            missing_cluster=self._missing_cluster(number, cluster),
            out_of_range=int(outside),
            split_tasks=self._split_tasks(number, cluster),
            task_rows=self.with_runs(self.task_rows(number, CHECK_TASKS_LISTED, only_mixed=True), number)
            if kind == "flakiness"
            else (),
            cluster_rows=self._cluster_rows(measured) if kind in ("rate", "mean") else (),
            event_rows=self._event_rows(number) if kind == "forbid" and profile.event_total else (),
        )

    def task_rows(
        self, measure: int, at_most: int | None, *, only_mixed: bool = False
    ) -> tuple[TaskRow, ...]:
        """Tasks with their counts: the most flaky first, then the stable failures, then the rest."""
        profile = self.profile(measure, ())
        order = _flaky_first(profile)
        if only_mixed:
            scored = profile.trials - profile.unscored
            open_rows = ((profile.events > 0) & (profile.events < scored)) | (profile.unscored > 0)
            order = order[open_rows[order]]
        # The distinct counts are few: rank those, and fetch only the tasks of the first of them.
        if at_most is not None:
            order = order[: np.searchsorted(np.cumsum(profile.tasks[order]), at_most) + 1]
        if not order.size:
            return ()
        ranks = ", ".join(
            f"({profile.trials[row]}, {float(profile.events[row])!r}, {profile.unscored[row]}, {rank})"
            for rank, row in enumerate(order)
        )
        counts = self._counts(measure)
        rows = self._rows(
            f"SELECT task, trials, CAST(events AS DOUBLE), unscored FROM (SELECT task, {counts} FROM {self._by_task(())}) "
            f"JOIN (VALUES {ranks}) ranked(trials, events, unscored, place) USING (trials, events, unscored) "
            f"ORDER BY place, {_WHOLE_NUMBERS_FIRST}" + ("" if at_most is None else f" LIMIT {at_most}")
        )
        return tuple(map(TaskRow._make, ((*row, None, ()) for row in rows)))

    def with_runs(self, rows: Sequence[TaskRow], measure: int) -> tuple[TaskRow, ...]:
        """The same tasks, those first in the list that went both ways with their runs in order: ``x..x``."""
        shown = [row.task for row in rows[:RUNS_SHOWN] if 0 < row.passed < row.trials - row.unscored]
        if not shown:
            return tuple(rows)
        relation = self.reader.relation
        counted = self.reader.measures.measures[measure]
        position = "trial_index" if relation.has_trial_index else "row_number() OVER ()"
        value = f"CASE WHEN unscored_cause IS NULL THEN ({counted.value}) END"
        names = ", ".join(quote_text(task) for task in shown)
        order = "ORDER BY run, position, file"
        found = self._rows(
            f"SELECT task, string_agg(CASE WHEN y THEN '.' WHEN NOT y THEN 'x' ELSE '?' END, '' {order}), "
            f"list(position {order}) FILTER (WHERE NOT y) FROM "
            f"(SELECT task, run, file, {position} AS position, {value} AS y, ({counted.where or 'TRUE'}) AS selected "
            f"FROM {self.reader.source} WHERE {self._condition}) WHERE selected AND task IN ({names}) GROUP BY task"
        )
        runs = {
            str(task): (str(letters), tuple(failed[:FAILURES_LISTED]) if relation.has_trial_index else ())
            for task, letters, failed in found
        }
        return tuple(
            row._replace(runs=runs[row.task][0], failed_at=runs[row.task][1]) if row.task in runs else row
            for row in rows
        )

    def _missing_cluster(self, measure: int, cluster: Sequence[str]) -> int:
        if not cluster:
            return 0
        label = join_sql(cluster, self.reader.relation.columns)
        (missing,) = self._row(
            f"SELECT COALESCE(SUM(trials_{measure}), 0) FROM {self._counted} WHERE {label} IS NULL"
        )
        return int(missing)

    def _split_tasks(self, measure: int, cluster: Sequence[str]) -> tuple[str, ...]:
        if not cluster or not self._tasks_are_split:
            return ()
        label = join_sql(cluster, self.reader.relation.columns)
        rows = self._rows(
            f"SELECT task FROM {self._counted} WHERE trials_{measure} > 0 GROUP BY task "
            f"HAVING COUNT(DISTINCT {label}) > 1 ORDER BY {_WHOLE_NUMBERS_FIRST} LIMIT {SPLIT_TASKS_LISTED}"
        )
        return tuple(str(task) for (task,) in rows)

    def _cluster_rows(self, measured: MeasuredCheck) -> tuple[ClusterRow, ...]:
        """The clusters that speak most against the check."""
        number = measured.measure
        label = join_sql(measured.cluster or ("task",), self.reader.relation.columns)
        bad = events_sql(self.reader.measures.measures[number], number, summed=True)
        if measured.check.side == "at_least":
            bad = f"(SUM(trials_{number} - unscored_{number}) - {bad})"
        rows = self._rows(
            f"SELECT {label} AS label, SUM(trials_{number}), {bad} AS bad FROM {self._counted} "
            f"WHERE trials_{number} > 0 AND {label} IS NOT NULL GROUP BY 1 HAVING {bad} > 0 "
            f"ORDER BY bad DESC, label LIMIT {CLUSTERS_LISTED}"
        )
        return tuple(ClusterRow(str(name), int(trials), float(events)) for name, trials, events in rows)

    def _event_rows(self, measure: int) -> tuple[EventRow, ...]:
        counted = self.reader.measures.measures[measure]
        relation = self.reader.relation
        scored = "unscored_cause IS NULL" if self.reader.has_cause else "TRUE"
        index = "trial_index" if relation.has_trial_index else "NULL"
        file = "file" if "file" in relation.columns else "NULL"
        rows = self._rows(
            f"SELECT task, {index} AS trial_index, {file} AS file FROM {self.reader.source} "
            f"WHERE ({counted.where or 'TRUE'}) AND ({counted.value}) AND {scored} AND {self._condition} "
            f"ORDER BY file, {_WHOLE_NUMBERS_FIRST}, trial_index LIMIT {EVENTS_LISTED}"
        )
        return tuple(
            EventRow(str(task), None if at is None else int(at), None if where is None else str(where))
            for task, at, where in rows
        )

    def _columns(self, select: str) -> dict[str, NDArray[np.generic]]:
        return self.reader.engine.columns(select)

    def _rows(self, select: str) -> list[tuple[Any, ...]]:
        return self.reader.engine.rows(select)

    def _row(self, select: str) -> tuple[Any, ...]:
        return self.reader.engine.row(select)


def _flaky_first(profile: Profile) -> IntArray:
    """Rows of a profile in the order they are shown in: flakiest, stable failures, the rest."""
    scored = np.maximum(profile.trials - profile.unscored, 1)
    rate = profile.events / scored
    return np.lexsort((profile.unscored, -profile.trials, rate, -rate * (1 - rate)))


def _profile(columns: dict[str, NDArray[np.generic]], cluster: IntArray | None) -> Profile:
    return Profile(
        trials=np.asarray(columns["trials"], dtype=np.int64),
        events=np.asarray(columns["events"], dtype=np.float64),
        unscored=np.asarray(columns["unscored"], dtype=np.int64),
        tasks=np.asarray(columns["tasks"], dtype=np.int64),
        cluster=cluster,
    )
