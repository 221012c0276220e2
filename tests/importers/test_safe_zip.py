"""Archives are read as zipfile reads them, method by method, and members in turns."""

from __future__ import annotations

import sys
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.errors import UnreadableLogError
from surefoot.importers import safe_zip
from surefoot.importers.safe_zip import MemberReader, SafeArchive

if sys.version_info >= (3, 14):
    from zipfile import ZipFile

    from compression import zstd
else:
    from backports import zstd
    from backports.zstd.zipfile import ZipFile


def read_all(archive: SafeArchive, name: str, size: int = 1 << 16) -> bytes:
    reader = archive.open(name)
    return b"".join(iter(lambda: reader.read(size), b""))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("archives")


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,8}(/[a-zé ]{1,8})?\.json", fullmatch=True), st.binary(max_size=300), max_size=4),
    st.sampled_from([0, 8, 93]),
    st.integers(1, 50),
)  # fmt: skip
def test_what_was_written_is_read(folder: Path, members: dict[str, bytes], method: int, size: int) -> None:
    path = folder / "any.eval"
    with ZipFile(path, "w", compression=method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with SafeArchive(path) as opened:
        assert set(opened.names) == set(members)
        assert {name: read_all(opened, name, size) for name in members} == members


@pytest.mark.parametrize("method", [0, 8, 93])
@pytest.mark.parametrize("unit", [b"\0", bytes(range(256))])
def test_members_larger_than_one_piece_are_whole(tmp_path: Path, method: int, unit: bytes) -> None:
    data = unit * (3_000_000 // len(unit))
    with ZipFile(tmp_path / "a.eval", "w", compression=method) as archive:
        archive.writestr("big.json", data)
    with SafeArchive(tmp_path / "a.eval") as opened:
        assert read_all(opened, "big.json") == data


def test_two_members_can_be_read_in_turns(tmp_path: Path) -> None:
    first, second = (bytes([65 + i % 23 for i in range(start, start + 700_000)]) for start in (0, 7))
    with ZipFile(tmp_path / "a.eval", "w", compression=0) as archive:
        archive.writestr("1.json", first)
        archive.writestr("2.json", second)
    with SafeArchive(tmp_path / "a.eval") as opened:
        readers = [opened.open("1.json"), opened.open("2.json")]
        found = [b"", b""]
        while chunks := [reader.read(1000) for reader in readers]:
            if not any(chunks):
                break
            found = [whole + chunk for whole, chunk in zip(found, chunks, strict=True)]
    assert found == [first, second]


def test_a_zstd_member_of_several_frames_is_whole(tmp_path: Path) -> None:
    data = [b"a" * 400_000, b"b" * 10, b"", b"c" * 300_000]
    packed = b"".join(zstd.compress(part) for part in data)
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.json", packed)
    raw = bytearray(path.read_bytes())
    whole = b"".join(data)
    # The stored member becomes one of method 93: method, checksum and length in both of its headers.
    for signature, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        place = raw.index(signature) + offset
        raw[place : place + 2] = (93).to_bytes(2, "little")
        raw[place + 6 : place + 10] = zlib.crc32(whole).to_bytes(4, "little")
        raw[place + 14 : place + 18] = len(whole).to_bytes(4, "little")
    path.write_bytes(raw)
    with SafeArchive(path) as opened:
        assert read_all(opened, "x.json") == whole


def test_a_zip64_archive_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as archive, archive.open("x.json", "w", force_zip64=True) as member:
        member.write(b"[1]")
    with SafeArchive(path) as opened:
        assert read_all(opened, "x.json") == b"[1]"


def test_an_archive_behind_other_bytes_and_with_a_comment_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.json", b"[1]")
        archive.comment = b"a comment"
    path.write_bytes(b"bytes before" + path.read_bytes())
    with SafeArchive(path) as opened:
        assert read_all(opened, "x.json") == b"[1]"


def test_membership_and_unknown_names(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("x.json", b"[1]")
    with SafeArchive(tmp_path / "a.eval") as opened:
        assert "x.json" in opened
        assert "y.json" not in opened
        with pytest.raises(KeyError):
            opened.open("y.json")


def test_the_file_is_closed_also_where_opening_fails(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    path.write_bytes(b"not a zip")
    with pytest.raises(UnreadableLogError, match=r"a\.eval: not a zip archive"):
        SafeArchive(path)
    path.unlink()
    with pytest.raises(UnreadableLogError, match="cannot be opened"):
        SafeArchive(path)


def test_a_reader_gives_no_more_than_asked_and_empty_at_the_end_only() -> None:
    reader = MemberReader(iter([b"", b"abc", b"", b"de"]))
    assert [reader.read(2) for _ in range(5)] == [b"ab", b"c", b"de", b"", b""]


def test_the_caps_are_what_the_documentation_says() -> None:
    assert safe_zip.MAX_MEMBER_BYTES == 512 << 20
    assert safe_zip.MAX_DIRECTORY_BYTES == 32 << 20
