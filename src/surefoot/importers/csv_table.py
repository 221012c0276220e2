"""Tables as text: CSV with commas, semicolons, tabs or bars, a header, and every field read as text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

from surefoot.errors import UnreadableLogError
from surefoot.importers.text_files import (
    MAX_COLUMNS,
    check_encoding,
    check_utf8,
    compression_of,
    raw_head,
    text_head,
)
from surefoot.trials.columns import FILE_COLUMN
from surefoot.trials.file_names import file_sql, files_sql
from surefoot.trials.mapping import check_names
from surefoot.trials.source import ImportedLog, ReadOptions, SqlScan
from surefoot.trials.sql import quote_identifier, quote_text

DELIMITERS = (",", ";", "\t", "|")
_NAMES = {",": "CSV table", ";": "CSV table", "\t": "TSV table", "|": "CSV table"}
_SUFFIXES = (".csv", ".tsv", ".psv")
_HEADER_BYTES = 1 << 20
_ROWS_LOOKED_AT = 50
_LONGEST_ROW = 64 << 20
_VALUE = re.compile(r"[+-]?([0-9]+([.,][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?|true|false|null|nan|none", re.I)


class CsvImporter:
    """Reads CSV tables whose first line names the columns."""

    name = "csv"
    priority = 0
    reads_compressed = True

    def recognizes(self, path: Path, head: bytes) -> bool:
        """By its name, or text whose first lines have equally many fields, at least two."""
        if named_as(path, _SUFFIXES):
            return True
        text = _decoded(head)
        if text is None or text.lstrip()[:1] in ("{", "[", "<", ""):
            return False
        rows = _whole_rows(text, detected_delimiter(text))
        return len(rows) > 1 and len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows)

    def read(self, path: Path, options: ReadOptions) -> ImportedLog:
        """Look at the header and check the encoding; the engine reads the rows."""
        head = text_head(path, _HEADER_BYTES)
        check_encoding(path, head)
        check_utf8(path)
        text = _decoded(head) or ""
        delimiter = detected_delimiter(text)
        columns = _checked_header(path, text, delimiter, whole=len(head) < _HEADER_BYTES)
        scan = _CsvScan(delimiter, compression_of(raw_head(path, 4)), tuple(columns))
        return ImportedLog(
            format=_NAMES[delimiter],
            scan=SqlScan(
                sql=scan.one(path),
                columns=dict.fromkeys(columns, "text"),
                paths=(path,),
                many=scan.many,
                shape=("csv", delimiter, scan.compression),
            ),
            path=path,
            is_table=True,
        )


def named_as(path: Path, suffixes: Sequence[str]) -> bool:
    """Whether the name ends so, ``.gz`` and ``.zst`` put aside."""
    name = path.name.lower()
    for packed in (".gz", ".zst"):
        name = name.removesuffix(packed)
    return name.endswith(tuple(suffixes))


def detected_delimiter(text: str) -> str:
    """The delimiter with which the first rows have the same number of fields, and the most of them."""

    def fit(delimiter: str) -> tuple[bool, float, int]:
        rows = _whole_rows(text, delimiter) or [[]]
        width = len(rows[0])
        return width > 1, sum(len(row) == width for row in rows) / len(rows), width

    return max(DELIMITERS, key=fit)


class _CsvScan:
    """The SQL that reads tables of one delimiter and one header."""

    def __init__(self, delimiter: str, compression: str, columns: tuple[str, ...]) -> None:
        self.compression = compression
        self._columns = columns
        types = ", ".join(f"{quote_identifier(name)}: 'VARCHAR'" for name in columns)
        self._options = (
            f"auto_detect = false, header = true, delim = {quote_text(delimiter)}, quote = '\"', escape = '\"', "
            f"compression = {quote_text(compression)}, hive_partitioning = false, "
            f"max_line_size = {_LONGEST_ROW}, columns = {{{types}}}"
        )

    def one(self, path: Path) -> str:
        return f"SELECT {self._names()} FROM read_csv({file_sql(path)}, {self._options})"

    def many(self, paths: tuple[Path, ...]) -> str:
        file = quote_identifier(FILE_COLUMN)
        return (
            f"SELECT {self._names()}, {file} FROM read_csv({files_sql(paths)}, "
            f"{self._options}, filename = {quote_text(FILE_COLUMN)})"
        )

    def _names(self) -> str:
        return ", ".join(quote_identifier(name) for name in self._columns)


def _checked_header(path: Path, text: str, delimiter: str, *, whole: bool) -> list[str]:
    """The names of the columns; `whole` says that `text` is all there is."""
    if not text.strip():
        raise UnreadableLogError(path, "is empty")
    rows = _rows(text, delimiter)
    if len(rows) == 1 and not whole:
        raise UnreadableLogError(
            path, f"line 1 must name the columns, but it does not end within {_HEADER_BYTES:,} bytes"
        )
    names = [name.strip() for name in rows[0]]
    if not any(names):
        raise UnreadableLogError(path, "line 1 is empty: the first line must name the columns")
    if len(names) > MAX_COLUMNS:
        raise UnreadableLogError(
            path,
            f"line 1 names {len(names):,} columns, more than {MAX_COLUMNS:,}: not a table of trials",
        )
    values = [name for name in names if _VALUE.fullmatch(name)]
    if values:
        raise UnreadableLogError(
            path,
            f"line 1 must name the columns, but it holds the value {values[0]!r}; add a first line such as "
            "task,trial_index,passed",
        )
    names = [name or f"column_{number}" for number, name in enumerate(names, start=1)]
    check_names(names, str(path))
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UnreadableLogError(path, f"line 1 names the column {twice!r} twice; rename one")
    if len(rows) == 1:
        raise UnreadableLogError(path, "has a header and no rows")
    return names


def _whole_rows(text: str, delimiter: str) -> list[list[str]]:
    """The first rows, without the last where the text may be cut in it."""
    rows = _rows(text, delimiter)
    return rows if text.endswith(("\n", "\r")) or len(rows) <= 1 else rows[:-1]


def _rows(text: str, delimiter: str) -> list[list[str]]:
    """The first rows, at least one."""
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if row or not rows:
                rows.append(row)
            if len(rows) >= _ROWS_LOOKED_AT:
                break
    except csv.Error:
        # A field longer than Python's reader takes: what matters is that another row began.
        rows.append([])
    return rows


def _decoded(head: bytes) -> str | None:
    """The head as text without its byte order mark; a character cut in two at the end is left out."""
    for cut in range(4):
        try:
            return head[: len(head) - cut].decode("utf-8-sig")
        except UnicodeDecodeError:
            continue
    return None
