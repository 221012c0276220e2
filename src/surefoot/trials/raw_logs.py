"""Logs as the engine holds them: a view over the files, or a table where Python had to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.trials.columns import CANONICAL_TYPES, FILE_COLUMN, ColumnKind, kind_of_type
from surefoot.trials.file_names import engine_path
from surefoot.trials.findings import Finding
from surefoot.trials.loading import RowTable
from surefoot.trials.mapping import check_names
from surefoot.trials.source import ImportedLog, RowScan, SqlScan
from surefoot.trials.sql import quote_identifier, quote_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TYPE_PREFIX = "_type:"


@dataclass(frozen=True)
class RawLog:
    """One or more files of one shape, with the names and values they have.

    Parameters
    ----------
    view
        The relation's name in the engine; it has `columns`, and ``_file``.
    columns
        Column name -> kind.
    typed
        True where ``"_type:x"`` tells whether the log wrote column x as text or as a number.
    typed_columns
        The columns for which it does.
    """

    view: str
    columns: Mapping[str, ColumnKind]
    source: str
    is_table: bool
    typed_columns: frozenset[str] = frozenset()
    paths: tuple[Path, ...] = ()


def put_into_engine(
    connection: DuckDBPyConnection, logs: Sequence[ImportedLog]
) -> tuple[list[RawLog], list[Finding]]:
    """Make every log readable by the engine: files of one shape together, rows of Python in one table.

    Returns the raw logs in the order of their first file, and the findings of rows read on the way.
    """
    raw: list[RawLog] = []
    findings: list[Finding] = []
    rows_table: RowTable | None = None
    for group in _of_one_shape(logs):
        first = group[0]
        if isinstance(first.scan, SqlScan):
            raw.append(_scanned(connection, group, f"_raw_{len(raw)}"))
            continue
        if first.is_table:
            table = RowTable(connection, f"_values_{len(raw)}", as_json=True)
            findings += _load(table, group)
            raw.append(_unwrapped(connection, table, first, f"_raw_{len(raw)}"))
            continue
        rows_table = RowTable(connection, "_rows", as_json=False)
        findings += _load(rows_table, group)
        raw.append(_read_rows(rows_table, group))
    return raw, findings


def source_name(log: ImportedLog) -> str:
    """How messages and lists call a log: its path, or what it is."""
    return str(log.path) if log.path is not None else log.format


def _of_one_shape(logs: Sequence[ImportedLog]) -> list[list[ImportedLog]]:
    groups: dict[object, list[ImportedLog]] = {}
    for position, log in enumerate(logs):
        groups.setdefault(_shape(log, position), []).append(log)
    return list(groups.values())


def _shape(log: ImportedLog, position: int) -> object:
    if isinstance(log.scan, RowScan):
        return position if log.is_table else "rows"
    plain = log.path is not None and engine_path(log.path) == str(log.path)
    if log.scan.many is None or not log.scan.shape or not plain:
        return position
    return (log.format, log.is_table, log.scan.shape, tuple(log.scan.columns.items()))


def _scanned(connection: DuckDBPyConnection, group: Sequence[ImportedLog], view: str) -> RawLog:
    scan = group[0].scan
    assert isinstance(scan, SqlScan)
    source = _source(group)
    check_names(scan.columns, source)
    for name, value in scan.objects.items():
        connection.register(name, value)
    paths = tuple(log.path for log in group if log.path is not None)
    if len(group) > 1 and scan.many is not None:
        sql = scan.many(paths)
    else:
        sql = f"SELECT *, {_file_sql(group[0])} AS {quote_identifier(FILE_COLUMN)} FROM ({scan.sql})"
    if scan.json_values:
        sql = _unwrapping_sql(tuple(scan.columns), f"({sql})")
    connection.execute(f"CREATE VIEW {quote_identifier(view)} AS {sql}")
    typed = frozenset(scan.columns) if scan.json_values else scan.typed_columns
    allowed = tuple(path for log in group if isinstance(log.scan, SqlScan) for path in log.scan.paths)
    return RawLog(view, dict(scan.columns), source, group[0].is_table, typed, allowed)


def _unwrapped(connection: DuckDBPyConnection, table: RowTable, log: ImportedLog, view: str) -> RawLog:
    source = source_name(log)
    check_names(table.columns, source)
    sql = _unwrapping_sql(table.columns, quote_identifier(table.name))
    connection.execute(f"CREATE VIEW {quote_identifier(view)} AS {sql}")
    columns: dict[str, ColumnKind] = dict.fromkeys(table.columns, "text")
    return RawLog(view, columns, source, True, frozenset(columns))


def _read_rows(table: RowTable, group: Sequence[ImportedLog]) -> RawLog:
    columns: dict[str, ColumnKind] = {
        name: kind_of_type(CANONICAL_TYPES.get(name, "VARCHAR")) for name in table.columns
    }
    source = _source(group)
    check_names(columns, source)
    return RawLog(table.name, columns, source, False, frozenset({"task"}))


def _load(table: RowTable, group: Sequence[ImportedLog]) -> list[Finding]:
    findings: list[Finding] = []
    for log in group:
        assert isinstance(log.scan, RowScan)
        file = str(log.path) if log.path is not None else None
        findings += table.load(log.scan.rows(), source_name(log), file)
    return findings


def _source(group: Sequence[ImportedLog]) -> str:
    first = source_name(group[0])
    return first if len(group) == 1 else f"{first} and {len(group) - 1} more"


def _file_sql(log: ImportedLog) -> str:
    return quote_text(str(log.path)) if log.path is not None else "CAST(NULL AS VARCHAR)"


# Python writes and the engine accepts these bare words, which are no JSON; NaN > 0.5 would be true.
_NOT_FINITE = (
    "NaN",
    "Infinity",
    "-Infinity",
    "nan",
    "inf",
    "-inf",
    "-NaN",
    "-nan",
    "Inf",
    "-Inf",
    "NAN",
    "INF",
)


def _unwrapping_sql(columns: Sequence[str], source: str) -> str:
    """JSON values as text, each with a column that tells what it was."""
    items = [quote_identifier(FILE_COLUMN)]
    for column in columns:
        name = quote_identifier(column)
        bare = " OR ".join(f"CAST({name} AS VARCHAR) = {quote_text(word)}" for word in _NOT_FINITE)
        items.append(f"CASE WHEN {bare} THEN NULL ELSE CAST({name} AS JSON) ->> '$' END AS {name}")
        kind = f"CASE WHEN json_type(CAST({name} AS JSON)) = 'VARCHAR' THEN 'text' ELSE 'number' END"
        items.append(
            f"CASE WHEN {name} IS NOT NULL THEN {kind} END AS {quote_identifier(TYPE_PREFIX + column)}"
        )
    return f"SELECT {', '.join(items)} FROM {source}"
