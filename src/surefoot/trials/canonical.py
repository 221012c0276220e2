"""From the columns of a log to those of a trial row, in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from surefoot.trials.columns import (
    CANONICAL_TYPES,
    FILE_COLUMN,
    TASK_TYPE_COLUMN,
    UNSCORED_CAUSES,
    ColumnKind,
    kind_of_type,
)
from surefoot.trials.ids import find_column, join_sql
from surefoot.trials.mapping import ColumnChoice
from surefoot.trials.raw_logs import TYPE_PREFIX, RawLog
from surefoot.trials.sql import quote_identifier, quote_text
from surefoot.trials.truth_table import truth_sql

NO_CAUSE = "CAST(NULL AS VARCHAR)"
"""The cause of a log in which every trial is known to have a verdict."""

_NO_ERROR_WORDS = ("", "none", "null", "nan", "false", "no", "0")


@dataclass(frozen=True)
class CanonicalLog:
    """One raw log as trial rows.

    Parameters
    ----------
    sql
        A SELECT with the result columns `columns`, and ``unscored_cause``.
    columns
        Name -> kind of what the log gives, with ``_task_type`` where the log tells text ids from numbers, and
        without ``unscored_cause`` where no trial can lack a verdict.
    """

    sql: str
    columns: Mapping[str, ColumnKind]


def canonical_log(raw: RawLog, choice: ColumnChoice, success_sql: str | None) -> CanonicalLog:
    """The SELECT that makes trial rows of one raw log.

    Parameters
    ----------
    raw
        The log.
    choice
        Which of its columns are canonical ones.
    success_sql
        Checked SQL of success over the raw columns, where success was said as an expression.
    """
    truth = success_sql if success_sql is not None else _truth_sql(raw, choice)
    cause = cause_sql(raw, choice)
    judged = (
        f"SELECT *, {cause} AS {_CAUSE} FROM "
        f"(SELECT *, {truth} AS {_TRUTH} FROM {quote_identifier(raw.view)})"
    )
    items = _canonical_items(raw, choice)
    extras = _extra_columns(raw)
    kinds: dict[str, ColumnKind] = {
        name: kind_of_type(CANONICAL_TYPES.get(name, "VARCHAR")) for name in items
    }
    kinds |= {name: raw.columns[name] for name in extras}
    if cause == NO_CAUSE:
        del kinds["unscored_cause"]
    select = [f"{sql} AS {quote_identifier(name)}" for name, sql in items.items()]
    select += [quote_identifier(name) for name in extras]
    return CanonicalLog(f"SELECT {', '.join(select)} FROM ({judged})", kinds)


def index_sql(column: str, kind: ColumnKind) -> str:
    """A whole number from a column, NULL where it is none."""
    name = quote_identifier(column)
    if kind == "number":
        whole = f"{name} >= 0 AND {name} < 1e18 AND {name} = floor({name})"
        return f"CASE WHEN {whole} THEN CAST({name} AS BIGINT) END"
    if kind == "text":
        whole = f"regexp_full_match({name}, '[ ]*[0-9]{{1,17}}([.]0*)?[ ]*')"
        return f"CASE WHEN {whole} THEN TRY_CAST({name} AS BIGINT) END"
    return "CAST(NULL AS BIGINT)"


def cast_sql(column: str, kind: ColumnKind, engine_type: str) -> str:
    """A raw column as a canonical one: NULL where it is empty or does not fit."""
    name = quote_identifier(column)
    if engine_type == "BOOLEAN":
        return truth_sql(name, kind)
    if engine_type == "VARCHAR":
        return f"NULLIF({name}, '')" if kind == "text" else f"CAST({name} AS VARCHAR)"
    if engine_type == "DOUBLE":
        number = f"TRY_CAST({name} AS DOUBLE)"
        return f"CASE WHEN isfinite({number}) THEN {number} END"
    return f"TRY_CAST({name} AS {engine_type})"


def cause_sql(raw: RawLog, choice: ColumnChoice) -> str:
    """Why a trial has no verdict: what the log says, else what its columns give away."""
    branches: list[str] = []
    cause = choice.others.get("unscored_cause")
    if cause is not None:
        word = _word_sql(cause, raw.columns[cause])
        known = ", ".join(quote_text(name) for name in UNSCORED_CAUSES)
        branches.append(
            f"WHEN {word} <> '' THEN CASE WHEN {word} IN ({known}) THEN {word} ELSE 'unknown' END"
        )
    cached = find_column("cached", raw.columns)
    if cached is not None:
        branches.append(f"WHEN {truth_sql(quote_identifier(cached), raw.columns[cached])} THEN 'cached'")
    error = choice.others.get("error")
    if error is not None and not choice.all_judged:
        branches.append(
            f"WHEN {_TRUTH} IS NULL AND {_has_error_sql(error, raw.columns[error])} THEN 'unknown'"
        )
    if raw.is_table and choice.asks_success and not choice.all_judged:
        branches.append(f"WHEN {_TRUTH} IS NULL THEN 'unknown'")
    return f"CASE {' '.join(branches)} END" if branches else NO_CAUSE


_TRUTH = quote_identifier("_truth")
_CAUSE = quote_identifier("_cause")


def _truth_sql(raw: RawLog, choice: ColumnChoice) -> str:
    if choice.passed is None:
        return "CAST(NULL AS BOOLEAN)"
    return truth_sql(quote_identifier(choice.passed), raw.columns[choice.passed])


def _canonical_items(raw: RawLog, choice: ColumnChoice) -> dict[str, str]:
    items = {"task": join_sql(choice.task, raw.columns)}
    if choice.trial_index is not None:
        index = choice.trial_index
        items["trial_index"] = (
            f"CAST({quote_identifier(index)} AS BIGINT)"
            if choice.whole_index
            else index_sql(index, raw.columns[index])
        )
    if choice.asks_success:
        items["passed"] = f"CASE WHEN {_CAUSE} IS NULL THEN {_TRUTH} END"
    items["unscored_cause"] = _CAUSE
    for name, column in choice.others.items():
        if name not in ("unscored_cause", "file"):
            items[name] = cast_sql(column, raw.columns[column], CANONICAL_TYPES[name])
    own_file = choice.others.get("file")
    file = quote_identifier(FILE_COLUMN)
    items["file"] = (
        f"COALESCE({cast_sql(own_file, raw.columns[own_file], 'VARCHAR')}, {file})" if own_file else file
    )
    if raw.typed_columns.issuperset(choice.task):
        types = [quote_identifier(TYPE_PREFIX + part) for part in choice.task]
        items[TASK_TYPE_COLUMN] = " || '+' || ".join(types)
    return items


def _extra_columns(raw: RawLog) -> list[str]:
    """Columns that stay as they are: all but those whose name a canonical column takes."""
    return [column for column in raw.columns if column.lower() not in CANONICAL_TYPES]


def _has_error_sql(column: str, kind: ColumnKind) -> str:
    if kind == "boolean":
        return quote_identifier(column)
    words = ", ".join(quote_text(word) for word in _NO_ERROR_WORDS)
    return f"{_word_sql(column, kind)} NOT IN ({words})"


def _word_sql(column: str, kind: ColumnKind) -> str:
    name = quote_identifier(column)
    return f"lower(trim({name if kind == 'text' else f'CAST({name} AS VARCHAR)'}))"
