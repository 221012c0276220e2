"""Intervals of pass^k, pass@k and flakiness of one task, and its classes, err no more often than they say. Exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from surefoot.stats.binomial import lower_bounds, two_sided_intervals, upper_bounds
from surefoot.stats.flakiness import cap_pass_rate, flakiness_intervals, proved_classes
from surefoot.stats.pass_k import (
    bootstrap_interval,
    pass_at_k_interval,
    pass_at_k_lower_bound,
    pass_at_k_upper_bound,
    pass_hat_k_interval,
    pass_hat_k_lower_bound,
    pass_hat_k_upper_bound,
)

Floats = NDArray[np.float64]

TRIALS = [1, 5, 12, 60]
LEVELS = [0.75, 0.95]
ROUNDING = 1e-10
BESIDE = 1e-13


def rates_to_try(trials: int, level: float) -> Floats:
    """A grid of pass rates and both sides of each bound, where coverage is least."""
    passed = np.arange(trials + 1)
    bounds = np.concatenate(
        [
            *two_sided_intervals(passed, trials, confidence_level=level),
            lower_bounds(passed, trials, confidence_level=level),
            upper_bounds(passed, trials, confidence_level=level),
        ]
    )
    beside = np.concatenate([bounds * (1 - BESIDE), bounds + (1 - bounds) * BESIDE])
    return np.concatenate([np.linspace(0, 1, 801), np.clip(beside, 0, 1)])


def law(trials: int, rates: Floats) -> Floats:
    """P(passed) for each rate (a row) and count (a column)."""
    return np.asarray(binom.pmf(np.arange(trials + 1), trials, rates[:, None]))


def pass_hat(rates: Floats, k: int) -> Floats:
    return rates**k


def pass_at(rates: Floats, k: int) -> Floats:
    return 1 - (1 - rates) ** k


# A rate next to a bound is told apart from it only as far as its k-th power is: the rounding of the power.
SAME = 1e-15


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("k", [1, 5, 30])
@pytest.mark.parametrize("trials", TRIALS)
@pytest.mark.parametrize(
    ("truth", "interval", "lower", "upper"),
    [
        (pass_hat, pass_hat_k_interval, pass_hat_k_lower_bound, pass_hat_k_upper_bound),
        (pass_at, pass_at_k_interval, pass_at_k_lower_bound, pass_at_k_upper_bound),
    ],
    ids=["pass^k", "pass@k"],
)
def test_bounds_of_k_tries_hold_at_every_pass_rate(
    truth: Callable[..., Floats],
    interval: Callable[..., Any],
    lower: Callable[..., Any],
    upper: Callable[..., Any],
    trials: int,
    k: int,
    level: float,
) -> None:
    rates = rates_to_try(trials, level)
    probability, value = law(trials, rates), truth(rates, k)[:, None]
    both = [interval(c, trials, k, confidence_level=level) for c in range(trials + 1)]
    low, high = np.array([found.low for found in both]), np.array([found.high for found in both])
    least = np.array([lower(c, trials, k, confidence_level=level).value for c in range(trials + 1)])
    most = np.array([upper(c, trials, k, confidence_level=level).value for c in range(trials + 1)])
    inside = (low <= value + SAME) & (value <= high + SAME)
    assert (probability * inside).sum(axis=1).min() >= level - ROUNDING
    assert (probability * (least <= value + SAME)).sum(axis=1).min() >= level - ROUNDING
    assert (probability * (most >= value - SAME)).sum(axis=1).min() >= level - ROUNDING


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("trials", [0, *TRIALS, 299])
def test_the_flakiness_interval_holds_at_every_pass_rate(trials: int, level: float) -> None:
    rates = rates_to_try(trials, level)
    low, high = flakiness_intervals(np.arange(trials + 1), trials, confidence_level=level)
    value = (4 * rates * (1 - rates))[:, None]
    inside = (low <= value + SAME) & (value <= high + SAME)
    assert (law(trials, rates) * inside).sum(axis=1).min() >= level - ROUNDING


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("cap", [0.05, 0.2, 0.5, 0.9, 0.97, 0.9905, 0.99999])
@pytest.mark.parametrize("trials", [5, 7, 19, 30, 56, 236])
def test_a_wrong_class_is_proved_no_more_often_than_allowed(trials: int, cap: float, level: float) -> None:
    edge = cap_pass_rate(cap)
    beside = np.array([edge * (1 - BESIDE), edge * (1 + BESIDE)])
    rates = np.concatenate([np.linspace(0, 1, 2001), beside, 1 - beside])
    classes = proved_classes(np.arange(trials + 1), trials, cap=cap, confidence_level=level)
    probability = law(trials, rates)
    mostly_passes, mostly_fails = rates[:, None] >= 1 - edge, rates[:, None] <= edge
    wrong = (
        ((classes == "stable pass") & ~mostly_passes)
        | ((classes == "stable fail") & ~mostly_fails)
        | ((classes == "flaky") & (mostly_passes | mostly_fails))
    )
    assert (probability * wrong).sum(axis=1).max() <= 1 - level + ROUNDING


def test_the_error_of_a_proof_is_used_up_where_it_may_be() -> None:
    """56 clean runs are the least that prove a flakiness under 0.2: just above it they come up nearly 5 % of the time."""
    edge = cap_pass_rate(0.2)
    classes = proved_classes(np.arange(57), 56, cap=0.2)
    wrong = binom.pmf(np.arange(57), 56, 1 - edge * (1 + 1e-9))[classes == "stable pass"].sum()
    assert 0.045 < wrong <= 0.05


def test_the_bootstrap_is_for_display_because_it_holds_too_seldom() -> None:
    """At p = .9 five trials all pass in 59 % of cases, and the interval is then [1, 1], beside the truth."""
    intervals = [bootstrap_interval(c, 5, 5) for c in range(6)]
    holds = np.array([found.low <= 0.9**5 <= found.high for found in intervals])
    assert binom.pmf(np.arange(6), 5, 0.9)[holds].sum() < 1 - 0.59
