"""A profile merges and sorts equal pairs of counts, and refuses what are not counts."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.errors import ArgumentError
from surefoot.stats.task_profiles import TaskProfile


def _rows(profile):
    return list(zip(profile.passed.tolist(), profile.trials.tolist(), profile.tasks.tolist(), strict=True))


def test_equal_pairs_are_merged_and_sorted_by_trials_then_passes():
    profile = TaskProfile.of([2, 0, 2, 1], [4, 3, 4, 4], [1, 1, 5, 2])
    assert _rows(profile) == [(0, 3, 1), (1, 4, 2), (2, 4, 6)]
    assert profile.task_count == 9
    assert [column.tolist() for column in profile.sizes()] == [[3, 4], [1, 8]]
    assert profile.sums() == {"tasks": 9, "trials": 35, "passed": 14}


def test_one_number_of_trials_serves_all_tasks():
    assert _rows(TaskProfile.of([4, 3, 4], 4)) == [(3, 4, 1), (4, 4, 2)]


def test_pairs_of_no_tasks_vanish():
    assert _rows(TaskProfile.of([1, 2], [2, 2], [0, 3])) == [(2, 2, 3)]
    assert TaskProfile.of([], []).task_count == 0


def test_the_tasks_that_always_passed_are_counted():
    assert TaskProfile.of([3, 0, 2], [3, 0, 3], [4, 1, 7]).all_passed == 5


@pytest.mark.parametrize(
    ("passed", "trials", "tasks", "argument"),
    [
        ([3], [2], None, "passed"),
        ([-1], [2], None, "passed"),
        ([1.5], [2], None, "passed"),
        ([np.nan], [2], None, "passed"),
        ([True], [2], None, "passed"),
        ([1], [-2], None, "trials"),
        ([1, 1], [2, 2, 2], None, "passed"),
        ([1], [2], [-1], "tasks"),
        ([1], [2], [0.5], "tasks"),
        ([1, 1], [2, 2], [1, 1, 1], "tasks"),
    ],
)
def test_what_are_not_counts_is_refused_by_name(passed, trials, tasks, argument):
    with pytest.raises(ArgumentError) as error:
        TaskProfile.of(passed, trials, tasks)
    assert error.value.argument == argument
