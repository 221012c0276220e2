"""The grade as JSON: the keys are an interface, and the text is strict."""

from __future__ import annotations

import json

import pytest

import surefoot as sf
from surefoot.report.to_json import grade_json

GRADE = {
    "surefoot_version",
    "schema_version",
    "plan",
    "verdict",
    "reason",
    "on_inconclusive",
    "confidence_level",
    "data",
    "pass_at_k",
    "pass_hat_k",
    "tasks_total",
    "tasks",
    "checks",
}
DATA = {
    "format",
    "planned",
    "trials",
    "scored",
    "unscored",
    "unscored_by_cause",
    "tasks",
    "clusters",
    "sources",
    "problems",
}
TASK = {
    "task",
    "trials",
    "passed",
    "unscored",
    "pass_rate",
    "flakiness",
    "flakiness_interval",
    "observed_class",
    "class",
    "pass_hat_k",
}
ANY_CHECK = {
    "name",
    "kind",
    "side",
    "limit",
    "confidence_level",
    "verdict",
    "reason_code",
    "reason",
    "next",
    "trials",
    "scored",
    "unscored",
    "target",
    "events",
    "estimate",
    "graded_by",
}
BOUNDED = {
    "weighting",
    "clusters",
    "clusters_with_event",
    "tasks",
    "estimate_range",
    "bounds",
    "graded_bound",
    "guaranteed_method",
    "opposite_bound",
    "provable",
    "verdict_by_largest_of_three",
    "needs",
    "worst_clusters",
}
CHECK = {
    "rate": ANY_CHECK | BOUNDED,
    "mean": ANY_CHECK | BOUNDED,
    "forbid": ANY_CHECK | {"events_seen", "clusters", "bounds", "graded_bound"},
    "pass_hat": ANY_CHECK
    | {
        "k",
        "basis",
        "tasks",
        "estimate_range",
        "tasks_left_out",
        "bounds",
        "graded_bound",
        "opposite_bound",
        "provable",
    },
    "flakiness": ANY_CHECK
    | {"basis", "tasks", "tasks_over_cap", "offending_tasks", "not_measured", "tasks_deciding", "gate"},
}
BOUNDS = {"question", "cluster", "design_effect", "guaranteed"}
NEEDS = {
    "clean_clusters",
    "more_clean_clusters",
    "trials_per_cluster",
    "more_trials",
    "clusters_if_one_trial_is_bad",
    "clusters_if_one_cluster_is_bad",
}


def strict(text):
    return json.loads(text, parse_constant=pytest.fail)


def test_a_description_has_exactly_these_keys(graded):
    shown = strict(grade_json(graded["description"]))
    assert set(shown) == GRADE
    assert set(shown["data"]) == DATA
    assert set(shown["plan"]) == {"name", "sha256", "committed"}
    assert all(set(task) - {"runs", "failed_at"} == TASK for task in shown["tasks"])
    assert {tuple(at_k) for at_k in shown["pass_at_k"].values()} == {("estimate",)}
    for hat in shown["pass_hat_k"].values():
        assert set(hat) == {"estimate", "lower_bound", "tasks_left_out"}
        assert set(hat["lower_bound"]) == {"fixed-tasks", "task-population"}
    for problem in shown["data"]["problems"]:
        assert {"code", "severity", "message", "what_to_do"} <= set(problem)


def test_each_kind_of_check_has_exactly_its_keys(graded):
    checks = strict(grade_json(graded["checks"]))["checks"]
    assert {check["kind"] for check in checks} == set(CHECK)
    for check in checks:
        assert set(check) - {"detector"} == CHECK[check["kind"]], check["kind"]
        if check["kind"] in ("rate", "mean"):
            assert set(check["bounds"]) - {"fixed_tasks"} == BOUNDS
            assert check["needs"] is None or set(check["needs"]) == NEEDS


def test_groups_have_a_grade_each(graded):
    shown = strict(grade_json(graded["groups"]))
    assert set(shown) == {"groups", "verdict"}
    for group in shown["groups"]:
        assert set(group) == {"by", "grade"}
        assert set(group["grade"]) == GRADE


def test_what_is_not_known_is_null():
    rows = [{"task": "a", "trial": 0, "passed": True}, {"task": "b", "trial": 0, "passed": None}]
    shown = strict(grade_json(sf.grade(rows)))
    tasks = {task["task"]: task for task in shown["tasks"]}
    assert tasks["a"]["flakiness"] is None
    assert tasks["b"]["pass_rate"] is None
    assert shown["data"]["planned"] is None
    assert shown["verdict"] is None


def test_text_of_any_kind_is_kept_as_it_is():
    name = 'a"\u202e\x1b任务\\'
    rows = [{"task": name, "trial": i, "passed": bool(i)} for i in range(2)]
    assert strict(grade_json(sf.grade(rows)))["tasks"][0]["task"] == name


def test_it_ends_in_a_line_break(graded):
    assert grade_json(graded["description"]).endswith("}\n")
