"""Tables made to cost minutes are refused in moments, by name and with the reason."""

from __future__ import annotations

import gzip
import json
import time

import pytest

from surefoot.errors import UnreadableLogError
from surefoot.importers import text_files
from surefoot.importers.importer import read_logs

SOON_S = 10


@pytest.fixture
def refusal():
    """Why a file is refused, which must be said soon."""

    def reason(path):
        began = time.monotonic()
        with pytest.raises(UnreadableLogError) as caught:
            read_logs([path])
        assert time.monotonic() - began < SOON_S
        assert caught.value.path == str(path)
        return caught.value.reason

    return reason


def test_a_table_with_a_hundred_thousand_columns(refusal, tmp_path):
    path = tmp_path / "wide.csv"
    names = [f"c{number}" for number in range(100_000)]
    path.write_text(f"task,passed,{','.join(names)}\nt,true,{','.join('1' for _ in names)}\n")
    assert "100,002 columns" in refusal(path)


def test_an_object_with_a_hundred_thousand_keys(refusal, tmp_path):
    path = tmp_path / "wide.jsonl"
    keys = {f"c{number}": 1 for number in range(100_000)}
    path.write_text(json.dumps({"task": "t", "passed": True, **keys}) + "\n")
    assert "100002 different keys" in refusal(path)


@pytest.mark.parametrize(
    ("name", "head"), [("bomb.csv.gz", "task,passed\n"), ("bomb.jsonl.gz", '{"task": 1, "passed": true}\n')]
)
def test_a_table_packed_a_thousand_times_is_not_unpacked_whole(refusal, tmp_path, monkeypatch, name, head):
    monkeypatch.setattr(text_files, "MAX_UNPACKED_BYTES", 1 << 20)
    path = tmp_path / name
    row = "a,true\n" if ".csv" in name else head
    path.write_bytes(gzip.compress((head + row * ((8 << 20) // len(row))).encode()))
    assert "unpacks to more than" in refusal(path)


def test_a_packed_table_of_honest_size_is_read(tmp_path):
    path = tmp_path / "runs.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"task": 1, "passed": true}\n' * 100_000))
    assert len(read_logs([path])[0]) == 1


def test_lines_of_many_pieces_cost_no_more_than_they_are_long(tmp_path):
    path = tmp_path / "long"
    path.write_bytes(b"x" * (256 << 20) + b"\nlast")
    began = time.monotonic()
    assert [len(line) for line in text_files.lines(path)] == [256 << 20, 4]
    assert time.monotonic() - began < SOON_S
