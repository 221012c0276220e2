"""Numbers in plain words: rounded outward where they are bounds, never to a false zero."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.grading import wording

SHARES = st.floats(0, 1) | st.floats(1e-300, 1e-3)


def number_in(text: str) -> float:
    return float(text.removesuffix(" %"))


@given(SHARES, st.sampled_from([None, 1, 2, 3]))
def test_a_bound_that_is_shown_is_still_a_bound(value, digits):
    up = number_in(wording.percent(value, rounded="up", digits=digits)) / 100
    down = number_in(wording.percent(value, rounded="down", digits=digits)) / 100
    assert down <= value * (1 + 1e-11)
    assert up >= value * (1 - 1e-11)


@given(SHARES)
def test_what_is_shown_is_close_and_zero_only_if_it_is_zero(value):
    for rounded in ("nearest", "up"):
        shown = number_in(wording.percent(value, rounded=rounded)) / 100
        assert shown == pytest.approx(value, rel=0.1, abs=0) or (
            value >= 1e-3 and abs(shown - value) < 1.1e-3
        )
        assert (shown == 0) is (value == 0)


@given(SHARES, st.integers(0, 6))
def test_shares_with_fixed_digits_are_rounded_as_asked(value, digits):
    up = float(wording.share(value, rounded="up", digits=digits))
    down = float(wording.share(value, rounded="down", digits=digits))
    nearest = float(wording.share(value, digits=digits))
    assert down - 1e-12 <= value <= up + 1e-12
    assert up - down <= 10.0**-digits * (1 + 1e-9)
    assert down <= nearest <= up


@pytest.mark.parametrize(
    ("value", "rounded", "shown"),
    [
        (0.05, "up", "5.00 %"),
        (0.05, "down", "5.00 %"),
        (0.34816, "up", "34.82 %"),
        (0.34816, "down", "34.81 %"),
        (0.34816, "nearest", "34.8 %"),
        (0, "up", "0.00 %"),
        (1, "down", "100.00 %"),
        (0.01 + 1e-10, "up", "1.01 %"),
    ],
)
def test_percents(value, rounded, shown):
    assert wording.percent(value, rounded=rounded) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [(1, "1 task"), (0, "0 tasks"), (2, "2 tasks"), (1200, "1,200 tasks"), (1.5, "1.5 tasks")],
)
def test_counts_are_in_the_plural_unless_they_are_one(number, shown):
    assert wording.count(number, "task") == shown


def test_an_odd_plural_is_said():
    assert wording.count(2, "success", "successes") == "2 successes"
    assert wording.count(1, "success", "successes") == "1 success"


@pytest.mark.parametrize(
    ("level", "shown"),
    [(0.95, "95 %"), (0.999, "99.9 %"), (0.99999, "99.999 %"), (1 - 1e-13, "99.99999999999 %")],
)
def test_all_digits_of_the_confidence_level_are_shown(level, shown):
    assert wording.confidence(level) == shown


def test_means_of_scores_are_numbers_and_rates_are_percents():
    assert wording.amount(0.25, scores=False) == "25.0 %"
    assert float(wording.amount(0.25, scores=True)) == 0.25
    assert wording.limit(0.02, scores=True) == "0.02"
    assert wording.limit(0.02, scores=False) == "2 %"


def test_a_count_keeps_all_its_digits():
    assert wording.count(999_999_999_999_999_999, "trial") == "999,999,999,999,999,999 trials"
    assert wording.count(1, "trial") == "1 trial"
    assert wording.count(2.5, "point") == "2.5 points"
