"""From a trial relation to Counts: the counting query, then small queries over its few rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from surefoot.counting import slots
from surefoot.counting.engines import DuckDbEngine
from surefoot.counting.measures import Measures, measures_of
from surefoot.counting.profiles import ProfileReader, Scope
from surefoot.counting.query import AGGREGATED, COUNTED, counting_sql, derived_sql
from surefoot.errors import DataError, UsageError
from surefoot.grading.counts import Counts, Duplicates, TaskRow
from surefoot.plan.checks import Check, FlakinessCheck, PassHatCheck
from surefoot.plan.expressions import compile_expression
from surefoot.plan.rules import OUTCOME_COLUMNS
from surefoot.trials.columns import ALWAYS_COLUMNS, SCORE_PREFIX
from surefoot.trials.ids import find_column
from surefoot.trials.relation import TrialRelation
from surefoot.trials.sql import quote_identifier
from surefoot.trials.truth_table import truth_sql

TASKS_LISTED = 10_000
GROUPS_AT_MOST = 200

_ABOUT_TASKS = (FlakinessCheck, PassHatCheck)


@dataclass(frozen=True)
class CountRequest:
    """What to count: the checks, the columns that grade each value apart, and how identical outputs are taken."""

    checks: tuple[Check, ...] = ()
    by: tuple[str, ...] = ()
    where: str | None = None
    identical_outputs: str = "keep"
    tasks_listed: int | None = TASKS_LISTED


def count(relation: TrialRelation, request: CountRequest) -> tuple[Counts, ...]:
    """The counts of each group of trials, in the order of the values of ``by`` (one group without it).

    Raises
    ------
    UsageError
        A ``by`` column that the log does not have, or that has more than 200 values.
    ExpressionError
        An expression of a check is not allowed over these columns.
    """
    engine = DuckDbEngine(relation.connection, relation.paths)
    measures = _with_known_values(engine, relation, measures_of(request.checks, relation))
    by = tuple(_by_column(name, relation) for name in request.by)
    provenance = tuple(c for c in relation.provenance_columns if c in relation.columns and c not in by)
    clusters = tuple(dict.fromkeys(part for m in measures.checks for part in m.cluster))
    keys = tuple(dict.fromkeys((*by, *provenance, "task", *clusters)))
    source = _selected(engine, relation, request, by)

    has_cause = "unscored_cause" in relation.columns or slots.collapses(relation, request.identical_outputs)

    def count_rows(source: str) -> None:
        engine.create_table(
            AGGREGATED,
            counting_sql(
                source,
                keys=keys,
                measures=measures.measures,
                has_trial_index=relation.has_trial_index,
                has_output_hash="output_hash" in relation.columns,
                has_cause=has_cause,
            ),
        )
        engine.create_view(COUNTED, derived_sql(AGGREGATED, measures.measures, has_cause=has_cause))

    count_rows(source)
    split = slots.tasks_are_split(engine, by, keys)
    duplicates: Mapping[tuple[str | None, ...], Duplicates] = {}
    if relation.has_trial_index:
        duplicates = slots.duplicates(engine, relation, source, by, split=split)
        if any(found.equal for found in duplicates.values()):
            source = slots.without_duplicates(relation, source, by)
            count_rows(source)
    groups = _groups(engine, by)
    reader = ProfileReader(engine, relation, source, by, measures, split, has_cause)
    return tuple(
        _group_counts(reader, group, provenance, duplicates.get(group, Duplicates()), request)
        for group in groups
    )


def _with_known_values(engine: DuckDbEngine, relation: TrialRelation, measures: Measures) -> Measures:
    """Mark the measures of columns without a NULL, where the files' statistics tell."""
    columns = _bare_columns(relation)
    bare = {m.value for m in measures.measures if m.value in columns and not (m.is_number or m.never_null)}
    if not relation.columnar or not bare:
        return measures
    values = sorted(bare)
    rows, *given = engine.row(
        f"SELECT COUNT(*), {', '.join(f'COUNT({value})' for value in values)} FROM {quote_identifier(relation.name)}"
    )
    full = {value for value, count in zip(values, given, strict=True) if count == rows}
    known = tuple(replace(m, never_null=m.never_null or m.value in full) for m in measures.measures)
    return replace(measures, measures=known)


def _bare_columns(relation: TrialRelation) -> set[str]:
    return {quote_identifier(column) for column, kind in relation.columns.items() if kind == "boolean"}


def _group_counts(
    reader: ProfileReader,
    group: tuple[str | None, ...],
    provenance: Sequence[str],
    duplicates: Duplicates,
    request: CountRequest,
) -> Counts:
    scope = reader.scope(group)
    totals = scope.totals()
    passed = reader.measures.passed
    return Counts(
        by=dict(zip(reader.by, group, strict=True)),
        rows=totals.rows,
        tasks=totals.tasks,
        unscored_by_cause=scope.unscored_by_cause() if totals.unscored else {},
        passes=None if passed is None else scope.profile(passed, ()),
        task_rows=() if passed is None else _task_rows(scope, passed, request),
        checks=tuple(scope.check_counts(measured) for measured in reader.measures.checks),
        provenance={name: scope.distinct(name) for name in provenance},
        runs=scope.run_count(),
        has_trial_index=reader.relation.has_trial_index,
        duplicates=duplicates,
        missing_task=totals.missing_task,
        mixed_id_types=scope.mixed_id_types(),
        identical_output_tasks=totals.identical_output_tasks,
        repeated_tasks=totals.repeated_tasks,
    )


def _task_rows(scope: Scope, passed: int, request: CountRequest) -> tuple[TaskRow, ...]:
    rows = scope.task_rows(passed, request.tasks_listed)
    # Runs in order cost a second look at the trials: not where only rates were asked for.
    about_tasks = not request.checks or any(isinstance(check, _ABOUT_TASKS) for check in request.checks)
    return scope.with_runs(rows, passed) if about_tasks else rows


def _selected(engine: DuckDbEngine, relation: TrialRelation, request: CountRequest, by: Sequence[str]) -> str:
    """What is counted: the trials that ``where`` selects.

    Raises
    ------
    DataError
        The condition is unknown for some rows: nothing says whether they belong.
    """
    source = slots.source_sql(relation, request.identical_outputs, by)
    if request.where is None:
        return source
    condition = compile_expression(
        request.where,
        relation.columns,
        as_="condition",
        truth_sql=truth_sql,
        forbidden=(*OUTCOME_COLUMNS, *relation.outcome_columns),
    ).sql
    (unknown,) = engine.row(f"SELECT COUNT(*) FROM {source} WHERE ({condition}) IS NULL")
    if unknown:
        raise DataError(
            f"the where condition ({request.where}) is unknown for {unknown:,} rows, so nothing says whether "
            "they belong\n  what to do: fill in the column, or say what an empty one means: "
            "coalesce(COLUMN, 'none') = ..."
        )
    return f"(SELECT * FROM {source} WHERE {condition})"


def _by_column(name: str, relation: TrialRelation) -> str:
    column = find_column(name, (*relation.columns, *ALWAYS_COLUMNS))
    if column is None:
        raise UsageError(f"--by {name}: no such column in this log; columns: {', '.join(relation.columns)}")
    outcomes = relation.outcome_columns.union(OUTCOME_COLUMNS)
    if column.lower() in outcomes or column.lower().startswith(SCORE_PREFIX):
        raise UsageError(
            f"--by {name}: {column!r} says what happened; groups are told apart by what was so before, such as model"
        )
    return column


def _groups(engine: DuckDbEngine, by: Sequence[str]) -> list[tuple[str | None, ...]]:
    if not by:
        return [()]
    names = ", ".join(f"CAST({quote_identifier(name)} AS VARCHAR)" for name in by)
    groups = engine.rows(
        f"SELECT DISTINCT {names} FROM {COUNTED} ORDER BY ALL NULLS LAST LIMIT {GROUPS_AT_MOST + 1}"
    )
    if len(groups) > GROUPS_AT_MOST:
        raise UsageError(
            f"--by {'+'.join(by)} has more than {GROUPS_AT_MOST} values; choose a column such as model or file"
        )
    return groups
