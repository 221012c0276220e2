"""Odd arguments and rows of odd size: one clear error, the right rows, and no minutes of printing."""

from __future__ import annotations

import io
import time

import pytest

import surefoot as sf
from surefoot.errors import ArgumentError, UnreadableLogError, UsageError
from surefoot.report.text import wrapped

ROWS = [{"task": f"t{i % 3}", "trial": i // 3, "passed": i % 2 == 0} for i in range(12)]


def test_an_empty_path_is_not_the_current_folder():
    with pytest.raises(UsageError, match="empty path"):
        sf.read("")


def test_a_path_longer_than_the_system_takes_is_named():
    with pytest.raises(UnreadableLogError, match="too long"):
        sf.read("a" * 5000)


@pytest.mark.parametrize("by", [5, None, ["task", 5]])
def test_by_is_text(by):
    with pytest.raises(ArgumentError, match="by: expected the name of a column"):
        sf.grade(ROWS, by=by)


def test_a_label_is_text():
    with pytest.raises(ArgumentError, match="label: expected the name of a system"):
        sf.read(ROWS, label=5)


def test_a_stream_that_can_be_read_once_is_counted_whole():
    pyarrow = pytest.importorskip("pyarrow")
    reader = pyarrow.Table.from_pylist(ROWS).to_reader()
    assert sf.grade(reader).to_dict()["data"]["trials"] == len(ROWS)


def test_a_word_of_a_megabyte_is_cut_and_not_measured_again_and_again():
    began = time.monotonic()
    lines = wrapped("id " + "A" * 1_000_000 + " end", 80)
    assert time.monotonic() - began < 5
    assert lines[-1].endswith("end")
    assert len(lines) < 100
    assert any("~" in line for line in lines)


def test_a_group_named_by_a_megabyte_is_shown_by_its_beginning():
    from rich.console import Console

    from surefoot.report.terminal import print_grade

    rows = [{**row, "model": "A" * 1_000_000} for row in ROWS]
    text = io.StringIO()
    print_grade(Console(file=text, width=80, no_color=True), sf.grade(rows, by="model"))
    assert len(text.getvalue()) < 20_000


def test_a_file_keeps_its_name_at_the_beginning_of_a_finding(tmp_path, monkeypatch):
    from rich.console import Console

    from surefoot.report.terminal import print_grade

    monkeypatch.chdir(tmp_path)
    for name in ("runs.csv", "copy.csv"):
        (tmp_path / name).write_text("task,passed\na,1\na,0\n")
    text = io.StringIO()
    print_grade(Console(file=text, width=80, no_color=True), sf.grade(sf.read(["runs.csv", "copy.csv"])))
    assert "The file copy.csv is the same as runs.csv" in " ".join(text.getvalue().split())
