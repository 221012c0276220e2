"""The truth table says the same in SQL and in Python, value for value."""

from __future__ import annotations

from decimal import Decimal

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.trials.truth_table import (
    FALSE_WORDS,
    TRUE_WORDS,
    truth_sql,
    truth_value,
    unscored_reason,
    unscored_reason_sql,
)

PASSED = [
    True,
    1,
    1.0,
    "true",
    "True",
    "TRUE",
    "1",
    "1.0",
    "pass",
    "PASS",
    "passed",
    "C",
    "c",
    "correct",
    "yes",
]
FAILED = [False, 0, 0.0, -0.0, "false", "False", "0", "0.0", "fail", "FAIL", "failed", "I", "incorrect", "no"]
SPELLED = [
    ("1.00", True),
    (" true ", True),
    ("\tno\n", False),
    ("1e0", True),
    ("+1", True),
    ("-0", False),
    (".0e5", False),
]
NONE = {
    None: "missing",
    "": "missing",
    "  ": "missing",
    "NaN": "not a number",
    "-nan": "not a number",
    0.5: "other number",
    2: "other number",
    -1: "other number",
    "0.5": "other number",
    "2": "other number",
    "maybe": "unknown word",
    "t": "unknown word",
    "1_0": "unknown word",
    "0x1": "unknown word",
    "inf": "unknown word",
    "N": "unknown word",
    "P": "unknown word",
}


@pytest.fixture(scope="module")
def engine():
    return duckdb.connect()


@pytest.fixture(scope="module")
def in_sql(engine):
    text = (
        f"SELECT {truth_sql('v', 'text')}, {unscored_reason_sql('v', 'text')} FROM (SELECT ?::VARCHAR AS v)"
    )
    number = f"SELECT {truth_sql('v', 'number')}, {unscored_reason_sql('v', 'number')} FROM (SELECT ?::DOUBLE AS v)"

    def evaluate(value):
        sql = number if isinstance(value, float | int) else text
        return engine.execute(sql, [value]).fetchone()

    return evaluate


@pytest.mark.parametrize("value", PASSED)
def test_words_and_numbers_that_pass(value):
    assert truth_value(value) is True
    assert unscored_reason(value) is None


@pytest.mark.parametrize("value", FAILED)
def test_words_and_numbers_that_fail(value):
    assert truth_value(value) is False
    assert unscored_reason(value) is None


@pytest.mark.parametrize(("value", "expected"), SPELLED)
def test_blanks_and_spellings_of_a_number_do_not_matter(value, expected, in_sql):
    assert truth_value(value) is expected
    assert in_sql(value) == (expected, None)


@pytest.mark.parametrize(("value", "reason"), NONE.items())
def test_anything_else_gives_no_verdict_and_the_reason(value, reason, in_sql):
    assert truth_value(value) is None
    assert unscored_reason(value) == reason
    assert in_sql(value) == (None, reason)


@pytest.mark.parametrize("value", [*PASSED, *FAILED])
def test_sql_says_the_same(value, in_sql):
    assert in_sql(value) == (truth_value(value), None)


def test_not_a_number_is_no_verdict_in_both(in_sql):
    assert truth_value(float("nan")) is None
    assert unscored_reason(float("nan")) == "not a number"
    assert in_sql(float("nan")) == (None, "not a number")


def test_decimals_count_as_numbers():
    assert (truth_value(Decimal("1.0")), truth_value(Decimal(0)), truth_value(Decimal("0.5"))) == (
        True,
        False,
        None,
    )


def test_booleans_of_numpy_are_booleans():
    assert (truth_value(np.bool_(True)), truth_value(np.bool_(False)), truth_value(np.int64(1))) == (
        True,
        False,
        True,
    )
    assert truth_value(np.array([True])) is None


@pytest.mark.parametrize("value", [[1], {"a": 1}, b"true"])
def test_values_of_other_types_give_no_verdict(value):
    assert truth_value(value) is None
    assert unscored_reason(value) == "unknown word"


def test_booleans_of_the_engine_stay_as_they_are(engine):
    sql = f"SELECT {truth_sql('v', 'boolean')}, {unscored_reason_sql('v', 'boolean')} FROM (VALUES (TRUE), (FALSE), (NULL)) t(v)"
    assert engine.execute(sql).fetchall() == [(True, None), (False, None), (None, "missing")]


def test_other_types_are_read_as_their_text(engine):
    sql = f"SELECT {truth_sql('v', 'other')} FROM (SELECT DATE '2026-01-01' AS v)"
    assert engine.execute(sql).fetchall() == [(None,)]


words = st.one_of(
    st.sampled_from([*TRUE_WORDS, *FALSE_WORDS, "nan", "maybe", "", "inf"]),
    st.from_regex(r"[ ]?[+-]?[0-9.]{1,6}([eE][+-]?[0-9]{1,3})?[ ]?", fullmatch=True),
    st.text(alphabet=st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=8),
)


@given(word=words, upper=st.booleans(), blanks=st.sampled_from(["", " ", "\t", "\r\n"]))
@settings(max_examples=400, deadline=None)
def test_sql_and_python_agree_on_any_text(word, upper, blanks, in_sql):
    value = blanks + (word.upper() if upper else word) + blanks
    assert in_sql(value) == (truth_value(value), unscored_reason(value))


@given(number=st.floats(allow_infinity=False) | st.sampled_from([0.0, -0.0, 1.0, 1 - 1e-12]))
@settings(max_examples=200, deadline=None)
def test_sql_and_python_agree_on_any_number(number, in_sql):
    assert in_sql(number) == (truth_value(number), unscored_reason(number))
