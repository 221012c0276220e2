"""Clopper-Pearson and Wilson against the golden numbers, exact fractions, 50 digits and other packages."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from surefoot.errors import ArgumentError
from surefoot.stats import binomial
from surefoot.stats.binomial import (
    clopper_pearson_lower,
    clopper_pearson_upper,
    lower_bound,
    lower_bounds,
    pooled_lower_bound,
    pooled_upper_bound,
    two_sided_interval,
    two_sided_intervals,
    upper_bound,
    upper_bounds,
    wilson_interval,
)
from surefoot.stats.results import Bound, Interval

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "golden.json").read_text())
ONE_SIDED = [key for key in GOLDEN if key.startswith(("cp_upper", "cp_lower"))]
TWO_SIDED = [key for key in GOLDEN if key.startswith("cp_two")]
LARGE = 10**9
LEVELS = [0.75, 0.9, 0.95, 0.975, 0.999, 1 - 1e-12]


def counts_in(key: str) -> tuple[int, int]:
    events, trials = re.findall(r"\((\d+),(\d+)\)", key)[0]
    return int(events), int(trials)


def exact_tail(events: int, trials: int, rate: Fraction) -> Fraction:
    """P(Binomial(trials, rate) <= events) in exact fractions."""
    terms = (math.comb(trials, x) * rate**x * (1 - rate) ** (trials - x) for x in range(events + 1))
    return sum(terms, Fraction(0))


def test_there_are_golden_numbers() -> None:
    assert len(ONE_SIDED) >= 20
    assert len(TWO_SIDED) >= 6


@pytest.mark.parametrize("key", ONE_SIDED)
def test_one_sided_bounds_are_the_golden_numbers(key: str) -> None:
    bound = upper_bound if key.startswith("cp_upper") else lower_bound
    assert bound(*counts_in(key)).value == pytest.approx(float(GOLDEN[key]), rel=1e-12, abs=0)


@pytest.mark.parametrize("key", TWO_SIDED)
def test_two_sided_intervals_are_the_golden_numbers(key: str) -> None:
    interval = two_sided_interval(*counts_in(key))
    end = interval.low if key.endswith(".lo") else interval.high
    assert end == pytest.approx(float(GOLDEN[key]), rel=1e-12, abs=0)


def test_the_repair_for_unequal_rates_is_the_golden_number() -> None:
    repaired = float(GOLDEN["cp_repaired_lower95(1,90)"])
    assert pooled_lower_bound(1, 90).value == pytest.approx(repaired, rel=1e-12, abs=0)
    assert pooled_upper_bound(89, 90).value == pytest.approx(1 - repaired, rel=1e-12, abs=0)
    assert pooled_lower_bound(1, 90).value < lower_bound(1, 90).value


@pytest.mark.parametrize("trials", [1, 2, 3, 7, 90, LARGE])
@pytest.mark.parametrize("level", LEVELS)
def test_the_repair_touches_nothing_else(trials: int, level: float) -> None:
    for events in {0, min(2, trials), trials // 2, trials - 1, trials} - {1}:
        plain = lower_bound(events, trials, confidence_level=level).value
        assert pooled_lower_bound(events, trials, confidence_level=level).value == plain
    for events in {0, 1, trials // 2, max(trials - 2, 0), trials} - {trials - 1}:
        plain = upper_bound(events, trials, confidence_level=level).value
        assert pooled_upper_bound(events, trials, confidence_level=level).value == plain


@pytest.mark.parametrize("trials", [1, 2, 3, 12, 40])
@pytest.mark.parametrize("level", [0.75, 0.95, 0.999])
def test_every_bound_splits_the_exact_tail(trials: int, level: float) -> None:
    budget = float(f"{1 - level:.6g}")
    for events in range(trials):
        upper = Fraction(upper_bound(events, trials, confidence_level=level).value)
        assert float(exact_tail(events, trials, upper)) == pytest.approx(budget, rel=1e-11, abs=0)
        lower = Fraction(lower_bound(trials - events, trials, confidence_level=level).value)
        assert float(exact_tail(events, trials, 1 - lower)) == pytest.approx(budget, rel=1e-11, abs=0)


@pytest.mark.parametrize("events", [0, 1, LARGE - 1, LARGE])
@pytest.mark.parametrize("level", LEVELS)
def test_a_thousand_million_trials_lose_no_digits(events: int, level: float) -> None:
    budget = 1e-12 if level > 0.9999 else float(f"{1 - level:.6g}")
    with mpmath.workdps(50):
        small = mpmath.mpf(upper_bound(min(events, LARGE - events), LARGE, confidence_level=level).value)
        tail = mpmath.fsum(
            mpmath.binomial(LARGE, x) * small**x * (1 - small) ** (LARGE - x)
            for x in range(min(events, LARGE - events) + 1)
        )
        assert float(tail) == pytest.approx(budget, rel=1e-9, abs=0)
        first = mpmath.mpf(lower_bound(1, LARGE, confidence_level=level).value)
        assert float(-mpmath.expm1(LARGE * mpmath.log1p(-first))) == pytest.approx(budget, rel=1e-9, abs=0)
    mirrored = 1 - lower_bound(LARGE - events, LARGE, confidence_level=level).value
    assert upper_bound(events, LARGE, confidence_level=level).value == pytest.approx(mirrored, abs=2e-16)


@pytest.mark.parametrize("trials", [1, 2, 5, 120, 299, LARGE])
def test_the_ends_are_closed_forms(trials: int) -> None:
    expected = -math.expm1(math.log(0.05) / trials)
    assert upper_bound(0, trials).value == pytest.approx(expected, rel=1e-15, abs=0)
    assert lower_bound(trials, trials).value == pytest.approx(1 - expected, rel=1e-15, abs=0)
    assert upper_bound(trials, trials).value == 1
    assert lower_bound(0, trials).value == 0


@pytest.mark.parametrize("level", LEVELS)
def test_no_trials_allow_every_rate(level: float) -> None:
    assert upper_bound(0, 0, confidence_level=level).value == 1
    assert lower_bound(0, 0, confidence_level=level).value == 0
    assert pooled_upper_bound(0, 0, confidence_level=level).value == 1
    assert pooled_lower_bound(0, 0, confidence_level=level).value == 0
    for interval in (two_sided_interval, wilson_interval):
        found = interval(0, 0, confidence_level=level)
        assert (found.low, found.high) == (0, 1)
    assert two_sided_intervals([0, 0], 0)[1].tolist() == [1, 1]


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_statsmodels_and_scipy_agree(level: float) -> None:
    events, trials = (column.ravel() for column in np.meshgrid(np.arange(61), np.arange(1, 61)))
    events, trials = events[events <= trials], trials[events <= trials]
    low, high = two_sided_intervals(events, trials, confidence_level=level)
    other_low, other_high = proportion_confint(events, trials, alpha=1 - level, method="beta")
    np.testing.assert_allclose(low, np.nan_to_num(other_low), rtol=1e-11)
    np.testing.assert_allclose(high, np.nan_to_num(other_high, nan=1.0), rtol=1e-11)
    for x, n in [(0, 9), (3, 17), (17, 17), (59, 60)]:
        exact = stats.binomtest(x, n).proportion_ci(confidence_level=level, method="exact")
        ours = two_sided_interval(x, n, confidence_level=level)
        assert (ours.low, ours.high) == pytest.approx((exact.low, exact.high), rel=1e-9, abs=0)


@pytest.mark.parametrize("level", [0.75, 0.95, 0.999])
@pytest.mark.parametrize("pair", [(0, 1), (1, 1), (180, 200), (0, 12), (12, 12), (1, LARGE), (5, 7)])
def test_wilson_is_that_of_statsmodels(pair: tuple[int, int], level: float) -> None:
    ours = wilson_interval(*pair, confidence_level=level)
    low, high = proportion_confint(*pair, alpha=1 - level, method="wilson")
    assert (ours.low, ours.high) == pytest.approx((low, high), rel=1e-9, abs=1e-15)


def test_wilson_at_the_ends_is_closed() -> None:
    assert wilson_interval(0, 7).low == 0
    assert wilson_interval(7, 7).high == 1


def chance(trials: int, rate: float, counted: np.ndarray[Any, Any]) -> float:
    return float(stats.binom.pmf(np.arange(trials + 1), trials, rate)[counted].sum())


def test_a_gate_at_the_limit_errs_as_often_as_is_said() -> None:
    events = np.arange(300)
    passes = upper_bounds(events, 299) <= 0.01
    fails = lower_bounds(events, 299) > 0.01
    assert chance(299, 0.01, passes) == pytest.approx(0.0495, abs=5e-5)
    once = chance(299, 0.01, fails)
    assert once == pytest.approx(float(GOLDEN["P(FAIL) n=299 L=p=1%"]), rel=1e-12, abs=0)
    assert 1 - (1 - once) ** 4 == pytest.approx(float(GOLDEN["4 checks n=299"]), rel=1e-12, abs=0)
    many = chance(2995, 0.001, lower_bounds(np.arange(2996), 2995) > 0.001)
    assert 1 - (1 - many) ** 4 == pytest.approx(float(GOLDEN["4 checks n=2995 L=.1%"]), rel=1e-12, abs=0)
    holm = chance(299, 0.01, lower_bounds(events, 299, confidence_level=1 - 0.05 / 4) > 0.01)
    assert holm == pytest.approx(float(GOLDEN["P(first Holm FAIL) n=299 4 checks"]), rel=1e-11, abs=0)


def test_power_moves_in_steps() -> None:
    one_more = chance(473, 0.003, upper_bounds(np.arange(474), 473) <= 0.01)
    assert one_more == pytest.approx(float(GOLDEN["P(sawtooth) n=473 p=.003"]), rel=1e-11, abs=0)
    assert chance(472, 0.003, upper_bounds(np.arange(473), 472) <= 0.01) == pytest.approx(0.242, abs=5e-4)


@pytest.mark.parametrize("trials", [0, 1, 12, 299])
@pytest.mark.parametrize("level", [0.8, 0.95, 1 - 1e-12])
def test_arrays_hold_what_the_single_calls_give(trials: int, level: float) -> None:
    events = np.tile(np.arange(trials + 1), 70)
    low, high = two_sided_intervals(events, trials, confidence_level=level)
    uppers = upper_bounds(events, trials, confidence_level=level)
    lowers = lower_bounds(events, trials, confidence_level=level)
    for x in range(trials + 1):
        both = two_sided_interval(x, trials, confidence_level=level)
        assert (low[x], high[x]) == pytest.approx((both.low, both.high), rel=1e-14, abs=0)
        assert uppers[x] == pytest.approx(
            upper_bound(x, trials, confidence_level=level).value, rel=1e-14, abs=0
        )
        assert lowers[x] == pytest.approx(
            lower_bound(x, trials, confidence_level=level).value, rel=1e-14, abs=0
        )
    np.testing.assert_array_equal(low, np.tile(low[: trials + 1], 70))


def test_arrays_broadcast() -> None:
    found = upper_bounds([[0], [1]], [120, 300, 998])
    assert found.shape == (2, 3)
    assert found[1, 1] == pytest.approx(float(GOLDEN["cp_upper95(1,300)"]), rel=1e-12, abs=0)


@pytest.mark.parametrize("events", [0.0, 0.4, 2.7, 11.5, 12.0])
def test_effective_counts_may_be_fractions(events: float) -> None:
    upper, lower = (f(events, 12.0, 0.05) for f in (clopper_pearson_upper, clopper_pearson_lower))
    if events < 12:
        assert stats.beta.sf(upper, events + 1, 12 - events) == pytest.approx(0.05, rel=1e-10, abs=0)
    if events > 0:
        assert stats.beta.cdf(lower, events, 13 - events) == pytest.approx(0.05, rel=1e-10, abs=0)
    assert clopper_pearson_upper(np.array([events]), np.array([12.0]), 0.05).tolist() == [upper]


SINGLE: list[Callable[..., Any]] = [
    upper_bound, lower_bound, two_sided_interval, pooled_upper_bound, pooled_lower_bound, wilson_interval,
]  # fmt: skip
COLUMNS: list[Callable[..., Any]] = [upper_bounds, lower_bounds, two_sided_intervals]


@pytest.mark.parametrize("function", SINGLE + COLUMNS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("wrong", [True, 2.7, math.nan, math.inf, -1, "3", None, 13], ids=repr)
def test_wrong_counts_are_refused_by_name(function: Callable[..., Any], wrong: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^events: expected") as caught:
        function(wrong, 12)
    assert caught.value.argument == "events"


@pytest.mark.parametrize("function", SINGLE + COLUMNS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("wrong", [True, 2.7, math.nan, -1, None], ids=repr)
def test_wrong_trials_are_refused_by_name(function: Callable[..., Any], wrong: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^trials: expected"):
        function(0, wrong)


@pytest.mark.parametrize("function", SINGLE + COLUMNS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("wrong", [0.5, 1.0, 95, math.nan, True], ids=repr)
def test_wrong_levels_are_refused_by_name(function: Callable[..., Any], wrong: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^confidence_level: expected"):
        function(0, 12, confidence_level=wrong)


@pytest.mark.parametrize("function", SINGLE, ids=lambda f: f.__name__)
def test_results_carry_what_was_asked(function: Callable[..., Any]) -> None:
    found = function(np.int32(3), 12.0, confidence_level=0.9)
    assert found.confidence_level == 0.9
    assert dict(found.inputs) == {"events": 3, "trials": 12}
    assert isinstance(found, Interval if "interval" in function.__name__ else Bound)
    if isinstance(found, Bound):
        assert found.side in function.__name__


def test_equal_tasks_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[int] = []
    solve = binomial.beta_quantile

    def counting(tail: Any, a: Any, b: Any, budget: float) -> Any:
        computed.append(np.size(a))
        return solve(tail, a, b, budget)

    monkeypatch.setattr(binomial, "beta_quantile", counting)
    two_sided_intervals(np.random.default_rng(1).integers(0, 11, 100_000), 10)
    assert sum(computed) <= 2 * 11
