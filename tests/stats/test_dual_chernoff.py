"""The weighted dual bound: printed numbers, sharpness without events, and the formula holding at any multiplier."""

from __future__ import annotations

import itertools
import json
import math
import time
from pathlib import Path

import mpmath
import numpy as np
import pytest

from surefoot.stats.dual_chernoff import weighted_lower, weighted_upper

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "golden.json").read_text())

PATTERNS = {
    "20x1+5x10": ([1, 10], [20, 5]),
    "80x1+20x2": ([1, 2], [80, 20]),
    "50x1+50x3": ([1, 3], [50, 50]),
    "200x1+3x50": ([1, 50], [200, 3]),
    "1..30": (list(range(1, 31)), [1] * 30),
}


def formula(
    weights: list[float], counts: list[int], total: float, budget: float, tilt: mpmath.mpf, price: mpmath.mpf
) -> mpmath.mpf:
    """(l s + sum max_m [log(1 - m d) + v w m] - log a) / v, straight from its definition."""
    value = tilt * total - mpmath.log(budget)
    for weight, count in zip(weights, counts, strict=True):
        d = -mpmath.expm1(-tilt * weight)
        m = min(mpmath.mpf(1), max(mpmath.mpf(0), 1 / d - 1 / (price * weight)))
        value += count * (mpmath.log(1 - m * d) + price * weight * m)
    return value / price


def least_formula(weights: list[float], counts: list[int], total: float, budget: float) -> float:
    """A search that shares nothing with the code under test: a grid in (log l, log v), narrowed again and again."""
    with mpmath.workdps(25):
        centre, width = (mpmath.mpf(1), mpmath.mpf(1)), mpmath.mpf(6)
        best = mpmath.inf
        for _ in range(60):
            steps = [width * k / 4 for k in range(-4, 5)]
            points = [(centre[0] + a, centre[1] + b) for a, b in itertools.product(steps, steps)]
            values = [
                formula(weights, counts, total, budget, mpmath.exp(a), mpmath.exp(b)) for a, b in points
            ]
            least = min(range(len(values)), key=values.__getitem__)
            if values[least] < best:
                best = values[least]
            centre, width = points[least], width * mpmath.mpf("0.6")
        return float(best)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_without_events_the_bound_matches_the_golden_numbers(pattern: str) -> None:
    weights, counts = PATTERNS[pattern]
    expected = float(GOLDEN[f"waterfill0 {pattern}"])
    assert weighted_upper(weights, 0, 0.05, counts) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("pattern", "share", "key"),
    [
        ("20x1+5x10", 1 / 70, "dual(20x1+5x10,s=1/70)"),
        ("20x1+5x10", 1 / 7, "dual(20x1+5x10,s=1/7)"),
        ("80x1+20x2", 1 / 120, "dual(80x1+20x2,s=1/120)"),
        ("80x1+20x2", 1 / 60, "dual(80x1+20x2,s=1/60)"),
        ("50x1+50x3", 3 / 200, "dual(50x1+50x3,s=3/200)"),
    ],
)
def test_with_events_the_bound_matches_the_golden_numbers(pattern: str, share: float, key: str) -> None:
    sizes, counts = PATTERNS[pattern]
    whole = sum(size * count for size, count in zip(sizes, counts, strict=True))
    expected = float(GOLDEN[key])
    normalised = weighted_upper([size / whole for size in sizes], share, 0.05, counts)
    assert normalised == pytest.approx(expected, rel=1e-12)
    assert weighted_upper(sizes, share * whole, 0.05, counts) == pytest.approx(expected, rel=1e-12)


def test_every_golden_dual_number_is_checked_here() -> None:
    source = Path(__file__).read_text()
    known = {f"waterfill0 {pattern}" for pattern in PATTERNS}
    keys = [key for key in GOLDEN if key.startswith(("waterfill0", "dual("))]
    assert [key for key in keys if key not in known and f'"{key}"' not in source] == []


@pytest.mark.parametrize(
    ("weights", "counts", "total", "budget"),
    [
        ([1.0, 2.0], [80, 20], 1.0, 0.05),
        ([1.0, 10.0], [20, 5], 10.0, 0.25),
        ([0.5, 1.0, 3.0], [3, 4, 2], 5.25, 0.001),
        ([1.0], [6], 0.3, 0.05),
    ],
)
def test_the_search_ends_at_the_least_value_of_the_formula(weights, counts, total, budget) -> None:
    found = weighted_upper(weights, total, budget, counts)
    whole = sum(weight * count for weight, count in zip(weights, counts, strict=True))
    assert found == pytest.approx(least_formula(weights, counts, total, budget) / whole, rel=1e-9)


def test_no_multiplier_gives_a_value_below_the_bound() -> None:
    rng = np.random.default_rng(3)
    weights, counts, total = [1.0, 10.0], [20, 5], 7.0
    bound = weighted_upper(weights, total, 0.05, counts) * 70
    for _ in range(300):
        tilt, price = mpmath.mpf(math.exp(rng.uniform(-5, 3))), mpmath.mpf(math.exp(rng.uniform(-5, 3)))
        assert formula(weights, counts, total, 0.05, tilt, price) >= bound * (1 - 1e-13)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_without_events_the_worst_rates_are_reached(pattern: str) -> None:
    """Sharp: at the rates that attain the bound, seeing nothing has exactly the probability of the budget."""
    weights, counts = PATTERNS[pattern]
    bound = weighted_upper(weights, 0, 0.05, counts)
    whole = sum(w * c for w, c in zip(weights, counts, strict=True))
    low, high = 0.0, float(max(weights))
    for _ in range(200):
        level = (low + high) / 2
        filled = sum(c * max(0.0, w - level) for w, c in zip(weights, counts, strict=True))
        low, high = (level, high) if filled > bound * whole else (low, level)
    log_nothing = sum(c * math.log(min(1.0, low / w)) for w, c in zip(weights, counts, strict=True))
    assert math.exp(log_nothing) == pytest.approx(0.05, rel=1e-9)


def test_equal_weights_without_events_are_clopper_pearson() -> None:
    for units in (1, 2, 30, 10**6):
        for budget in (0.25, 0.05, 1e-12):
            expected = -math.expm1(math.log(budget) / units)
            assert weighted_upper([3.0], 0, budget, [units]) == pytest.approx(expected, rel=1e-13)


def test_the_bound_is_continuous_where_the_events_vanish() -> None:
    weights, counts = PATTERNS["20x1+5x10"]
    at_zero = weighted_upper(weights, 0, 0.05, counts)
    assert weighted_upper(weights, 1e-14, 0.05, counts) == pytest.approx(at_zero, rel=1e-11)


def test_order_grouping_and_scale_of_the_weights_change_nothing() -> None:
    rng = np.random.default_rng(11)
    weights = rng.integers(1, 9, 200)
    shuffled = rng.permutation(weights)
    distinct, counts = np.unique(weights, return_counts=True)
    for total in (0.0, 3.5, 150.0):
        bound = weighted_upper(weights, total, 0.05)
        assert weighted_upper(shuffled, total, 0.05) == bound
        assert weighted_upper(distinct, total, 0.05, counts) == bound
        assert weighted_upper(distinct / 7, total / 7, 0.05, counts) == pytest.approx(bound, rel=1e-13)


def test_the_ends() -> None:
    assert weighted_upper([1, 2], 3, 0.05) == 1.0
    assert weighted_upper([], 0, 0.05) == 1.0
    assert weighted_lower([], 0, 0.05) == 0.0
    assert weighted_lower([1, 2], 0, 0.05) == 0.0
    assert weighted_upper([5], 0, 0.05) == pytest.approx(0.95, rel=1e-14)


def test_the_lower_bound_is_the_mirror() -> None:
    for total in (0.5, 60.0, 119.0, 120.0):
        upper = weighted_upper([1, 2], 120 - total, 0.05, [80, 20])
        assert weighted_lower([1, 2], total, 0.05, [80, 20]) == 1 - upper


def test_trials_of_tasks_with_unequal_repeats_are_a_weighted_mean() -> None:
    """Six tasks tried twelve times and twenty-four tried once, all clean: each trial weighs 1/(T n)."""
    weights, counts = [1 / (30 * 12), 1 / 30], [72, 24]
    lower = weighted_lower(weights, 1.0, 0.05, counts)
    assert _shown(lower**5) == "0.610"
    tiers = weighted_lower([1 / (30 * 12), 1 / (30 * 3)], 1.0, 0.05, [72, 72])
    assert _shown(tiers**5) == "0.847"


def _shown(lower: float) -> str:
    """Three digits, rounded outward: down for a lower bound."""
    return f"{math.floor(lower * 1000) / 1000:.3f}"


@pytest.mark.parametrize("total", [0.0, 1e-9, 10.0, 1e5, 2e8])
@pytest.mark.parametrize("budget", [0.05, 1e-12])
def test_a_million_units_of_a_thousand_weights_are_quick_and_ordered(total: float, budget: float) -> None:
    weights = np.random.default_rng(1).integers(1, 1000, 10**6)
    distinct, counts = np.unique(weights, return_counts=True)
    before = time.process_time()
    upper = weighted_upper(distinct, total, budget, counts)
    lower = weighted_lower(distinct, total, budget, counts)
    assert time.process_time() - before < 0.5
    mean = total / float(weights.sum())
    assert 0 <= lower <= mean < upper < 1


def test_one_heavy_unit_among_many_light_ones_stays_finite() -> None:
    bound = weighted_upper([1, 1e-6], 1e-5, 0.05, [1, 1000])
    assert 0.949 < bound < 0.95
    assert 0.95 < weighted_upper([1], 0.5, 0.05) < 1


@pytest.mark.parametrize("missing", [1e-12, 1e-6, 0.01])
@pytest.mark.parametrize("budget", [0.25, 1e-15])
def test_totals_short_of_everything_by_very_little(missing: float, budget: float) -> None:
    """The best tilt grows without limit there; the bound stays between the mean and 1."""
    for weights, counts in ([[1.0], [1]], [[1.0, 2.0], [80, 20]], [[1e-6, 1.0], [10**6, 3]]):
        whole = sum(w * c for w, c in zip(weights, counts, strict=True))
        total = whole - missing
        assert total / whole * (1 - 1e-12) <= weighted_upper(weights, total, budget, counts) <= 1
        assert 0 <= weighted_lower(weights, missing, budget, counts) <= missing / whole * (1 + 1e-9) + 1e-15
