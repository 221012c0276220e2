"""The bounds on a set of tasks err in at most 5 % of reviews, by exact enumeration of every outcome.

For each plan (numbers of trials, k) every vector of passes is listed, each bound is computed once, and the
probability that it is wrong is summed exactly under more than a thousand laws: tasks of all kinds of unequal
rates, and rates placed just beyond each value the bound can take, where it errs most.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from surefoot.stats.task_sets import (
    fixed_tasks_lower_bound,
    fixed_tasks_rate_lower_bound,
    fixed_tasks_rate_upper_bound,
    fixed_tasks_upper_bound,
    population_lower_bound,
    population_upper_bound,
)

DUAL = [((4, 4, 4), 2), ((3, 3, 3, 3, 3), 2), ((5, 5, 2), 2), ((6, 3), 3), ((7, 7), 3)]
CLOSED = [
    ((10,), 4),
    ((3, 3, 3, 3), 3),
    ((2, 2, 2, 2, 2), 2),
    ((4, 4, 4), 1),
    ((2, 2, 2, 2, 2), 1),
    ((1, 2, 5), 1),
    ((5, 2, 1), 3),
    ((4, 1, 1, 1), 2),
    ((4, 0, 2), 2),
    ((2, 0), 1),
]


@pytest.mark.parametrize(("trials", "k"), DUAL + CLOSED)
def test_fixed_tasks_bounds_hold_under_every_law_tried(trials, k):
    lower = _bounds(fixed_tasks_lower_bound, trials, k)
    upper = _bounds(fixed_tasks_upper_bound, trials, k)
    assert _least_coverage(trials, k, lower, upper, 0.95) >= 0.95 - 1e-9


@pytest.mark.parametrize("confidence_level", [0.75, 0.99])
@pytest.mark.parametrize(("trials", "k"), [*CLOSED, ((3, 3), 2)])
def test_fixed_tasks_bounds_hold_at_other_levels(trials, k, confidence_level):
    lower = _bounds(fixed_tasks_lower_bound, trials, k, confidence_level=confidence_level)
    upper = _bounds(fixed_tasks_upper_bound, trials, k, confidence_level=confidence_level)
    assert _least_coverage(trials, k, lower, upper, confidence_level) >= confidence_level - 1e-9


@pytest.mark.parametrize("trials", [(1,), (3, 3, 3), (1, 2, 5), (1, 1, 4), (0, 3, 2), (0, 2)])
def test_fixed_tasks_rate_bounds_hold_under_every_law_tried(trials):
    lower = _bounds(fixed_tasks_rate_lower_bound, trials)
    upper = _bounds(fixed_tasks_rate_upper_bound, trials)
    assert _least_coverage(trials, 1, lower, upper, 0.95) >= 0.95 - 1e-9


@pytest.mark.parametrize(("trials", "k"), [((3, 3, 3, 3), 2), ((4, 2, 2), 2), ((3, 1, 3), 2)])
def test_population_bounds_hold_for_independent_tasks_of_any_rates(trials, k):
    lower = _bounds(population_lower_bound, trials, k)
    upper = _bounds(population_upper_bound, trials, k)
    assert _least_coverage(trials, k, lower, upper, 0.95) >= 0.95 - 1e-9


def test_the_laws_tried_do_find_a_bound_that_is_too_good():
    """The unrepaired Clopper-Pearson bound over tasks covers .948759 at one event (Hoeffding 1956)."""
    trials, budget = (1,) * 4, 0.25
    lower = _bounds(fixed_tasks_lower_bound, trials, 1, confidence_level=0.75)
    upper = _bounds(fixed_tasks_upper_bound, trials, 1, confidence_level=0.75)
    assert _least_coverage(trials, 1, lower, upper, 0.75) >= 0.75 - 1e-9
    one_pass = np.array([sum(outcome) == 1 for outcome in _outcomes(trials)])
    unrepaired = np.where(one_pass, 1 - (1 - budget) ** (1 / 4), lower)
    assert _least_coverage(trials, 1, unrepaired, upper, 0.75) < 0.75 - 1e-3


def _outcomes(trials):
    return list(itertools.product(*(range(n + 1) for n in trials)))


def _bounds(function, trials, *k, **options):
    """One bound for each outcome; outcomes that are the same up to the order of equal tasks are computed once."""
    known = {}
    for outcome in _outcomes(trials):
        profile = tuple(sorted(zip(outcome, trials, strict=True)))
        if profile not in known:
            passed, planned = zip(*profile, strict=True)
            known[profile] = function(list(passed), list(planned), *k, **options).value
    return np.array([known[tuple(sorted(zip(o, trials, strict=True)))] for o in _outcomes(trials)])


def _least_coverage(trials, k, lower, upper, confidence_level):
    laws = _laws(len(trials), k, lower, upper, confidence_level, sum(trials))
    assert len(laws) >= 1000
    truth = (laws**k).mean(axis=1)
    chances = _chances(trials, laws)
    assert np.allclose(chances.sum(axis=1), 1)
    too_high = np.where(lower[None, :] > truth[:, None], chances, 0).sum(axis=1)
    too_low = np.where(upper[None, :] < truth[:, None], chances, 0).sum(axis=1)
    return 1 - max(too_high.max(), too_low.max())


def _chances(trials, laws):
    """Probability of each outcome (columns) under each law (rows)."""
    chances = np.ones((len(laws), 1))
    for task, n in enumerate(trials):
        p = laws[:, task, None]
        passes = np.arange(n + 1)
        choices = np.array([math.comb(n, c) for c in passes], dtype=float)
        pmf = choices * p**passes * (1 - p) ** (n - passes)
        chances = (chances[:, :, None] * pmf[:, None, :]).reshape(len(laws), -1)
    return chances


def _laws(tasks, k, lower, upper, confidence_level, seed):
    """Vectors of p_i whose mean p_i^k lies just beyond a value of a bound, and random ones."""
    rng = np.random.default_rng(seed)
    targets = np.concatenate([np.unique(lower) * (1 - 1e-9), np.unique(upper) * (1 + 1e-9), rng.random(20)])
    targets = targets[(targets > 1e-12) & (targets < 1 - 1e-12)]
    shapes = _shapes(tasks, rng, count=max(30, 1200 // len(targets)))
    placed = [_placed(shapes, np.full(len(shapes), target)) for target in targets]
    worst_clean = [
        [1.0] * one + [(1 - confidence_level) ** (1 / seed)] * (tasks - one) for one in range(tasks)
    ]
    x = np.concatenate([*placed, rng.random((400, tasks)) ** k, np.array(worst_clean) ** k])
    return np.clip(x, 0, 1) ** (1 / k)


def _shapes(tasks, rng, count):
    """Levels of x_i = p_i^k up to a common power: equal, some always passing, some never, and random."""
    shapes = [np.full(tasks, 0.5)]
    for some in range(1, tasks):
        for rest in (1.0, 0.0):
            for order in itertools.permutations([rest] * some + [0.5] * (tasks - some)):
                shapes.append(np.array(order))
    shapes = list({tuple(shape): shape for shape in shapes}.values())
    return np.concatenate([np.array(shapes), rng.random((count, tasks)), rng.beta(0.2, 0.2, (count, tasks))])


def _placed(shapes, targets):
    """The power of each shape that has the mean asked for; shapes that cannot have it are left out."""
    fixed_low, fixed_high = (shapes >= 1).mean(axis=1), (shapes > 0).mean(axis=1)
    able = (fixed_low < targets) & (targets < fixed_high)
    shapes, targets = shapes[able], targets[able]
    low, high = np.full(len(shapes), -60.0), np.full(len(shapes), 60.0)
    for _ in range(80):
        middle = (low + high) / 2
        above = (shapes ** np.exp(middle)[:, None]).mean(axis=1) > targets
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return shapes ** np.exp(high)[:, None]
