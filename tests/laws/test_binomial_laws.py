"""What holds of Clopper-Pearson for every count of events and trials and every confidence level."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc, betaincc

from surefoot.stats.binomial import (
    clopper_pearson_lower,
    clopper_pearson_upper,
    lower_bound,
    lower_bounds,
    pooled_lower,
    pooled_upper,
    two_sided_interval,
    two_sided_intervals,
    upper_bound,
    upper_bounds,
    wilson_interval,
)

SLACK = 1e-11

trial_counts = st.one_of(st.integers(1, 40), st.integers(1, 2000), st.integers(1, 10**9))
budgets = st.one_of(st.floats(1e-12, 0.25), st.sampled_from([0.25, 0.05, 0.025, 1e-12]))
levels = st.one_of(st.floats(0.75, 0.999999), st.sampled_from([0.75, 0.95, 0.999, 1 - 1e-12]))


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    trials = draw(trial_counts)
    events = draw(
        st.one_of(
            st.integers(0, trials),
            st.integers(0, min(5, trials)),
            st.integers(max(0, trials - 5), trials),
        )
    )
    return events, trials


@given(counts(), budgets)
def test_the_bounds_stand_on_both_sides_of_the_share(case: tuple[int, int], budget: float) -> None:
    events, trials = case
    share = events / trials
    assert 0 <= clopper_pearson_lower(events, trials, budget) <= share
    assert share <= clopper_pearson_upper(events, trials, budget) <= 1


@given(counts(), st.integers(1, 10**6), budgets)
def test_more_events_never_lower_a_bound(case: tuple[int, int], extra: int, budget: float) -> None:
    events, trials = case
    more = min(events + extra, trials)
    for bound in (clopper_pearson_upper, clopper_pearson_lower, pooled_upper, pooled_lower):
        assert bound(events, trials, budget) <= bound(more, trials, budget) * (1 + SLACK)


@given(counts(), st.integers(1, 10**6), budgets)
def test_more_clean_trials_never_raise_a_bound(case: tuple[int, int], extra: int, budget: float) -> None:
    events, trials = case
    for bound in (clopper_pearson_upper, clopper_pearson_lower, pooled_upper, pooled_lower):
        assert bound(events, trials + extra, budget) <= bound(events, trials, budget) * (1 + SLACK)


@given(counts(), st.integers(1, 10**6), budgets)
def test_more_trials_with_the_event_never_lower_a_bound(
    case: tuple[int, int], extra: int, budget: float
) -> None:
    events, trials = case
    for bound in (clopper_pearson_upper, clopper_pearson_lower, pooled_upper, pooled_lower):
        before = bound(events, trials, budget)
        assert bound(events + extra, trials + extra, budget) >= before * (1 - SLACK)


@given(counts(), budgets, budgets)
def test_higher_confidence_gives_wider_bounds(case: tuple[int, int], one: float, other: float) -> None:
    strict, loose = min(one, other), max(one, other)
    for upper in (clopper_pearson_upper, pooled_upper):
        assert upper(*case, strict) >= upper(*case, loose) * (1 - SLACK)
    for lower in (clopper_pearson_lower, pooled_lower):
        assert lower(*case, strict) <= lower(*case, loose) * (1 + SLACK)


@given(counts(), budgets)
def test_lower_is_one_minus_upper_of_the_complement(case: tuple[int, int], budget: float) -> None:
    events, trials = case
    for lower, upper in ((clopper_pearson_lower, clopper_pearson_upper), (pooled_lower, pooled_upper)):
        mirrored = 1 - upper(trials - events, trials, budget)
        assert lower(events, trials, budget) == pytest.approx(mirrored, rel=1e-10, abs=3e-16)


@given(counts(), budgets)
def test_put_back_into_the_tail_a_bound_gives_the_budget(case: tuple[int, int], budget: float) -> None:
    events, trials = case
    if events < trials:
        upper = clopper_pearson_upper(events, trials, budget)
        rest = clopper_pearson_lower(trials - events, trials, budget)
        tail = (
            betaincc(events + 1, trials - events, upper)
            if upper < 0.5
            else betainc(trials - events, events + 1, rest)
        )
        assert tail == pytest.approx(budget, rel=1e-9, abs=0)


@given(counts(), budgets)
def test_the_repair_only_widens_and_by_little(case: tuple[int, int], budget: float) -> None:
    events, trials = case
    lower, upper = clopper_pearson_lower(*case, budget), clopper_pearson_upper(*case, budget)
    assert pooled_lower(events, trials, budget) <= lower <= pooled_lower(events, trials, budget) * 1.16
    assert upper <= pooled_upper(events, trials, budget)
    assert 1 - upper <= (1 - pooled_upper(events, trials, budget)) * 1.16 + 3e-16


@given(counts(), levels)
def test_the_interval_is_made_of_two_bounds_at_half_the_budget(case: tuple[int, int], level: float) -> None:
    both = two_sided_interval(*case, confidence_level=level)
    assert both.low <= lower_bound(*case, confidence_level=level).value
    assert both.high >= upper_bound(*case, confidence_level=level).value
    low, high = two_sided_intervals([case[0]], [case[1]], confidence_level=level)
    assert (low[0], high[0]) == pytest.approx((both.low, both.high), rel=1e-10, abs=0)


@given(st.lists(counts(), max_size=200), levels)
def test_order_and_company_leave_no_trace(cases: list[tuple[int, int]], level: float) -> None:
    events, trials = np.array(cases, dtype=np.int64).reshape(-1, 2).T
    for bounds in (upper_bounds, lower_bounds):
        together = bounds(events, trials, confidence_level=level)
        backwards = bounds(events[::-1], trials[::-1], confidence_level=level)[::-1]
        np.testing.assert_array_equal(together, backwards)
        for i in range(min(3, len(cases))):
            assert together[i] == bounds(events[i], trials[i], confidence_level=level)


@given(counts(), levels)
def test_wilson_holds_the_share_and_stays_in_range(case: tuple[int, int], level: float) -> None:
    events, trials = case
    found = wilson_interval(events, trials, confidence_level=level)
    assert 0 <= found.low <= events / trials * (1 + 1e-15)
    assert events / trials * (1 - 1e-15) <= found.high <= 1
    mirrored = wilson_interval(trials - events, trials, confidence_level=level)
    assert found.low == pytest.approx(1 - mirrored.high, abs=1e-12)
