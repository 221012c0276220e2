"""The computed bootstrap against the exact law of the resamples and against drawing them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from surefoot.errors import ArgumentError
from surefoot.stats.bootstrap import bootstrap_interval, bootstrap_intervals
from surefoot.stats.pass_k import pass_hat_k, pass_hat_k_values


def exact_quantile(passed: int, trials: int, level: Fraction) -> int:
    """The least count whose distribution function reaches the level, in exact fractions."""
    rate, total = Fraction(passed, trials), Fraction(0)
    for count in range(trials + 1):
        total += math.comb(trials, count) * rate**count * (1 - rate) ** (trials - count)
        if total >= level:
            return count
    raise AssertionError("the law of the resamples must add up to one")


@pytest.mark.parametrize("trials", [1, 2, 3, 12, 25, 60])
@pytest.mark.parametrize(
    ("level", "tail"), [(0.95, Fraction(1, 40)), (0.8, Fraction(1, 10)), (0.75, Fraction(1, 8))]
)
def test_the_ends_are_exact_quantiles(trials: int, level: float, tail: Fraction) -> None:
    for passed in range(trials + 1):
        for k in {1, (trials + 1) // 2, trials}:
            found = bootstrap_interval(passed, trials, k, confidence_level=level)
            low, high = (exact_quantile(passed, trials, q) for q in (tail, 1 - tail))
            assert found.low == pass_hat_k(low, trials, k).value
            assert found.high == pass_hat_k(high, trials, k).value


def test_the_printed_example() -> None:
    found = bootstrap_interval(10, 12, 5)
    assert found.low == pass_hat_k(7, 12, 5).value == pytest.approx(0.026515151515, rel=1e-10, abs=0)
    assert found.high == pass_hat_k(12, 12, 5).value == 1


@pytest.mark.parametrize(("passed", "trials"), [(10, 12), (55, 60), (700, 1000)])
def test_drawn_resamples_agree(passed: int, trials: int) -> None:
    rng = np.random.default_rng(7)
    outcomes = np.arange(trials) < passed
    counts = outcomes[rng.integers(0, trials, (20_000, trials))].sum(axis=1)
    drawn = np.quantile(pass_hat_k_values(counts, trials, 5), [0.025, 0.975], method="inverted_cdf")
    found = bootstrap_interval(passed, trials, 5)
    at_most_a_count_away = [pass_hat_k_values(np.unique(counts), trials, 5)]
    step = np.diff(at_most_a_count_away[0]).max()
    assert drawn == pytest.approx([found.low, found.high], abs=step)


@pytest.mark.parametrize("trials", [1, 3, 12, 10**9])
def test_where_all_trials_went_alike_it_has_no_width_and_says_so(trials: int) -> None:
    every, none = bootstrap_interval(trials, trials, 1), bootstrap_interval(0, trials, 1)
    assert (every.low, every.high) == (1, 1)
    assert (none.low, none.high) == (0, 0)
    assert "without width because all trials went alike" in str(every)
    assert "without width" in str(none)


def test_otherwise_it_has_width_and_does_not_say_so() -> None:
    assert bootstrap_interval(10, 12, 5).method == "percentile bootstrap"


def test_a_thousand_million_trials_need_no_resamples() -> None:
    n = 10**9
    found = bootstrap_interval(9 * n // 10, n, 5)
    spread = 1.959964 * math.sqrt(0.09 / n) * 5 * 0.9**4
    assert (found.low, found.high) == pytest.approx((0.9**5 - spread, 0.9**5 + spread), rel=1e-8, abs=0)


def test_columns_hold_what_the_single_calls_give() -> None:
    rng = np.random.default_rng(5)
    trials = rng.integers(0, 40, 2000)
    passed = rng.integers(0, trials + 1)
    low, high = bootstrap_intervals(passed, trials, 4)
    for i in range(2000):
        if trials[i] < 4:
            assert np.isnan(low[i])
            assert np.isnan(high[i])
        else:
            single = bootstrap_interval(int(passed[i]), int(trials[i]), 4)
            assert (low[i], high[i]) == (single.low, single.high)


def test_without_an_estimate_there_is_nothing_to_resample() -> None:
    with pytest.raises(ArgumentError, match="k: expected at most the number of trials, 3, got 5"):
        bootstrap_interval(3, 3, 5)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [((True, 12, 5), "passed"), ((13, 12, 5), "passed"), ((3, 12.5, 5), "trials"), ((3, 12, 0), "k")],
)
def test_wrong_arguments_are_refused_by_name(arguments: tuple[Any, ...], name: str) -> None:
    for function in (bootstrap_interval, bootstrap_intervals):
        with pytest.raises(ArgumentError) as caught:
            function(*arguments)
        assert caught.value.argument == name
