"""One look at a log before its columns are settled: are these whole numbers, and are these verdicts?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from surefoot.errors import DataError
from surefoot.trials.canonical import cast_sql, index_sql
from surefoot.trials.columns import CANONICAL_TYPES, UNSCORED_CAUSES
from surefoot.trials.findings import Finding
from surefoot.trials.mapping import ColumnChoice
from surefoot.trials.raw_logs import RawLog
from surefoot.trials.sql import quote_identifier, quote_text
from surefoot.trials.truth_table import unscored_reason_sql

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_THRESHOLD_ADVICE = 'Declare what counts as success, for example --success "{column} >= 0.5"'


_INTEGER_TYPES = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"})
"""Engine types whose values all fit a trial index, but for negative ones."""


@dataclass(frozen=True)
class Probe:
    """What one look found, by name of the count or example."""

    found: dict[str, object]

    def count(self, name: str) -> int:
        value = self.found.get(name, 0)
        return int(value) if isinstance(value, int) else 0

    def example(self, name: str) -> str:
        return repr(self.found.get(name))


def probe(connection: DuckDBPyConnection, raw: RawLog, choice: ColumnChoice) -> Probe:
    """Count the values that do not fit, in one scan of the columns in question."""
    items = {"rows": "count(*)"}
    if choice.trial_index is not None:
        items |= _index_items(connection, raw, choice.trial_index)
    if choice.passed is not None:
        if raw.columns[choice.passed] == "boolean":
            items["passed_given"] = f"count({quote_identifier(choice.passed)})"
        else:
            items |= _verdicts(
                choice.passed,
                unscored_reason_sql(quote_identifier(choice.passed), raw.columns[choice.passed]),
            )
    cause = choice.others.get("unscored_cause")
    if cause is not None:
        items |= _causes(cause)
    for name, column in choice.others.items():
        engine_type = CANONICAL_TYPES[name]
        if engine_type != "VARCHAR" and raw.columns[column] == "text":
            items |= _misfits(f"other:{name}", column, cast_sql(column, "text", engine_type))
    found = _first_row(connection, items, raw)
    if str(found.get("index_least") or "").startswith("-") and choice.trial_index is not None:
        index = choice.trial_index
        found |= _first_row(connection, _misfits("index", index, index_sql(index, raw.columns[index])), raw)
    return Probe(found)


def _first_row(connection: DuckDBPyConnection, items: dict[str, str], raw: RawLog) -> dict[str, object]:
    sql = f"SELECT {', '.join(items.values())} FROM {quote_identifier(raw.view)}"
    return dict(zip(items, connection.execute(sql).fetchone() or (), strict=True))


def _index_items(connection: DuckDBPyConnection, raw: RawLog, column: str) -> dict[str, str]:
    name, kind = quote_identifier(column), raw.columns[column]
    (described,) = connection.execute(f"DESCRIBE SELECT {name} FROM {quote_identifier(raw.view)}").fetchall()
    if described[1] in _INTEGER_TYPES:
        # The least and the number of values stand in the file's own statistics: nothing is scanned for them.
        return {
            "index_least": f"CAST(min({name}) AS VARCHAR)",
            "index_missing": f"count(*) - count({name})",
            "index_whole": "1",
        }
    given = f"NULLIF(CAST({name} AS VARCHAR), '')"
    return {
        **_misfits("index", column, index_sql(column, kind)),
        "index_missing": f"count(*) - count({given})",
    }


def settle(raw: RawLog, choice: ColumnChoice, seen: Probe) -> tuple[ColumnChoice, list[Finding]]:
    """Give up guesses that do not hold, and say what the values are.

    Raises
    ------
    DataError
        A trial index that was said to be one and is not.
    """
    choice, findings = _settle_index(raw, choice, seen)
    choice, more = _settle_passed(raw, choice, seen)
    findings += more
    if seen.count("cause_unknown"):
        findings.append(
            Finding(
                "unknown-cause",
                "warning",
                f"Column unscored_cause holds none of the known causes in {_trials(seen.count('cause_unknown'))} "
                f"(such as {seen.example('cause_example')}): counted as 'unknown'.",
                f"Known causes: {', '.join(UNSCORED_CAUSES)}.",
            )
        )
    for name, column in choice.others.items():
        if seen.count(f"other:{name}_odd"):
            findings.append(
                Finding(
                    "unreadable-values",
                    "warning",
                    f"Column {column!r} of {raw.source} is no number in {_trials(seen.count(f'other:{name}_odd'))} "
                    f"(such as {seen.example(f'other:{name}_example')}): left out there.",
                )
            )
    return choice, findings


def _settle_index(raw: RawLog, choice: ColumnChoice, seen: Probe) -> tuple[ColumnChoice, list[Finding]]:
    column = choice.trial_index
    if column is None:
        return choice, []
    odd, missing = seen.count("index_odd"), seen.count("index_missing")
    if seen.count("index_whole") and not odd and not missing:
        return replace(choice, whole_index=True), []
    if odd and "trial_index" not in choice.guessed:
        raise DataError(
            f"{raw.source}: trial_index: expected whole numbers from 0, but column {column!r} has "
            f"something else in {_trials(odd)}, such as {seen.example('index_example')}"
        )
    if odd or (missing and "trial_index" in choice.guessed):
        why = f"values such as {seen.example('index_example')}" if odd else f"no value in {_trials(missing)}"
        message = f"Column {column!r} is not read as the trial index: it has {why}."
    elif missing:
        message = f"Column {column!r} has no trial index for {missing} of {_trials(seen.count('rows'))}: none is used."
    else:
        return choice, []
    advice = "Rows of a task are numbered in file and row order; two rows of one trial cannot be noticed."
    return choice.without_index(), [Finding("no-trial-index", "note" if odd else "warning", message, advice)]


def _settle_passed(raw: RawLog, choice: ColumnChoice, seen: Probe) -> tuple[ColumnChoice, list[Finding]]:
    column = choice.passed
    if "passed_given" in seen.found:
        return replace(choice, all_judged=seen.count("passed_given") == seen.count("rows")), []
    numbers, words = seen.count("passed_numbers"), seen.count("passed_words")
    if column is None or not (numbers or words):
        return choice, []
    findings = []
    if numbers and "passed" in choice.guessed and column.lower() in ("score", "reward"):
        message = (
            f"Column {column!r} holds numbers other than 0 and 1 (such as {seen.example('passed_number')}), "
            "so it is not read as success."
        )
        advice = _THRESHOLD_ADVICE.format(column=column)
        return choice.without_passed(), [Finding("score-needs-threshold", "warning", message, advice)]
    if numbers:
        findings.append(
            Finding(
                "score-needs-threshold",
                "warning",
                f"Column {column!r} holds a number other than 0 and 1 in {_trials(numbers)} "
                f"(such as {seen.example('passed_number')}): no verdict, counted as unscored.",
                _THRESHOLD_ADVICE.format(column=column),
            )
        )
    if words and raw.is_table:
        findings.append(
            Finding(
                "unknown-verdict",
                "warning",
                f"Column {column!r} says neither passed nor failed in {_trials(words)} "
                f"(such as {seen.example('passed_word')}): no verdict, counted as unscored.",
                "Write true or false, 1 or 0, pass or fail; or declare what counts as success with --success.",
            )
        )
    return choice, findings


def _trials(count: int) -> str:
    return f"{count:,} trial{'s' if count != 1 else ''}"


def _misfits(name: str, column: str, fitted: str) -> dict[str, str]:
    given = quote_identifier(column)
    odd = f"({fitted}) IS NULL AND NULLIF(CAST({given} AS VARCHAR), '') IS NOT NULL"
    return {
        f"{name}_odd": f"count(*) FILTER (WHERE {odd})",
        f"{name}_example": f"min(CAST({given} AS VARCHAR)) FILTER (WHERE {odd})",
    }


def _verdicts(column: str, reason: str) -> dict[str, str]:
    text = f"CAST({quote_identifier(column)} AS VARCHAR)"
    return {
        "passed_numbers": f"count(*) FILTER (WHERE {reason} = 'other number')",
        "passed_number": f"min({text}) FILTER (WHERE {reason} = 'other number')",
        "passed_words": f"count(*) FILTER (WHERE {reason} = 'unknown word')",
        "passed_word": f"min({text}) FILTER (WHERE {reason} = 'unknown word')",
    }


def _causes(column: str) -> dict[str, str]:
    text = f"CAST({quote_identifier(column)} AS VARCHAR)"
    known = ", ".join(quote_text(cause) for cause in ("", *UNSCORED_CAUSES))
    odd = f"lower(trim({text})) NOT IN ({known})"
    return {
        "cause_unknown": f"count(*) FILTER (WHERE {odd})",
        "cause_example": f"min({text}) FILTER (WHERE {odd})",
    }
