"""Rows that Python reads: columns as they come, values that fit, and refusals that name the log."""

from __future__ import annotations

import pytest

from surefoot.errors import DataError
from surefoot.trials.loading import BATCH_ROWS, as_text


def test_columns_appear_as_rows_bring_them(tool_log, select):
    rows = [{"task": "a"}, *({"task": "a"} for _ in range(BATCH_ROWS)), {"task": "a", "late": 3}]
    found = select([tool_log(rows)], "count(*), count(late), max(late)")
    assert found == [(BATCH_ROWS + 2, 1, "3")]


def test_metadata_is_text_and_nested_values_are_json(tool_log, select):
    row = {"task": "a", "n": 7, "b": True, "f": float("nan"), "d": {"x": [1, float("inf")]}, "none": None}
    assert select([tool_log([row])], "n, b, f, d, none") == [("7", "true", None, '{"x": [1, null]}', None)]


def test_logs_are_read_in_their_order(tool_log, select):
    logs = [tool_log([{"task": str(n)} for n in range(3)], path=f"{p}.log") for p in ("b", "a")]
    assert select(logs, "file, task") == [(f"{p}.log", str(n)) for p in ("b", "a") for n in range(3)]


def test_other_spellings_in_another_log_are_the_same_column(tool_log, select):
    logs = [tool_log([{"task": "a", "Suite": "x"}]), tool_log([{"task": "a", "suite": "y"}], path="b")]
    assert select(logs, "suite") == [("x",), ("y",)]


@pytest.mark.parametrize(
    "rows", [[{"task": "a", "Id": 1, "id": 2}], [{"task": "a", "Task": "b"}], [{"Task": "a", "task": "b"}]]
)
def test_two_names_that_differ_only_in_case_are_an_error_naming_both(tool_log, select, rows):
    with pytest.raises(DataError, match=r"run\.log: the columns '\w+' and '\w+' have one name"):
        select([tool_log(rows)])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"trial_index": "x"}, "trial_index: expected a whole number, got 'x'"),
        ({"trial_index": 1.5}, "trial_index: expected a whole number, got 1.5"),
        ({"trial_index": True}, "trial_index: expected a whole number, got True"),
        ({"duration_s": "fast"}, "duration_s: expected a number, got 'fast'"),
    ],
)
def test_values_that_do_not_fit_are_an_error(tool_log, select, row, message):
    with pytest.raises(DataError, match=f"run.log: {message}"):
        select([tool_log([{"task": "a"} | row])])


def test_numbers_that_fit_are_taken(tool_log, select):
    row = {
        "task": "a",
        "trial_index": 2.0,
        "cost_microunits": 5,
        "duration_s": float("nan"),
        "unscored_cause": " Infra ",
    }
    assert select([tool_log([row])], "trial_index, cost_microunits, duration_s, unscored_cause") == [
        (2, 5, None, "infra")
    ]


def test_text_of_a_value():
    assert [as_text(v) for v in ("x", 1, 1.5, False, None, [1], float("inf"))] == [
        "x",
        "1",
        "1.5",
        "false",
        None,
        "[1]",
        None,
    ]


def test_sets_are_written_in_one_order():
    assert as_text({"b", "a", "c"}) == '["a", "b", "c"]'
