"""Parquet files: columns with types of their own, read in place by the engine."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.errors import UnreadableLogError
from surefoot.trials.columns import FILE_COLUMN
from surefoot.trials.connection import open_connection
from surefoot.trials.file_names import file_sql, files_sql
from surefoot.trials.mapping import check_names
from surefoot.trials.source import ImportedLog, ReadOptions, SqlScan
from surefoot.trials.sql import quote_identifier, quote_text
from surefoot.trials.typed_columns import typed_kinds, typed_select

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_MAGIC = b"PAR1"


class ParquetImporter:
    """Reads Parquet files."""

    name = "parquet"
    priority = 5

    @cached_property
    def _engine(self) -> DuckDBPyConnection:
        # Opening an engine costs 20 ms: one serves all files of a folder.
        return open_connection()

    def recognizes(self, path: Path, head: bytes) -> bool:
        """By its first four bytes."""
        return head.startswith(_MAGIC)

    def read(self, path: Path, options: ReadOptions) -> ImportedLog:
        """Look at the schema; the engine reads the rows."""
        types = _schema(options.engine or self._engine, path)
        select = typed_select(types)

        def many(paths: tuple[Path, ...]) -> str:
            file = quote_identifier(FILE_COLUMN)
            return f"SELECT {select}, {file} FROM {_scan(files_sql(paths), named=True)}"

        return ImportedLog(
            format="Parquet table",
            scan=SqlScan(
                sql=f"SELECT {select} FROM {_scan(file_sql(path))}",
                columns=typed_kinds(types),
                paths=(path,),
                many=many,
                shape=("parquet", *types.values()),
            ),
            path=path,
            is_table=True,
        )


def _scan(files: str, *, named: bool = False) -> str:
    name = f", filename = {quote_text(FILE_COLUMN)}" if named else ""
    return f"read_parquet({files}, hive_partitioning = false{name})"


def _schema(connection: DuckDBPyConnection, path: Path) -> Mapping[str, str]:
    import duckdb

    try:
        check_names(_top_level_names(connection, path), str(path))
        rows = connection.execute(f"DESCRIBE SELECT * FROM {_scan(file_sql(path))}").fetchall()
        count = connection.execute(f"SELECT count(*) FROM {_scan(file_sql(path))}").fetchone()
    except duckdb.Error as error:
        reason = str(error).strip().splitlines()[0]
        raise UnreadableLogError(path, f"not a Parquet file that can be read ({reason[:160]})") from error
    if count is None or not count[0]:
        raise UnreadableLogError(path, "has columns and no rows")
    return {row[0]: row[1] for row in rows}


def _top_level_names(connection: DuckDBPyConnection, path: Path) -> list[str]:
    """The names in the file itself: the engine renames those that differ only in case."""
    rows = connection.execute(f"SELECT name, num_children FROM parquet_schema({file_sql(path)})").fetchall()
    names: list[str] = []
    inside = 0
    for name, children in rows[1:]:
        if inside == 0:
            names.append(name)
        inside += (children or 0) - (1 if inside else 0)
    return names
