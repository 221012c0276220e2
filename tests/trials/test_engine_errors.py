"""What the engine says becomes a file, a line and a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from surefoot.errors import DataError, UnreadableLogError
from surefoot.trials.engine_errors import explained
from surefoot.trials.relation import build_relation

RAGGED = (
    "CSV Error on Line: 7\nOriginal Line: x\nExpected Number of Columns: 3 Found: 2\n  file = logs/b.csv\n"
)


def test_the_file_and_line_are_named():
    error = explained(Exception(RAGGED), [Path("logs/a.csv"), Path("logs/b.csv"), Path("b.csv")])
    assert isinstance(error, UnreadableLogError)
    assert str(error) == "logs/b.csv: line 7: expected 3 fields as in the header, found 2"


def test_a_single_file_is_the_one():
    assert str(explained(Exception("something odd\nmore"), [Path("a.csv")])) == "a.csv: something odd"


def test_without_a_file_the_logs_are_meant():
    error = explained(Exception(RAGGED), [Path("x.csv"), Path("y.csv")])
    assert not isinstance(error, UnreadableLogError)
    assert str(error).startswith("the logs cannot be read: line 7")


@pytest.mark.parametrize("as_table", [True, False])
def test_half_a_character_is_explained(table, tool_log, as_table):
    rows = [{"task": "\ud800", "passed": True}]
    with pytest.raises(DataError, match="half a character"):
        build_relation([table(rows) if as_table else tool_log(rows)])
