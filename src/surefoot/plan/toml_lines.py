"""On which line does a plan say what? tomllib gives none, so statements are found again and read one by one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

Loc = tuple[str | int, ...]
"""The way to a value: keys, and positions in arrays of tables: ``("check", 2, "at_most")``."""

# Texts and comments are read as one piece, so that a bracket inside them does not count.
_PIECE: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[\[\]{}\n]",
    re.DOTALL,
)


class LineMap:
    """Lines of a TOML text that tomllib accepts; read once, at the first question."""

    def __init__(self, text: str, inside: tuple[str, ...] = ()) -> None:
        self._text = text.replace("\r\n", "\n")
        self._inside = inside
        self._lines: dict[Loc, int] | None = None

    def line_of(self, loc: Loc) -> int | None:
        """The line of `loc`, or of the nearest thing around it; None where nothing around it is written."""
        if self._lines is None:
            self._lines = lines_of(self._text)
        whole: Loc = (*self._inside, *loc)
        for length in range(len(whole), 0, -1):
            line = self._lines.get(whole[:length])
            if line is not None:
                return line
        return None


def lines_of(text: str) -> dict[Loc, int]:
    """Every key, table and array-of-tables entry of a TOML text -> the line its statement begins on."""
    lines: dict[Loc, int] = {}
    counts: dict[Loc, int] = {}
    table: Loc = ()
    for line, statement in _statements(text):
        data = tomllib.loads(statement)
        if not data:
            continue
        if statement.lstrip().startswith("["):
            table = _opened(data, counts)
            for length in range(1, len(table) + 1):
                lines.setdefault(table[:length], line)
        else:
            for path in _paths(data):
                lines.setdefault((*table, *path), line)
    return lines


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Each statement with the number of its first line: a line break outside brackets and texts ends one."""
    start, first_line, line, depth = 0, 1, 1, 0
    for piece in _PIECE.finditer(text):
        token = piece.group()
        line += token.count("\n")
        depth += (token in ("[", "{")) - (token in ("]", "}"))
        if token == "\n" and depth == 0:
            yield first_line, text[start : piece.end()]
            start, first_line = piece.end(), line
    yield first_line, text[start:]


def _opened(header: Mapping[str, Any], counts: dict[Loc, int]) -> Loc:
    """The table a header opens: the latest entry of every array of tables on the way to it."""
    path: Loc = ()
    value: Any = header
    while isinstance(value, dict) and value:
        key, value = next(iter(value.items()))
        path = (*path, key)
        if isinstance(value, list):
            counts[path] = counts.get(path, -1) + 1
            return (*path, counts[path])
        if path in counts:
            path = (*path, counts[path])
    return path


def _paths(data: Mapping[str, Any]) -> Iterator[Loc]:
    for key, value in data.items():
        yield (key,)
        if isinstance(value, dict):
            yield from ((key, *rest) for rest in _paths(value))
