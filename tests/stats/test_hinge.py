"""The hinge bound against its definition in 40 digits, the printed numbers and the traps of large counts."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

import mpmath
import numpy as np
import pytest

from surefoot.errors import ArgumentError
from surefoot.stats.hinge import hinge_lower, hinge_tail, hinge_upper, lower_bound, upper_bound

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "golden.json").read_text())


def defined_tail(total: mpmath.mpf, units: int, rate: mpmath.mpf) -> mpmath.mpf:
    """The definition, term by term: the least over every whole t > total of E(t - B)+ / (t - total)."""
    pmf = [mpmath.binomial(units, k) * rate**k * (1 - rate) ** (units - k) for k in range(units + 1)]
    first = int(mpmath.floor(total)) + 1
    excesses = (
        mpmath.fsum((t - k) * pmf[k] for k in range(t)) / (t - total) for t in range(first, units + 1)
    )
    return min(excesses)


def defined_upper(total: float, units: int, budget: str) -> mpmath.mpf:
    with mpmath.workdps(40):
        exact_total, exact_budget = mpmath.mpf(total), mpmath.mpf(budget)
        low, high = exact_total / units, mpmath.mpf(1)
        for _ in range(70):
            middle = (low + high) / 2
            if defined_tail(exact_total, units, middle) > exact_budget:
                low = middle
            else:
                high = middle
        return high


def recurrence_tail(total: float, units: int, rate: float, *, terms: int) -> float:
    """E(t - B)+ / (t - total) near its least t by sums in 30 digits, for counts too large for the definition."""
    with mpmath.workdps(30):
        p = mpmath.mpf(rate)
        odds_against = (1 - p) / p
        first = math.floor(total) + 1

        def value(t: int) -> mpmath.mpf:
            log_top = (
                mpmath.loggamma(units + 1) - mpmath.loggamma(t) - mpmath.loggamma(units - t + 2)
                + (t - 1) * mpmath.log(p) + (units - t + 1) * mpmath.log1p(-p)
            )  # fmt: skip
            term, excess = mpmath.mpf(1), mpmath.mpf(1)
            for j in range(1, min(t, terms)):
                term *= (t - j) * odds_against / (units - t + j + 1)
                excess += (j + 1) * term
            return mpmath.exp(log_top) * excess / (t - mpmath.mpf(total))

        low, high = first, max(first + 1, math.ceil(units * rate) + 1)
        while high - low > 2:
            third = (high - low) // 3
            if value(low + third) <= value(high - third):
                high = high - third
            else:
                low = low + third
            if third == 0:
                break
        return float(min(value(t) for t in range(low, high + 1)))


@pytest.mark.parametrize(
    ("key", "total", "units", "budget"),
    [
        ("hinge_upper95(S=0,M=100)", 0, 100, 0.05),
        ("hinge_upper95(S=0.25,M=100)", 0.25, 100, 0.05),
        ("hinge_upper95(S=0.5,M=100)", 0.5, 100, 0.05),
        ("hinge_upper95(S=1,M=100)", 1, 100, 0.05),
        ("hinge_upper95(S=1.5,M=100)", 1.5, 100, 0.05),
        ("hinge_upper95(S=2,M=100)", 2, 100, 0.05),
        ("hinge_upper95(S=3,M=100)", 3, 100, 0.05),
        ("hinge_upper95(S=0,M=388)", 0, 388, 0.05),
        ("hinge_upper95(S=0.25,M=388)", 0.25, 388, 0.05),
        ("hinge_upper95(S=1,M=388)", 1, 388, 0.05),
        ("hinge_upper95(S=2,M=388)", 2, 388, 0.05),
        ("hinge_upper95(S=10,M=388)", 10, 388, 0.05),
        ("hinge_upper95(S=1,M=5)", 1, 5, 0.05),
        ("hinge_upper95(S=4,M=5)", 4, 5, 0.05),
        ("hinge_upper95(S=9/2,M=5)", 4.5, 5, 0.05),
        ("hinge_upper95(S=1,M=2)", 1, 2, 0.05),
        ("hinge_upper95(S=1/3,M=30)", 1 / 3, 30, 0.05),
        ("hinge_upper95(S=2.5,M=30)", 2.5, 30, 0.05),
        ("hinge_upper95(S=28.5,M=30)", 28.5, 30, 0.05),
        ("hinge_upper95(S=27.9,M=30)", 27.9, 30, 0.05),
        ("hinge_upper80(S=1,M=100)", 1, 100, 0.2),
        ("hinge_upper99.9(S=2,M=30)", 2, 30, 0.001),
        ("hinge_upper99(S=12.3,M=1000)", 12.3, 1000, 0.01),
        ("hinge_upper95(S=10,M=1e6)", 10, 10**6, 0.05),
    ],
)
def test_upper_bound_matches_the_golden_numbers(key: str, total: float, units: int, budget: float) -> None:
    assert hinge_upper(total, units, budget) == pytest.approx(float(GOLDEN[key]), rel=1e-12, abs=0)


def test_every_golden_hinge_number_is_checked_here() -> None:
    source = Path(__file__).read_text()
    hinges = [key for key in GOLDEN if key.startswith(("hinge_upper", "hinge_lower", "population"))]
    assert [key for key in hinges if f'"{key}"' not in source] == []


def test_lower_bound_matches_the_golden_numbers() -> None:
    small = float(GOLDEN["hinge_lower95(S=.5,M=30)"])
    assert hinge_lower(0.5, 30, 0.05) == pytest.approx(small, rel=1e-12, abs=0)
    population = float(GOLDEN["population 30 tasks all pass"])
    assert lower_bound(30, 30).value == pytest.approx(population, rel=1e-12)


@pytest.mark.parametrize(
    ("total", "units", "level", "printed"),
    [
        (1, 100, 0.95, "0.048319849"),
        (2, 100, 0.95, "0.064807209"),
        (3, 100, 0.95, "0.080138972"),
        (1, 388, 0.95, "0.012644028"),
        (2, 388, 0.95, "0.017011035"),
        (1 / 3, 30, 0.95, "0.107182642638917"),
        (1, 5, 0.95, "0.665560458463878"),
        (2, 30, 0.999, "0.325131767063834"),
    ],
)
def test_upper_bound_prints_the_documented_digits(
    total: float, units: int, level: float, printed: str
) -> None:
    digits = len(printed) - 2
    assert f"{upper_bound(total, units, confidence_level=level).value:.{digits}f}" == printed


@pytest.mark.parametrize("budget", ["0.25", "0.05", "0.001", "1e-12"])
@pytest.mark.parametrize("units", [1, 2, 3, 7, 24])
def test_both_bounds_follow_the_definition(units: int, budget: str) -> None:
    for share in (0.0, 0.03, 0.1, 0.31, 0.5, 0.77, 0.95, 1.0):
        for total in {share * units, float(round(share * units))}:
            if total >= units:
                assert hinge_upper(total, units, float(budget)) == 1.0
                continue
            expected = defined_upper(total, units, budget)
            found = hinge_upper(total, units, float(budget))
            assert found == pytest.approx(float(expected), rel=1e-12)
            mirrored = hinge_lower(units - total, units, float(budget))
            assert mirrored == pytest.approx(float(1 - expected), rel=1e-11, abs=4e-16)


@pytest.mark.parametrize(
    ("total", "units", "budget", "terms"),
    [
        (1.5, 10**6, 0.05, 10),
        (37.25, 10**6, 1e-12, 400),
        (12_345.6, 10**6, 0.01, 2_500),
        (500_000.0, 10**6, 0.05, 5_000),
        (999_000.5, 10**6, 0.05, 1_500),
    ],
)
def test_a_million_units_put_back_into_the_tail_give_the_budget(
    total: float, units: int, budget: float, terms: int
) -> None:
    bound = hinge_upper(total, units, budget)
    tail = recurrence_tail(total, units, bound, terms=terms)
    # The tail moves by this much for a relative change of 1e-9 in the smaller of the rate and its complement.
    nearby = bound - 1e-9 * min(bound, 1 - bound)
    allowed = abs(recurrence_tail(total, units, nearby, terms=terms) - tail)
    assert abs(tail - budget) <= allowed
    assert hinge_tail(total, units, bound) == pytest.approx(tail, rel=1e-9)


def test_a_small_lower_bound_keeps_its_digits_at_a_million_units() -> None:
    # P(at least 2 of a million) with the hinge: E(B - u)+ / (2 - u) at u = 0 or 1 is all there is to compare.
    units, total = 10**6, 2.0
    found = hinge_lower(total, units, 1e-6)
    with mpmath.workdps(40):
        p = mpmath.mpf(found)
        none = (1 - p) ** units
        tail = min(units * p / 2, (units * p - 1 + none) / 1)
        slope = mpmath.diff(lambda q: units * q - 1 + (1 - q) ** units, p)
        assert abs(tail - mpmath.mpf("1e-6")) <= 1e-9 * p * slope


def test_one_unit_and_its_neighbourhood_have_closed_forms() -> None:
    assert hinge_upper(0, 1, 0.05) == pytest.approx(0.95, rel=1e-15)
    assert hinge_upper(0.4, 1, 0.05) == pytest.approx(1 - 0.05 * 0.6, rel=1e-15)
    assert hinge_upper(7.5, 8, 0.05) == pytest.approx(1 - 0.05 * 0.5 / 8, rel=1e-15)
    assert hinge_upper(8, 8, 0.05) == 1.0
    assert hinge_lower(0.4, 8, 0.05) == pytest.approx(0.05 * 0.4 / 8, rel=1e-15)


@pytest.mark.parametrize("units", [5, 100, 10**6])
@pytest.mark.parametrize("whole", [1, 2, 4])
def test_the_bound_is_continuous_at_whole_totals(units: int, whole: int) -> None:
    exactly = hinge_upper(whole, units, 0.05)
    assert hinge_upper(math.nextafter(whole, 0), units, 0.05) == pytest.approx(exactly, rel=1e-12)
    assert hinge_upper(math.nextafter(whole, 9), units, 0.05) == pytest.approx(exactly, rel=1e-12)
    low = hinge_lower(whole, units, 0.05)
    assert hinge_lower(math.nextafter(whole, 0), units, 0.05) == pytest.approx(low, rel=1e-12)
    assert hinge_lower(math.nextafter(whole, 9), units, 0.05) == pytest.approx(low, rel=1e-12)


def test_the_returned_bound_never_leaves_the_tail_above_the_budget() -> None:
    rng = np.random.default_rng(20240)
    for _ in range(300):
        units = int(rng.integers(2, 5000))
        total = float(rng.choice([rng.random() * units, rng.integers(0, units)]))
        budget = float(rng.choice([0.25, 0.05, 1e-3, 1e-12]))
        bound = hinge_upper(total, units, budget)
        if bound < 1:
            # A float next to 1 states its complement to this many digits only.
            rounding = 2.0**-53 / (1 - bound)
            assert hinge_tail(total, units, bound) <= budget * (
                1 + 2e-13 + 2 * rounding * (units - total + 1)
            )


@pytest.mark.parametrize("units", [2, 30, 10**6])
@pytest.mark.parametrize("missing", [1 + 1e-9, 1 + 1e-13, 1.0, 1e-9])
@pytest.mark.parametrize("budget", [0.25, 1e-15])
def test_totals_short_of_everything_by_about_one_unit(units: int, missing: float, budget: float) -> None:
    total = units - missing
    closed = 1 - budget * (units - total) / units
    assert hinge_upper(total, units, budget) == pytest.approx(closed, rel=1e-12)
    # Written from the other end the same total loses no digit to the subtraction.
    assert hinge_lower(missing, units, budget) == pytest.approx(budget * missing / units, rel=1e-7)


def test_no_units_say_nothing() -> None:
    assert upper_bound(0, 0).value == 1.0
    assert lower_bound(0, 0).value == 0.0
    assert hinge_tail(0, 0, 0.5) == 1.0


def test_the_tail_is_one_where_the_mean_is_no_larger_than_seen_and_zero_at_a_sure_rate() -> None:
    assert hinge_tail(3, 10, 0.3) == 1.0
    assert hinge_tail(3, 10, 0.2) == 1.0
    assert hinge_tail(3, 10, 1.0) == 0.0
    assert hinge_tail(10, 10, 1.0) == 1.0


@pytest.mark.parametrize("total", [1.0, 10.0, 1e5, 5e5, 999_990.0])
def test_a_million_units_take_less_than_fifty_milliseconds(total: float) -> None:
    hinge_upper(total, 10**6, 0.05)
    spent = []
    for bound in (hinge_upper, hinge_lower) * 3:
        before = time.process_time()
        bound(total, 10**6, 0.05)
        spent.append(time.process_time() - before)
    assert min(spent) < 0.05


def test_the_result_repeats_its_inputs() -> None:
    bound = upper_bound(1, 100)
    assert bound.side == "upper"
    assert bound.inputs == {"total": 1.0, "units": 100}
    assert str(bound) == "at most 0.0483199 with 95 % confidence (hinge)"
    assert lower_bound(1, 100).side == "lower"


@pytest.mark.parametrize("bound", [upper_bound, lower_bound])
@pytest.mark.parametrize(
    ("total", "units", "argument"),
    [
        (0, True, "units"),
        (0, 2.7, "units"),
        (0, -1, "units"),
        (0, math.nan, "units"),
        (True, 5, "total"),
        (math.nan, 5, "total"),
        (-0.1, 5, "total"),
        (5.1, 5, "total"),
        ("1", 5, "total"),
    ],
)
def test_wrong_arguments_are_named(bound, total, units, argument) -> None:
    with pytest.raises(ArgumentError) as caught:
        bound(total, units)
    assert caught.value.argument == argument


def test_a_wrong_confidence_level_is_named() -> None:
    with pytest.raises(ArgumentError, match="confidence_level"):
        upper_bound(1, 5, confidence_level=0.5)
