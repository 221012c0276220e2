"""Trials that are in Python already: data frames, Arrow tables, DuckDB relations, lists of dicts.

The engine reads frames and tables where they lie. A DuckDB relation belongs to the user's own connection, which is
never touched: each scan asks it for a fresh Arrow stream, so that its rows are neither copied into a table here
nor made Python objects, and pyarrow is not needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from surefoot.errors import ArgumentError, DataError
from surefoot.trials.columns import ColumnKind
from surefoot.trials.connection import open_connection
from surefoot.trials.findings import Finding
from surefoot.trials.loading import as_text
from surefoot.trials.raw_logs import TYPE_PREFIX
from surefoot.trials.source import ImportedLog, RowScan, SqlScan, TrialRow
from surefoot.trials.sql import quote_identifier
from surefoot.trials.typed_columns import typed_kinds, typed_select


def from_python(rows: object) -> ImportedLog:
    """Trials held in Python as a log.

    Parameters
    ----------
    rows
        A pandas or polars DataFrame, an Arrow table, anything that exports an Arrow stream, a DuckDB
        relation, or a list of dicts.

    Raises
    ------
    ArgumentError
        Something else.
    DataError
        Columns whose names are no text, or twice the same.
    """
    if isinstance(rows, list | tuple) and all(isinstance(row, Mapping) for row in rows):
        return _from_dicts(rows)
    if _is(rows, "pandas", "DataFrame"):
        return _from_pandas(rows)
    if _is(rows, "polars", "LazyFrame"):
        return from_python(rows.collect())  # type: ignore[attr-defined]
    if _is(rows, "pyarrow", "RecordBatchReader"):
        # It can be read once only, and its rows are looked at before they are counted.
        return _scanned(rows.read_all(), "Arrow table")  # type: ignore[attr-defined]
    if _is(rows, "duckdb", "DuckDBPyRelation"):
        return _scanned(_ArrowStream(rows), "DuckDB relation")
    if hasattr(rows, "__arrow_c_stream__"):
        named = "polars DataFrame" if _is(rows, "polars", "DataFrame") else "Arrow table"
        return _scanned(rows if _is(rows, "pyarrow", "Table") else _ArrowStream(rows), named)
    raise ArgumentError(
        "trials",
        expected="a path, a data frame, an Arrow table, a DuckDB relation or a list of dicts",
        got=rows,
    )


class _ArrowStream:
    """Exports its source's rows anew for every scan."""

    def __init__(self, source: Any) -> None:
        self._source = source

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._source.__arrow_c_stream__(requested_schema)


def _from_dicts(rows: Iterable[TrialRow]) -> ImportedLog:
    kept = list(rows)
    odd = next((key for row in kept for key in row if not isinstance(key, str) or not key), None)
    if odd is not None:
        raise DataError(f"list of dicts: keys must be text that is not empty, got {odd!r}")

    def read() -> Iterator[TrialRow | Finding]:
        return iter(kept)

    return ImportedLog(format="list of dicts", scan=RowScan(read), is_table=True)


def _from_pandas(frame: Any) -> ImportedLog:
    columns = list(frame.columns)
    odd = next((name for name in columns if not isinstance(name, str) or not name), None)
    if odd is not None:
        raise DataError(f"pandas DataFrame: column names must be text that is not empty, got {odd!r}")
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"pandas DataFrame: two columns are named {twice!r}; rename one")
    ready, mixed = _with_plain_objects(frame)
    return _scanned(ready, "pandas DataFrame", mixed)


def _with_plain_objects(frame: Any) -> tuple[Any, frozenset[str]]:
    """Object columns as text (only they are looked at), and which of them mix text with something else."""
    changed: dict[str, object] = {}
    mixed: set[str] = set()
    for name in frame.columns:
        column = frame[name]
        if str(column.dtype) != "object":
            continue
        missing = column.isna()
        changed[name] = [
            None if absent else as_text(_plain(value)) for value, absent in zip(column, missing, strict=True)
        ]
        kinds = [
            None if absent else "text" if isinstance(value, str) else "number"
            for value, absent in zip(column, missing, strict=True)
        ]
        if len({kind for kind in kinds if kind}) > 1:
            changed[TYPE_PREFIX + name] = kinds
            mixed.add(name)
    if not changed:
        return frame, frozenset()
    return frame.assign(**changed), frozenset(mixed)


def _plain(value: object) -> object:
    item = getattr(value, "item", None)
    return item() if callable(item) and not isinstance(value, Mapping | list | tuple) else value


def _scanned(rows: object, named: str, mixed: frozenset[str] = frozenset()) -> ImportedLog:
    types = _types(rows, named)
    own = {name: kind for name, kind in types.items() if not name.startswith(TYPE_PREFIX)}
    select = typed_select(own)
    for name in sorted(mixed):
        select += f", {quote_identifier(TYPE_PREFIX + name)}"
    source = f"_python_{id(rows)}"
    kinds: dict[str, ColumnKind] = typed_kinds(own)
    return ImportedLog(
        format=named,
        scan=SqlScan(
            sql=f"SELECT {select} FROM {quote_identifier(source)}",
            columns=kinds,
            objects={source: rows},
            typed_columns=mixed,
        ),
        is_table=True,
    )


def _types(rows: object, named: str) -> dict[str, str]:
    import duckdb

    connection = open_connection()
    try:
        connection.register("rows", rows)
        found = connection.execute("DESCRIBE rows").fetchall()
    except duckdb.Error as error:
        raise DataError(f"{named}: cannot be read ({str(error).splitlines()[0][:160]})") from error
    return {row[0]: row[1] for row in found}


def _is(value: object, package: str, name: str) -> bool:
    kind = type(value)
    module = kind.__module__.lstrip("_")
    return kind.__name__ == name and module.split(".")[0] == package
