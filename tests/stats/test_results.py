"""The result types: frozen, shown rounded outward, and an error budget of decimal literals."""

from __future__ import annotations

import dataclasses
import json
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from surefoot.errors import ArgumentError
from surefoot.stats.results import Bound, Estimate, Interval, error_budget

RESULTS = [
    Bound(0.02465540105, "upper", 0.95, "Clopper-Pearson", {"events": 0, "trials": 120}),
    Interval(0.25, 0.75, 0.99, "Wilson", {"events": 1, "trials": 2}),
    Estimate(None, "flakiness", {"passed": 1, "trials": 1}),
]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_results_cannot_be_changed(result: Any) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.method = "another"


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_a_result_as_a_dictionary_holds_every_field_and_is_strict_json(result: Any) -> None:
    found = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert found == {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_the_full_representation_rebuilds_the_result(result: Any) -> None:
    names = {"Bound": Bound, "Interval": Interval, "Estimate": Estimate}
    assert eval(repr(result), names) == result  # noqa: S307


def test_the_dictionary_is_a_copy() -> None:
    bound = RESULTS[0]
    bound.to_dict()["inputs"]["events"] = 99
    assert bound.inputs == {"events": 0, "trials": 120}


def test_an_upper_bound_is_shown_rounded_up_and_a_lower_bound_rounded_down() -> None:
    assert str(Bound(0.02465540105, "upper", 0.95, "m")) == "at most 0.0246555 with 95 % confidence (m)"
    assert str(Bound(0.02465540105, "lower", 0.95, "m")) == "at least 0.0246554 with 95 % confidence (m)"


def test_an_interval_is_shown_rounded_outward() -> None:
    assert str(Interval(0.12345678, 0.12345671, 0.9, "m")) == "[0.123456, 0.123457] with 90 % confidence (m)"


@pytest.mark.parametrize(("value", "shown"), [(0.0, "0"), (1.0, "1"), (0.95, "0.95"), (5e-11, "5e-11")])
@pytest.mark.parametrize("side", ["upper", "lower"])
def test_a_short_value_is_shown_as_it_is(value: float, shown: str, side: Any) -> None:
    assert f" {shown} with" in str(Bound(value, side, 0.95, "m"))


@pytest.mark.parametrize("seed", range(20))
def test_what_is_shown_is_never_inside_the_bound(seed: int) -> None:
    value = float(np.random.default_rng(seed).random())
    upper, lower = (str(Bound(value, side, 0.95, "m")).split()[2] for side in ("upper", "lower"))  # type: ignore[arg-type]
    assert float(lower) <= value <= float(upper)
    assert float(upper) - float(lower) <= 2e-6


def test_a_level_near_one_is_not_shown_as_one_hundred_per_cent() -> None:
    assert "with 99.9999999999 % confidence" in str(Bound(0.5, "upper", 1 - 1e-12, "m"))


def test_no_estimate_is_shown_in_words() -> None:
    assert str(Estimate(None, "flakiness")) == "not measured (flakiness)"
    assert str(Estimate(0.0, "flakiness")) == "0 (flakiness)"


@pytest.mark.parametrize("level", ["0.75", "0.8", "0.9", "0.95", "0.975", "0.99", "0.999", "0.999999999999"])
def test_the_budget_is_one_minus_the_decimal_literal(level: str) -> None:
    assert error_budget(float(level)) == float(1 - Decimal(level))


def test_the_budget_of_95_per_cent_is_not_that_of_the_float_subtraction() -> None:
    assert error_budget(0.95) == 0.05 != 1 - 0.95


def test_numpy_numbers_are_levels_too() -> None:
    assert error_budget(np.float64(0.95)) == 0.05


@pytest.mark.parametrize("level", [1, 1.0, 0.74, 0, -0.95, 95, math.nan, math.inf, True, "0.95", None, 0.95j])
def test_what_is_no_confidence_level_is_refused_by_name(level: Any) -> None:
    with pytest.raises(ArgumentError, match=r"confidence_level: expected a number in \[0\.75, 1\)") as caught:
        error_budget(level)
    assert caught.value.argument == "confidence_level"
