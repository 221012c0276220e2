"""The engine's connection: in memory, and once the logs are known, closed to everything else."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.trials.file_names import allowed_names
from surefoot.trials.sql import quote_list

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def open_connection() -> DuckDBPyConnection:
    """A fresh engine that fetches no extension and takes no Python variable for a table."""
    import duckdb

    return duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
            # Object columns of a data frame are text: types are never taken from a sample.
            "pandas_analyze_sample": "0",
        },
    )


def lock_connection(connection: DuckDBPyConnection, paths: Iterable[Path]) -> None:
    """Allow these files and no other file, address, extension or setting from here on."""
    connection.execute(f"SET allowed_paths = {quote_list(allowed_names(paths))}")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
