"""The certificate is never below the true maximum over p, and hardly above it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from surefoot.stats.pass_k_certificate import SameTrials, largest, pass_hat_k_table


@pytest.mark.parametrize(("n", "k"), [(1, 1), (4, 4), (12, 5), (40, 7)])
def test_the_table_is_a_ratio_of_binomial_coefficients(n, k):
    exact = [float(Fraction(math.comb(c, k), math.comb(n, k))) for c in range(n + 1)]
    assert pass_hat_k_table(n, k) == pytest.approx(exact, rel=1e-14)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("n", "k"), [(2, 2), (3, 2), (12, 5), (30, 3), (9, 1)])
def test_it_lies_within_the_tolerance_above_a_dense_grid(n, k, sign):
    p = np.concatenate([np.linspace(0, 1, 4001), 1 - np.geomspace(1e-9, 1e-3, 500)])
    pmf = binom.pmf(np.arange(n + 1), n, p[:, None])
    size = SameTrials.of(n, k, seen=True)
    rng = np.random.default_rng(n)
    for theta, mu in np.exp(rng.uniform((-1, -1), (5, 5), (40, 2))):
        dense = np.max(np.log(pmf @ np.exp(sign * theta * size.values)) - sign * mu * p**k)
        certified = largest(size, sign, theta, mu, 1e-9)
        assert certified >= dense - 1e-12 * (1 + theta + mu)
        assert certified <= dense + 1e-9 + 1e-6 * (theta + mu) * n


@pytest.mark.parametrize("sign", [1, -1])
def test_a_coarse_tolerance_only_raises_it(sign):
    size = SameTrials.of(12, 5, seen=True)
    fine = largest(size, sign, 9.0, 6.0, 1e-12)
    for tolerance in (1e-9, 1e-5, 1e-2, 1.0):
        assert fine - 1e-12 <= largest(size, sign, 9.0, 6.0, tolerance) <= fine + tolerance


def test_a_theta_far_beyond_the_range_of_exp_is_no_trouble():
    size = SameTrials.of(400, 3, seen=True)
    assert largest(size, 1, 5000.0, 10.0, 1e-6) == pytest.approx(4990.0, abs=1e-5)
    assert largest(size, -1, 5000.0, 10.0, 1e-6) >= 0.0


def test_nothing_seen_counts_any_success_alike():
    size = SameTrials.of(6, 2, seen=False)
    assert size.values.tolist() == [0, 0, 1, 1, 1, 1, 1]
