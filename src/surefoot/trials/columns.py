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
