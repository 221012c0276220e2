"""What holds of the hinge bound for every total, number of units and confidence level."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import betaincinv

from surefoot.stats.hinge import hinge_lower, hinge_tail, hinge_upper, lower_bound, upper_bound

SLACK = 1e-12

# Another process may hold the machine: no law depends on how long an example takes.
unhurried = settings(deadline=None, max_examples=200)

units = st.one_of(st.integers(1, 40), st.integers(1, 10**6))
shares = st.one_of(st.floats(0, 1), st.floats(0, 1e-3), st.sampled_from([0.0, 0.5, 1.0]))
budgets = st.one_of(st.floats(1e-12, 0.25), st.sampled_from([0.05, 0.01, 1e-12]))


@st.composite
def totals_of(draw: st.DrawFn) -> tuple[float, int]:
    count = draw(units)
    total = draw(shares) * count
    return (float(round(total)) if draw(st.booleans()) else total), count


@unhurried
@given(totals_of(), budgets)
def test_the_bounds_stand_on_both_sides_of_the_mean(case: tuple[float, int], budget: float) -> None:
    total, count = case
    mean = total / count
    assert 0 <= hinge_lower(total, count, budget) <= mean * (1 + SLACK)
    assert mean * (1 - SLACK) <= hinge_upper(total, count, budget) <= 1


@unhurried
@given(totals_of(), st.floats(0, 1), budgets)
def test_more_events_never_lower_a_bound(case: tuple[float, int], share: float, budget: float) -> None:
    total, count = case
    more = total + share * (count - total)
    assert hinge_upper(total, count, budget) <= hinge_upper(more, count, budget) * (1 + SLACK)
    assert hinge_lower(total, count, budget) <= hinge_lower(more, count, budget) * (1 + SLACK)


@unhurried
@given(totals_of(), st.integers(1, 1000), budgets)
def test_more_clean_units_never_raise_the_upper_bound(
    case: tuple[float, int], extra: int, budget: float
) -> None:
    total, count = case
    assert hinge_upper(total, count + extra, budget) <= hinge_upper(total, count, budget) * (1 + SLACK)


@unhurried
@given(totals_of(), st.integers(1, 1000), budgets)
def test_more_wholly_bad_units_never_lower_the_lower_bound(
    case: tuple[float, int], extra: int, budget: float
) -> None:
    total, count = case
    before = hinge_lower(total, count, budget)
    assert hinge_lower(total + extra, count + extra, budget) >= before * (1 - SLACK)


@unhurried
@given(totals_of(), budgets, budgets)
def test_higher_confidence_gives_wider_bounds(case: tuple[float, int], one: float, other: float) -> None:
    total, count = case
    strict, loose = min(one, other), max(one, other)
    assert hinge_upper(total, count, strict) >= hinge_upper(total, count, loose) * (1 - SLACK)
    assert hinge_lower(total, count, strict) <= hinge_lower(total, count, loose) * (1 + SLACK)


@unhurried
@given(totals_of(), budgets)
def test_lower_is_one_minus_upper_of_the_complement(case: tuple[float, int], budget: float) -> None:
    total, count = case
    mirrored = 1 - hinge_upper(count - total, count, budget)
    assert hinge_lower(total, count, budget) == pytest.approx(mirrored, rel=1e-11, abs=1e-14)


@unhurried
@given(units, budgets)
def test_without_events_it_is_clopper_pearson(count: int, budget: float) -> None:
    expected = -math.expm1(math.log(budget) / count)
    assert hinge_upper(0, count, budget) == pytest.approx(expected, rel=1e-14)
    assert hinge_lower(count, count, budget) == pytest.approx(1 - expected, rel=1e-14)


@unhurried
@given(st.integers(1, 2000), st.data(), budgets)
def test_at_whole_totals_it_is_never_inside_clopper_pearson(
    count: int, data: st.DataObject, budget: float
) -> None:
    events = data.draw(st.integers(1, count))
    exact_lower = float(betaincinv(events, count - events + 1, budget))
    assert hinge_lower(events, count, budget) <= exact_lower * (1 + 1e-9)


@unhurried
@given(totals_of(), budgets)
def test_the_bound_put_back_into_the_tail_gives_the_budget(case: tuple[float, int], budget: float) -> None:
    total, count = case
    bound = hinge_upper(total, count, budget)
    assume(1 - bound > 1e-6)
    assert hinge_tail(total, count, bound) == pytest.approx(budget, rel=1e-7)


@unhurried
@given(totals_of(), st.floats(0, 1), st.floats(0, 1))
def test_the_tail_falls_as_the_rate_rises(case: tuple[float, int], one: float, other: float) -> None:
    total, count = case
    low, high = min(one, other), max(one, other)
    assert 0 <= hinge_tail(total, count, high) <= hinge_tail(total, count, low) * (1 + 1e-9) <= 1 + 1e-9


@unhurried
@given(totals_of(), st.sampled_from([0.75, 0.9, 0.95, 0.999]))
def test_the_results_carry_what_was_asked(case: tuple[float, int], level: float) -> None:
    total, count = case
    for bound in (
        upper_bound(total, count, confidence_level=level),
        lower_bound(total, count, confidence_level=level),
    ):
        assert bound.confidence_level == level
        assert bound.to_dict()["inputs"] == {"total": total, "units": count}
