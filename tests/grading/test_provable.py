"""What would decide an open check: exactly so many clean clusters pass, and one fewer does not."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.grading.counts import CheckCounts, Profile
from surefoot.grading.ends import ClusterTable
from surefoot.grading.provable import BoundRule, breaks, clean_clusters_needed, clears, least
from surefoot.grading.rate_check import grade_rate
from surefoot.grading.verdict import Verdict
from surefoot.plan.checks import MeanCheck, RateCheck


def table(sizes, events, clusters, *, repeated=False):
    columns = (
        np.array(sizes, dtype=np.int64),
        np.array(events, dtype=float),
        np.array(clusters, dtype=np.int64),
    )
    return ClusterTable(*columns, repeated)


def test_299_clean_units_are_the_fewest_for_one_percent():
    rule = BoundRule("at_most", 0.01, 0.95)
    needs = clean_clusters_needed(rule, table([1], [0], [120]))
    assert (needs.clean_clusters, needs.more_clean_clusters) == (299, 179)
    assert (needs.if_one_trial, needs.if_one_cluster) == (473, 473)


def test_a_bad_trial_and_a_bad_cluster_of_four_cost_more():
    rule = BoundRule("at_most", 0.01, 0.95)
    needs = clean_clusters_needed(rule, table([4], [0], [30]))
    assert needs.clean_clusters == 299
    assert needs.if_one_cluster == 492
    assert 299 < needs.if_one_trial < 492
    assert needs.more_trials == 4 * 269


def test_no_clusters_at_all_need_all_of_them():
    assert clean_clusters_needed(BoundRule("at_most", 0.05, 0.95), table([], [], [])).clean_clusters == 59


@pytest.mark.parametrize("answer", [0, 1, 2, 3, 5, 63, 64, 65, 4095, 10**6])
def test_the_least_number_is_found(answer):
    asked = []

    def holds(n):
        asked.append(n)
        return n >= answer

    assert least(holds) == answer
    assert len(asked) < 60


def test_a_number_beyond_the_limit_is_not_offered():
    assert least(lambda n: n >= 1001, largest=1000) is None
    assert least(lambda n: n >= 1000, largest=1000) == 1000


def test_a_tie_clears_and_does_not_break():
    assert clears("at_most", 0.1, 0.1)
    assert clears("at_least", 0.1, 0.1)
    assert not breaks("at_most", 0.1, 0.1)
    assert not breaks("at_least", 0.1, 0.1)


@pytest.mark.parametrize(("side", "sign"), [("at_most", 1), ("at_least", -1)])
def test_one_part_in_a_billion_over_a_tie_is_no_tie(side, sign):
    assert not clears(side, 0.1, 0.1 + sign * 1e-10)
    assert breaks(side, 0.1, 0.1 + sign * 1e-10)


@pytest.mark.parametrize("limit", [1e-15, 1e-12, 1e-9])
def test_next_to_0_and_1_a_tie_is_a_part_of_what_is_left(limit):
    """A bound of twice the limit is no tie, however small the limit."""
    assert not clears("at_most", limit, 1.001 * limit)
    assert breaks("at_most", limit, 1.001 * limit)
    rest = max(limit, 1e-12)
    assert not clears("at_least", 1 - rest, 1 - 1.002 * rest)
    assert breaks("at_least", 1 - rest, 1 - 1.002 * rest)


@pytest.mark.parametrize("trials", [1, 7, 299, 10**6, 10**12])
def test_a_limit_that_is_the_clean_bound_itself_is_cleared(trials):
    assert clears(
        "at_most", -math.expm1(math.log(0.05) / trials), sf.bound(0, trials).upper_bounds["guaranteed"]
    )
    assert clears("at_least", 0.05 ** (1 / trials), sf.bound(trials, trials).lower_bounds["guaranteed"])


CHECKS = [
    RateCheck(name="r", event="y", at_most=0.35),
    RateCheck(name="r", event="y", at_most=0.1, weighting="cluster"),
    RateCheck(name="r", success="y", at_least=0.65),
    RateCheck(name="r", success="y", at_least=0.8, weighting="cluster"),
    MeanCheck(name="m", mean="y", at_most=0.5),
    MeanCheck(name="m", mean="y", at_least=0.35, weighting="cluster"),
]


@st.composite
def profiles(draw, scores):
    """Up to six rows of equal tasks, each task its own cluster or in one of four."""
    value = st.sampled_from([0.0, 0.25, 1.0]) if scores else st.sampled_from([0, 0, 1])
    rows = []
    for _ in range(draw(st.integers(1, 6))):
        trials = draw(st.lists(value | st.none(), min_size=1, max_size=4))
        scored = [v for v in trials if v is not None]
        rows.append((len(trials), sum(scored), len(trials) - len(scored), draw(st.sampled_from([1, 2, 9]))))
    columns = np.array(rows, dtype=float).T
    whole = [column.astype(np.int64) for column in columns]
    cluster = None
    if draw(st.booleans()):
        drawn = draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
        cluster = np.unique(drawn, return_inverse=True)[1].astype(np.int64)
    return Profile(whole[0], columns[1], whole[2], whole[3], cluster)


def graded(check, counted):
    clusters = counted.task_count if counted.cluster is None else len(np.unique(counted.cluster))
    counts = CheckCounts(counted, clusters, counted.trial_count)
    return grade_rate(check, counts, confidence_level=0.95, bound="guaranteed")


def with_clean_clusters(counted: Profile, more: int, trials_in_each: int, side: str) -> Profile:
    """So many further clusters, of the size the grade names, with nothing bad in them."""
    if not more:
        return counted
    each = int(np.sort(np.repeat(counted.trials, counted.tasks))[(counted.task_count - 1) // 2])
    rows, tasks = (1, more) if counted.cluster is None else (more, trials_in_each // each)
    cluster = counted.cluster
    if cluster is not None:
        cluster = np.append(cluster, cluster.max() + 1 + np.arange(more))

    def longer(column, value):
        return np.append(column, np.full(rows, value, dtype=column.dtype))

    return replace(
        counted,
        trials=longer(counted.trials, each),
        events=longer(counted.events, 0 if side == "at_most" else each),
        unscored=longer(counted.unscored, 0),
        tasks=longer(counted.tasks, tasks),
        cluster=cluster,
    )


@settings(max_examples=80)
@given(check=st.sampled_from(CHECKS), data=st.data())
def test_exactly_so_many_clean_clusters_pass_and_one_fewer_does_not(check, data):
    counted = data.draw(profiles(scores=check.kind == "mean"))
    before = graded(check, counted)
    needs = before.details["needs"]
    assume(needs is not None and needs["more_clean_clusters"] <= 2000)
    more, size = needs["more_clean_clusters"], needs["trials_per_cluster"]
    assert more > 0
    assert needs["clean_clusters"] == more + before.details["clusters"]
    assert needs["more_trials"] == more * size
    enough = graded(check, with_clean_clusters(counted, more, size, check.side))
    short = graded(check, with_clean_clusters(counted, more - 1, size, check.side))
    assert enough.verdict is Verdict.PASS
    assert short.verdict is not Verdict.PASS


FIXED = [
    RateCheck(name="r", event="y", at_most=0.2, target="fixed-tasks"),
    RateCheck(name="r", success="y", at_least=0.7, target="fixed-tasks"),
    MeanCheck(name="m", mean="y", at_most=0.3, target="fixed-tasks"),
]


@settings(max_examples=30)
@given(check=st.sampled_from(FIXED), data=st.data())
def test_exactly_so_many_clean_repeats_pass_and_one_fewer_does_not(check, data):
    counted = replace(data.draw(profiles(scores=check.kind == "mean")), cluster=None)
    steps = [step for step in graded(check, counted).next_steps if "clean repeat" in step]
    assume(steps)
    more = int(steps[0].split()[0].replace(",", ""))

    def with_repeats(n):
        bad = counted.unscored if check.side == "at_most" else 0
        clean = 0 if check.side == "at_most" else n
        events = counted.events + bad + clean
        none = np.zeros_like(counted.unscored)
        return replace(counted, trials=counted.trials + n, events=events, unscored=none)

    assert graded(check, with_repeats(more)).verdict is Verdict.PASS
    assert graded(check, with_repeats(more - 1)).verdict is not Verdict.PASS
