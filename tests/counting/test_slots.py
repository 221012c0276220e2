"""One row a slot: equal records count once, conflicting ones are refused, wherever they lie in the table of counts."""

from __future__ import annotations

import pytest

import surefoot as sf
from surefoot.grading.verdict import Verdict

TASK_INDEXES = [0, 1, 62, 63, 64, 200, 2**40]


def log(indexes, **columns):
    return [{"task": "a", "trial": i, "passed": True, **columns} for i in indexes]


def problems(grade):
    return {problem.code: problem.message for problem in grade.data.problems}


@pytest.mark.parametrize("index", TASK_INDEXES)
def test_an_equal_record_counts_once_whatever_its_index(index):
    grade = sf.grade([*log(TASK_INDEXES), *log([index])])
    assert grade.data.trials == len(TASK_INDEXES)
    assert "1 row repeated" in problems(grade)["equal-duplicates"]


@pytest.mark.parametrize("index", TASK_INDEXES)
def test_a_conflicting_record_is_refused_whatever_its_index(index):
    other = {"task": "a", "trial": index, "passed": False}
    with pytest.raises(sf.DataError, match=f"task a trial {index}"):
        sf.grade([*log(TASK_INDEXES), other])


@pytest.mark.parametrize("by", ["task", "trial_index", "run"])
def test_a_conflict_is_named_whatever_the_groups_are(by):
    rows = [{**row, "run": "r", "model": "m"} for row in log([3, 4])]
    with pytest.raises(sf.DataError, match="task a trial 3"):
        sf.grade([*rows, {**rows[0], "passed": False}], by=by)


def test_no_duplicate_is_seen_where_there_is_none():
    grade = sf.grade(log(range(130)))
    assert grade.data.trials == 130
    assert "equal-duplicates" not in problems(grade)


def test_three_equal_records_are_one_trial():
    grade = sf.grade(log([0, 0, 0, 1]))
    assert grade.data.trials == 2
    assert "2 rows repeated" in problems(grade)["equal-duplicates"]


def test_the_same_slot_of_two_runs_is_two_trials():
    rows = [{**row, "run": run, "model": "m"} for run in ("r1", "r2") for row in log(range(3))]
    assert sf.grade(rows).data.trials == 6


def test_the_same_slot_of_two_groups_is_two_trials():
    rows = [{**row, "model": model} for model in ("m1", "m2") for row in log(range(3))]
    assert [grade.data.trials for grade in sf.grade(rows, by="model").groups] == [3, 3]


def test_rows_without_an_index_are_never_duplicates():
    rows = [{"task": "a", "passed": True}] * 5
    assert sf.grade(rows).data.trials == 5


def test_records_that_differ_in_circumstance_only_are_equal():
    rows = [{**row, "duration_s": 1.5, "cost_microunits": 3} for row in log(range(3))]
    again = [{**rows[0], "duration_s": 2.5, "cost_microunits": 9}]
    assert sf.grade(rows + again).data.trials == 3


def test_copies_in_two_clusters_are_a_conflict_though_no_check_that_uses_the_cluster_selects_them():
    """The table of counts keeps both apart; each alone fills its slot once."""
    rows = [
        {"task": "a", "trial": 0, "passed": True, "fact": "f1", "kind": "other"},
        {"task": "a", "trial": 0, "passed": True, "fact": "f2", "kind": "other"},
        {"task": "b", "trial": 0, "passed": True, "fact": "f1", "kind": "asked"},
    ]
    plan = {
        "name": "p",
        "check": [
            {"success": "passed", "at_least": 0.1, "cluster": "fact", "where": "kind = 'asked'"},
            {"pass_hat": 1, "at_least": 0.1},
        ],
    }
    with pytest.raises(sf.DataError, match="task a trial 0"):
        sf.grade(rows, plan)


COLLAPSE = {
    "name": "p",
    "identical_outputs": "collapse",
    "check": [{"success": "passed", "at_least": 0.5, "target": "fixed-tasks"}],
}


def repeated_outputs(hashes, **columns):
    return [
        {"task": "a", "trial": i, "passed": True, "output_hash": h, **columns} for i, h in enumerate(hashes)
    ]


def test_collapsing_keeps_the_first_of_equal_outputs_and_leaves_the_rest_unscored():
    grade = sf.grade(repeated_outputs("xxyxz"), COLLAPSE)
    assert grade.data.unscored_by_cause == {"cached": 2}
    assert grade.checks[0].trials == 5


def test_collapsing_keeps_the_first_by_index_and_not_by_row():
    rows = repeated_outputs("xx")
    rows[1]["passed"] = False
    for ordered in (rows, rows[::-1]):
        (check,) = sf.grade(ordered, COLLAPSE).checks
        assert (check.details["events"], check.unscored) == (1, 1)


def test_collapsing_without_an_index_keeps_the_first_row():
    rows = [{"task": "a", "passed": passed, "output_hash": "x"} for passed in (False, True, True)]
    (check,) = sf.grade(rows, COLLAPSE).checks
    assert (check.details["events"], check.unscored) == (0, 2)


def test_missing_outputs_are_not_equal():
    assert sf.grade(repeated_outputs([None, None, "x"]), COLLAPSE).checks[0].unscored == 0


def test_copies_of_one_record_still_collapse_as_duplicates():
    rows = repeated_outputs("xyz")
    grade = sf.grade([*rows, rows[0]], COLLAPSE)
    assert grade.data.trials == 3
    assert grade.data.unscored == 0


def test_another_system_that_answers_alike_is_no_cache():
    rows = [row for model in ("m1", "m2") for row in repeated_outputs("xyz", model=model)]
    grades = sf.grade(rows, COLLAPSE, by="model").groups
    assert [grade.data.unscored for grade in grades] == [0, 0]


def test_checks_may_collapse_where_all_of_them_do():
    checks = [{"success": "passed", "at_least": 0.1}, {"pass_hat": 1, "at_least": 0.1}]
    alike = [{**check, "identical_outputs": "collapse"} for check in checks]
    grade = sf.grade(repeated_outputs("xxyxz"), {"name": "p", "check": alike})
    assert grade.data.unscored_by_cause == {"cached": 2}
    with pytest.raises(sf.UsageError, match="do not agree"):
        sf.grade(repeated_outputs("xxyxz"), {"name": "p", "check": [alike[0], checks[1]]})


def test_a_check_may_keep_what_the_plan_refuses():
    plan = {
        "name": "p",
        "identical_outputs": "refuse",
        "check": [{"success": "passed", "at_least": 0.1, "identical_outputs": "keep"}],
    }
    assert sf.grade(repeated_outputs("xxxx"), plan).data.scored == 4


@pytest.mark.parametrize("of", ["plan", "check"])
def test_a_plan_or_a_check_may_refuse_identical_outputs(of):
    check = {"success": "passed", "at_least": 0.1}
    plan = {"name": "p", "check": [check]}
    rows = repeated_outputs("xxxx")
    assert sf.grade(rows, plan).verdict is not Verdict.FAIL
    (plan if of == "plan" else check)["identical_outputs"] = "refuse"
    with pytest.raises(sf.DataError, match="refuses identical outputs"):
        sf.grade(rows, plan)
    assert sf.grade(repeated_outputs("xxxy"), plan).data.trials == 4


def test_collapsed_outputs_are_unscored_even_where_every_row_has_a_verdict(tmp_path):
    import surefoot as sf

    path = tmp_path / "typed.parquet"
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [
        {"task": task, "trial": trial, "passed": True, "output_hash": "same" if task == "a" else f"{trial}"}
        for task in "ab"
        for trial in range(3)
    ]
    pq.write_table(pa.Table.from_pylist(rows), path)
    kept = sf.grade(path, {"name": "p", "check": [{"success": "passed", "at_least": 0.1}]}).checks[0]
    collapsed = sf.grade(
        path,
        {"name": "p", "identical_outputs": "collapse", "check": [{"success": "passed", "at_least": 0.1}]},
    ).checks[0]
    assert (kept.trials, kept.unscored) == (6, 0)
    assert (collapsed.trials, collapsed.unscored) == (6, 2)
