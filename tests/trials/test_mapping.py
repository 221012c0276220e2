"""What was said comes first, equal names next, guesses last and only in tables."""

from __future__ import annotations

import pytest

from surefoot.errors import DataError, UsageError
from surefoot.trials.mapping import (
    check_names,
    checked_mapping,
    choose_columns,
    cluster_findings,
    guess_findings,
)


def choose(columns, mapping=None, **options):
    options = {"where": "t.csv", "is_table": True} | options
    return choose_columns(columns, checked_mapping(mapping or {}), **options)


def test_equal_names_are_no_guess():
    choice = choose(["Task", "TRIAL_INDEX", "Passed", "model"])
    assert (choice.task, choice.trial_index, choice.passed) == (("Task",), "TRIAL_INDEX", "Passed")
    assert choice.others == {"model": "model"}
    assert choice.guessed == ()


@pytest.mark.parametrize(
    "name", ["task_id", "ID", "item_id", "question", "question_id", "prompt_id", "doc_id", "name"]
)
def test_a_task_is_guessed_from_common_names(name):
    assert choose([name, "x"]).task == (name,)


@pytest.mark.parametrize("name", ["trial", "Epoch", "attempt", "repeat", "sample_index", "run"])
def test_an_index_is_guessed_from_common_names(name):
    assert choose(["task", name]).trial_index == name


@pytest.mark.parametrize("name", ["success", "correct", "is_correct", "score", "Reward"])
def test_success_is_guessed_from_common_names(name):
    choice = choose(["task", name])
    assert (choice.passed, choice.guessed) == (name, ("passed",))


def test_earlier_names_win():
    choice = choose(["id", "task_id", "run", "epoch", "score", "success"])
    assert (choice.task, choice.trial_index, choice.passed) == (("task_id",), "epoch", "success")


def test_run_taken_as_the_index_is_no_run_any_more():
    assert "run" not in choose(["task", "run"]).others
    assert choose(["task", "run", "trial"]).others["run"] == "run"


def test_every_guess_is_said_with_the_way_out():
    findings = guess_findings(choose(["id", "epoch", "score"]))
    assert [f.what_to_do for f in findings] == [
        "To say otherwise: --map task=COLUMN",
        "To say otherwise: --map trial_index=COLUMN",
        "To say otherwise: --map success=COLUMN",
    ]
    assert all(f.severity == "note" for f in findings)
    assert "'id'" in findings[0].message


def test_what_was_said_stands_before_guesses():
    choice = choose(["id", "item", "ok"], {"task": "ITEM", "success": "ok"})
    assert (choice.task, choice.passed, choice.guessed) == (("item",), "ok", ())


def test_success_and_passed_are_one_name():
    assert checked_mapping({"Success": "ok"}) == {"passed": "ok"}
    with pytest.raises(UsageError, match="twice"):
        checked_mapping({"success": "a", "passed": "b"})


@pytest.mark.parametrize(
    ("mapping", "message"), [({"foo": "x"}, "'foo' is not a column"), ({"task": " "}, "name a column")]
)
def test_a_mapping_that_cannot_be_followed_is_refused(mapping, message):
    with pytest.raises(UsageError, match=message):
        checked_mapping(mapping)


def test_a_task_may_be_joined_and_an_index_may_not():
    assert choose(["suite", "task_id"], {"task": "suite+task_id"}).task == ("suite", "task_id")
    with pytest.raises(UsageError, match="no column 'suite"):
        choose(["suite", "task_id"], {"trial_index": "suite+task_id"})


def test_a_table_must_have_the_column_that_was_said():
    with pytest.raises(UsageError, match=r"t\.csv has no column 'gone'; columns: task"):
        choose(["task"], {"task": "gone"})


def test_other_logs_use_a_mapping_only_where_they_have_the_column():
    assert choose(["task", "x"], {"task": "gone"}, is_table=False).task == ("task",)


def test_other_logs_are_never_guessed_at():
    choice = choose(["task", "trial", "score"], is_table=False)
    assert (choice.trial_index, choice.passed) == (None, None)


def test_success_may_be_an_expression_where_the_caller_compiles_it():
    choice = choose(["task", "score"], {"success": "score >= 0.5"}, takes_expressions=True)
    assert (choice.passed, choice.passed_expression, choice.asks_success) == (None, "score >= 0.5", True)
    with pytest.raises(UsageError, match="no column"):
        choose(["task", "score"], {"success": "score >= 0.5"})


def test_a_table_without_a_task_lists_its_columns_and_an_example():
    with pytest.raises(
        DataError, match=r"columns found: suite, user_task, ok\. .*--map task=suite\+user_task"
    ):
        choose(["suite", "user_task", "ok"])


@pytest.mark.parametrize("columns", [["Id", "id"], ["task", "x", "Task"]])
def test_names_that_differ_only_in_case_are_an_error_naming_both(columns):
    with pytest.raises(DataError, match=f"'{columns[0]}' and '{columns[-1]}'"):
        check_names(columns, "t.csv")


def test_hidden_names_are_refused():
    with pytest.raises(DataError, match="may not be named '_task_type'"):
        check_names(["task", "_task_type"], "t.csv")


def test_a_column_named_like_a_canonical_one_that_is_not_it_is_an_error_naming_both():
    with pytest.raises(DataError, match=r"'item' is the task, but there is a column 'Task' too"):
        choose(["item", "Task"], {"task": "item"})


def test_clusters_are_suggested_and_never_taken():
    (finding,) = cluster_findings(["task", "Fact", "template"])
    assert "'Fact' and 'template'" in finding.message
    assert finding.what_to_do == "To use it: --cluster Fact"
    assert cluster_findings(["task"]) == ()
