"""The engine that runs the counting query, behind three small calls."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class DuckDbEngine:
    """DuckDB in this process."""

    connection: duckdb.DuckDBPyConnection
    paths: tuple[Path, ...] = ()

    def create_table(self, name: str, select: str) -> None:
        """Keep the rows of a SELECT under a name, for this connection only."""
        self._run(f"CREATE OR REPLACE TEMP TABLE {name} AS {select}")

    def create_view(self, name: str, select: str) -> None:
        """Keep a SELECT under a name, for this connection only."""
        self._run(f"CREATE OR REPLACE TEMP VIEW {name} AS {select}")

    def rows(self, select: str) -> list[tuple[Any, ...]]:
        """A few rows, as Python values."""
        return self._run(select).fetchall()

    def row(self, select: str) -> tuple[Any, ...]:
        """The one row of a SELECT that always has one."""
        return self.rows(select)[0]

    def columns(self, select: str) -> dict[str, NDArray[np.generic]]:
        """Many rows, as numpy columns by name; the columns hold no NULL."""
        import numpy as np

        found = dict(self._run(select).fetchnumpy())
        masked = [name for name, column in found.items() if np.ma.is_masked(column)]
        if masked:
            # A masked NULL would turn into some number: better no count than a made-up one.
            raise ValueError(f"counts hold NULL in {', '.join(masked)}")
        return found

    def _run(self, sql: str) -> duckdb.DuckDBPyConnection:
        """Run it; a file that turns out to be damaged, or has changed since it was opened, is a data error."""
        import duckdb

        from surefoot.trials.engine_errors import explained

        try:
            return self.connection.execute(sql)
        except duckdb.Error as error:
            raise explained(error, self.paths) from error
