"""Text files are read a piece at a time, plain or compressed."""

from __future__ import annotations

import gzip

import pytest

from surefoot.errors import UnreadableLogError
from surefoot.importers import text_files


def test_compression_is_told_by_the_first_bytes():
    assert text_files.compression_of(gzip.compress(b"x")) == "gzip"
    assert text_files.compression_of(b"\x28\xb5\x2f\xfdrest") == "zstd"
    assert text_files.compression_of(b"task") == "none"


@pytest.mark.parametrize("packed", [True, False])
def test_lines_are_whole_across_pieces(tmp_path, packed):
    path = tmp_path / "t"
    text = b"x" * (3 << 20) + b"\n\nlast"
    path.write_bytes(gzip.compress(text, 1) if packed else text)
    assert [len(line) for line in text_files.lines(path)] == [3 << 20, 0, 4]
    assert text_files.text_head(path, 5) == b"xxxxx"


def test_characters_cut_between_pieces_are_whole(tmp_path):
    path = tmp_path / "t"
    path.write_bytes(b"x" * ((1 << 20) - 1) + "é".encode() + b"y")
    text_files.check_utf8(path)


def test_a_file_that_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(UnreadableLogError, match="gone: No such file"):
        text_files.raw_head(tmp_path / "gone")


def test_a_damaged_zstd_file_is_named(tmp_path):
    path = tmp_path / "t.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + b"\xff" * 40)
    with pytest.raises(UnreadableLogError, match=r"t\.zst: cannot be unpacked"):
        text_files.text_head(path)
