"""File names as the engine must be given them, so that every name is read literally.

The engine takes ``[``, ``*`` and ``?`` for patterns, a leading ``~`` for the home folder and ``scheme:`` for a
remote file system. A log may have any name.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from surefoot.trials.sql import quote_text


def engine_path(path: Path) -> str:
    """A path whose leading ``~`` or ``scheme:`` is part of the name."""
    text = str(path)
    return f"./{text}" if not path.is_absolute() and (text.startswith("~") or ":" in text) else text


def file_sql(path: Path) -> str:
    """A file name as an SQL literal in which ``[``, ``*`` and ``?`` match themselves."""
    return quote_text(_unglobbed(engine_path(path)))


def files_sql(paths: Iterable[Path]) -> str:
    """Several file names as an SQL list."""
    return "[" + ", ".join(file_sql(path) for path in paths) + "]"


def allowed_names(paths: Iterable[Path]) -> tuple[str, ...]:
    """Every spelling under which the engine asks for these files."""
    spellings: dict[str, None] = {}
    for path in paths:
        literal = engine_path(path)
        spellings[literal] = None
        spellings[_unglobbed(literal)] = None
    return tuple(spellings)


def _unglobbed(text: str) -> str:
    return "".join(f"[{letter}]" if letter in "[*?" else letter for letter in text)
