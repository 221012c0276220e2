"""What must hold of the bounds on a set of tasks, whatever the counts are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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

# The search for the best pair stops within this of the best bound; the bound is valid wherever it stops.
SEARCH = 1e-9
FIXED = [fixed_tasks_lower_bound, fixed_tasks_upper_bound]
ALL = [*FIXED, population_lower_bound, population_upper_bound]

few = settings(max_examples=40, deadline=None)


@st.composite
def task_sets(draw, *, least_trials=0, most_tasks=5):
    """Some tasks with their counts, and a k."""
    k = draw(st.integers(1, 5))
    sizes = draw(st.lists(st.integers(max(least_trials, 0), 10), min_size=1, max_size=3, unique=True))
    trials = draw(st.lists(st.sampled_from(sizes), min_size=1, max_size=most_tasks))
    passed = [draw(st.integers(0, n)) for n in trials]
    return passed, trials, k


@st.composite
def task_sets_with_k_trials(draw):
    passed, trials, k = draw(task_sets(least_trials=1))
    return passed, trials, min([k, *trials])


@pytest.mark.parametrize("bound", ALL)
@few
@given(tasks=task_sets(), seed=st.integers(0, 99))
def test_the_order_of_the_tasks_does_not_change_one_bit(bound, tasks, seed):
    passed, trials, k = tasks
    order = np.random.default_rng(seed).permutation(len(passed))
    assert bound(np.array(passed)[order], np.array(trials)[order], k) == bound(passed, trials, k)


@pytest.mark.parametrize("bound", ALL)
@few
@given(tasks=task_sets(), times=st.integers(1, 3))
def test_grouping_equal_tasks_changes_nothing(bound, tasks, times):
    passed, trials, k = tasks
    assert bound(passed, trials, k, tasks=[times] * len(passed)) == bound(passed * times, trials * times, k)


@few
@given(tasks=task_sets(), at=st.integers(0, 4))
def test_one_more_pass_never_lowers_a_bound(tasks, at):
    passed, trials, k = tasks
    at = at % len(passed)
    more = [min(c + (i == at), n) for i, (c, n) in enumerate(zip(passed, trials, strict=True))]
    for bound in ALL:
        assert bound(more, trials, k).value >= bound(passed, trials, k).value - SEARCH
    for rate in (fixed_tasks_rate_lower_bound, fixed_tasks_rate_upper_bound):
        assert rate(more, trials).value >= rate(passed, trials).value - SEARCH


@few
@given(tasks=task_sets(), levels=st.tuples(st.floats(0.75, 0.999), st.floats(0.75, 0.999)))
def test_more_confidence_never_narrows(tasks, levels):
    passed, trials, k = tasks
    low, high = min(levels), max(levels)
    for bound in ALL:
        sure = bound(passed, trials, k, confidence_level=high)
        less_sure = bound(passed, trials, k, confidence_level=low)
        widened = less_sure.value - sure.value if sure.side == "lower" else sure.value - less_sure.value
        assert widened >= -SEARCH


@few
@given(tasks=task_sets_with_k_trials())
def test_the_estimate_lies_between_the_bounds(tasks):
    passed, trials, k = tasks
    estimate = mean_pass_hat_k(passed, trials, k).value
    assert 0 <= population_lower_bound(passed, trials, k).value <= estimate
    assert estimate <= population_upper_bound(passed, trials, k).value <= 1
    if (
        len(passed) == 1
    ):  # goes through the rate of the one task: 1 of 2 has an estimate of pass^2 of 0, not a rate of 0
        estimate = (passed[0] / trials[0]) ** k
    assert 0 <= fixed_tasks_lower_bound(passed, trials, k).value <= estimate
    assert estimate <= fixed_tasks_upper_bound(passed, trials, k).value <= 1


@given(tasks=task_sets_with_k_trials())
def test_all_of_k_is_never_more_likely_than_one_of_k(tasks):
    passed, trials, k = tasks
    hat, at = mean_pass_hat_k(passed, trials, k).value, mean_pass_at_k(passed, trials, k).value
    assert 0 <= hat <= at + 1e-12 <= 1 + 2e-12
    failed = [n - c for c, n in zip(passed, trials, strict=True)]
    assert at == pytest.approx(1 - mean_pass_hat_k(failed, trials, k).value, abs=1e-12)


@few
@given(tasks=task_sets())
def test_the_rates_of_events_and_of_their_absence_mirror_each_other(tasks):
    events, trials, _ = tasks
    absent = [n - c for c, n in zip(events, trials, strict=True)]
    low, high = fixed_tasks_rate_lower_bound(events, trials), fixed_tasks_rate_upper_bound(absent, trials)
    assert low.value == pytest.approx(1 - high.value, abs=1e-9)
    assert low.value <= fixed_tasks_rate_upper_bound(events, trials).value


@few
@given(tasks=task_sets())
def test_an_unscored_trial_counted_as_failed_never_helps(tasks):
    """One more planned trial that did not pass: the lower bound may fall, never rise."""
    passed, trials, _ = tasks
    more = [trials[0] + 1, *trials[1:]]
    assert population_lower_bound(passed, more, 1).value <= population_lower_bound(passed, trials, 1).value
