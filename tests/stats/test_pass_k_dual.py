"""The dual bound for the mean of p_i^k: golden numbers, an independent optimiser, closed forms at the ends."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.stats import binom

from surefoot.stats.pass_k_dual import clean_lower, dual_lower, dual_upper


def _whole(*values):
    return np.array(values, dtype=np.int64)


def _f(c, n, k):
    return math.comb(c, k) / math.comb(n, k)


@pytest.mark.parametrize(
    ("total", "tasks", "expected"),
    [
        (29 + _f(11, 12, 5), 30, 0.9230),
        (28 + 2 * _f(10, 12, 5), 30, 0.8696),
        (2 + _f(10, 12, 5), 3, 0.3442),
    ],
)
def test_the_golden_numbers_for_12_trials_and_pass_5(total, tasks, expected):
    assert dual_lower(total, _whole(12), _whole(tasks), 5, 0.05) == pytest.approx(expected, abs=3e-4)


def test_every_trial_passed_has_a_closed_form(golden):
    bound = clean_lower(_whole(12), _whole(30), 5, 0.05)
    assert bound == pytest.approx(golden["fixed-tasks pass^5 lower95, 30 tasks 12/12"], rel=1e-13)
    assert dual_lower(30.0, _whole(12), _whole(30), 5, 0.05) == bound


def test_unequal_trials_that_all_passed_fill_up_like_water():
    """Against a search over all vectors x for the least mean with prod x_i^(n_i/k) = budget."""
    n, k = np.array([3.0, 5.0, 40.0]), 3

    def least_mean(last):
        budget = math.log(0.05) - n[2] / k * math.log(last)
        first = np.linspace(1e-3, 1, 20_001)
        second = np.exp((budget - n[0] / k * np.log(first)) / (n[1] / k))
        return np.min(np.where(second <= 1, first + second, np.inf)) + last

    brute = min(least_mean(last) for last in np.linspace(0.9, 1, 2001)) / 3
    bound = clean_lower(_whole(40, 3, 5), _whole(1, 1, 1), k, 0.05)
    assert bound == pytest.approx(brute, abs=1e-4)
    assert bound <= brute


def test_just_below_all_passed_meets_the_closed_form():
    trials, tasks = _whole(6, 9), _whole(4, 5)
    near = dual_lower(9 - 1e-10, trials, tasks, 4, 0.05)
    clean = clean_lower(trials, tasks, 4, 0.05)
    assert clean - 1e-6 < near <= clean


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("n", "k", "tasks", "mean"), [(12, 5, 3, 0.77), (4, 3, 50, 0.22), (9, 2, 7, 0.03)])
def test_an_independent_optimiser_finds_the_same(sign, n, k, tasks, mean):
    p = np.linspace(0, 1, 10_001)
    pmf, x = binom.pmf(np.arange(n + 1), n, p[:, None]), p**k
    f = np.array([_f(c, n, k) for c in range(n + 1)])

    def value(logs):
        theta, mu = np.exp(np.clip(logs, -20, 20))
        log_means = np.log(pmf @ np.exp(sign * theta * f))
        worst = np.max(log_means - sign * mu * x)
        return -(math.log(0.05) / tasks + sign * theta * mean - worst) / mu

    starts = [(a, b) for a in (1.0, 3.0, 4.0) for b in (0.5, 2.0, 4.0)]
    options = {"xatol": 1e-8, "fatol": 1e-11, "maxiter": 2000}
    best = -min(minimize(value, start, method="Nelder-Mead", options=options).fun for start in starts)
    ours = (dual_lower if sign == 1 else dual_upper)(mean * tasks, _whole(n), _whole(tasks), k, 0.05)
    assert ours == pytest.approx(max(0.0, sign * best), abs=2e-6)


def test_with_nothing_seen_one_good_task_or_many_poor_ones_may_hide():
    """Both ways to see nothing in 5 % of reviews bound it from below; the envelope of all ways is not far above."""
    n, k, tasks = 12, 5, 200
    alone = brentq(lambda p: binom.cdf(k - 1, n, p) - 0.05, 0, 1) ** k / tasks
    together = brentq(lambda p: tasks * binom.logcdf(k - 1, n, p) - math.log(0.05), 0, 0.9) ** k
    bound = dual_upper(0.0, _whole(n), _whole(tasks), k, 0.05)
    assert max(alone, together) <= bound <= 2 * max(alone, together)


def test_the_ends_are_trivial():
    assert dual_lower(0.0, _whole(12), _whole(30), 5, 0.05) == 0.0
    assert dual_upper(30.0, _whole(12), _whole(30), 5, 0.05) == 1.0


def test_many_tasks_bring_the_bounds_to_the_estimate():
    share = _f(9, 12, 5)
    low = dual_lower(share * 1e6, _whole(12), _whole(1_000_000), 5, 0.05)
    high = dual_upper(share * 1e6, _whole(12), _whole(1_000_000), 5, 0.05)
    assert share - 2e-3 < low < share < high < share + 2e-3


def test_a_thousand_trials_a_task_stay_within_the_bounds_of_the_estimate():
    low = dual_lower(9.5, _whole(1000), _whole(10), 5, 0.05)
    high = dual_upper(9.5, _whole(1000), _whole(10), 5, 0.05)
    assert 0.93 < low < 0.95 < high < 0.97


def test_a_k_so_large_that_p_to_the_k_underflows_gives_no_warning():
    trials, tasks = _whole(71, 72), _whole(1, 1)
    assert (
        0 <= dual_lower(1.5, trials, tasks, 70, 0.05) <= 0.75 <= dual_upper(1.5, trials, tasks, 70, 0.05) <= 1
    )
