"""What must hold between the parts of a plan."""

from __future__ import annotations

from typing import Any

import pytest

from surefoot.errors import PlanError
from surefoot.plan.load import plan_from_mapping
from surefoot.plan.rules import OUTCOME_COLUMNS


def faults(*checks: dict[str, Any], **rest: Any) -> dict[str, str]:
    """Field -> message of what is wrong with a plan of these checks; empty where nothing is."""
    try:
        plan_from_mapping({"name": "x", "check": list(checks), **rest})
    except PlanError as error:
        return {mistake.field: mistake.message for mistake in error.mistakes}
    return {}


@pytest.mark.parametrize(
    "column", [*(name for name in OUTCOME_COLUMNS if "*" not in name), "score_fluency", "PASSED"]
)
def test_where_may_not_name_what_happened(column: str) -> None:
    assert (
        "known only after a trial"
        in faults({"forbid": "leaked", "where": f"{column} = 'x'"})["check 1, where"]
    )


@pytest.mark.parametrize(
    "where",
    [
        "kind = 'x'",
        "model = 'm'",
        "task in ('a', 'b')",
        "scoreboard = 1",
        "errors_planted > 0",
        "scored = 'x'",
    ],
)
def test_where_may_name_what_was_so_before(where: str) -> None:
    assert faults({"forbid": "leaked", "where": where}) == {}


def test_where_may_not_name_what_its_own_check_counts() -> None:
    own = {"event": "severity > 0.5", "at_most": 0.1, "where": "severity is not null"}
    assert "which a check counts" in faults(own)["check 1, where"]
    mixed = {"forbid": "leaked and severity = 'high'", "where": "LEAKED"}
    assert "which a check counts" in faults(mixed)["check 1, where"]


def test_where_may_not_name_what_another_check_counts_alone() -> None:
    refused = {"event": "refused", "at_most": "10%"}
    selected = {"forbid": "leaked", "where": "not refused"}
    assert list(faults(selected, refused)) == ["check 1, where"]
    # Beside other columns it may be what it was before the trial: only the plan's author knows.
    together = {"forbid": "told and kind = 'restricted'"}
    assert faults({"forbid": "leaked", "where": "kind = 'restricted'"}, together) == {}


def test_where_may_name_ids_and_clusters_even_if_counted() -> None:
    counted = {
        "forbid": "leaked and task <> 'a' and fact <> 'f'",
        "where": "task <> 'b' and fact <> 'g'",
        "cluster": "fact",
    }
    assert faults(counted) == {}


def test_names_are_each_used_once() -> None:
    assert list(faults({"name": "a", "forbid": "x"}, {"name": "a", "forbid": "y"})) == ["check 2, name"]
    assert list(faults({"forbid": "x"}, {"forbid": "x"})) == ["check 2, name"]
    assert faults({"forbid": "x"}, {"forbid": "x", "where": "kind = 'a'"}) == {}


def test_a_detector_inside_the_bound_is_not_for_this_version() -> None:
    check = {"event": "x", "at_most": 0.1, "detector": {"caught": 1, "planted": 2, "in_bound": True}}
    assert list(faults(check)) == ["check 1, detector.in_bound"]
    check["detector"] = {"caught": 1, "planted": 2}
    assert faults(check) == {}


@pytest.mark.parametrize(
    ("repeats", "words"),
    [
        ({"default": 4}, "plans 4 by default"),
        ({"default": 5, "by_tag": {"quick": 2, "slow": 9}}, "plans 2 with tag 'quick'"),
        ({}, "plans 1 by default"),
        ({"default": 5}, None),
        ({"default": 5, "by_tag": {"slow": 12}}, None),
    ],
)
def test_a_plan_with_fewer_repeats_than_k_is_refused(repeats: dict[str, Any], words: str | None) -> None:
    found = faults({"pass_hat": 5, "at_least": 0.7}, repeats=repeats)
    assert list(found) == ([] if words is None else ["check 1, pass_hat"])
    assert words is None or words in found["check 1, pass_hat"]


def test_which_tasks_a_selection_leaves_is_known_only_with_the_tasks() -> None:
    check = {"pass_hat": 5, "at_least": 0.7, "where": "tier = 'deep'"}
    assert faults(check, repeats={"default": 1, "by_tag": {"deep": 5}}) == {}


def test_a_system_without_repeats_runs_each_task_once() -> None:
    system = {"adapter": "python", "function": "a:b"}
    found = faults({"pass_hat": 2, "at_least": 0.7}, system=system, tasks={"file": "t.jsonl"})
    assert list(found) == ["check 1, pass_hat"]


def test_a_system_needs_tasks() -> None:
    assert list(faults(system={"adapter": "python", "function": "a:b"})) == ["system"]


def test_factors_differ_in_name_and_in_their_two_settings() -> None:
    factor = {"name": "a", "setting": "s", "off": 1, "on": 2, "source": "tool"}
    assert faults(factor=[factor]) == {}
    assert set(faults(factor=[factor, {**factor, "on": 1}])) == {"factor 2, name", "factor 2, on"}


@pytest.mark.parametrize(
    ("key", "value"), [("check", {"forbid": "x"}), ("factor", 1), ("check", "x"), ("check", [1])]
)
def test_tables_that_are_no_arrays_of_tables(key: str, value: Any) -> None:
    with pytest.raises(PlanError, match=rf"\[\[{key}\]\]|expected a table"):
        plan_from_mapping({"name": "x", key: value})
