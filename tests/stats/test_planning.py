"""The least numbers of trials and clusters: the printed lists, exactly, and against the bounds that grade."""

from __future__ import annotations

import math
import time

import mpmath
import pytest
from scipy.stats import binom

from surefoot.errors import ArgumentError
from surefoot.stats.hinge import hinge_upper
from surefoot.stats.planning import required_clusters, required_trials

INDEPENDENT = {
    0.05: "59 93 124 153 181 208",
    0.02: "149 236 313 386 456 523",
    0.01: "299 473 628 773 913 1049",
    0.005: "598 947 1258 1549 1829 2100",
    0.001: "2995 4742 6294 7752 9151 10511",
}
WHOLE_CLUSTERS = {
    0.05: "59 97 131 163 193 222",
    0.02: "149 245 330 410 486 560",
    0.01: "299 492 662 822 975 1123",
    0.005: "598 985 1327 1646 1952 2249",
    0.001: "2995 4930 6640 8241 9772 11255",
}


@pytest.mark.parametrize("limit", INDEPENDENT)
def test_trials_are_the_documented_lists(limit: float) -> None:
    found = [required_trials(at_most=limit, events=c) for c in range(6)]
    assert " ".join(map(str, found)) == INDEPENDENT[limit]
    assert [required_clusters(at_most=limit, events=c, method="bernoulli") for c in range(6)] == found


@pytest.mark.parametrize("limit", WHOLE_CLUSTERS)
def test_clusters_are_the_documented_lists(limit: float) -> None:
    found = [required_clusters(at_most=limit, events=c) for c in range(6)]
    assert " ".join(map(str, found)) == WHOLE_CLUSTERS[limit]


@pytest.mark.parametrize("limit", [0.5, 0.2, 0.03, 0.004])
@pytest.mark.parametrize("level", [0.75, 0.95, 0.999])
@pytest.mark.parametrize("events", [0, 1, 7, 40])
def test_one_trial_fewer_would_not_do(limit: float, level: float, events: int) -> None:
    n = required_trials(at_most=limit, events=events, confidence_level=level)
    budget = float(mpmath.mpf("1") - mpmath.mpf(str(level)))
    assert binom.cdf(events, n, limit) <= budget * (1 + 1e-9)
    assert n == events + 1 or binom.cdf(events, n - 1, limit) > budget * (1 - 1e-9)


@pytest.mark.parametrize("limit", [0.2, 0.03, 0.004])
@pytest.mark.parametrize("events", [0, 1, 7, 40])
def test_one_cluster_fewer_would_not_do(limit: float, events: int) -> None:
    n = required_clusters(at_most=limit, events=events)
    assert hinge_upper(events, n, 0.05) <= limit < hinge_upper(events, n - 1, 0.05)


@pytest.mark.parametrize("method", ["bernoulli", "whole clusters"])
def test_a_limit_from_below_asks_the_same_of_the_failures(method) -> None:
    for good, bad in ((0.9, 0.1), (0.95, 0.05), (0.999, 0.001)):
        for events in (0, 3):
            assert required_clusters(at_least=good, events=events, method=method) == required_clusters(
                at_most=bad, events=events, method=method
            )
            assert required_trials(at_least=good, events=events) == required_trials(
                at_most=bad, events=events
            )


def test_pass_hat_5_of_ninety_per_cent_needs_143_clean_repeats() -> None:
    assert required_trials(at_least=0.9 ** (1 / 5)) == 143


@pytest.mark.parametrize(
    ("at_most", "level", "n"),
    [
        (0.5, 0.75, 2),
        (0.5, 0.9990234375, 10),
        (0.2, 0.7902848, 7),
        (0.1, 0.77123207545039, 14),
        (0.3, 0.831930, 5),
        (0.4, 0.92224, 5),
    ],
)
def test_a_tie_with_the_limit_counts_as_cleared(at_most: float, level: float, n: int) -> None:
    """(1 - at_most)^n is exactly what the confidence level leaves; in floats it may come out just above."""
    assert required_trials(at_most=at_most, confidence_level=level) == n
    assert required_clusters(at_most=at_most, confidence_level=level) == n


def test_tiny_limits_and_tiny_budgets() -> None:
    level = 0.999999999999
    n = required_trials(at_most=1e-9, confidence_level=level)
    with mpmath.workdps(40):
        budget = 1 - mpmath.mpf("0.999999999999")
        assert n == int(mpmath.ceil(mpmath.log(budget) / mpmath.log(1 - mpmath.mpf(1e-9))))
    clusters = required_clusters(at_most=1e-6, events=1000, confidence_level=level)
    assert required_trials(at_most=1e-6, events=1000, confidence_level=level) < clusters
    assert hinge_upper(1000, clusters, float(budget)) <= 1e-6 * (1 + 1e-12)


def test_planning_is_quick() -> None:
    before = time.process_time()
    required_trials(at_most=1e-6, events=5)
    required_clusters(at_most=1e-6, events=5)
    assert time.process_time() - before < 0.1


@pytest.mark.parametrize("function", [required_trials, required_clusters])
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "at_most"),
        ({"at_most": 0.1, "at_least": 0.9}, "at_most"),
        ({"at_most": 0.0}, "at_most"),
        ({"at_most": 1}, "at_most"),
        ({"at_most": True}, "at_most"),
        ({"at_most": math.nan}, "at_most"),
        ({"at_least": 1.5}, "at_least"),
        ({"at_most": "1%"}, "at_most"),
        ({"at_most": 0.1, "events": -1}, "events"),
        ({"at_most": 0.1, "events": 1.5}, "events"),
        ({"at_most": 0.1, "events": True}, "events"),
        ({"at_most": 0.1, "confidence_level": 1.0}, "confidence_level"),
    ],
)
def test_wrong_arguments_are_named(function, arguments, named) -> None:
    with pytest.raises(ArgumentError) as caught:
        function(**arguments)
    assert caught.value.argument == named


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(ArgumentError, match="whole clusters"):
        required_clusters(at_most=0.01, method="exact")
