"""Rows that Python reads, put into tables of the engine a few thousand at a time."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from json.encoder import encode_basestring
from typing import TYPE_CHECKING

from surefoot.errors import DataError
from surefoot.trials.columns import CANONICAL_TYPES, FILE_COLUMN, TASK_TYPE_COLUMN, UNSCORED_CAUSES
from surefoot.trials.findings import Finding
from surefoot.trials.sql import quote_identifier
from surefoot.trials.truth_table import truth_value

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from surefoot.trials.source import TrialRow

BATCH_ROWS = 8192
TASK_TYPE = "_type:task"


class RowTable:
    """A table that grows columns as rows bring them.

    Parameters
    ----------
    connection
        Where the table is made.
    name
        The table's name.
    as_json
        True: every value is stored as JSON text, as its type must not be lost (rows of a user's own making).
        False: canonical columns have their types and any other value is text.
    """

    def __init__(self, connection: DuckDBPyConnection, name: str, *, as_json: bool) -> None:
        self.name = name
        self._connection = connection
        self._as_json = as_json
        self._columns: dict[str, str] = {}
        self._spelled: dict[str, str] = {}
        self._seen: set[str] = set()
        connection.execute(f"CREATE TABLE {quote_identifier(name)} ({quote_identifier(FILE_COLUMN)} VARCHAR)")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names as rows spelled them, in the order of their first appearance."""
        return tuple(name for name in self._columns if name != TASK_TYPE)

    def load(self, rows: Iterator[TrialRow | Finding], source: str, file: str | None) -> list[Finding]:
        """Put one log's rows into the table; returns the findings between them.

        Raises
        ------
        DataError
            A value that does not fit its canonical column, or two names that differ only in case.
        """
        findings: list[Finding] = []
        batch: list[TrialRow] = []
        self._spelled, self._seen = {name.lower(): name for name in self._columns}, set()
        for item in rows:
            if isinstance(item, Finding):
                findings.append(item)
                continue
            batch.append(item)
            if len(batch) == BATCH_ROWS:
                self._insert(batch, source, file)
                batch = []
        self._insert(batch, source, file)
        return findings

    def _insert(self, batch: list[TrialRow], source: str, file: str | None) -> None:
        if not batch:
            return
        values = self._columnar(batch, source)
        names = [quote_identifier(FILE_COLUMN), *(quote_identifier(name) for name in values)]
        lists = ["?", *(f"unnest(?::{self._columns[name]}[])" for name in values)]
        self._connection.execute(
            f"INSERT INTO {quote_identifier(self.name)} ({', '.join(names)}) SELECT {', '.join(lists)}",
            [file, *values.values()],
        )

    def _columnar(self, batch: list[TrialRow], source: str) -> dict[str, list[object]]:
        names = dict.fromkeys(key for row in batch for key in row)
        if not self._as_json:
            names.pop(TASK_TYPE_COLUMN, None)
        for name in names:
            self._add_column(name, source)
        # A key of another spelling fills the column that has the name already.
        keys = [(name, self._spelled[name.lower()]) for name in names]
        if self._as_json:
            return {spelled: [_json_text(row.get(key)) for row in batch] for key, spelled in keys}
        values = {spelled: _typed(spelled, [row.get(key) for row in batch], source) for key, spelled in keys}
        self._add_type(TASK_TYPE)
        values[TASK_TYPE] = [_task_type(row) for row in batch]
        if "passed" in values:
            self._note_unknown(batch, values)
        return values

    def _note_unknown(self, batch: list[TrialRow], values: dict[str, list[object]]) -> None:
        """A verdict that is no verdict is unscored, whatever the importer meant by it."""
        odd = [
            index
            for index, row in enumerate(batch)
            if row.get("passed") is not None and values["passed"][index] is None
        ]
        if not odd:
            return
        self._add_type("unscored_cause")
        causes = values.setdefault("unscored_cause", [None] * len(batch))
        for index in odd:
            causes[index] = causes[index] or "unknown"

    def _add_column(self, name: str, source: str) -> None:
        spelled = self._spelled.setdefault(name.lower(), name)
        if spelled != name and spelled in self._seen:
            raise DataError(
                f"{source}: the columns {spelled!r} and {name!r} have one name (case does not count); rename one"
            )
        self._seen.add(name)
        if spelled not in self._columns:
            self._add_type(spelled)

    def _add_type(self, name: str) -> None:
        if name in self._columns:
            return
        engine_type = "VARCHAR" if self._as_json else CANONICAL_TYPES.get(name, "VARCHAR")
        self._columns[name] = engine_type
        self._spelled.setdefault(name.lower(), name)
        self._connection.execute(
            f"ALTER TABLE {quote_identifier(self.name)} ADD COLUMN {quote_identifier(name)} {engine_type}"
        )


def as_text(value: object) -> str | None:
    """A value as the text that a column holds: JSON for what is nested, None for NaN.

    Examples
    --------
    >>> as_text(True), as_text({"a": 1}), as_text(float("nan"))
    ('true', '{"a": 1}', None)
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        return json.dumps(_finite(value), ensure_ascii=False, default=str)
    return str(value)


def _json_text(value: object) -> str | None:
    if value is None:
        return None
    # Most values are text and small numbers: they are spelled without the encoder's preparations.
    if type(value) is str:
        return encode_basestring(value)
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is int:
        return str(value)
    plain = _plain(value)
    if isinstance(plain, float) and not math.isfinite(plain):
        return None
    return json.dumps(_finite(plain), ensure_ascii=False, default=str)


def _plain(value: object) -> object:
    """numpy's scalars say what they are by ``item``."""
    item = getattr(value, "item", None)
    return item() if callable(item) and not isinstance(value, Mapping | list | tuple) else value


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    if isinstance(value, set | frozenset):
        return sorted((_finite(inner) for inner in value), key=str)
    return value


def _typed(name: str, values: list[object], source: str) -> list[object]:
    engine_type = CANONICAL_TYPES.get(name, "VARCHAR")
    if name == "unscored_cause":
        return [_cause(value) for value in values]
    if engine_type == "BOOLEAN":
        return [truth_value(value) for value in values]
    if engine_type == "BIGINT":
        return [_whole(name, value, source) for value in values]
    if engine_type == "DOUBLE":
        return [_number(name, value, source) for value in values]
    return [as_text(value) for value in values]


def _cause(value: object) -> str | None:
    word = (as_text(value) or "").strip().lower()
    if not word:
        return None
    return word if word in UNSCORED_CAUSES else "unknown"


def _whole(name: str, value: object, source: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise DataError(f"{source}: {name}: expected a whole number, got {value!r}")


def _number(name: str, value: object, source: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if math.isfinite(value) else None
    raise DataError(f"{source}: {name}: expected a number, got {value!r}")


def _task_type(row: TrialRow) -> str | None:
    """What the log wrote: the importer says so, or the id has its type still."""
    said = row.get(TASK_TYPE_COLUMN)
    if said is not None:
        return str(said)
    task = row.get("task")
    if task is None:
        return None
    return "text" if isinstance(task, str) else "number"
