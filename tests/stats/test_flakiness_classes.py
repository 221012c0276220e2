"""Observed and proved classes, and the repeats that proof needs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from surefoot.errors import ArgumentError
from surefoot.stats.binomial import lower_bound, upper_bound
from surefoot.stats.flakiness_classes import (
    cap_pass_rate,
    observed_class,
    proved_class,
    proved_classes,
    repeats_to_prove_stable,
    repeats_to_see_failure,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "golden.json").read_text())
CAPS = [0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.9, 0.97, 0.9905]


def test_the_edge_of_the_cap_is_the_golden_number() -> None:
    assert cap_pass_rate(0.2) == pytest.approx(float(GOLDEN["flake cap .2 a"]), rel=1e-14, abs=0)


@pytest.mark.parametrize("cap", [1e-300, 1e-12, *CAPS, 1 - 1e-12])
def test_at_the_edge_the_flakiness_is_the_cap(cap: float) -> None:
    edge = cap_pass_rate(cap)
    assert 0 < edge < 0.5
    assert 4 * edge * (1 - edge) == pytest.approx(cap, rel=1e-14, abs=0)


@pytest.mark.parametrize(
    ("passed", "trials", "expected"),
    [(0, 0, "not measured"), (1, 1, "all pass"), (0, 1, "all fail"), (12, 12, "all pass"), (11, 12, "mixed")],
)
def test_the_observed_class_says_what_was_seen(passed: int, trials: int, expected: str) -> None:
    assert observed_class(passed, trials) == expected


@pytest.mark.parametrize("trials", [0, 1, 12, 56, 150])
@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_proved_class_is_what_the_bounds_say(trials: int, cap: float, level: float) -> None:
    edge = (1 - math.sqrt(1 - cap)) / 2
    found = proved_classes(np.arange(trials + 1), trials, cap=cap, confidence_level=level)
    for passed in range(trials + 1):
        low = lower_bound(passed, trials, confidence_level=level).value
        high = upper_bound(passed, trials, confidence_level=level).value
        expected = "undetermined"
        rarer = min(passed, trials - passed)
        both = stats.binom.cdf(rarer, trials, edge) + stats.binom.sf(trials - rarer - 1, trials, edge)
        if low >= 1 - edge and both <= 1 - level:
            expected = "stable pass"
        elif high <= edge and both <= 1 - level:
            expected = "stable fail"
        elif low > edge and high < 1 - edge:
            expected = "flaky"
        assert found[passed] == expected == proved_class(passed, trials, cap=cap, confidence_level=level)


def test_every_class_can_be_proved() -> None:
    assert set(proved_classes(np.arange(151), 150, cap=0.2)) == {
        "stable pass",
        "stable fail",
        "flaky",
        "undetermined",
    }


def test_a_single_class_is_a_plain_string() -> None:
    assert type(proved_class(56, 56, cap=0.2)) is str


def test_without_trials_nothing_is_proved() -> None:
    assert proved_class(0, 0, cap=0.5) == "undetermined"


@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("failures", [0, 1, 3])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_so_many_repeats_prove_it_and_one_fewer_does_not(cap: float, failures: int, level: float) -> None:
    need = repeats_to_prove_stable(cap, failures=failures, confidence_level=level)
    for trials, expected in ((need, "stable pass"), (need - 1, "undetermined")):
        found = proved_class(trials - failures, trials, cap=cap, confidence_level=level)
        assert found == expected or (expected == "undetermined" and found == "flaky")
    assert proved_class(failures, need, cap=cap, confidence_level=level) == "stable fail"


def test_at_a_wide_cap_both_sides_share_the_budget() -> None:
    """Five straight passes rule out p <= .5487 at 95 %, five failures p >= .4513; between them one of both has 6.8 %."""
    assert lower_bound(5, 5).value > 1 - cap_pass_rate(0.9905)
    assert proved_class(5, 5, cap=0.9905) == "undetermined"
    assert repeats_to_prove_stable(0.9905) == 6


def test_the_printed_repeats() -> None:
    assert [repeats_to_prove_stable(cap) for cap in (0.05, 0.1, 0.2, 0.3, 0.5)] == [236, 116, 56, 36, 19]
    assert repeats_to_see_failure(1 / 6) == 17


@pytest.mark.parametrize("rate", [0.001, 1 / 6, 0.5, 0.99])
@pytest.mark.parametrize("level", [0.75, 0.95, 0.999])
def test_so_many_repeats_see_a_failure(rate: float, level: float) -> None:
    need = repeats_to_see_failure(rate, confidence_level=level)
    assert 1 - (1 - rate) ** need >= level * (1 - 1e-12)
    assert 1 - (1 - rate) ** (need - 1) < level


def test_few_repeats_miss_a_failure_of_one_run_in_six() -> None:
    missed = {trials: stats.binom.pmf(0, trials, 1 / 6) for trials in (3, 12, 17)}
    assert missed[3] == pytest.approx(0.58, abs=0.005)
    assert missed[12] == pytest.approx(0.112, abs=5e-4)
    assert missed[17] <= 0.05


@pytest.mark.parametrize("wrong", [0, 1, -0.2, 1.2, math.nan, True, "0.2", None], ids=repr)
def test_wrong_caps_are_refused_by_name(wrong: Any) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: cap_pass_rate(wrong),
        lambda: proved_class(1, 2, cap=wrong),
        lambda: proved_classes([1], [2], cap=wrong),
        lambda: repeats_to_prove_stable(wrong),
    ]
    for call in calls:
        with pytest.raises(ArgumentError, match=r"^cap: expected a number"):
            call()


@pytest.mark.parametrize("wrong", [True, 2.7, math.nan, -1, 13, None], ids=repr)
def test_wrong_counts_are_refused_by_name(wrong: Any) -> None:
    for call in (
        observed_class,
        lambda c, n: proved_class(c, n, cap=0.2),
        lambda c, n: proved_classes(c, n, cap=0.2),
    ):
        with pytest.raises(ArgumentError, match=r"^passed: expected"):
            call(wrong, 12)


def test_wrong_failures_and_rates_are_refused_by_name() -> None:
    with pytest.raises(ArgumentError, match=r"^failures: expected a whole number"):
        repeats_to_prove_stable(0.2, failures=-1)
    with pytest.raises(ArgumentError, match=r"^rate: expected a number"):
        repeats_to_see_failure(0)
