"""Where trials come from: what must match before they are pooled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from surefoot.trials.columns import PROVENANCE_COLUMNS, ColumnKind
from surefoot.trials.ids import find_column
from surefoot.trials.source import ImportedLog


def provenance_columns(logs: Iterable[ImportedLog], columns: Mapping[str, ColumnKind]) -> tuple[str, ...]:
    """The columns that must match, as the relation spells them: the usual four, and those that the logs name."""
    named = [name for log in logs for name in log.provenance_columns]
    found = [find_column(name, columns) for name in named]
    return tuple(dict.fromkeys([*PROVENANCE_COLUMNS, *(name for name in found if name is not None)]))
