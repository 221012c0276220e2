"""The published rule over every completion of unscored trials."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest

from surefoot.grading.completions import graded_over_completions
from surefoot.grading.counts import Profile
from surefoot.grading.ends import bad_end, cluster_table, good_end
from surefoot.grading.provable import BoundRule


def found(rule: BoundRule, counted: Profile):
    bad = cluster_table(counted, bad_end(counted, rule.side), scores=rule.scores)
    good = cluster_table(counted, good_end(counted, rule.side), scores=rule.scores)
    return graded_over_completions(rule, counted, bad, good)


def by_trying_all(rule: BoundRule, counted: Profile) -> list[float]:
    """The graded bound of each way the unscored trials could have gone, one row a task."""
    values = []
    for more in product(*(range(int(u) + 1) for u in counted.unscored)):
        table = cluster_table(counted, counted.events + np.array(more))
        values.append(rule.graded(rule.bounds(table)))
    return values


@pytest.mark.parametrize("side", ["at_most", "at_least"])
@pytest.mark.parametrize("clusters", [[0, 0, 1, 1, 2, 3], [0, 1, 2, 3, 4, 5], [0, 0, 0, 0, 1, 2], None])
@pytest.mark.parametrize("bound", ["guaranteed", "largest-of-three"])
def test_the_worst_completion_is_found(profile, side, clusters, bound):
    rule = BoundRule(side, 0.5, 0.95, bound=bound)
    counted = profile((2, 1, 1), (2, 0, 0), (1, 0, 1), (1, 1, 0), (3, 0, 3), (2, 2, 0), clusters=clusters)
    tried = by_trying_all(rule, counted)
    bounds = found(rule, counted)
    worst, best = (max(tried), min(tried)) if side == "at_most" else (min(tried), max(tried))
    assert bounds.worst == pytest.approx(worst, abs=1e-12)
    if side == "at_most":
        assert bounds.best <= best + 1e-12
    else:
        assert bounds.best >= best - 1e-12


def test_the_design_effect_is_worse_between_the_ends_than_at_either(profile):
    """Eleven events in one cluster of four; five trials without a verdict in the two large ones."""
    rule = BoundRule("at_most", 0.5, 0.95, bound="largest-of-three")
    counted = profile(
        (1, 0, 0),
        *[(1, 0, 1)] * 3,
        *[(1, 0, 0)] * 10,
        *[(1, 1, 0)] * 11,
        *[(1, 0, 1)] * 2,
        *[(1, 0, 0)] * 6,
        (1, 0, 0),
        clusters=[0, *[1] * 13, *[2] * 19, 3],
    )
    ends = [
        rule.graded(rule.bounds(cluster_table(counted, end(counted, "at_most"))))
        for end in (bad_end, good_end)
    ]
    assert found(rule, counted).worst > max(ends) + 0.05


@pytest.mark.parametrize("side", ["at_most", "at_least"])
def test_too_many_completions_prove_nothing_and_take_no_time(profile, side):
    """13 open clusters have 8,192 completions; 3,000 of 300,000 tasks must not be looked at one by one."""
    rule = BoundRule(side, 0.5, 0.95, bound="largest-of-three")
    nothing = 1.0 if side == "at_most" else 0.0
    assert found(rule, profile(*[(1, 0, 1)] * 13)).worst == nothing
    clean = (1, 0 if side == "at_most" else 1, 0)
    assert found(rule, profile(*[(1, 0, 1)] * 12, *[clean] * 12)).worst != nothing
    many = profile((1, 0, 0), (1, 0, 1), tasks=[297_000, 3_000])
    begun = time.process_time()
    assert found(rule, many) == found(rule, profile(*[(1, 0, 1)] * 13))
    assert time.process_time() - begun < 2


@pytest.mark.parametrize("side", ["at_most", "at_least"])
def test_a_score_without_a_verdict_may_be_any_number_so_nothing_is_proved(profile, side):
    rule = BoundRule(side, 0.5, 0.95, bound="largest-of-three", scores=True)
    counted = profile((1, 0.25, 0), (1, 0, 1), *[(1, 0.5, 0)] * 20)
    assert found(rule, counted).worst == (1.0 if side == "at_most" else 0.0)
    clean = (1, 0 if side == "at_most" else 1, 0)
    scored = profile((1, 0.25, 0), (1, 0.5, 0), *[clean] * 20)
    assert 0 < found(rule, scored).worst < 1
