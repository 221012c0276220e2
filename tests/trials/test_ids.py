"""Ids joined from columns cannot be confused, and a missing part makes a missing id."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.errors import UsageError
from surefoot.trials.ids import find_column, join_sql, joined_parts

COLUMNS = {"Suite": "text", "task": "text", "a+b": "text", "n": "number"}


@pytest.fixture(scope="module")
def joined():
    engine = duckdb.connect()
    sql = f"SELECT {join_sql(['suite', 'task'], {'suite': 'text', 'task': 'text'})} FROM (SELECT ?::VARCHAR AS suite, ?::VARCHAR AS task)"
    return lambda suite, task: engine.execute(sql, [suite, task]).fetchone()[0]


def test_names_compare_without_case_and_keep_their_spelling():
    assert find_column("suite", COLUMNS) == "Suite"
    assert find_column("gone", COLUMNS) is None
    assert joined_parts("SUITE+Task", COLUMNS) == ("Suite", "task")


def test_a_column_whose_name_holds_a_plus_is_itself():
    assert joined_parts("a+b", COLUMNS) == ("a+b",)


def test_a_part_that_is_no_column_is_no_id():
    assert joined_parts("Suite+gone", COLUMNS) is None
    with pytest.raises(UsageError, match="no column named 'gone'"):
        join_sql(["gone"], COLUMNS)


def test_percent_and_slash_are_escaped(joined):
    assert joined("a/b", "c") == "a%2Fb/c"
    assert joined("50%", "c/d") == "50%25/c%2Fd"


@pytest.mark.parametrize("pair", [(None, "x"), ("x", None), ("", "x")])
def test_a_missing_part_makes_the_id_missing(joined, pair):
    assert joined(*pair) is None


def test_one_column_alone_is_taken_as_it_is():
    engine = duckdb.connect()
    assert engine.execute(
        f"SELECT {join_sql(['task'], COLUMNS)} FROM (SELECT 'a/b%' AS task)"
    ).fetchone() == ("a/b%",)
    assert engine.execute(f"SELECT {join_sql(['n'], COLUMNS)} FROM (SELECT 7 AS n)").fetchone() == ("7",)


parts = st.text(alphabet="a/%2F5", min_size=1, max_size=5)


@given(one=st.tuples(parts, parts), other=st.tuples(parts, parts))
@settings(max_examples=300, deadline=None)
def test_different_parts_never_make_one_id(one, other, joined):
    assert (joined(*one) == joined(*other)) == (one == other)
