"""pass^k and pass@k against exact fractions, the golden numbers and complete enumeration."""

from __future__ import annotations

import itertools
import json
import math
import re
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from surefoot.errors import ArgumentError
from surefoot.stats import binomial
from surefoot.stats.pass_k import (
    analytic_pass_at_k,
    analytic_pass_hat_k,
    pass_at_k,
    pass_at_k_interval,
    pass_at_k_lower_bound,
    pass_at_k_upper_bound,
    pass_at_k_values,
    pass_hat_k,
    pass_hat_k_interval,
    pass_hat_k_lower_bound,
    pass_hat_k_upper_bound,
    pass_hat_k_values,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "golden.json").read_text())
LARGE = 10**9


def exact_hat(passed: int, trials: int, k: int) -> Fraction:
    value = Fraction(1)
    for i in range(k):
        value *= Fraction(max(passed - i, 0), trials - i)
    return value


def value(estimate: Any) -> float:
    assert estimate.value is not None
    return float(estimate.value)


def test_five_tries_at_ninety_per_cent() -> None:
    assert analytic_pass_hat_k(0.9, 5) == pytest.approx(0.59049, rel=1e-15, abs=0)
    assert analytic_pass_at_k(0.1, 5) == pytest.approx(1 - 0.59049, rel=1e-15, abs=0)


@pytest.mark.parametrize("rate", [0.0, 1e-300, 1e-18, 1e-9, 0.3, 0.999999999, 1.0])
@pytest.mark.parametrize("k", [1, 2, 5, 1000, 10**9])
def test_analytic_values_keep_their_digits(rate: float, k: int) -> None:
    with mpmath.workdps(60):
        hat = float(mpmath.mpf(rate) ** k)
        at = float(1 - (1 - mpmath.mpf(rate)) ** k) if rate > 1e-50 else k * rate
    assert analytic_pass_hat_k(rate, k) == pytest.approx(hat, rel=1e-15, abs=1e-300)
    assert analytic_pass_at_k(rate, k) == pytest.approx(at, rel=1e-14, abs=0)


def test_estimates_are_shares_of_subsets() -> None:
    for trials in range(1, 8):
        for passed, k in itertools.product(range(trials + 1), range(1, trials + 1)):
            outcomes = [i < passed for i in range(trials)]
            subsets = list(itertools.combinations(outcomes, k))
            all_passed = Fraction(sum(all(chosen) for chosen in subsets), len(subsets))
            any_passed = Fraction(sum(any(chosen) for chosen in subsets), len(subsets))
            assert value(pass_hat_k(passed, trials, k)) == pytest.approx(float(all_passed), rel=1e-15, abs=0)
            assert value(pass_at_k(passed, trials, k)) == pytest.approx(float(any_passed), rel=1e-15, abs=0)


@pytest.mark.parametrize("trials", [5, 12, 100, 5000, LARGE])
@pytest.mark.parametrize("k", [1, 2, 5, 64, 65, 200])
def test_estimates_are_exact_for_any_number_of_trials(trials: int, k: int) -> None:
    shares = [0, 1, 2, k - 1, k, trials // 3, trials // 2, trials - k, trials - 2, trials - 1, trials]
    digits = 1e-14 if k <= 64 else 1e-12
    for passed in {count for count in shares if 0 <= count <= trials}:
        hat, at = pass_hat_k(passed, trials, k), pass_at_k(passed, trials, k)
        if k > trials:
            assert hat.value is None
            assert at.value is None
            continue
        assert value(hat) == pytest.approx(float(exact_hat(passed, trials, k)), rel=digits, abs=1e-300)
        assert value(at) == pytest.approx(float(1 - exact_hat(trials - passed, trials, k)), rel=digits, abs=0)


def test_one_try_is_the_plain_pass_rate() -> None:
    for passed in range(13):
        assert pass_hat_k(passed, 12, 1).value == pass_at_k(passed, 12, 1).value == passed / 12


@pytest.mark.parametrize("k", [10**5, 10**6, 5 * 10**8, LARGE])
@pytest.mark.parametrize("missing", [0, 1, 1000, LARGE // 2])
def test_very_long_runs_take_little_memory(k: int, missing: int) -> None:
    tracemalloc.start()
    found = value(pass_hat_k(LARGE - missing, LARGE, k))
    mirrored = value(pass_at_k(missing, LARGE, k))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    limit = math.exp(missing * math.log1p(-k / LARGE)) if k < LARGE else float(missing == 0)
    assert found == pytest.approx(limit, rel=2e-3, abs=1e-300)
    assert mirrored == pytest.approx(1 - found, abs=1e-12)


def test_the_printed_examples() -> None:
    assert value(pass_hat_k(10, 12, 5)) == pytest.approx(0.318181818181818, rel=1e-14, abs=0)
    assert np.mean(pass_hat_k_values([4, 0], 4, 4)) == 0.5


def test_more_tries_than_trials_have_no_estimate_but_a_bound() -> None:
    for passed in (0, 3):
        assert pass_hat_k(passed, 3, 5).value is None
        assert pass_at_k(passed, 3, 5).value is None
        assert np.isnan(pass_hat_k_values([passed], 3, 5)).all()
        assert np.isnan(pass_at_k_values([passed], 3, 5)).all()
    assert pass_hat_k_lower_bound(3, 3, 5).value == pytest.approx(0.05 ** (5 / 3), rel=1e-12, abs=0)
    assert pass_hat_k(0, 0, 1).value is None


@pytest.mark.parametrize("k", [1, 3, 5, 80])
def test_columns_hold_what_the_single_calls_give(k: int) -> None:
    rng = np.random.default_rng(k)
    trials = rng.integers(0, 100, 3000)
    passed = rng.integers(0, trials + 1)
    hat, at = pass_hat_k_values(passed, trials, k), pass_at_k_values(passed, trials, k)
    for i in range(300):
        for column, single in ((hat, pass_hat_k), (at, pass_at_k)):
            expected = single(int(passed[i]), int(trials[i]), k).value
            assert np.isnan(column[i]) if expected is None else column[i] == expected


@pytest.mark.parametrize("key", [key for key in GOLDEN if key.startswith("pass^5")])
def test_bounds_are_the_golden_numbers(key: str) -> None:
    passed, trials = (int(count) for count in re.findall(r"\((\d+),(\d+)\)", key)[0])
    found = (
        pass_hat_k_interval(passed, trials, 5).low
        if "two95" in key
        else pass_hat_k_lower_bound(passed, trials, 5).value
    )
    assert found == pytest.approx(float(GOLDEN[key]), rel=1e-12, abs=0)


@pytest.mark.parametrize("k", [1, 5, 40])
@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("passed", [0, 1, 6, 11, 12])
def test_bounds_are_those_of_the_pass_rate_transformed(passed: int, level: float, k: int) -> None:
    low = binomial.lower_bound(passed, 12, confidence_level=level).value
    high = binomial.upper_bound(passed, 12, confidence_level=level).value
    both = binomial.two_sided_interval(passed, 12, confidence_level=level)

    def found(function: Callable[..., Any]) -> float:
        return float(function(passed, 12, k, confidence_level=level).value)

    assert found(pass_hat_k_lower_bound) == pytest.approx(low**k, rel=1e-14, abs=0)
    assert found(pass_hat_k_upper_bound) == pytest.approx(high**k, rel=1e-14, abs=0)
    assert found(pass_at_k_lower_bound) == pytest.approx(1 - (1 - low) ** k, abs=1e-14)
    assert found(pass_at_k_upper_bound) == pytest.approx(1 - (1 - high) ** k, abs=1e-14)
    hat = pass_hat_k_interval(passed, 12, k, confidence_level=level)
    at = pass_at_k_interval(passed, 12, k, confidence_level=level)
    assert (hat.low, hat.high) == pytest.approx((both.low**k, both.high**k), rel=1e-14, abs=0)
    assert (at.low, at.high) == pytest.approx((1 - (1 - both.low) ** k, 1 - (1 - both.high) ** k), abs=1e-14)


COUNTED: list[Callable[..., Any]] = [
    pass_hat_k, pass_at_k, pass_hat_k_values, pass_at_k_values, pass_hat_k_lower_bound, pass_hat_k_upper_bound,
    pass_hat_k_interval, pass_at_k_lower_bound, pass_at_k_upper_bound, pass_at_k_interval,
]  # fmt: skip


@pytest.mark.parametrize("function", COUNTED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("wrong", [True, 2.7, math.nan, -1, 13, None], ids=repr)
def test_wrong_counts_are_refused_by_name(function: Callable[..., Any], wrong: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^passed: expected"):
        function(wrong, 12, 5)


@pytest.mark.parametrize("function", COUNTED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("wrong", [True, 0, 2.5, -1, math.nan, None], ids=repr)
def test_wrong_k_is_refused_by_name(function: Callable[..., Any], wrong: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^k: expected a whole number >= 1"):
        function(3, 12, wrong)


@pytest.mark.parametrize("function", [analytic_pass_hat_k, analytic_pass_at_k], ids=lambda f: f.__name__)
@pytest.mark.parametrize("wrong", [-0.1, 1.1, math.nan, True, "0.9"], ids=repr)
def test_wrong_rates_are_refused_by_name(function: Callable[..., Any], wrong: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^pass_rate: expected a number in \[0, 1\]"):
        function(wrong, 5)


def test_results_carry_what_was_asked() -> None:
    bound = pass_hat_k_lower_bound(10, 12, 5, confidence_level=0.9)
    assert (bound.side, bound.confidence_level) == ("lower", 0.9)
    for found in (bound, pass_hat_k(10, 12, 5), pass_at_k_interval(10, 12, 5)):
        assert dict(found.inputs) == {"passed": 10, "trials": 12, "k": 5}
