"""The trial relation: every log as rows of trials that one SQL query can count.

A relation is a view over the files themselves; only logs that Python must read become a table. Once built, its
connection opens the files of the logs and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from surefoot.errors import ArgumentError, DataError, UnreadableLogError, UsageError
from surefoot.trials.canonical import CanonicalLog, canonical_log
from surefoot.trials.columns import CANONICAL_TYPES, TASK_TYPE_COLUMN, ColumnKind
from surefoot.trials.connection import lock_connection, open_connection
from surefoot.trials.engine_errors import explained
from surefoot.trials.findings import Finding, skipped_finding
from surefoot.trials.ids import joined_parts
from surefoot.trials.mapping import (
    ColumnChoice,
    checked_mapping,
    choose_columns,
    cluster_findings,
    guess_findings,
)
from surefoot.trials.pooling import pool
from surefoot.trials.probe import probe, settle
from surefoot.trials.provenance import provenance_columns
from surefoot.trials.raw_logs import RawLog, put_into_engine, source_name
from surefoot.trials.source import ImportedLog, SqlScan
from surefoot.trials.sql import quote_identifier

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

RELATION_NAME = "trials"

CompileSuccess = Callable[[str, Mapping[str, ColumnKind]], str]
"""Checks an expression of the user over these columns and gives back safe SQL of a boolean."""


@dataclass(frozen=True)
class TrialRelation:
    """Rows of trials, ready to be counted.

    Parameters
    ----------
    connection
        The engine, locked: it opens the files of the logs and nothing else.
    name
        The relation to select from. It always has `surefoot.trials.columns.ALWAYS_COLUMNS`, and
        ``_task_type`` where a log tells text ids from numbers.
    columns
        Column -> kind of all that some log gives: what an expression may name.
    has_trial_index
        Whether every row says which repeat of its task it is. If not, no index is made up: rows of a task
        count in file and row order, and none can be a duplicate.
    has_task_type
        Whether ``_task_type`` is there.
    format
        What the logs are: ``"tau-bench log"``, ``"2 CSV tables"``.
    sources
        The files, as they were given.
    provenance_columns
        Columns that must match before trials are pooled.
    all_judged
        Whether every row is known to say passed or not, so that none has to be looked at for a missing verdict.
    columnar
        Whether the files' own statistics tell how many values a column has, so that asking costs no scan.
    findings
        What was guessed, and what the values hide.
    paths
        The files that the engine reads while it counts.
    outcome_columns
        Columns of the logs, in small letters, that were read as what happened, such as the one mapped to success.
    """

    connection: DuckDBPyConnection
    name: str
    columns: Mapping[str, ColumnKind]
    has_trial_index: bool
    has_task_type: bool
    format: str
    sources: tuple[str, ...]
    provenance_columns: tuple[str, ...]
    all_judged: bool = False
    columnar: bool = False
    findings: tuple[Finding, ...] = ()
    paths: tuple[Path, ...] = ()
    outcome_columns: frozenset[str] = frozenset()

    @property
    def asks_success(self) -> bool:
        """Whether any log says which trials passed."""
        return "passed" in self.columns

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """All rows of a query; what the engine cannot read is a data error that names the file.

        Raises
        ------
        DataError
            A file that turns out to be damaged while it is read.
        """
        import duckdb

        try:
            return self.connection.execute(sql, list(parameters)).fetchall()
        except duckdb.Error as error:
            raise explained(error, self.paths) from error


@dataclass(frozen=True)
class OrderedTrial:
    """One trial of a task that is shown. `trial_index` is the log's own, or the row's number from 0."""

    trial_index: int
    passed: bool | None
    unscored_cause: str | None
    run: str | None
    file: str | None


def build_relation(
    logs: Sequence[ImportedLog],
    *,
    mapping: Mapping[str, str] | None = None,
    label: str | None = None,
    passed_sql: CompileSuccess | None = None,
    skip_unreadable: bool = False,
    engine: DuckDBPyConnection | None = None,
) -> TrialRelation:
    """Make one relation of these logs.

    Parameters
    ----------
    logs
        At least one.
    mapping
        What ``--map`` says: canonical name -> column, ``"a+b"`` for an id of several columns; ``success`` is
        another word for ``passed``. Tables must have the column; other logs use it where they have it.
    label
        The system's name where a log gives none.
    passed_sql
        Compiles a success that is no column but an expression.
    skip_unreadable
        Leave out a log that turns out to be damaged while its rows are read, with a finding, as long as
        another is left.
    engine
        A fresh engine to build the relation in; it is locked afterwards and serves no other relation.

    Raises
    ------
    UsageError
        A mapping that cannot be followed.
    DataError
        Logs that cannot be read as trials.
    """
    if not logs:
        raise ArgumentError("logs", expected="at least one log", got=list(logs))
    said = checked_mapping(mapping or {})
    left = list(logs)
    skipped: list[Finding] = []
    while True:
        try:
            relation = _built(left, said, label, passed_sql, engine or open_connection())
        except UnreadableLogError as error:
            engine = None
            rest = [log for log in left if str(log.path) != error.path]
            if not skip_unreadable or not rest or len(rest) == len(left):
                raise
            left = rest
            skipped.append(skipped_finding(error))
        else:
            return replace(relation, findings=(*skipped, *relation.findings))


def _built(
    logs: Sequence[ImportedLog],
    said: Mapping[str, str],
    label: str | None,
    passed_sql: CompileSuccess | None,
    connection: DuckDBPyConnection,
) -> TrialRelation:
    import duckdb

    paths = tuple(log.path for log in logs if log.path is not None)
    try:
        raw_logs, findings = put_into_engine(connection, logs)
        _check_used(said, raw_logs, expressions=passed_sql is not None)
        settled = [_settled(connection, raw, said, passed_sql) for raw in raw_logs]
        build = _Build(raw_logs, tuple(settled), label)
        connection.execute(f"CREATE VIEW {quote_identifier(RELATION_NAME)} AS {build.pooled.sql}")
        lock_connection(connection, [path for raw in raw_logs for path in raw.paths])
    except duckdb.Error as error:
        raise explained(error, paths) from error
    own = [finding for log in logs for finding in log.findings]
    return TrialRelation(
        connection=connection,
        name=RELATION_NAME,
        columns=build.pooled.columns,
        has_trial_index=build.has_trial_index,
        has_task_type=build.has_task_type,
        format=_headline(logs),
        sources=tuple(dict.fromkeys(source_name(log) for log in logs)),
        provenance_columns=provenance_columns(logs, build.pooled.columns),
        all_judged=build.all_judged,
        columnar=all(isinstance(log.scan, SqlScan) and log.scan.shape[:1] == ("parquet",) for log in logs),
        findings=tuple(dict.fromkeys([*own, *findings, *build.findings])),
        paths=paths,
        outcome_columns=frozenset[str]().union(*(log.outcomes for log in settled)),
    )


def rows_in_order(
    relation: TrialRelation, tasks: Sequence[str], limit: int = 1000
) -> dict[str, tuple[OrderedTrial, ...]]:
    """The trials of a few tasks, in the order of their index, or of file and row where the log has none.

    Parameters
    ----------
    tasks
        The tasks to show.
    limit
        At most so many trials of each, >= 1.
    """
    if limit < 1:
        raise ArgumentError("limit", expected="a whole number >= 1", got=limit)
    position = "trial_index" if relation.has_trial_index else "row_number() OVER () - 1"
    order = "run NULLS FIRST, position, file" if relation.has_trial_index else "position"
    rows = relation.query(
        f"SELECT task, passed, unscored_cause, run, file, position FROM (SELECT task, passed, unscored_cause, run, "
        f"file, {position} AS position FROM {quote_identifier(relation.name)} WHERE list_contains(?, task)) "
        f"QUALIFY row_number() OVER (PARTITION BY task ORDER BY {order}) <= ? ORDER BY task, {order}",
        [list(tasks), limit],
    )
    found: dict[str, list[OrderedTrial]] = {task: [] for task in tasks}
    for row in rows:
        task, passed, cause, run, file, index = cast(
            "tuple[str, bool | None, str | None, str | None, str | None, int]", row
        )
        number = index if relation.has_trial_index else len(found[task])
        found[task].append(OrderedTrial(number, passed, cause, run, file))
    return {task: tuple(trials) for task, trials in found.items()}


@dataclass(frozen=True)
class _Settled:
    choice: ColumnChoice
    canonical: CanonicalLog
    outcomes: frozenset[str]
    findings: tuple[Finding, ...] = ()


class _Build:
    """What the settled logs are together."""

    def __init__(self, raw_logs: Sequence[RawLog], settled: Sequence[_Settled], label: str | None) -> None:
        indexed = [log.choice.trial_index is not None for log in settled]
        self.has_trial_index = all(indexed)
        self.has_task_type = any(TASK_TYPE_COLUMN in log.canonical.columns for log in settled)
        self.pooled = pool(
            [log.canonical for log in settled], label=label, has_trial_index=self.has_trial_index
        )
        judged = all(log.choice.all_judged for log in settled)
        self.all_judged = judged and "unscored_cause" not in self.pooled.columns
        self.findings = [finding for log in settled for finding in log.findings]
        if any(indexed) and not all(indexed):
            without = next(raw.source for raw, has in zip(raw_logs, indexed, strict=True) if not has)
            self.findings.append(
                Finding(
                    "some-without-trial-index",
                    "warning",
                    f"Some logs number their trials and some do not ({without}): no number is used.",
                    "Two rows of one trial cannot be noticed; grade these logs apart to have them checked.",
                )
            )


def _settled(
    connection: DuckDBPyConnection, raw: RawLog, said: Mapping[str, str], passed_sql: CompileSuccess | None
) -> _Settled:
    if not raw.columns:
        raise DataError(f"{raw.source}: no trials in it")
    choice = choose_columns(
        raw.columns,
        said,
        where=raw.source,
        is_table=raw.is_table,
        takes_expressions=passed_sql is not None,
    )
    seen = probe(connection, raw, choice)
    if not seen.count("rows"):
        raise DataError(f"{raw.source}: no trials in it")
    choice, findings = settle(raw, choice, seen)
    success, outcomes = None, choice.outcome_columns
    if choice.passed_expression is not None and passed_sql is not None:
        success = passed_sql(choice.passed_expression, raw.columns)
        outcomes |= _named_in(success, raw.columns)
    if raw.is_table:
        findings = [*guess_findings(choice), *cluster_findings(raw.columns), *findings]
    return _Settled(choice, canonical_log(raw, choice, success), outcomes, tuple(findings))


def _named_in(sql: str, columns: Mapping[str, ColumnKind]) -> set[str]:
    """The log's own columns that compiled SQL reads, in small letters: each stands in it quoted."""
    own = (column for column in columns if column.lower() not in CANONICAL_TYPES)
    return {column.lower() for column in own if quote_identifier(column) in sql}


def _check_used(said: Mapping[str, str], raw_logs: Sequence[RawLog], *, expressions: bool) -> None:
    for name, value in said.items():
        if name == "passed" and expressions:
            continue
        if not any(joined_parts(value, raw.columns) for raw in raw_logs):
            columns = dict.fromkeys(column for raw in raw_logs for column in raw.columns)
            raise UsageError(f"--map {name}={value}: no log has that column; columns: {', '.join(columns)}")


def _headline(logs: Sequence[ImportedLog]) -> str:
    if len(logs) == 1:
        return logs[0].format
    counts: dict[str, int] = {}
    for log in logs:
        counts[log.format] = counts.get(log.format, 0) + 1
    return ", ".join(f"{count} {name}{'s' if count > 1 else ''}" for name, count in counts.items())
