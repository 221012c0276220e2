"""Counts that are not counts are refused by name, one at a time and in columns."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from surefoot.errors import ArgumentError
from surefoot.stats.arguments import (
    count_columns,
    events_and_trials,
    inside,
    share,
    whole_column,
    whole_number,
)

NOT_COUNTS = [
    True,
    np.True_,
    2.7,
    math.nan,
    math.inf,
    -math.inf,
    -1,
    np.int64(-3),
    np.float64(0.5),
    "3",
    None,
    3j,
]
NOT_COUNTS += [[3], Decimal("2.5"), Fraction(5, 2), b"3"]


@pytest.mark.parametrize("value", NOT_COUNTS, ids=repr)
def test_what_is_no_count_is_refused_by_name(value: Any) -> None:
    with pytest.raises(ArgumentError, match="events: expected a whole number >= 0, got") as caught:
        whole_number("events", value)
    assert caught.value.argument == "events"
    assert caught.value.got is value


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), 3.0, np.float32(3)], ids=repr)
def test_whole_numbers_of_any_type_become_ints(value: Any) -> None:
    found = whole_number("events", value)
    assert found == 3
    assert type(found) is int


def test_the_least_allowed_value_is_stated() -> None:
    with pytest.raises(ArgumentError, match="k: expected a whole number >= 1, got 0"):
        whole_number("k", 0, least=1)


@pytest.mark.parametrize("value", [2**63, 10**400, 1e300], ids=["2^63", "10^400", "1e300"])
def test_numbers_too_large_to_count_with_are_refused(value: Any) -> None:
    with pytest.raises(ArgumentError, match=r"trials: expected a whole number below 2\^63"):
        whole_number("trials", value)
    assert whole_number("trials", 2**63 - 1) == 2**63 - 1


def test_counts_are_checked_in_turn() -> None:
    assert events_and_trials(3, 12.0) == (3, 12)
    with pytest.raises(ArgumentError, match="trials: expected a whole number"):
        events_and_trials(3, 12.5)
    with pytest.raises(ArgumentError, match="passed: expected at most the number of trials, 12, got 13"):
        events_and_trials(13, 12, name="passed")


@pytest.mark.parametrize("value", [True, -0.1, 1.1, math.nan, "0.5", None], ids=repr)
def test_what_is_no_share_is_refused_by_name(value: Any) -> None:
    with pytest.raises(ArgumentError, match=r"rate: expected a number in \[0, 1\]"):
        share("rate", value)


def test_shares_include_the_ends_and_insides_do_not() -> None:
    assert (share("rate", 0), share("rate", 1), inside("cap", np.float64(0.2))) == (0.0, 1.0, 0.2)
    for end in (0, 1):
        with pytest.raises(ArgumentError, match="cap: expected a number between 0 and 1, both excluded"):
            inside("cap", end)


@pytest.mark.parametrize(
    "column",
    [
        [True, False],
        [0.5, 1.0],
        [1, math.nan],
        [1, math.inf],
        [1e30],
        ["1"],
        [None],
        [1j],
        [3, -1],
        -1,
        2.5,
        True,
    ],
    ids=repr,
)
def test_columns_with_a_value_that_is_no_count_are_refused_by_name(column: Any) -> None:
    with pytest.raises(ArgumentError, match="trials: expected whole numbers >= 0, got") as caught:
        whole_column("trials", column)
    assert caught.value.argument == "trials"


def test_the_first_wrong_value_of_a_column_is_shown() -> None:
    with pytest.raises(ArgumentError, match=r"got 2\.5"):
        whole_column("events", [1.0, 2.5, math.nan])
    with pytest.raises(ArgumentError, match=r"got -4"):
        whole_column("events", [1, -4])
    with pytest.raises(ArgumentError, match=str(2**64 - 1)):
        whole_column("events", np.array([2**64 - 1], dtype=np.uint64))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.float32, np.float64])
def test_columns_of_any_whole_type_become_64_bits_wide(dtype: Any) -> None:
    found = whole_column("events", np.array([[0, 1], [2, 100]], dtype=dtype))
    assert found.dtype == np.int64
    assert found.tolist() == [[0, 1], [2, 100]]


def test_an_empty_column_is_a_column() -> None:
    events, trials = count_columns([], [])
    assert events.shape == trials.shape == (0,)


def test_columns_keep_their_shapes() -> None:
    events, trials = count_columns(np.zeros((4, 1)), [5, 6])
    assert (events.shape, trials.shape) == ((4, 1), (2,))


def test_shapes_that_do_not_fit_are_refused_by_name() -> None:
    with pytest.raises(ArgumentError, match="passed: expected one number for each of the trials"):
        count_columns([1, 2, 3], [4, 5], name="passed")


def test_more_events_than_trials_are_refused_with_the_pair() -> None:
    with pytest.raises(ArgumentError, match="events: expected at most the number of trials, 4, got 5"):
        count_columns([1, 5, 9], [[9, 4, 9], [9, 9, 9]])


def test_events_may_exceed_the_trials_of_other_rows() -> None:
    events, trials = count_columns([1, 9], [1, 9])
    assert (events.tolist(), trials.tolist()) == ([1, 9], [1, 9])
