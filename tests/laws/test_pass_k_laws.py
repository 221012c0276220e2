"""What holds of pass^k and pass@k for every count and every k."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.stats.bootstrap import bootstrap_interval
from surefoot.stats.pass_k import (
    analytic_pass_at_k,
    analytic_pass_hat_k,
    pass_at_k,
    pass_at_k_interval,
    pass_at_k_lower_bound,
    pass_at_k_upper_bound,
    pass_hat_k,
    pass_hat_k_interval,
    pass_hat_k_lower_bound,
    pass_hat_k_upper_bound,
)

SLACK = 1e-11

ks = st.one_of(st.integers(1, 12), st.integers(1, 300))


@st.composite
def tasks(draw: st.DrawFn, *, largest: int = 10**9) -> tuple[int, int]:
    trials = draw(st.one_of(st.integers(1, 30), st.integers(1, largest)))
    return draw(
        st.one_of(st.integers(0, trials), st.just(trials), st.integers(max(0, trials - 3), trials))
    ), trials


@given(tasks(), ks)
def test_an_estimate_exists_exactly_where_k_is_within_the_trials(task: tuple[int, int], k: int) -> None:
    for estimate in (pass_hat_k(*task, k), pass_at_k(*task, k)):
        assert (estimate.value is None) == (k > task[1])
        assert estimate.value is None or 0 <= estimate.value <= 1


@given(tasks(), ks)
def test_all_pass_is_never_likelier_than_one_passes(task: tuple[int, int], k: int) -> None:
    passed, trials = task
    hat, at = pass_hat_k(passed, trials, k).value, pass_at_k(passed, trials, k).value
    if hat is not None and at is not None:
        share = passed / trials
        assert hat <= share * (1 + SLACK)
        assert share <= at * (1 + SLACK)


@given(tasks(), ks)
def test_longer_runs_succeed_less_often(task: tuple[int, int], k: int) -> None:
    if k < task[1]:
        shorter, longer = pass_hat_k(*task, k).value, pass_hat_k(*task, k + 1).value
        assert shorter is not None
        assert longer is not None
        assert longer <= shorter * (1 + SLACK)
    for bound in (pass_hat_k_lower_bound, pass_hat_k_upper_bound):
        assert bound(*task, k + 1).value <= bound(*task, k).value
    for bound in (pass_at_k_lower_bound, pass_at_k_upper_bound):
        assert bound(*task, k + 1).value >= bound(*task, k).value


@given(tasks(), ks)
def test_more_passes_never_lower_anything(task: tuple[int, int], k: int) -> None:
    passed, trials = task
    if passed == trials:
        return
    if k <= trials:
        for estimate in (pass_hat_k, pass_at_k):
            before, after = estimate(passed, trials, k).value, estimate(passed + 1, trials, k).value
            assert before is not None
            assert after is not None
            assert before <= after * (1 + SLACK)
    for bound in (
        pass_hat_k_lower_bound,
        pass_hat_k_upper_bound,
        pass_at_k_lower_bound,
        pass_at_k_upper_bound,
    ):
        assert bound(passed, trials, k).value <= bound(passed + 1, trials, k).value * (1 + SLACK)


@given(tasks(largest=3000), ks)
def test_pass_at_k_is_one_minus_all_fail(task: tuple[int, int], k: int) -> None:
    passed, trials = task
    at, failures = pass_at_k(passed, trials, k).value, pass_hat_k(trials - passed, trials, k).value
    if at is not None and failures is not None:
        assert at == pytest.approx(1 - failures, abs=1e-12)


@given(tasks(largest=3000), st.integers(1, 40))
def test_the_estimate_is_the_exact_fraction(task: tuple[int, int], k: int) -> None:
    passed, trials = task
    if k <= trials:
        exact = Fraction(1)
        for i in range(k):
            exact *= Fraction(max(passed - i, 0), trials - i)
        assert pass_hat_k(passed, trials, k).value == pytest.approx(float(exact), rel=1e-14, abs=1e-300)


@given(tasks(), ks, st.sampled_from([0.75, 0.95, 0.999]))
def test_intervals_hold_their_bounds_and_the_share_to_the_k(
    task: tuple[int, int], k: int, level: float
) -> None:
    share = task[0] / task[1]
    for interval, analytic in (
        (pass_hat_k_interval(*task, k, confidence_level=level), analytic_pass_hat_k(share, k)),
        (pass_at_k_interval(*task, k, confidence_level=level), analytic_pass_at_k(share, k)),
    ):
        assert 0 <= interval.low <= analytic * (1 + SLACK)
        assert analytic * (1 - SLACK) <= interval.high <= 1


@given(tasks(), ks)
def test_the_bootstrap_is_an_interval_of_estimates(task: tuple[int, int], k: int) -> None:
    if k <= task[1]:
        found = bootstrap_interval(*task, k)
        assert 0 <= found.low <= found.high <= 1
        assert (found.low == found.high) >= (task[0] in (0, task[1]))
