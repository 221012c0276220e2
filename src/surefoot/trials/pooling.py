"""Several logs as one relation: the same columns in the same order, and repeats that are no repeats marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from surefoot.trials.canonical import CanonicalLog
from surefoot.trials.columns import (
    ALWAYS_COLUMNS,
    CANONICAL_TYPES,
    PROVENANCE_COLUMNS,
    TASK_TYPE_COLUMN,
    ColumnKind,
)
from surefoot.trials.sql import quote_identifier, quote_text

_HIDDEN_TYPES = {**CANONICAL_TYPES, TASK_TYPE_COLUMN: "VARCHAR"}


@dataclass(frozen=True)
class Pooled:
    """The SELECT over all logs, and the columns that some log gives (`columns` leaves hidden ones out)."""

    sql: str
    columns: Mapping[str, ColumnKind]


def pool(logs: Sequence[CanonicalLog], *, label: str | None, has_trial_index: bool) -> Pooled:
    """All logs as one SELECT.

    Parameters
    ----------
    logs
        At least one.
    label
        The name of the system where a log gives none.
    has_trial_index
        Whether every row has one: it decides which of equal outputs came first.
    """
    given = _merged_kinds(logs)
    engine_names = dict.fromkeys([*ALWAYS_COLUMNS, *given])
    pooled = " UNION ALL ".join(_aligned(log, engine_names, given, alone=len(logs) == 1) for log in logs)
    if "seed" in given and "output_hash" in given:
        pooled = _without_cached(pooled, tuple(engine_names), has_trial_index=has_trial_index)
        given["unscored_cause"] = "text"
    if label is not None:
        pooled = f"SELECT * REPLACE (COALESCE(system, {quote_text(label)}) AS system) FROM ({pooled})"
        given["system"] = "text"
    shown = [name for name in engine_names if name in given and name != TASK_TYPE_COLUMN]
    return Pooled(pooled, {name: given[name] for name in shown})


def _merged_kinds(logs: Sequence[CanonicalLog]) -> dict[str, ColumnKind]:
    """First spelling and common kind of every column; columns whose kinds differ become text."""
    spelled: dict[str, str] = {}
    kinds: dict[str, ColumnKind] = {}
    for log in logs:
        for name, kind in log.columns.items():
            first = spelled.setdefault(name.lower(), name)
            known = kinds.setdefault(first, kind)
            if known != kind or (known == "other" and len(logs) > 1):
                kinds[first] = "text"
    return kinds


def _aligned(
    log: CanonicalLog, names: Mapping[str, None], kinds: Mapping[str, ColumnKind], *, alone: bool
) -> str:
    own = {name.lower(): name for name in log.columns}
    items = []
    for name in names:
        column = own.get(name.lower())
        if column is None:
            value = f"CAST(NULL AS {_HIDDEN_TYPES[name]})" if name in _HIDDEN_TYPES else "NULL"
        elif not alone and kinds[name] == "text" and log.columns[column] != "text":
            value = f"CAST({quote_identifier(column)} AS VARCHAR)"
        else:
            value = quote_identifier(column)
        items.append(f"{value} AS {quote_identifier(name)}")
    return f"SELECT {', '.join(items)} FROM ({log.sql})"


def _without_cached(sql: str, names: Sequence[str], *, has_trial_index: bool) -> str:
    """Equal seed and equal output of one task and system: all but the first are no trials of their own.

    Copies of one slot share a rank, so that they still collapse as equal duplicates.
    """
    same = ", ".join(["task", *PROVENANCE_COLUMNS, "seed", "output_hash"])
    order = "run, trial_index" if has_trial_index else '"_row"'
    ranked = sql if has_trial_index else f'SELECT *, row_number() OVER () AS "_row" FROM ({sql})'
    rank = f"dense_rank() OVER (PARTITION BY {same} ORDER BY {order})"
    again = f"seed IS NOT NULL AND output_hash IS NOT NULL AND {rank} > 1"
    items = [quote_identifier(name) for name in names if name not in ("passed", "unscored_cause")]
    items.append('CASE WHEN "_again" THEN NULL ELSE passed END AS passed')
    items.append("""COALESCE(unscored_cause, CASE WHEN "_again" THEN 'cached' END) AS unscored_cause""")
    return f'SELECT {", ".join(items)} FROM (SELECT *, {again} AS "_again" FROM ({ranked}))'
