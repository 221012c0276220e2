"""The canonical columns of a trial row, and the kinds a column can have in an expression."""

from __future__ import annotations

from typing import Literal

ColumnKind = Literal["text", "number", "boolean", "other"]
"""How an expression may use a column. Columns of CSV, JSON lines and Python-read logs are text: an
expression that compares one with a number reads it as a number, and one used bare as a condition
reads it through the truth table."""

CANONICAL_TYPES: dict[str, str] = {
    "task": "VARCHAR",
    "trial_index": "BIGINT",
    "passed": "BOOLEAN",
    "unscored_cause": "VARCHAR",
    "error": "VARCHAR",
    "duration_s": "DOUBLE",
    "cost_microunits": "BIGINT",
    "output_hash": "VARCHAR",
    "seed": "VARCHAR",
    "started_at": "VARCHAR",
    "attempts": "VARCHAR",
    "tags": "VARCHAR",
    "system": "VARCHAR",
    "version": "VARCHAR",
    "model": "VARCHAR",
    "settings": "VARCHAR",
    "run": "VARCHAR",
    "file": "VARCHAR",
}
"""Canonical column -> engine type. All but ``task`` may be absent from a relation."""

OUTCOMES = (
    "passed",
    "unscored_cause",
    "error",
    "duration_s",
    "cost_microunits",
    "output_hash",
    "attempts",
)
"""Canonical columns that say what happened: trials may not be selected or grouped by them."""

UNSCORED_CAUSES = (
    "infra",
    "agent",
    "scorer",
    "simulator",
    "budget",
    "interrupted",
    "cached",
    "unknown",
)

PROVENANCE_COLUMNS = ("system", "version", "model", "settings")
"""What must match before trials are pooled (``run`` and ``file`` tell copies and shards apart)."""

SCORE_PREFIX = "score_"

ALWAYS_COLUMNS = (
    "task",
    "trial_index",
    "passed",
    "unscored_cause",
    "error",
    "system",
    "version",
    "model",
    "settings",
    "run",
    "file",
)
"""Columns that every trial relation has, all NULL where no log gives them."""

FILE_COLUMN = "_file"
"""Hidden column of a raw scan: the file that a row came from."""

TASK_TYPE_COLUMN = "_task_type"
"""Hidden column of a relation: ``"text"`` or ``"number"`` as the log wrote the id, NULL where the log has
no types. A task of which both occur is a data error: the ids 1 and "1" would be one task."""

HIDDEN_COLUMNS = (FILE_COLUMN, TASK_TYPE_COLUMN)


def kind_of_type(engine_type: str) -> ColumnKind:
    """The kind of a column of the engine's type, such as ``"DECIMAL(18,3)"``."""
    base = engine_type.upper().split("(")[0]
    if engine_type.upper().endswith("]"):
        return "other"
    if base in _NUMBER_TYPES:
        return "number"
    if base == "BOOLEAN":
        return "boolean"
    return "text" if base in _TEXT_TYPES else "other"


_NUMBER_TYPES = frozenset(
    [
        "TINYINT",
        "SMALLINT",
        "INTEGER",
        "BIGINT",
        "HUGEINT",
        "UTINYINT",
        "USMALLINT",
        "UINTEGER",
        "UBIGINT",
        "UHUGEINT",
        "FLOAT",
        "DOUBLE",
        "DECIMAL",
        "BIGNUM",
    ]
)
_TEXT_TYPES = frozenset({"VARCHAR", "ENUM", "UUID", "JSON"})
