"""JSON files of any size, read one value at a time with bounded memory.

A cursor walks the text; the caller says at each list or object whether to go inside or to take the value
whole. A mistake is an UnreadableLogError that names the byte.
"""

from __future__ import annotations

import codecs
import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from surefoot.errors import UnreadableLogError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHUNK_BYTES = 1 << 20
MAX_VALUE_CHARS = 128 << 20
"""One value that is taken whole may be this long: a list of them may be far longer."""

TOO_DEEP = "values are nested too deeply to be a log"

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_NUMBER_TAIL = 3
_LONGEST_TOKEN = 16
"""A literal, an escape or a sign cut by the end of the text shows as a mistake this close to the end."""


class Readable(Protocol):
    """Whatever gives bytes: a file, a member of an archive."""

    def read(self, size: int, /) -> bytes: ...


@contextmanager
def opened_json(path: Path) -> Iterator[JsonCursor]:
    """A cursor at the beginning of a file; the file is closed at the end."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise UnreadableLogError(path, f"cannot be opened: {error.strerror or error}") from error
    with file:
        yield JsonCursor(file, path=path)


@contextmanager
def refusing_deep_nesting(path: Path) -> Iterator[None]:
    """Work on values that were read: some are nested just too deeply to be written again."""
    try:
        yield
    except RecursionError:
        raise UnreadableLogError(path, TOO_DEEP) from None


class JsonCursor:
    """A place in a JSON text that moves forward only.

    Parameters
    ----------
    source
        Gives the bytes of one JSON text in UTF-8.
    path
        The file, for messages.
    member
        The part of the file (a member of an archive), for messages.
    """

    def __init__(self, source: Readable, *, path: Path, member: str = "") -> None:
        self._source = source
        self._path = path
        self._member = member
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("strict")
        self._text = ""
        self._at = 0
        self._dropped_bytes = 0
        self._fed_bytes = 0
        self._ended = False

    def peek(self) -> str:
        """The first character of what comes next, or an empty string at the end."""
        while True:
            match = _SPACE.match(self._text, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def value(self) -> object:
        """The next value, whole."""
        if not self.peek():
            raise self._cut_short()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                self._more_or_fail(error)
                continue
            except RecursionError:
                raise self._error(self._at, TOO_DEEP) from None
            except ValueError as error:
                raise self._error(self._at, f"a number here cannot be read ({error})") from None
            length = end - self._at
            # A number near the end of the text read so far may go on: "1" of "1.5", "1" of "1e+5".
            if len(self._text) - end < _NUMBER_TAIL and isinstance(value, int | float) and self._fill():
                continue
            self._at += length
            return value

    def items(self) -> Iterator[int]:
        """The places of a list's items; the caller takes or skips one value at each."""
        self._take("[", "a list")
        if self.peek() == "]":
            self._at += 1
            return
        index = 0
        while True:
            yield index
            index += 1
            if self._take(",]", "',' or ']'") == "]":
                return

    def members(self) -> Iterator[str]:
        """The keys of an object; the caller takes or skips one value at each."""
        self._take("{", "an object")
        if self.peek() == "}":
            self._at += 1
            return
        while True:
            if self.peek() != '"':
                raise (
                    self._error(self._at, "expected a key in double quotes")
                    if self.peek()
                    else self._cut_short()
                )
            key = str(self.value())
            self._take(":", "':'")
            yield key
            if self._take(",}", "',' or '}'") == "}":
                return

    def skip(self) -> None:
        """Pass over the next value; of a long list or object only one part is in memory at a time."""
        first = self.peek()
        if first == "[":
            for _ in self.items():
                self.value()
        elif first == "{":
            for _ in self.members():
                self.value()
        else:
            self.value()

    def finish(self) -> None:
        """Make sure that nothing but white space is left."""
        if self.peek():
            raise self._error(self._at, "expected the end of the file, more text came")

    def error(self, reason: str) -> UnreadableLogError:
        """An error about the value just read, with its place."""
        return self._error(self._at, reason)

    def _take(self, allowed: str, expected: str) -> str:
        found = self.peek()
        if not found:
            raise self._cut_short()
        if found not in allowed:
            raise self._error(self._at, f"expected {expected}, found {found!r}")
        self._at += 1
        return found

    def _more_or_fail(self, error: json.JSONDecodeError) -> None:
        into, left = error.pos - self._at, len(self._text) - error.pos
        unfinished = error.msg.startswith("Unterminated string") or left <= 0
        if (unfinished or left <= _LONGEST_TOKEN) and self._fill():
            return
        if unfinished:
            raise self._cut_short()
        raise self._error(self._at + into, f"not JSON ({error.msg})")

    def _fill(self) -> bool:
        """Read on; False at the end. The text already passed is dropped."""
        passed = self._text[: self._at]
        self._dropped_bytes += len(passed) if passed.isascii() else len(passed.encode("utf-8"))
        self._text = self._text[self._at :]
        self._at = 0
        if len(self._text) > MAX_VALUE_CHARS:
            raise self._error(0, f"one value here is longer than {MAX_VALUE_CHARS >> 20} MiB")
        parts = [self._text]
        # As much again as is pending: a long value is then tried a few times, not once a chunk.
        wanted, gained = max(CHUNK_BYTES, len(self._text)), 0
        while gained < wanted and not self._ended:
            data = self._read(min(wanted, CHUNK_BYTES))
            self._ended = not data
            parts.append(self._decoded(data))
            gained += len(parts[-1])
        self._text = "".join(parts)
        return gained > 0

    def _read(self, size: int) -> bytes:
        try:
            return self._source.read(size)
        except OSError as error:
            raise self._error_at_byte(
                self._fed_bytes, f"cannot be read on: {error.strerror or error}"
            ) from error

    def _decoded(self, data: bytes) -> str:
        try:
            text = self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise self._error_at_byte(
                self._fed_bytes + error.start, f"not UTF-8 text ({error.reason})"
            ) from None
        self._fed_bytes += len(data)
        return text

    def _cut_short(self) -> UnreadableLogError:
        return self._error(self._at, "the text ends inside what begins here: the log was cut short")

    def _error(self, position: int, reason: str) -> UnreadableLogError:
        before = self._text[:position]
        return self._error_at_byte(self._dropped_bytes + len(before.encode("utf-8", "surrogatepass")), reason)

    def _error_at_byte(self, byte: int, reason: str) -> UnreadableLogError:
        member = f"{self._member}, " if self._member else ""
        return UnreadableLogError(self._path, f"{member}byte {byte:,}: {reason}")
