"""Clopper-Pearson holds in at least 95 % of reviews at every rate, and its repair at every mix of rates. Exactly.

No simulation: coverage at a rate is the probability of the counts whose bound holds there. It is least just
beyond a bound, so those rates are always among the ones tried.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from surefoot.stats.binomial import (
    lower_bounds,
    pooled_lower_bound,
    pooled_upper_bound,
    two_sided_intervals,
    upper_bounds,
)

Floats = NDArray[np.float64]
Bounds = Callable[..., Floats]

TRIALS = [5, 20, 120, 299, 686]
LEVELS = [0.75, 0.95, 0.99]
ROUNDING = 1e-10
BESIDE = 1e-13


def rates_to_try(bounds: Floats) -> Floats:
    """A fine grid, each bound, and both sides of each bound."""
    grid = np.concatenate(
        [np.linspace(0, 1, 1001), np.geomspace(1e-9, 1, 300), 1 - np.geomspace(1e-9, 1, 300)]
    )
    return np.clip(
        np.concatenate([grid, bounds, bounds * (1 - BESIDE), bounds + (1 - bounds) * BESIDE]), 0, 1
    )


def coverage(holds: NDArray[np.bool_], trials: int, rates: Floats) -> Floats:
    """P(the count is one of those that hold) for each rate; `holds` has a row for each rate."""
    law = binom.pmf(np.arange(trials + 1), trials, rates[:, None])
    return np.asarray((law * holds).sum(axis=1))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("trials", TRIALS)
def test_the_upper_bound_holds_at_every_rate_and_no_more_than_it_must(trials: int, level: float) -> None:
    bounds = upper_bounds(np.arange(trials + 1), trials, confidence_level=level)
    rates = rates_to_try(bounds)
    found = coverage(bounds >= rates[:, None], trials, rates)
    assert found.min() >= level - ROUNDING
    assert found.min() == pytest.approx(level, abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("trials", TRIALS)
def test_the_lower_bound_holds_at_every_rate_and_no_less_than_it_must(trials: int, level: float) -> None:
    bounds = lower_bounds(np.arange(trials + 1), trials, confidence_level=level)
    rates = rates_to_try(bounds)
    found = coverage(bounds <= rates[:, None], trials, rates)
    assert found.min() >= level - ROUNDING
    assert found.min() == pytest.approx(level, abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("trials", TRIALS)
def test_the_interval_holds_at_every_rate_and_each_end_errs_half(trials: int, level: float) -> None:
    low, high = two_sided_intervals(np.arange(trials + 1), trials, confidence_level=level)
    rates = rates_to_try(np.concatenate([low, high]))
    above, below = low <= rates[:, None], rates[:, None] <= high
    assert coverage(above & below, trials, rates).min() >= level - ROUNDING
    for end in (above, below):
        assert coverage(end, trials, rates).min() == pytest.approx(1 - (1 - level) / 2, abs=1e-9)


@cache
def pooled_bounds(side: str, trials: int, level: float) -> Floats:
    bound = pooled_lower_bound if side == "lower" else pooled_upper_bound
    return np.array([bound(x, trials, confidence_level=level).value for x in range(trials + 1)])


def law_of_the_count(rates: Floats) -> Floats:
    """The law of the number of events in trials of unequal rates, by convolution; one row for each mix."""
    law = np.zeros((rates.shape[0], rates.shape[1] + 1))
    law[:, 0] = 1
    for i in range(rates.shape[1]):
        rate = rates[:, i, None]
        law[:, 1:] = law[:, 1:] * (1 - rate) + law[:, :-1] * rate
        law[:, 0] *= 1 - rate[:, 0]
    return law


def mixes_of_mean(trials: int, mean: float) -> Floats:
    """All mixes of the mean with some rates 0, some 1 and the rest equal.

    By Hoeffding (1956) the probability of any set of counts is least and greatest, among all mixes of a mean,
    at one of these: what holds for them holds for all.
    """
    mixes = []
    for ones in range(trials):
        for zeros in range(trials - ones):
            rest = trials - ones - zeros
            rate = (trials * mean - ones) / rest
            if 0 <= rate <= 1:
                mixes.append([0.0] * zeros + [1.0] * ones + [rate] * rest)
    return np.array(mixes)


def worst_coverage(side: str, bounds: Floats, means: Floats) -> float:
    trials = len(bounds) - 1
    worst = 1.0
    for mean in means:
        holds = bounds <= mean if side == "lower" else bounds >= mean
        worst = min(worst, float((law_of_the_count(mixes_of_mean(trials, float(mean))) @ holds).min()))
    return worst


def means_beside(bounds: Floats) -> Floats:
    inner = bounds[(bounds > 0) & (bounds < 1)]
    return np.concatenate([np.linspace(0.01, 0.99, 25), inner * (1 - BESIDE), inner + (1 - inner) * BESIDE])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("trials", [1, 2, 3, 6, 12, 25])
@pytest.mark.parametrize("side", ["lower", "upper"])
def test_the_repaired_bound_holds_at_every_mix_of_rates(side: str, trials: int, level: float) -> None:
    bounds = pooled_bounds(side, trials, level)
    worst = worst_coverage(side, bounds, means_beside(bounds))
    assert worst >= level - ROUNDING
    assert worst == pytest.approx(level, abs=1e-9)


@pytest.mark.parametrize(("level", "printed"), [(0.95, 0.948759), (0.75, 0.71397)])
def test_without_the_repair_one_trial_that_holds_all_the_risk_breaks_it(level: float, printed: float) -> None:
    trials = 25
    plain = lower_bounds(np.arange(trials + 1), trials, confidence_level=level)
    mean = plain[1] * (1 - BESIDE)
    mix = np.zeros((1, trials))
    mix[0, 0] = trials * mean
    law = law_of_the_count(mix)[0]
    assert law[plain <= mean].sum() == pytest.approx(printed, abs=5e-7 if level == 0.95 else 5e-6)
    assert law[pooled_bounds("lower", trials, level) <= mean].sum() >= level
    assert worst_coverage("lower", plain, means_beside(plain)) < level - 0.001


@pytest.mark.parametrize("level", [0.75, 0.95])
def test_mirrored_the_upper_bound_breaks_in_the_same_way(level: float) -> None:
    trials = 25
    plain = upper_bounds(np.arange(trials + 1), trials, confidence_level=level)
    assert worst_coverage("upper", plain, means_beside(plain)) < level - 0.001


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("side", ["lower", "upper"])
def test_the_repaired_bound_holds_at_mixes_drawn_at_random(side: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for trials in (4, 30, 120):
        spread = rng.choice([0.02, 0.3, 3.0], size=(400, 1))
        rates = rng.beta(spread, spread * rng.choice([0.1, 1.0, 30.0], size=(400, 1)), size=(400, trials))
        bounds = pooled_bounds(side, trials, 0.95)
        means = rates.mean(axis=1, keepdims=True)
        holds = bounds <= means if side == "lower" else bounds >= means
        assert (law_of_the_count(rates) * holds).sum(axis=1).min() >= 0.95 - ROUNDING
