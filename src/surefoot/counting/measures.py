"""From the checks of a plan to what is counted: expressions compiled, equal measures counted once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from surefoot.counting.query import Measure
from surefoot.errors import UsageError
from surefoot.plan.checks import Check
from surefoot.plan.expressions import columns_of, compile_expression
from surefoot.plan.rules import OUTCOME_COLUMNS
from surefoot.trials.ids import find_column
from surefoot.trials.relation import TrialRelation
from surefoot.trials.sql import quote_identifier
from surefoot.trials.truth_table import truth_sql

_PASSED = quote_identifier("passed")
"""As the gate prints the column, so that a check of it is the measure that is counted anyway."""


@dataclass(frozen=True)
class MeasuredCheck:
    """Which measure a check reads, and the cluster columns its tasks lie in."""

    check: Check
    measure: int
    cluster: tuple[str, ...]


@dataclass(frozen=True)
class Measures:
    """All measures of a plan over one relation. ``passed`` is the measure of the success column, if the log has one."""

    measures: tuple[Measure, ...]
    checks: tuple[MeasuredCheck, ...]
    passed: int | None
    expressions_columns: tuple[str, ...]


def measures_of(checks: tuple[Check, ...], relation: TrialRelation) -> Measures:
    """Compile what the checks count over the columns the relation has.

    Raises
    ------
    ExpressionError
        An expression is not allowed, or names a column that the log does not have.
    UsageError
        A check counts passed trials and the log has no success column, or a cluster column is missing.
    """
    measures: list[Measure] = []
    used: set[str] = set()

    def index_of(measure: Measure) -> int:
        if measure not in measures:
            measures.append(measure)
        return measures.index(measure)

    passed = None
    if relation.asks_success:
        passed = index_of(Measure(None, _PASSED, never_null=relation.all_judged))
    measured = []
    for check in checks:
        measure, columns = _measure(check, relation)
        used |= columns
        cluster = tuple(_known_column(part, relation, check.name) for part in check.cluster_parts)
        if passed is not None and (measure.where, measure.value) == (None, _PASSED):
            measure = measures[passed]
        measured.append(MeasuredCheck(check, index_of(measure), cluster))
    return Measures(tuple(measures), tuple(measured), passed, tuple(sorted(used)))


def _measure(check: Check, relation: TrialRelation) -> tuple[Measure, set[str]]:
    columns: set[str] = set()
    where = None
    if check.where is not None:
        compiled = compile_expression(
            check.where,
            relation.columns,
            as_="condition",
            truth_sql=truth_sql,
            forbidden=(*OUTCOME_COLUMNS, *relation.outcome_columns),
        )
        where = compiled.sql
        columns |= set(compiled.columns_used)
    if not relation.asks_success and _names_passed(check):
        raise UsageError(
            f"check {check.name!r} counts passed trials, and this log has no success column; "
            f"name one with --map success=COLUMN. Columns: {', '.join(relation.columns)}"
        )
    if check.value is None:
        return Measure(where, _PASSED), columns
    is_number = check.value_kind == "number"
    value = compile_expression(
        check.value, relation.columns, as_="number" if is_number else "condition", truth_sql=truth_sql
    )
    return Measure(where, value.sql, is_number), columns | set(value.columns_used)


def _names_passed(check: Check) -> bool:
    if check.value is None:
        return True
    as_: Literal["condition", "number"] = "number" if check.value_kind == "number" else "condition"
    return "passed" in (name.lower() for name in columns_of(check.value, as_=as_))


def _known_column(name: str, relation: TrialRelation, check_name: str) -> str:
    column = find_column(name, relation.columns)
    if column is None:
        raise UsageError(
            f"check {check_name!r}: no cluster column {name!r} in this log; columns: {', '.join(relation.columns)}"
        )
    return column
