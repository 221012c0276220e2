"""What the runs show before any limit."""

from __future__ import annotations

import pytest

from surefoot.grading.counts import TaskRow
from surefoot.grading.describe import describe, shown_ks
from surefoot.stats.flakiness import flakiness_interval


def described(profile, rows=(), **more):
    return describe(profile, tuple(rows), confidence_level=0.95, **more)


def row(task, trials, passed, unscored=0):
    return TaskRow(task, trials, passed, unscored, None, ())


TAU_BENCH = {"rows": [(4, c, 0) for c in range(5)], "tasks": [14, 12, 10, 4, 10]}


def test_the_published_row_of_tau_bench_airline(profile):
    table = described(profile(*TAU_BENCH["rows"], tasks=TAU_BENCH["tasks"])).table
    assert [one.pass_hat for one in table] == pytest.approx([0.42, 0.273333, 0.22, 0.2], abs=1e-6)
    assert [one.pass_at for one in table] == pytest.approx([0.42, 0.566667, 0.66, 0.72], abs=1e-6)
    fixed = [one.lower_bounds["fixed-tasks"] for one in table]
    assert fixed[0] == pytest.approx(0.361279, abs=1e-6)
    assert fixed[3] == pytest.approx(0.112722, abs=1e-6)
    population = [one.lower_bounds["task-population"] for one in table]
    assert population == pytest.approx([0.283726, 0.159506, 0.118803, 0.103995], abs=1e-6)


@pytest.mark.parametrize(
    ("trials", "passed", "unscored"), [(24, 12, 12), (24, 2, 20), (9, 0, 0), (7, 3, 1), (4, 0, 4)]
)
def test_the_range_of_flakiness_holds_whatever_unscored_trials_would_have_been(
    profile, trials, passed, unscored
):
    (task,) = described(profile((trials, passed, unscored)), [row("t", trials, passed, unscored)]).tasks
    every = [flakiness_interval(passed + more, trials) for more in range(unscored + 1)]
    assert task.flakiness_interval[0] == min(one.low for one in every)
    assert task.flakiness_interval[1] == max(one.high for one in every)


def test_the_histogram_counts_tasks_by_passes(profile):
    shown = described(profile(*TAU_BENCH["rows"], tasks=TAU_BENCH["tasks"]))
    assert shown.tasks_by_passes == ((0, 14), (1, 12), (2, 10), (3, 4), (4, 10))
    assert shown.observed == {"all fail": 14, "mixed": 26, "all pass": 10}
    uneven = described(profile((4, 4, 0), (3, 3, 0)))
    assert uneven.tasks_by_passes is None


def test_ks_go_up_to_what_half_of_the_tasks_have(profile):
    assert shown_ks(profile((4, 0, 0), (2, 0, 0), tasks=[3, 3])) == (1, 2, 3, 4)
    assert shown_ks(profile((4, 0, 0), (2, 0, 0), tasks=[2, 3])) == (1, 2)
    assert shown_ks(profile((12, 0, 0)))[-1] == 12
    assert shown_ks(profile()) == ()


def test_a_task_run_once_is_not_measured_for_flakiness(profile):
    (task,) = described(profile((1, 1, 0)), [row("a", 1, 1)]).tasks
    assert task.flakiness is None
    assert task.pass_rate == 1.0
    assert task.proved_class == "undetermined"


def test_a_task_without_a_verdict_has_no_rate_and_no_class(profile):
    (task,) = described(profile((3, 0, 3)), [row("a", 3, 0, 3)]).tasks
    assert (task.pass_rate, task.flakiness, task.observed_class) == (None, None, "not measured")
    assert task.pass_hat_k == {2: None, 3: None}
    assert task.flakiness_interval == (0.0, 1.0)


def test_a_class_is_proved_only_if_it_holds_whatever_the_unscored_trials_were(profile):
    clean = described(profile((56, 56, 0)), [row("a", 56, 56)])
    lost = described(profile((57, 56, 1)), [row("a", 57, 56, 1)])
    assert clean.tasks[0].proved_class == "stable pass"
    assert clean.proved == {"stable pass": 1}
    assert lost.tasks[0].proved_class == "undetermined"
    assert lost.proved == {"undetermined": 1}


def test_a_set_with_failures_lost_is_not_proved_to_fail_or_to_be_flaky(profile):
    """Counted as failures, the lost trials would prove it: the totals must say what each task says."""
    for passed, lost in ((0, 60), (30, 30), (15, 45)):
        shown = described(profile((60, passed, lost)), [row("a", 60, passed, lost)])
        assert shown.proved == {shown.tasks[0].proved_class: 1}


def test_tasks_run_once_have_a_wilson_interval(profile):
    shown = described(profile((1, 1, 0), (1, 0, 0), tasks=[8, 2]))
    low, high = shown.wilson
    assert low < 0.8 < high
    assert described(profile((2, 1, 0))).wilson is None
    assert described(profile((1, 0, 1))).wilson is None


def test_a_bound_under_that_of_a_larger_k_is_marked(profile):
    rows = described(profile(*TAU_BENCH["rows"], tasks=TAU_BENCH["tasks"])).table
    for at, one in enumerate(rows):
        for target, bound in one.lower_bounds.items():
            larger = max((later.lower_bounds[target] for later in rows[at + 1 :]), default=0)
            assert (target in one.below_larger_k) == (bound < larger - 1e-9)


def test_tasks_with_few_scored_trials_are_left_out_of_the_estimate_and_told(profile):
    table = described(profile((4, 4, 0), (4, 1, 3), tasks=[5, 1])).table
    assert [one.tasks_left_out for one in table] == [0, 1, 1, 1]
    assert table[-1].pass_hat == 1.0


def test_ks_that_a_check_asks_for_are_told_of_each_task(profile):
    (task,) = described(profile((3, 3, 0)), [row("a", 3, 3)], asked_ks=(5,)).tasks
    assert task.pass_hat_k[5] is None
    assert task.pass_hat_k[3] == 1.0


def test_no_tasks_are_described_as_nothing(profile):
    shown = described(profile())
    assert (shown.table, shown.tasks, shown.mean_pass_rate) == ((), (), None)
