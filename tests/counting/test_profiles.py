"""The few tasks that are shown: worst first, their runs in order, their first failures."""

from __future__ import annotations

import surefoot as sf
from surefoot.counting.count import CountRequest, count
from surefoot.plan.load import plan_from_mapping


def counted(rows, *checks, **asked):
    plan = plan_from_mapping({"name": "p", "check": list(checks)}, source="test") if checks else None
    return count(sf.read(rows), CountRequest(checks=plan.checks if plan else (), **asked))[0]


def test_the_flakiest_come_first_then_stable_failures_then_the_rest(runs):
    found = counted(runs(good="....", half="x.x.", bad="xxxx", once=".x..", also="..xx"))
    assert [row.task for row in found.task_rows] == ["also", "half", "once", "bad", "good"]


def test_whole_numbers_are_listed_as_numbers(runs):
    tasks = dict.fromkeys(("10", "9", "2", "b", "a"), ".x")
    assert [row.task for row in counted(runs(**tasks)).task_rows] == ["2", "9", "10", "a", "b"]


def test_runs_are_shown_by_index_whatever_the_order_of_rows(runs):
    rows = runs(a="..x?x.")
    for ordered in (rows, rows[::-1], rows[3:] + rows[:3]):
        (task,) = counted(ordered).task_rows
        assert task.runs == "..x?x."
        assert task.failed_at == (2, 4)
        assert (task.trials, task.passed, task.unscored) == (6, 3.0, 1)


def test_without_an_index_rows_count_in_file_order_and_no_index_is_told(runs):
    rows = [{"task": row["task"], "passed": row["passed"]} for row in runs(a=".x.x")]
    (task,) = counted(rows).task_rows
    assert task.runs == ".x.x"
    assert task.failed_at == ()


def test_only_so_many_tasks_are_listed_as_asked(runs):
    tasks = {f"t{i}": "." * (4 - i % 4) + "x" * (i % 4) for i in range(20)}
    every = counted(runs(**tasks), tasks_listed=None).task_rows
    assert len(every) == 20
    for most in (1, 5, 7, 19, 20, 30):
        assert [row.task for row in counted(runs(**tasks), tasks_listed=most).task_rows] == [
            row.task for row in every[:most]
        ]


def test_a_check_lists_the_tasks_of_its_own_selection_with_their_runs(runs):
    rows = [
        {**row, "kind": "odd" if row["trial"] % 2 else "even"} for row in runs(a=".x.x", b="xx..", c="....")
    ]
    found = counted(rows, {"flakiness_at_most": 0.2, "where": "kind = 'odd'"})
    (check,) = found.checks
    assert [(row.task, row.runs, row.failed_at) for row in check.task_rows] == [("b", "x.", (1,))]
    assert {row.task: row.runs for row in found.task_rows}["a"] == ".x.x"


def test_the_clusters_with_most_harm_come_first(runs):
    rows = [{**row, "fact": f"f{row['task']}"} for row in runs(a="...x", b="xx..", c="....", d="xx..")]
    harm = counted(rows, {"event": "not passed", "at_most": 0.5, "cluster": "fact"}).checks[0].cluster_rows
    assert [(row.cluster, row.trials, row.events) for row in harm] == [
        ("fb", 4, 2),
        ("fd", 4, 2),
        ("fa", 4, 1),
    ]
    good = counted(rows, {"success": "passed", "at_least": 0.5, "cluster": "fact"}).checks[0].cluster_rows
    assert good == harm


def test_forbidden_trials_are_listed_by_task_and_index(runs):
    found = counted(runs(b=".xx", a="..x"), {"forbid": "not passed"}).checks[0].event_rows
    assert [(row.task, row.trial_index) for row in found] == [("a", 2), ("b", 1), ("b", 2)]


def test_a_missing_cluster_and_an_unknown_where_are_counted(runs):
    rows = [
        {**row, "fact": None if row["task"] == "a" else "" if row["task"] == "b" else "f", "kind": "x"}
        for row in runs(a="..", b="...", c=".")
    ]
    rows[0]["kind"] = None
    check = {"success": "passed", "at_least": 0.5, "cluster": "fact", "where": "kind = 'x'"}
    found = counted(rows, check).checks[0]
    assert (found.where_unknown, found.missing_cluster) == (1, 4)
