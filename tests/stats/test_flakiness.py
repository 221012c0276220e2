"""Flakiness, its interval and its range over unscored trials, against enumeration and the printed numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from surefoot.errors import ArgumentError
from surefoot.stats.binomial import two_sided_interval
from surefoot.stats.flakiness import (
    flakiness,
    flakiness_interval,
    flakiness_intervals,
    flakiness_range,
    flakiness_values,
    unbiased_flakiness,
)


def exact(passed: int, trials: int) -> Fraction:
    rate = Fraction(passed, trials)
    return 4 * rate * (1 - rate)


@pytest.mark.parametrize("trials", [2, 3, 12, 50, 10**9])
def test_it_is_four_p_times_one_minus_p(trials: int) -> None:
    for passed in {0, 1, trials // 3, trials // 2, trials - 1, trials}:
        assert flakiness(passed, trials).value == float(exact(passed, trials))


@pytest.mark.parametrize(("passed", "trials"), [(0, 0), (0, 1), (1, 1)])
def test_one_run_measures_nothing(passed: int, trials: int) -> None:
    assert flakiness(passed, trials).value is None
    assert unbiased_flakiness(passed, trials).value is None
    assert np.isnan(flakiness_values(passed, trials))


def test_a_value_on_the_cap_is_not_above_it() -> None:
    """4 * 1 * 19 / 400 is 0.19 exactly: the division must not push it over the literal."""
    assert flakiness(1, 20).value == 0.19
    assert flakiness_values([1, 19], 20).tolist() == [0.19, 0.19]
    assert flakiness_range([1], [20], [0])[1].tolist() == [0.19]


def test_unbiased_flakiness_has_the_mean_it_should() -> None:
    for trials in (2, 3, 7):
        for rate in (Fraction(1, 10), Fraction(1, 2), Fraction(19, 20)):
            mean = sum(
                math.comb(trials, c)
                * rate**c
                * (1 - rate) ** (trials - c)
                * Fraction(unbiased_flakiness(c, trials).value or 0)
                for c in range(trials + 1)
            )
            assert float(mean) == pytest.approx(float(4 * rate * (1 - rate)), rel=1e-14, abs=0)


def test_unbiased_flakiness_may_exceed_one() -> None:
    assert unbiased_flakiness(1, 2).value == 2


def test_columns_hold_what_the_single_calls_give() -> None:
    rng = np.random.default_rng(3)
    trials = rng.integers(0, 40, 2000)
    passed = rng.integers(0, trials + 1)
    values = flakiness_values(passed, trials)
    low, high = flakiness_intervals(passed, trials)
    for i in range(2000):
        c, n = int(passed[i]), int(trials[i])
        single = flakiness(c, n).value
        assert np.isnan(values[i]) if single is None else values[i] == single
        interval = flakiness_interval(c, n)
        assert (low[i], high[i]) == pytest.approx((interval.low, interval.high), rel=1e-13, abs=0)


def test_the_printed_intervals() -> None:
    ten, twelve = flakiness_interval(10, 12), flakiness_interval(12, 12)
    assert (ten.low, ten.high) == pytest.approx((0.081709, 0.998994), abs=5e-7)
    assert (twelve.low, twelve.high) == pytest.approx((0, 0.778439), abs=5e-7)


@pytest.mark.parametrize("trials", [0, 1, 2, 12, 60])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_holds_the_values_of_every_rate_in_the_interval_of_rates(
    trials: int, level: float
) -> None:
    for passed in range(trials + 1):
        rates = two_sided_interval(passed, trials, confidence_level=level)
        grid = np.linspace(rates.low, rates.high, 2001)
        values = 4 * grid * (1 - grid)
        found = flakiness_interval(passed, trials, confidence_level=level)
        assert found.low == pytest.approx(values.min(), abs=1e-12)
        assert found.high == pytest.approx(values.max(), abs=1e-6)
        assert found.high >= values.max() - 1e-15


@pytest.mark.parametrize("trials", [0, 1, 2, 3, 11, 12])
def test_the_range_is_that_over_all_completions(trials: int) -> None:
    for unscored in range(trials + 1):
        for passed in range(trials - unscored + 1):
            smallest, largest = flakiness_range(passed, trials, unscored)
            if trials < 2:
                assert np.isnan(smallest)
                assert np.isnan(largest)
                continue
            completed = [flakiness(passed + more, trials).value for more in range(unscored + 1)]
            assert smallest == min(completed)  # type: ignore[type-var]
            assert largest == max(completed)  # type: ignore[type-var]


def test_ranges_broadcast() -> None:
    smallest, largest = flakiness_range(np.array([[0], [5]]), 12, np.array([0, 2, 6]))
    assert smallest.shape == largest.shape == (2, 3)
    assert largest[1, 2] == 1


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (([3], [12], [-1]), "unscored"),
        (([3], [12], [0.5]), "unscored"),
        (([3], [12], [True]), "unscored"),
        (([13], [12], [0]), "passed"),
        (([3], [12], [10]), "passed + unscored"),
    ],
)
def test_ranges_refuse_wrong_counts_by_name(arguments: tuple[Any, ...], name: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        flakiness_range(*arguments)
    assert caught.value.argument == name


COUNTED: list[Callable[..., Any]] = [
    flakiness, unbiased_flakiness, flakiness_values, flakiness_interval, flakiness_intervals,
]  # fmt: skip


@pytest.mark.parametrize("function", COUNTED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("wrong", [True, 2.7, math.nan, -1, 13, None], ids=repr)
def test_wrong_counts_are_refused_by_name(function: Callable[..., Any], wrong: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^passed: expected"):
        function(wrong, 12)


def test_results_carry_what_was_asked() -> None:
    for found in (flakiness(10, 12), unbiased_flakiness(10, 12), flakiness_interval(10, 12)):
        assert dict(found.inputs) == {"passed": 10, "trials": 12}
    assert flakiness_interval(10, 12, confidence_level=0.9).confidence_level == 0.9
