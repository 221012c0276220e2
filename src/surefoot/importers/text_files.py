"""Text files as tables are kept: plain or compressed, UTF-8, read a piece at a time."""

from __future__ import annotations

import codecs
import gzip
import sys
import zlib
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from surefoot.errors import UnreadableLogError

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD_BYTES = 64 * 1024
MAX_RATIO = 250
"""A compressed text may unpack to this many times its own size (and always to MAX_UNPACKED_BYTES)."""
MAX_UNPACKED_BYTES = 512 << 20
MAX_COLUMNS = 2000
"""A table with more columns is none of trials, and would take minutes to read."""
_PIECE_BYTES = 1 << 20
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_OTHER_ENCODINGS = {
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


def compression_of(head: bytes) -> str:
    """``"gzip"``, ``"zstd"`` or ``"none"``, by the first bytes: names are not trusted."""
    if head.startswith(_GZIP):
        return "gzip"
    return "zstd" if head.startswith(_ZSTD) else "none"


def raw_head(path: Path, size: int = HEAD_BYTES) -> bytes:
    """The first bytes of the file as they lie on disk.

    Raises
    ------
    UnreadableLogError
        The file cannot be opened.
    """
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise UnreadableLogError(path, error.strerror or str(error)) from error


def text_head(path: Path, size: int = HEAD_BYTES) -> bytes:
    """The first bytes of the text, unpacked where the file is compressed.

    Raises
    ------
    UnreadableLogError
        The file cannot be opened, or what is compressed is damaged.
    """
    return next(pieces(path, size), b"")


def pieces(path: Path, size: int = _PIECE_BYTES) -> Iterator[bytes]:
    """The text in pieces of about `size` bytes, unpacked where the file is compressed."""
    damage: tuple[type[Exception], ...] = (OSError, EOFError, zlib.error, _zstd().ZstdError)
    unpacked = 0
    try:
        most = max(MAX_UNPACKED_BYTES, MAX_RATIO * path.stat().st_size)
        with _opened(path) as file:
            while piece := file.read(size):
                unpacked += len(piece)
                if unpacked > most:
                    raise UnreadableLogError(path, f"refused: it unpacks to more than {most:,} bytes")
                yield piece
    except damage as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableLogError(path, f"cannot be unpacked or read: {reason}") from error


def lines(path: Path) -> Iterator[bytes]:
    """The lines of the text, without their ends."""
    begun: list[bytes] = []
    for piece in pieces(path):
        first, *others = piece.split(b"\n")
        begun.append(first)
        if others:
            yield b"".join(begun)
            yield from others[:-1]
            begun = others[-1:]
    if rest := b"".join(begun):
        yield rest


def check_unpacked_size(path: Path) -> None:
    """Refuse a compressed text that unpacks to far more than an honest log does.

    Raises
    ------
    UnreadableLogError
        Saying how much is allowed.
    """
    if compression_of(raw_head(path, 4)) != "none":
        for _ in pieces(path):
            pass


def check_utf8(path: Path) -> None:
    """Refuse text that is not UTF-8, with the place of the first byte that is not.

    Raises
    ------
    UnreadableLogError
        Naming the line and the byte, and how to convert the file.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset = line = 0
    held = 0
    piece = b""
    for number, piece in enumerate(pieces(path)):
        if number == 0:
            check_encoding(path, piece)
        try:
            decoder.decode(piece)
        except UnicodeDecodeError as error:
            good = max(0, error.start - held)
            raise _not_utf8(
                path, line + piece[:good].count(b"\n") + 1, offset + error.start - held
            ) from error
        held = len(decoder.getstate()[0])
        offset += len(piece)
        line += piece.count(b"\n")
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise _not_utf8(path, line + 1, offset - held) from error


def check_encoding(path: Path, head: bytes) -> None:
    """Refuse what announces another encoding, and what is no text.

    Raises
    ------
    UnreadableLogError
        Saying which, and what to do.
    """
    for mark, encoding in _OTHER_ENCODINGS.items():
        if head.startswith(mark):
            advice = f"iconv -f {encoding} -t UTF-8 {path.name} > converted-{path.name}"
            raise UnreadableLogError(path, f"the text is {encoding}, not UTF-8; convert it: {advice}")
    if b"\x00" in head:
        raise UnreadableLogError(path, "not a text file: it holds zero bytes")


def _not_utf8(path: Path, line: int, byte: int) -> UnreadableLogError:
    return UnreadableLogError(
        path,
        f"line {line}: the byte at offset {byte} of the file is not UTF-8. If it was written as Windows or Latin-1 text, "
        f"convert it: iconv -f windows-1252 -t UTF-8 {path.name} > converted-{path.name}",
    )


def _opened(path: Path) -> IO[bytes]:
    kind = compression_of(raw_head(path, 4))
    if kind == "gzip":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    if kind == "zstd":
        return cast("IO[bytes]", _zstd().open(path, "rb"))
    return path.open("rb")


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
