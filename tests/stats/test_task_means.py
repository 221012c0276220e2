"""Means of scores over fixed tasks: golden ends, agreement with the bounds it rests on, and exact coverage."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from surefoot.errors import ArgumentError
from surefoot.stats.dual_chernoff import weighted_upper
from surefoot.stats.hinge import hinge_lower, hinge_upper
from surefoot.stats.task_means import fixed_tasks_mean_lower_bound, fixed_tasks_mean_upper_bound


def test_equal_trials_are_the_hinge_over_all_trials():
    bound = fixed_tasks_mean_upper_bound([0.5, 1.25], [4, 4], tasks=[2, 3])
    assert bound.value == hinge_upper(2 * 0.5 + 3 * 1.25, 20, 0.05)
    assert fixed_tasks_mean_lower_bound([0.5, 1.25], [4, 4]).value == hinge_lower(1.75, 8, 0.05)


def test_unequal_trials_weigh_each_task_once():
    bound = fixed_tasks_mean_upper_bound([1.0, 0.0], [2, 8])
    assert bound.value == weighted_upper([1 / 2, 1 / 8], 0.5, 0.05, [2, 8])


def test_lower_is_one_minus_upper_of_the_complement():
    totals, trials = np.array([0.5, 3.25, 2.0]), np.array([2, 4, 3])
    lower = fixed_tasks_mean_lower_bound(totals, trials).value
    assert lower == pytest.approx(1 - fixed_tasks_mean_upper_bound(trials - totals, trials).value, abs=1e-9)


def test_no_tasks_prove_nothing():
    assert fixed_tasks_mean_upper_bound([], []).value == 1
    assert fixed_tasks_mean_lower_bound([], []).value == 0


@pytest.mark.parametrize("trials", [(2, 2), (1, 3), (1, 2, 2)])
def test_coverage_by_enumeration_over_three_valued_scores(trials):
    """Every trial is 0, a half or 1 with adversarial odds; all outcomes are enumerated."""
    rng = np.random.default_rng(7)
    values = (0.0, 0.5, 1.0)
    sums = [sorted({sum(v) for v in product(values, repeat=n)}) for n in trials]
    outcomes = list(product(*sums))
    upper = np.array([fixed_tasks_mean_upper_bound(list(o), list(trials)).value for o in outcomes])
    lower = np.array([fixed_tasks_mean_lower_bound(list(o), list(trials)).value for o in outcomes])
    levels = np.concatenate([upper, lower])
    worst = 1.0
    for _ in range(1000):
        laws = rng.dirichlet([0.3, 0.3, 0.3], size=len(trials))
        level = rng.choice(levels)
        mean = np.mean(laws @ values)
        # Half of the laws are moved so that their mean sits just beyond a bound, where coverage is least.
        if 0 < level < 1 and rng.random() < 0.5:
            pull = min(1.0, (level + 1e-9) / mean) if mean > 0 else 1.0
            laws = laws * pull + (1 - pull) * np.array([1.0, 0, 0])
            mean = np.mean(laws @ values)
        chance = np.array([_chance(outcome, trials, laws, values) for outcome in outcomes])
        worst = min(worst, chance[upper >= mean - 1e-12].sum(), chance[lower <= mean + 1e-12].sum())
    assert 0.95 - 1e-9 <= worst < 1


def _chance(outcome, trials, laws, values):
    chance = 1.0
    for total, n, law in zip(outcome, trials, laws, strict=True):
        dist = np.array([1.0])
        for _ in range(n):
            dist = np.convolve(dist, law)
        chance *= dist[round(total * 2)]
    return chance


@pytest.mark.parametrize(
    ("totals", "trials"),
    [([5.0], [4]), ([-1.0], [4]), ([1.0], [0]), ([1.0, 2.0], [4]), ([float("nan")], [4])],
)
def test_what_is_no_total_is_refused(totals, trials):
    with pytest.raises(ArgumentError):
        fixed_tasks_mean_upper_bound(totals, trials)
