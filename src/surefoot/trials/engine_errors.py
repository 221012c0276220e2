"""What the engine's errors mean for the person who gave the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from surefoot.errors import DataError, UnreadableLogError
from surefoot.trials.file_names import allowed_names

_MEANINGS = (
    (r"Expected Number of Columns: (\d+) Found: (\d+)", "expected {0} fields as in the header, found {1}"),
    (
        r"not utf-8 encoded",
        "the text is not UTF-8; convert the file (iconv -f latin1 -t utf-8) and read it again",
    ),
    (r"unterminated quote", 'a quoted field never ends; look for a single quote character (")'),
    (r"Maximum line size", "one row is longer than the reader allows"),
    (
        r"state machine reached an invalid state",
        "not a table by the rules: line ends are mixed (\\n and \\r\\n), or quotes stand inside a field",
    ),
    (r"Malformed JSON[^:]*: ([^.\n]*)", "not JSON: {0}"),
    (r"duplicate key (\"[^\"]*\")", "an object names {0} twice"),
    (r"surrogate '([^']*)'", "a text holds half a character ({0}), which no file can keep"),
    (r"maximum recursion depth", "a value is nested too deeply"),
    (r"maximum_object_size", "one JSON value is longer than the reader allows"),
)


def explained(error: Exception, paths: Sequence[Path]) -> DataError:
    """The engine's error as a data error that names the file, the line and the reason.

    Parameters
    ----------
    error
        What the engine raised while it read the logs.
    paths
        The files it may have been reading.
    """
    text = str(error)
    reason = _reason(text)
    line = re.search(r"Error on Line: (\d+)", text)
    place = f"line {line.group(1)}: " if line else ""
    path = _path_in(text, paths)
    if path is None:
        return DataError(f"the logs cannot be read: {place}{reason}")
    return UnreadableLogError(path, f"{place}{reason}")


def _reason(text: str) -> str:
    for pattern, meaning in _MEANINGS:
        found = re.search(pattern, text)
        if found:
            return meaning.format(*found.groups())
    first = text.strip().splitlines()[0] if text.strip() else "no reason given"
    return first[:200]


def _path_in(text: str, paths: Iterable[Path]) -> Path | None:
    known = list(dict.fromkeys(paths))
    if len(known) == 1:
        return known[0]
    named = [path for path in known if any(spelling in text for spelling in allowed_names([path]))]
    return max(named, key=lambda path: len(str(path)), default=None)
