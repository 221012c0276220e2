"""Zip archives from anywhere, read member by member: nothing is extracted, and nothing is believed.

Names, sizes and checksums are checked before and while bytes come out, so that an archive built to fill the
memory or to point outside itself is refused with the reason. Methods: stored, deflate (8) and zstd (93).
"""

from __future__ import annotations

import struct
import sys
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO, Protocol

from surefoot.errors import UnreadableLogError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

MAX_MEMBER_BYTES = 512 << 20
"""A member that says or shows that it unpacks to more is refused."""
MAX_DIRECTORY_BYTES = 32 << 20
"""The list of members may be this long: some 300,000 samples."""
MAX_RATIO = 250
"""All that is read may be this many times the archive's own size (and always one full member)."""

_CHUNK_BYTES = 256 << 10
_STORED, _DEFLATED, _ZSTD = 0, 8, 93
_END = b"PK\x05\x06"
_END_BYTES = 22
_ZIP64_END_BYTES = 20 + 56


class SafeArchive:
    """One zip archive, open for reading.

    Parameters
    ----------
    path
        The archive.

    Raises
    ------
    UnreadableLogError
        It is not a whole zip archive, or it holds what an honest log does not: see the module.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file: BinaryIO = path.open("rb")
        except OSError as error:
            raise UnreadableLogError(path, f"cannot be opened: {error.strerror or error}") from error
        try:
            self._size = self._file.seek(0, 2)
            self._budget = max(MAX_MEMBER_BYTES, MAX_RATIO * self._size)
            self._members = self._directory()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> SafeArchive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def __contains__(self, name: object) -> bool:
        return name in self._members

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all members, in the archive's order."""
        return tuple(self._members)

    def open(self, name: str) -> MemberReader:
        """Read one member; KeyError where there is none of that name."""
        info = self._members[name]
        if info.compress_type not in (_STORED, _DEFLATED, _ZSTD):
            raise self._refused(
                name, f"is packed by zip method {info.compress_type}; 0, 8 and 93 can be read"
            )
        return MemberReader(self._checked(info))

    def _directory(self) -> dict[str, zipfile.ZipInfo]:
        if _directory_bytes(self._file, self._size) > MAX_DIRECTORY_BYTES:
            raise UnreadableLogError(self.path, "refused: it lists more members than any log has")
        try:
            with zipfile.ZipFile(self._file) as archive:
                infos = archive.infolist()
        except (
            zipfile.BadZipFile,
            NotImplementedError,
            struct.error,
            ValueError,
            OSError,
            EOFError,
        ) as error:
            raise UnreadableLogError(self.path, self._not_a_zip(error)) from error
        members: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            self._check(info, members)
            members[info.filename] = info
        return members

    def _not_a_zip(self, error: Exception) -> str:
        self._file.seek(0)
        if self._file.read(2) == b"PK":
            return f"not a whole zip archive ({error}): writing or copying it was cut short"
        return "not a zip archive, which a log with this name should be"

    def _check(self, info: zipfile.ZipInfo, earlier: dict[str, zipfile.ZipInfo]) -> None:
        name = info.filename
        parts = name.replace("\\", "/").split("/")
        if ".." in parts or parts[0] == "" or parts[0].endswith(":"):
            raise self._refused(name, "has a name that points outside the archive")
        if name in earlier:
            raise self._refused(name, "is in the archive twice, so which one holds cannot be told")
        if info.flag_bits & 0x1:
            raise self._refused(name, "is encrypted")
        if info.file_size > MAX_MEMBER_BYTES:
            raise self._refused(
                name, f"unpacks to {info.file_size:,} bytes, over the cap of {MAX_MEMBER_BYTES:,}"
            )

    def _checked(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """The unpacked bytes, none of them before they were counted."""
        count = checksum = 0
        try:
            for data in _unpacked(self._packed(info), info.compress_type):
                count += len(data)
                self._budget -= len(data)
                if count > info.file_size:
                    raise self._refused(
                        info.filename, f"unpacks to more than the {info.file_size:,} bytes it states"
                    )
                if self._budget < 0:
                    raise self._refused(
                        info.filename, f"takes the archive over {MAX_RATIO} times its own size"
                    )
                checksum = zlib.crc32(data, checksum)
                yield data
        except _UnpackError as error:
            raise self._refused(info.filename, f"is damaged ({error})") from error
        if count != info.file_size or checksum != info.CRC:
            raise self._refused(info.filename, "is damaged (its length or checksum is not the stated one)")

    def _packed(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        # Members may be read in turns, so the place is set anew before each read.
        header = self._read_at(info.header_offset, 30)
        if len(header) < 30 or header[:4] != b"PK\x03\x04":
            raise _UnpackError("it does not begin where the archive says")
        name_bytes, extra_bytes = struct.unpack("<HH", header[26:30])
        place = info.header_offset + 30 + name_bytes + extra_bytes
        left = info.compress_size
        while left > 0:
            data = self._read_at(place, min(left, _CHUNK_BYTES))
            if not data:
                raise _UnpackError("the archive ends inside it")
            place += len(data)
            left -= len(data)
            yield data

    def _read_at(self, place: int, size: int) -> bytes:
        # The place is the archive's word: it may lie before the file or far behind it.
        if not 0 <= place <= self._size:
            return b""
        try:
            self._file.seek(place)
            return self._file.read(size)
        except OSError as error:
            raise _UnpackError(error.strerror or str(error)) from error

    def _refused(self, name: str, reason: str) -> UnreadableLogError:
        shown = name if len(name) <= 80 else name[:77] + "..."
        return UnreadableLogError(self.path, f"refused: member {shown!r} {reason}")


class MemberReader:
    """The bytes of one member, forward only."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._pending = b""

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes; empty only at the end, where the checksum has been compared."""
        while not self._pending:
            data = next(self._chunks, None)
            if data is None:
                return b""
            self._pending = data
        data, self._pending = self._pending[:size], self._pending[size:]
        return data


class _UnpackError(Exception):
    """A member cannot be unpacked; turned into an UnreadableLogError where its name is known."""


class _Unpacker(Protocol):
    """What zlib's and zstd's decompressors share once wrapped: bounded output."""

    ended: bool

    def unpack(self, data: bytes) -> Iterator[bytes]: ...


class _Deflate:
    def __init__(self) -> None:
        self._inner = zlib.decompressobj(-15)
        self.ended = False

    def unpack(self, data: bytes) -> Iterator[bytes]:
        while not self.ended:
            try:
                out = self._inner.decompress(data, _CHUNK_BYTES)
            except zlib.error as error:
                raise _UnpackError(str(error)) from error
            data = self._inner.unconsumed_tail
            self.ended = self._inner.eof
            if out:
                yield out
            if not data and len(out) < _CHUNK_BYTES:
                return


class _Zstd:
    def __init__(self) -> None:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        self._zstd = zstd
        self._inner = zstd.ZstdDecompressor()
        self.ended = False

    def unpack(self, data: bytes) -> Iterator[bytes]:
        while True:
            if self.ended:
                # A member may be several frames, one after another.
                self._inner = self._zstd.ZstdDecompressor()
                self.ended = False
            try:
                out: bytes = self._inner.decompress(data, _CHUNK_BYTES)
            except (self._zstd.ZstdError, MemoryError) as error:
                raise _UnpackError(str(error)) from error
            self.ended = self._inner.eof
            data = self._inner.unused_data if self.ended else b""
            if out:
                yield out
            if not data and (self.ended or self._inner.needs_input):
                return


def _unpacked(packed: Iterator[bytes], method: int) -> Iterator[bytes]:
    if method == _STORED:
        yield from packed
        return
    unpacker: _Unpacker = _Deflate() if method == _DEFLATED else _Zstd()
    for data in packed:
        yield from unpacker.unpack(data)
    if not unpacker.ended:
        raise _UnpackError("its packed bytes end too early")


def _directory_bytes(file: BinaryIO, size: int) -> int:
    """How long the list of members says it is, found as zipfile finds it; 0 where there is none."""
    start = max(0, size - _END_BYTES - 65535)
    file.seek(start)
    tail = file.read()
    place = len(tail) - _END_BYTES
    if tail[place : place + 4] != _END or tail[-2:] != b"\x00\x00":
        place = tail.rfind(_END)
    if place < 0 or len(tail) < place + _END_BYTES:
        return 0
    (stated,) = struct.unpack("<I", tail[place + 12 : place + 16])
    zip64 = start + place - _ZIP64_END_BYTES
    if zip64 >= 0:
        file.seek(zip64)
        record = file.read(56)
        if record[:4] == b"PK\x06\x06":
            (stated,) = struct.unpack("<Q", record[40:48])
    return int(stated)
