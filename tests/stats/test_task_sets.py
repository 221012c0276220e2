"""Means of pass^k and pass@k over a set of tasks, and the bounds of both targets: golden numbers and choices."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from surefoot.errors import ArgumentError
from surefoot.stats.binomial import clopper_pearson_lower, clopper_pearson_upper, pooled_lower
from surefoot.stats.dual_chernoff import weighted_lower, weighted_upper
from surefoot.stats.hinge import hinge_lower, hinge_upper
from surefoot.stats.task_sets import (
    fixed_tasks_lower_bound,
    fixed_tasks_rate_lower_bound,
    fixed_tasks_rate_upper_bound,
    fixed_tasks_upper_bound,
    mean_pass_at_k,
    mean_pass_hat_k,
    population_lower_bound,
    population_upper_bound,
)

TAU_BENCH = {"passed": [0, 1, 2, 3, 4], "trials": [4] * 5, "tasks": [14, 12, 10, 4, 10]}
BOUNDS = [fixed_tasks_lower_bound, fixed_tasks_upper_bound, population_lower_bound, population_upper_bound]


def test_30_tasks_that_always_passed(golden):
    fixed = fixed_tasks_lower_bound([12], [12], 5, tasks=[30])
    assert fixed.value == pytest.approx(golden["fixed-tasks pass^5 lower95, 30 tasks 12/12"], rel=1e-12)
    assert fixed.method == "closed form, every trial passed"
    population = population_lower_bound([12], [12], 5, tasks=[30])
    assert population.value == pytest.approx(golden["population 30 tasks all pass"], rel=1e-12)


@pytest.mark.parametrize(
    ("passed", "tasks", "expected"),
    [([12, 11], [29, 1], 0.9230), ([12, 10], [28, 2], 0.8696), ([12, 10], [2, 1], 0.3442)],
)
def test_a_few_failures_in_12_trials_each(passed, tasks, expected):
    bound = fixed_tasks_lower_bound(passed, [12, 12], 5, tasks=tasks)
    assert bound.value == pytest.approx(expected, abs=3e-4)
    assert bound.method == "dual Chernoff"


@pytest.mark.parametrize(
    ("k", "fixed", "population", "tolerance"),
    [
        (1, 0.361279, 0.283726, 1e-6),
        (2, 0.184, 0.159506, 1e-3),
        (3, 0.1221, 0.118803, 3e-4),
        (4, 0.112722, 0.103995, 1e-6),
    ],
)
def test_the_tau_bench_sample(k, fixed, population, tolerance):
    assert fixed_tasks_lower_bound(k=k, **TAU_BENCH).value == pytest.approx(fixed, abs=tolerance)
    assert population_lower_bound(k=k, **TAU_BENCH).value == pytest.approx(population, abs=1e-6)


def test_tiered_repeats():
    many, few = [12, 3], [12, 1]
    assert fixed_tasks_lower_bound(many, many, 5, tasks=[6, 24]).value == pytest.approx(0.847, abs=5e-4)
    assert fixed_tasks_lower_bound(few, few, 5, tasks=[6, 24]).value == pytest.approx(0.610, abs=1e-3)


def test_tiered_repeats_bound_the_mean_pass_rate():
    passed, trials = [11, 2, 1], [12, 3, 1]
    rate = fixed_tasks_rate_lower_bound(passed, trials).value
    low = fixed_tasks_lower_bound(passed, trials, 5)
    assert low.value == pytest.approx(rate**5, rel=1e-14)
    assert "fewer than k" in low.method
    assert low.inputs["tasks_with_fewer_than_k_trials"] == 2
    high = fixed_tasks_upper_bound(passed, trials, 5)
    assert high.value == fixed_tasks_rate_upper_bound(passed, trials).value


def test_one_task_is_bounded_by_its_own_rate():
    for passed in (0, 7, 12):
        for k in (1, 5, 20):
            low = fixed_tasks_lower_bound([passed], [12], k)
            high = fixed_tasks_upper_bound([passed], [12], k)
            assert low.value == pytest.approx(clopper_pearson_lower(passed, 12, 0.05) ** k, rel=1e-14)
            assert high.value == pytest.approx(clopper_pearson_upper(passed, 12, 0.05) ** k, rel=1e-14)


def test_k_of_one_pools_the_trials_and_k_of_n_the_tasks():
    trials = fixed_tasks_lower_bound([3, 1], [4, 4], 1, tasks=[2, 5])
    assert (trials.value, "over all trials" in trials.method) == (pooled_lower(11, 28, 0.05), True)
    tasks = fixed_tasks_lower_bound([4, 1], [4, 4], 4, tasks=[2, 5])
    assert (tasks.value, "over the tasks" in tasks.method) == (pooled_lower(2, 7, 0.05), True)


def test_one_event_is_bounded_with_the_repair_for_unequal_tasks():
    assert fixed_tasks_lower_bound([1, 0], [1, 1], 1, tasks=[1, 89]).value == pytest.approx(
        0.05 / 90, rel=1e-9
    )


def test_unequal_trials_weigh_each_trial_by_its_task():
    events, trials = [1, 0, 2], [2, 5, 3]
    weights, total = [1 / 2, 1 / 5, 1 / 3], 1 / 2 + 2 / 3
    low, high = fixed_tasks_rate_lower_bound(events, trials), fixed_tasks_rate_upper_bound(events, trials)
    assert low.value == pytest.approx(weighted_lower(weights, total, 0.05, trials), rel=1e-9)
    assert high.value == pytest.approx(weighted_upper(weights, total, 0.05, trials), rel=1e-9)
    assert low.value == pytest.approx(fixed_tasks_lower_bound(events, trials, 1).value, rel=0, abs=0)


def test_a_task_without_trials_may_have_any_rate():
    low, high = fixed_tasks_rate_lower_bound([4, 0], [4, 0]), fixed_tasks_rate_upper_bound([0, 0], [4, 0])
    assert low.value == pytest.approx(clopper_pearson_lower(4, 4, 0.05) / 2, rel=1e-12)
    assert high.value == pytest.approx((clopper_pearson_upper(0, 4, 0.05) + 1) / 2, rel=1e-12)
    assert fixed_tasks_rate_lower_bound([0], [0]).value == 0.0
    assert fixed_tasks_rate_upper_bound([0], [0]).value == 1.0


def test_no_tasks_prove_nothing():
    for bound in BOUNDS:
        result = bound([], [], 3)
        assert result.value == (0.0 if result.side == "lower" else 1.0)
    assert mean_pass_hat_k([], [], 3).value is None


def test_the_population_counts_tasks_with_too_few_trials_at_the_bad_end():
    passed, trials, tasks = [4, 2, 1], [4, 4, 2], [3, 2, 4]
    value = math.comb(2, 3) / math.comb(4, 3)
    low = population_lower_bound(passed, trials, 3, tasks=tasks)
    high = population_upper_bound(passed, trials, 3, tasks=tasks)
    assert low.value == pytest.approx(hinge_lower(3 + 2 * value, 9, 0.05), rel=1e-9)
    assert high.value == pytest.approx(hinge_upper(3 + 2 * value + 4, 9, 0.05), rel=1e-9)


def test_a_population_gains_nothing_from_more_repeats_of_the_same_tasks():
    assert population_lower_bound([5], [5], 5, tasks=[30]).value == pytest.approx(
        population_lower_bound([500], [500], 5, tasks=[30]).value
    )


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_estimates_are_means_of_ratios_of_binomial_coefficients(k):
    passed, trials = [4, 2, 0, 3], [4, 5, 6, 3]
    pairs = [(c, n) for c, n in zip(passed, trials, strict=True) if n >= k]
    hat = sum(Fraction(math.comb(c, k), math.comb(n, k)) for c, n in pairs) / len(pairs)
    at = sum(1 - Fraction(math.comb(n - c, k), math.comb(n, k)) for c, n in pairs) / len(pairs)
    assert mean_pass_hat_k(passed, trials, k).value == pytest.approx(float(hat), rel=1e-14)
    assert mean_pass_at_k(passed, trials, k).value == pytest.approx(float(at), rel=1e-14)
    assert mean_pass_hat_k(passed, trials, k).inputs["tasks_left_out"] == 4 - len(pairs)


def test_the_textbook_example_of_half_the_tasks():
    assert mean_pass_hat_k([4, 0], [4, 4], 4).value == 0.5


def test_no_task_with_k_trials_gives_no_estimate_but_still_a_bound():
    assert mean_pass_hat_k([3], [3], 5, tasks=[8]).value is None
    assert mean_pass_at_k([3], [3], 5, tasks=[8]).value is None
    assert 0 < fixed_tasks_lower_bound([3], [3], 5, tasks=[8]).value < 1


def test_the_result_repeats_its_inputs():
    inputs = fixed_tasks_lower_bound([12, 3], [12, 3], 5, tasks=[6, 24]).inputs
    assert inputs == {"tasks": 30, "trials": 144, "passed": 144, "k": 5, "tasks_with_fewer_than_k_trials": 24}
    assert fixed_tasks_rate_upper_bound([1], [4]).inputs == {"tasks": 1, "trials": 4, "events": 1}


def test_arrays_of_any_whole_type_are_taken():
    low = fixed_tasks_lower_bound(np.array([3, 2], np.uint8), np.array([4, 4], np.int32), 2)
    assert low == fixed_tasks_lower_bound([3, 2], (4, 4), 2)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("k", [0, -1, 2.5, True, math.nan, "2", None])
def test_a_k_that_is_not_a_count_is_refused(bound, k):
    with pytest.raises(ArgumentError) as error:
        bound([1], [2], k)
    assert error.value.argument == "k"


@pytest.mark.parametrize("bound", BOUNDS)
def test_more_passes_than_trials_and_a_wrong_level_are_refused(bound):
    with pytest.raises(ArgumentError, match="passed"):
        bound([3], [2], 1)
    with pytest.raises(ArgumentError, match="confidence_level"):
        bound([1], [2], 1, confidence_level=0.5)


def test_the_rate_bounds_call_their_counts_events():
    for bound in (fixed_tasks_rate_lower_bound, fixed_tasks_rate_upper_bound):
        with pytest.raises(ArgumentError, match="events"):
            bound([3], [2])
