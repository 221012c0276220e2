"""JSON lines (and a JSON array of objects): keys are columns, values keep their JSON until they are asked for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.errors import UnreadableLogError
from surefoot.importers.csv_table import named_as
from surefoot.importers.text_files import (
    MAX_COLUMNS,
    check_encoding,
    check_unpacked_size,
    compression_of,
    lines,
    raw_head,
    text_head,
)
from surefoot.trials.columns import FILE_COLUMN
from surefoot.trials.connection import open_connection
from surefoot.trials.engine_errors import explained
from surefoot.trials.file_names import file_sql, files_sql
from surefoot.trials.findings import Finding
from surefoot.trials.mapping import check_names
from surefoot.trials.source import ImportedLog, ReadOptions, SqlScan
from surefoot.trials.sql import quote_identifier, quote_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SUFFIXES = (".jsonl", ".ndjson")
_MARK = b"\xef\xbb\xbf"
# Buffers grow with the limit, so the large one is taken only where a value needs it.
_LONGEST_VALUES = (16 << 20, 256 << 20)


class JsonlImporter:
    """Reads JSON lines, and plain JSON arrays of objects."""

    name = "jsonl"
    priority = 0
    reads_compressed = True

    @cached_property
    def _engine(self) -> DuckDBPyConnection:
        # Opening an engine costs 20 ms: one serves all files of a folder.
        return open_connection()

    def recognizes(self, path: Path, head: bytes) -> bool:
        """By its name, or text that begins like an array of objects or with objects on two lines.

        One object alone is no table: it may be the settings of some tool, or a log not known here.
        """
        if named_as(path, _SUFFIXES):
            return True
        text = head.removeprefix(_MARK).lstrip()
        if text[:1] == b"[":
            return text[1:].lstrip()[:1] == b"{"
        first, _, rest = text.partition(b"\n")
        return rest.lstrip()[:1] == b"{" and _is_object(first)

    def read(self, path: Path, options: ReadOptions) -> ImportedLog:
        """Find every key by one scan; the engine reads the values."""
        head = text_head(path)
        check_encoding(path, head)
        text = head.removeprefix(_MARK).lstrip()
        if not text:
            raise UnreadableLogError(path, "is empty")
        check_unpacked_size(path)
        layout = "array" if text[:1] == b"[" else "newline_delimited"
        keys, longest = _scanned_keys(options.engine or self._engine, path, layout)
        named = [key for key in keys if key]
        scan = _JsonScan(layout, compression_of(raw_head(path, 4)), longest, tuple(named))
        return ImportedLog(
            format="JSON lines table" if layout == "newline_delimited" else "JSON table",
            scan=SqlScan(
                sql=scan.one(path),
                columns=dict.fromkeys(named, "text"),
                paths=(path,),
                json_values=True,
                many=scan.many,
                shape=("json", layout, scan.compression, str(longest)),
            ),
            path=path,
            is_table=True,
            findings=() if len(named) == len(keys) else (_unnamed(path),),
        )


class _JsonScan:
    """The SQL that reads values of one set of keys, each as JSON."""

    def __init__(self, layout: str, compression: str, longest: int, keys: Sequence[str]) -> None:
        self.compression = compression
        self._keys = keys
        types = ", ".join(f"{quote_identifier(key)}: 'JSON'" for key in keys)
        self._options = (
            f"format = {quote_text(layout)}, records = 'true', auto_detect = false, "
            f"compression = {quote_text(compression)}, maximum_object_size = {longest}, "
            f"hive_partitioning = false, columns = {{{types}}}"
        )

    def one(self, path: Path) -> str:
        return f"SELECT {self._names()} FROM read_json({file_sql(path)}, {self._options})"

    def many(self, paths: tuple[Path, ...]) -> str:
        file = quote_identifier(FILE_COLUMN)
        return (
            f"SELECT {self._names()}, {file} FROM read_json({files_sql(paths)}, "
            f"{self._options}, filename = {quote_text(FILE_COLUMN)})"
        )

    def _names(self) -> str:
        return ", ".join(quote_identifier(key) for key in self._keys)


def _scanned_keys(connection: DuckDBPyConnection, path: Path, layout: str) -> tuple[list[str], int]:
    """Every key of the file, those of the first object first, and the limit that its longest value needs."""
    import duckdb

    compression = quote_text(compression_of(raw_head(path, 4)))
    for longest in _LONGEST_VALUES:
        source = (
            f"read_json_objects({file_sql(path)}, format = {quote_text(layout)}, compression = {compression}, "
            f"maximum_object_size = {longest})"
        )
        try:
            found = connection.execute(
                "SELECT list(DISTINCT json_keys(json)), count(*), "
                f"count(*) FILTER (WHERE json_type(json) <> 'OBJECT'), any_value(json_keys(json)) FROM {source}"
            ).fetchone()
        except duckdb.Error as error:
            if "maximum_object_size" in str(error):
                if longest != _LONGEST_VALUES[-1]:
                    continue
                raise explained(error, [path]) from error
            raise _bad_line(path, layout) or explained(error, [path]) from error
        return _checked_keys(path, layout, *(found or ([], 0, 0, []))), longest
    raise UnreadableLogError(path, "one JSON value is longer than the reader allows")


def _checked_keys(
    path: Path, layout: str, shapes: list[list[str]], count: int, others: int, first: list[str]
) -> list[str]:
    if not count:
        raise UnreadableLogError(path, "is empty: no object in it")
    if others:
        raise _bad_line(path, layout) or UnreadableLogError(
            path, f"expected an array of objects, but {others} of {count} entries are something else"
        )
    keys = list(dict.fromkeys([*first, *sorted({key for shape in shapes for key in shape})]))
    if len(keys) > MAX_COLUMNS:
        raise UnreadableLogError(
            path,
            f"its objects have {len(keys)} different keys, more than {MAX_COLUMNS}: not a table of trials",
        )
    for shape in shapes:
        twice = next((key for key, count in Counter(shape).items() if count > 1), None)
        if twice is not None:
            raise UnreadableLogError(path, f"an object names the key {twice!r} twice")
    if not any(keys):
        raise UnreadableLogError(path, "its objects have no keys, so there is nothing to read")
    check_names(keys, str(path))
    return keys


def _bad_line(path: Path, layout: str) -> UnreadableLogError | None:
    """The first line that is no JSON object, by its number: the engine's own count is not kept to lines."""
    if layout != "newline_delimited":
        return None
    for number, line in enumerate(lines(path), start=1):
        text = line.removeprefix(_MARK) if number == 1 else line
        reason = _what_is_wrong(text) if text.strip() else None
        if reason is not None:
            return UnreadableLogError(path, f"line {number}: expected one JSON object, {reason}")
    return None


def _what_is_wrong(line: bytes) -> str | None:
    try:
        value = json.loads(line.decode("utf-8"))
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as error:
        return f"found byte {error.start + 1} of the line that is not UTF-8; convert the file to UTF-8"
    except UnicodeEncodeError:
        return "found half a character (an unpaired \\ud800 to \\udfff)"
    except json.JSONDecodeError as error:
        return f"found something else at column {error.colno} ({error.msg})"
    except (ValueError, RecursionError):
        return "found a number too long or a value nested too deeply"
    return None if isinstance(value, dict) else f"found {json.dumps(value)[:40]}"


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _unnamed(path: Path) -> Finding:
    return Finding(
        "unnamed-column",
        "note",
        f"A key without a name is left out of {path}.",
        "Give the key a name to use it.",
    )
