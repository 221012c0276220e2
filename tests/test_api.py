"""The public face in Python: data of any kind gives the same grade, and a grade shows itself."""

from __future__ import annotations

import json

import pytest

import surefoot as sf

ROWS = [
    {"task": task, "trial": trial, "passed": letter == ".", "leaked": letter == "L", "fact": fact}
    for task, fact, letters in (("a", "f1", "..x."), ("b", "f1", "...."), ("c", "f2", "xxxL"))
    for trial, letter in enumerate(letters)
]


def as_list():
    return ROWS


def as_frame():
    import pandas

    return pandas.DataFrame(ROWS)


def as_arrow():
    import pyarrow

    return pyarrow.Table.from_pylist(ROWS)


def as_relation():
    import duckdb

    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE t(task VARCHAR, trial INTEGER, passed BOOLEAN, leaked BOOLEAN, fact VARCHAR)"
    )
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", [list(row.values()) for row in ROWS])
    return connection.table("t")


SOURCES = [as_list, as_frame, as_arrow, as_relation]


def numbers(grade):
    """The grade but for where it came from."""
    found = grade.to_dict()
    found["data"] = {
        key: value for key, value in found["data"].items() if key not in ("format", "sources", "problems")
    }
    return json.dumps(found)


@pytest.mark.parametrize("source", SOURCES)
def test_data_of_any_kind_gives_the_same_grade(source):
    assert numbers(sf.grade(source())) == numbers(sf.grade(ROWS))
    asked = {"event": "leaked", "at_most": "10%", "cluster": "fact"}
    check = sf.grade(source(), **asked).checks[0]
    assert (check.details["events"], check.details["clusters"]) == (1, 2)


def test_a_file_and_its_rows_give_the_same_grade(write_rows):
    assert numbers(sf.grade(sf.read(write_rows(ROWS)))) == numbers(sf.grade(ROWS))


def test_a_plan_may_be_a_mapping(write_rows):
    plan = {"name": "p", "check": [{"pass_hat": 2, "at_least": 0.1}, {"flakiness_at_most": 0.2}]}
    grade = sf.grade(ROWS, plan)
    assert [check.kind for check in grade.checks] == ["pass_hat", "flakiness"]
    assert str(grade.verdict) == "FAIL"


def test_a_plan_and_a_check_together_are_refused():
    with pytest.raises(sf.UsageError, match="both"):
        sf.grade(ROWS, {"name": "p"}, event="leaked", at_most=0.1)


def test_groups_are_graded_apart():
    grouped = sf.grade(ROWS, by="fact", success="passed", at_least=0.1)
    assert [dict(grade.by) for grade in grouped.groups] == [{"fact": "f1"}, {"fact": "f2"}]
    assert grouped.exit_status == 3  # one failing task is one unit: nothing is proved of tasks like it


def test_no_data_is_a_data_error():
    with pytest.raises(sf.DataError):
        sf.grade([])


def test_a_grade_is_a_frame_of_tasks():
    frame = sf.grade(ROWS).to_frame()
    assert list(frame["task"]) == ["a", "c", "b"]
    assert list(frame["passed"]) == [3, 0, 4]


def test_a_grade_shows_itself_in_a_notebook_with_every_text_escaped():
    rows = [{**row, "task": f"<script>{row['task']}"} for row in ROWS]
    shown = sf.grade(rows, pass_hat=2, at_least=0.5)._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;a" in shown
    assert "..x." in shown
    grouped = sf.grade([{**row, "model": "<b>x"} for row in ROWS], by="model")._repr_html_()
    assert "<b>x" not in grouped


def test_the_one_line_of_a_grade():
    assert str(sf.grade(ROWS)) == "no verdict: no check was asked, so there is no verdict"


def test_single_numbers():
    assert sf.pass_at_k(passed=1, trials=2, k=2) == 1
    assert sf.pass_hat_k(passed=1, trials=2, k=3) is None
    assert sf.flakiness(passed=1, trials=1) is None
    assert sf.flakiness(passed=10, trials=12) == pytest.approx(5 / 9)
    assert sf.event_rate_lower_bound(events=7, trials=299).value == pytest.approx(
        0.0110380258871739, abs=1e-14
    )
