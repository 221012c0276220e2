"""Unscored trials at their two ends, and tasks gathered into clusters."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.grading.ends import bad_end, cluster_table, good_end


def test_an_unscored_trial_is_a_harm_at_the_bad_end_and_none_at_the_good_end(profile):
    counted = profile((4, 1, 2), (3, 0, 0))
    assert bad_end(counted, "at_most").tolist() == [3, 0]
    assert good_end(counted, "at_most").tolist() == [1, 0]


def test_of_successes_it_is_the_other_way_round(profile):
    counted = profile((4, 1, 2))
    assert bad_end(counted, "at_least").tolist() == [1]
    assert good_end(counted, "at_least").tolist() == [3]


def test_a_task_is_its_own_cluster_where_none_is_named(profile):
    table = cluster_table(profile((4, 1, 0), (2, 2, 0), tasks=[3, 5]), np.array([1.0, 2.0]))
    assert table.sizes.tolist() == [1, 1]
    assert table.events.tolist() == [0.25, 1.0]
    assert table.clusters.tolist() == [3, 5]
    assert table.repeated


def test_values_are_summed_by_cluster_and_equal_clusters_are_one_row(profile):
    counted = profile((2, 1, 0), (2, 2, 0), (2, 2, 0), (2, 1, 0), clusters=[0, 0, 1, 1])
    table = cluster_table(counted, counted.events)
    assert (table.sizes.tolist(), table.events.tolist(), table.clusters.tolist()) == ([2], [1.5], [2])


def test_a_third_and_two_thirds_are_one(profile):
    counted = profile((3, 1, 0), (3, 2, 0), (6, 6, 0), clusters=[0, 0, 0])
    assert cluster_table(counted, counted.events).events.tolist() == [2.0]


def test_tasks_tried_once_are_yes_or_no_and_scores_never_are(profile):
    counted = profile((1, 1, 0), (1, 0, 0))
    assert not cluster_table(counted, counted.events).repeated
    assert cluster_table(counted, counted.events, scores=True).repeated


@pytest.mark.parametrize("events", [0, 1])
@pytest.mark.parametrize("most", [45, 800])
def test_as_many_numbers_of_trials_as_tasks_are_still_summed(profile, events, most):
    """The least common multiple of 1..45 is more than 2^63, that of 1..800 more than a float holds."""
    counted = profile(*[(n, events, 0) for n in range(1, most)], clusters=[n % 3 for n in range(1, most)])
    table = cluster_table(counted, counted.events)
    assert table.events.sum() == pytest.approx(sum(events / n for n in range(1, most)), rel=1e-12)


def test_no_trials_are_no_clusters(profile):
    for counted in (profile(), profile(clusters=[])):
        assert cluster_table(counted, counted.events).cluster_count == 0


def test_the_median_size_is_the_smaller_of_two_middles(profile):
    clusters = [0, 1, 2, 2, 3, 3, 3]
    counted = profile(*[(1, 0, 0)] * len(clusters), clusters=clusters)
    assert cluster_table(counted, counted.events).median_size == 1


def test_all_clean_leaves_only_the_good_value(profile):
    table = cluster_table(profile((2, 1, 0), (2, 2, 0), clusters=[0, 0]), np.array([1.0, 2.0]))
    assert table.all_clean("at_most").events.tolist() == [0.0]
    assert table.all_clean("at_least").events.tolist() == [2.0]
