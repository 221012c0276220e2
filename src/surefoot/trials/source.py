"""The protocol that importers and the journal share: how rows of a log reach the trial relation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from surefoot.trials.columns import ColumnKind
from surefoot.trials.findings import Finding

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TrialRow = Mapping[str, object]
"""One trial as Python read it: canonical columns by name, any other key is a metadata column. A row may have
``_task_type`` ("text" or "number") where its task is text by now and was none in the log.
Values are str, int, float, bool or None; deeper values (dict, list) are kept as JSON text."""


@dataclass(frozen=True)
class SqlScan:
    """Rows the engine reads by itself.

    Parameters
    ----------
    sql
        One SELECT whose result columns are `columns`, in order. Paths inside it are already quoted.
    columns
        Column name -> kind, as the file spells the names.
    paths
        The files that the connection must be allowed to open.
    json_values
        True where every column holds JSON text of one value: the relation unwraps it, so that the number 1
        and the text "1" can be told apart.
    objects
        Name used in `sql` -> the Python object (data frame, Arrow table) that the engine reads in place.
    many
        The same SELECT over several files of the same shape, with one more column, ``_file``, that names the
        file: shards are then one scan. None where a file is always scanned by itself.
    typed_columns
        Columns x of mixed types for which `sql` has one more column, ``"_type:x"``: ``"text"`` or ``"number"``.
    shape
        Scans of equal, non-empty shape may be read as one by `many`.
    """

    sql: str
    columns: Mapping[str, ColumnKind]
    paths: tuple[Path, ...] = ()
    json_values: bool = False
    objects: Mapping[str, object] = field(default_factory=dict)
    many: Callable[[tuple[Path, ...]], str] | None = None
    shape: tuple[str, ...] = ()
    typed_columns: frozenset[str] = frozenset()


@dataclass(frozen=True)
class RowScan:
    """Rows that only Python can read, one at a time, with findings between them.

    Parameters
    ----------
    rows
        Called once, and again where a build starts anew; yields trial rows in file order, and a Finding
        where something is worth saying.
        May raise UnreadableLogError.
    """

    rows: Callable[[], Iterator[TrialRow | Finding]]


@dataclass(frozen=True)
class ImportedLog:
    """One log, recognised and ready to be scanned.

    Parameters
    ----------
    format
        What it is, as a person would say it: ``"tau-bench log"``.
    scan
        Where the rows come from.
    path
        The file, or None for rows that came from Python.
    is_table
        True where columns have names of the user's choosing, so that --map and guesses apply.
    provenance_columns
        Extra columns that must match before trials are pooled (such as the evaluation's own name).
    """

    format: str
    scan: SqlScan | RowScan
    path: Path | None = None
    is_table: bool = False
    provenance_columns: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class ReadOptions:
    """What a reader may be told.

    Parameters
    ----------
    score
        The scorer (or its sub-key, ``scorer.key``) to read as passed.
    engine
        The engine that the relation will live in: to look at a file with it spares opening another.
    """

    score: str | None = None
    engine: DuckDBPyConnection | None = None


@runtime_checkable
class Importer(Protocol):
    """Reads the logs of one tool. Registered under the entry-point group ``surefoot.importers``."""

    name: str
    """How the importer is called in messages and options: ``"tau-bench"``."""

    priority: int
    """Of several importers that recognise a file the highest speaks; general tables are 0, formats of one tool 10."""

    def recognizes(self, path: Path, head: bytes) -> bool:
        """Is this file mine? Decided from the first 64 KiB (and the file, for archives); never raises, never runs anything."""
        ...

    def read(self, path: Path, options: ReadOptions) -> ImportedLog:
        """Open the log. Raises UnreadableLogError with the file's name and the reason."""
        ...
