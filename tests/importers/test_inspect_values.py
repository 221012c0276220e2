"""Score values as numbers and verdicts, as Inspect itself reads them and as the truth table says."""

from __future__ import annotations

import math

import pytest

from surefoot.importers.inspect_values import (
    Asked,
    SeenValues,
    asked_for,
    kind_of,
    number_of,
    scores_of,
    value_columns,
)


@pytest.mark.parametrize(
    ("value", "number", "kind"),
    [
        ("C", 1.0, "passed"),
        ("I", 0.0, "failed"),
        ("N", 0.0, "failed"),
        ("P", 0.5, "between"),
        (True, 1.0, "passed"),
        (False, 0.0, "failed"),
        (1, 1.0, "passed"),
        (1.0, 1.0, "passed"),
        (0, 0.0, "failed"),
        (0.3, 0.3, "between"),
        (7, 7.0, "between"),
        ("yes", 1.0, "passed"),
        ("No", 0.0, "failed"),
        ("True", 1.0, "passed"),
        ("false", 0.0, "failed"),
        ("1", 1.0, "passed"),
        ("0.25", 0.25, "between"),
        (math.nan, None, "absent"),
        (math.inf, None, "absent"),
        ("NaN", None, "absent"),
        ("", None, "absent"),
        (None, None, "absent"),
        ("inf", None, "unknown word"),
        ("maybe", None, "unknown word"),
        (10**400, None, "absent"),
        ([1.0], None, "several"),
        ({"a": 1.0}, None, "several"),
    ],
)
def test_a_value_reads_as_a_number_and_a_verdict(value: object, number: float | None, kind: str) -> None:
    assert number_of(value) == number
    assert kind_of(value) == kind


def test_columns_hold_the_number_and_the_word() -> None:
    scores: dict[str, object] = {
        "match": {"value": "P"},
        "several": {"value": {"a": True, "b": "I"}},
        "listed": {"value": [0.5, math.nan]},
        "none": {"value": None},
    }
    assert dict(value_columns(scores)) == {
        "score_match": 0.5, "value_match": "P", "score_several_a": 1.0, "score_several_b": 0.0,
        "value_several_b": "I", "score_listed_0": 0.5, "score_listed_1": None, "score_none": None,
    }  # fmt: skip


def test_a_scorer_and_its_key_are_found_also_with_dots_in_the_name() -> None:
    scores: dict[str, object] = {"a": 1, "a.b": 2, "c": 3}
    assert asked_for("a", scores) == Asked("a")
    assert asked_for("a.b", scores) == Asked("a.b")
    assert asked_for("c.x.y", scores) == Asked("c", "x.y")
    assert asked_for("d.a", scores) is None
    assert asked_for("", scores) is None


def test_the_asked_value_is_taken_out() -> None:
    scores: dict[str, object] = {
        "d": {"value": {"a": 1}},
        "l": {"value": [5, 6]},
        "s": {"value": "C"},
        "bare": "I",
    }
    assert Asked("d", "a").value(scores) == 1
    assert Asked("d", "z").value(scores) is None
    assert Asked("l", "1").value(scores) == 6
    assert [Asked("l", key).value(scores) for key in ("2", "-1", "x", "9" * 5000)] == [None] * 4
    assert Asked("s").value(scores) == "C"
    assert Asked("s", "a").value(scores) is None
    assert Asked("bare").value(scores) == "I"
    assert Asked("absent").value(scores) is None


@pytest.mark.parametrize(
    ("asked", "column"),
    [
        (Asked("match"), "score_match"),
        (Asked("d", "a"), "score_d_a"),
        (Asked("pkg/match"), '"score_pkg/match"'),
        (Asked('a"b'), '"score_a""b"'),
    ],
)
def test_the_column_is_quoted_where_sql_needs_it(asked: Asked, column: str) -> None:
    assert asked.column == column


def test_seen_values_are_listed_with_their_counts() -> None:
    seen = SeenValues()
    for value in ("C", "C", "I", math.nan):
        seen.add({"match": {"value": value}, "many": {"value": {"a": 1, "b": 2}}})
    lines = seen.lines(also=("match", "quiet")).splitlines()
    assert [line.split() for line in lines] == [
        ["match", "C", "2,", "I", "1,", "NaN", "1"],
        ["many", "several", "values:", "many.a,", "many.b"],
        ["quiet", "no", "value", "in", "this", "log"],
    ]
    assert seen.example() == "match"


def test_seen_values_stay_few_whatever_comes() -> None:
    seen = SeenValues()
    for number in range(10_000):
        seen.add({"match": {"value": number + 0.5}})
    assert len(seen.by_scorer["match"]) <= 51
    assert sum(seen.by_scorer["match"].values()) == 10_000
    assert len(seen.lines()) < 200


def test_an_old_nameless_score_gets_the_name_of_the_scorer() -> None:
    assert scores_of({"score": {"value": "C"}}, "match") == {"match": {"value": "C"}}
    assert scores_of({"scores": {"a": 1}, "score": {"value": "C"}}, "match") == {"a": 1}
    assert scores_of({"scores": None}, "match") == {}
