"""Whole grades from rows: order, names and threads leave no trace; the worst verdict decides; warnings never hide a lack."""

from __future__ import annotations

import json
import random

import numpy
import pandas
import pytest

import surefoot as sf
from surefoot.grading.verdict import ReasonCode, Verdict
from surefoot.report.to_json import grade_json

CHECKS = [
    {"name": "leaks", "event": "leaked", "at_most": 0.2, "cluster": "fact"},
    {"name": "published", "event": "leaked", "at_most": 0.2, "cluster": "fact", "bound": "largest-of-three"},
    {"name": "right", "success": "passed", "at_least": 0.5},
    {"name": "harm", "mean": "harm", "at_most": 0.4, "cluster": "fact"},
    {"name": "harm once", "mean": "harm", "at_most": 0.4, "cluster": "suite", "weighting": "cluster"},
    {"name": "harm here", "mean": "harm", "at_most": 0.4, "target": "fixed-tasks"},
    {"name": "never", "forbid": "leaked and harm > 0.9"},
    {"name": "reliable", "pass_hat": 2, "at_least": 0.3, "cluster": "fact", "target": "task-population"},
    {"name": "steady", "flakiness_at_most": 0.9},
]
PLAN = {"name": "all kinds", "check": CHECKS}


def log(tasks=40, seed=3):
    draw = random.Random(seed)
    rows = []
    for t in range(tasks):
        for i in range(3 + t % 3):
            rows.append(
                {
                    "task": f"t{t}",
                    "trial": i,
                    "passed": draw.random() < 0.85 if draw.random() < 0.97 else None,
                    "leaked": draw.random() < 0.02,
                    "harm": draw.random() * 0.3,
                    "fact": f"f{t % 9}",
                    "suite": f"s{t % 4}",
                }
            )
    return rows


def test_the_same_input_gives_the_same_bytes():
    assert len({grade_json(sf.grade(log(), PLAN)) for _ in range(3)}) == 1


def test_the_order_of_rows_changes_no_byte():
    rows = log()
    expected = grade_json(sf.grade(rows, PLAN))
    for seed in range(3):
        random.Random(seed).shuffle(rows)
        assert grade_json(sf.grade(rows, PLAN)) == expected


def test_threads_change_no_byte():
    """A quarter of a million scores in two orders: enough that the engine shares them among threads."""
    draw = numpy.random.default_rng(11)
    size = 250_000
    frame = pandas.DataFrame(
        {
            "task": numpy.arange(size) // 5,
            "trial": numpy.arange(size) % 5,
            "harm": draw.random(size) * 0.2,
            "fact": (numpy.arange(size) // 5) % 97,
        }
    )
    plan = {"name": "p", "check": [{"mean": "harm", "at_most": 0.2, "cluster": "fact"}]}
    relation = sf.read(frame)
    shown = {grade_json(sf.grade(relation, plan)) for _ in range(4)}
    shown.add(grade_json(sf.grade(frame.sample(frac=1, random_state=5), plan)))
    assert len(shown) == 1


def numbers(shown):
    """All of a grade that is no name: what must not depend on what tasks and clusters are called."""
    if isinstance(shown, dict):
        kept = {k: v for k, v in shown.items() if k not in ("sources", "task", "cluster", "file", "name")}
        return {key: numbers(value) for key, value in kept.items()}
    if isinstance(shown, list):
        return sorted((numbers(value) for value in shown), key=lambda v: json.dumps(v, sort_keys=True))
    return None if isinstance(shown, str) and any(c.isalpha() for c in shown) else shown


def test_what_tasks_and_clusters_are_called_changes_no_number():
    rows = log()
    names = {name: f"{'zyxwv'[n % 5]}{n}" for n, name in enumerate(sorted({r["fact"] for r in rows}))}
    renamed = [
        {
            **row,
            "task": f"{(7 * int(row['task'][1:])) % 40:03}",
            "fact": names[row["fact"]],
            "suite": row["suite"][::-1],
        }
        for row in rows
    ]
    before, after = (numbers(sf.grade(given, PLAN).to_dict()) for given in (rows, renamed))
    assert before == after


def test_the_worst_check_decides_and_all_that_is_said_agrees():
    grade = sf.grade(log(), PLAN)
    shown = json.loads(grade_json(grade))
    order = ["PASS", "INCONCLUSIVE", "FAIL"]
    verdicts = [check["verdict"] for check in shown["checks"]]
    assert len(set(verdicts)) > 1
    assert shown["verdict"] == str(grade.verdict) == max(verdicts, key=order.index)
    assert grade.exit_status == {"PASS": 0, "INCONCLUSIVE": 3, "FAIL": 1}[shown["verdict"]]
    assert str(grade).startswith(shown["verdict"])


@pytest.mark.parametrize("check", CHECKS, ids=[check["name"] for check in CHECKS])
def test_nothing_scored_is_inconclusive_and_blocks_even_a_plan_that_warns(check):
    rows = [{**row, "passed": None, "leaked": None, "harm": None} for row in log(12)]
    grade = sf.grade(rows, {"name": "p", "on_inconclusive": "warn", "check": [check]})
    assert grade.verdict is Verdict.INCONCLUSIVE
    assert grade.exit_status == 3


def test_a_plan_that_warns_lets_through_what_more_trials_would_decide(runs):
    rows = runs(**{f"t{i}": "." for i in range(5)})
    plan = {"name": "p", "on_inconclusive": "warn", "check": [{"success": "passed", "at_least": 0.9}]}
    grade = sf.grade(rows, plan)
    assert (grade.verdict, grade.exit_status, grade.only_warns) == (Verdict.INCONCLUSIVE, 0, True)
    assert sf.grade(rows, {**plan, "on_inconclusive": "block"}).exit_status == 3


@pytest.mark.parametrize("basis", ["bound", "estimate"])
def test_a_flaky_task_that_lost_its_verdicts_still_blocks_a_plan_that_warns(runs, basis):
    plan = {
        "name": "p",
        "on_inconclusive": "warn",
        "check": [{"flakiness_at_most": 0.2, "basis": basis}],
    }
    assert sf.grade(runs(a=".x" * 30, b="." * 60), plan).exit_status == 1
    lost = sf.grade(runs(a=".x" + "?" * 58, b="." * 60), plan)
    assert (lost.verdict, lost.exit_status) == (Verdict.INCONCLUSIVE, 3)


@pytest.mark.parametrize(("share", "verdict"), [("2%", Verdict.INCONCLUSIVE), ("20%", Verdict.PASS)])
def test_the_gate_on_unscored_trials_counts_verdicts_that_an_expression_misses(share, verdict):
    """No cause is recorded: the column itself is empty for one trial in ten."""
    rows = [{"task": f"t{i}", "trial": 0, "leaked": None if i % 10 == 0 else False} for i in range(300)]
    plan = {"name": "p", "max_unscored": share, "check": [{"event": "leaked", "at_most": 0.5}]}
    gate = sf.grade(rows, plan).checks[-1]
    assert gate.kind == "max_unscored"
    assert (gate.trials, gate.unscored, gate.verdict) == (300, 30, verdict)


def test_the_gate_on_unscored_trials_counts_recorded_causes_too(runs):
    rows = runs(**{f"t{i}": "...." for i in range(20)}, lost="????")
    plan = {"name": "p", "max_unscored": 0.04, "check": [{"success": "passed", "at_least": 0.5}]}
    grade = sf.grade(rows, plan)
    assert grade.checks[0].verdict is Verdict.PASS
    assert grade.checks[1].reason_code is ReasonCode.UNSCORED_DECIDE
    assert grade.verdict is Verdict.INCONCLUSIVE


def test_no_check_is_a_description_without_a_verdict(runs):
    grade = sf.grade(runs(a=".x", b=".."))
    assert (grade.verdict, grade.exit_status) == (None, 0)
    assert grade.to_dict()["verdict"] is None
    assert [task.task for task in grade.tasks] == ["a", "b"]


def test_a_log_with_nothing_scored_or_no_success_is_not_described(runs):
    with pytest.raises(sf.DataError, match="none of 4 trials has a verdict"):
        sf.grade(runs(a="??", b="??"))
    with pytest.raises(sf.DataError, match="no success column"):
        sf.grade([{"task": "a", "trial": 0, "leaked": False}])


def test_groups_are_graded_apart_and_the_worst_decides(runs):
    rows = [{**row, "model": "m1"} for row in runs(a="." * 60)]
    rows += [{**row, "model": "m2"} for row in runs(a="x" * 60)]
    grouped = sf.grade(rows, by="model", pass_hat=1, at_least=0.9)
    assert [str(grade.verdict) for grade in grouped.groups] == ["PASS", "FAIL"]
    assert grouped.verdict is Verdict.FAIL
    assert grouped.exit_status == 1
    shown = grouped.to_dict()
    assert [group["by"] for group in shown["groups"]] == [{"model": "m1"}, {"model": "m2"}]
    assert shown["verdict"] == "FAIL"


def test_the_estimate_weighs_as_the_claim_does():
    """Nine clean tasks in one cluster, one bad in another: one task in ten, one cluster in two."""
    rows = [
        {"task": f"t{i}", "trial": 0, "leaked": i == 0, "fact": "a" if i == 0 else "b"} for i in range(10)
    ]
    for weighting, expected in (("question", 0.1), ("cluster", 0.5)):
        (check,) = sf.grade(rows, event="leaked", at_most=0.6, cluster="fact", weighting=weighting).checks
        assert check.details["estimate"] == expected
        assert check.details["estimate_range"] == [expected, expected]


def test_the_published_rule_can_pass_with_an_event_and_is_then_called_provable():
    """One cluster of a hundred and 99 of one: without any event the design effect alone allows more than half."""
    rows = [{"task": f"big{i}", "trial": 0, "leaked": False, "fact": "big"} for i in range(100)]
    rows += [{"task": f"t{i}", "trial": 0, "leaked": i == 0, "fact": f"f{i}"} for i in range(99)]
    asked = {"event": "leaked", "at_most": 0.1, "cluster": "fact", "bound": "largest-of-three"}
    (check,) = sf.grade(rows, **asked).checks
    assert (check.verdict, check.details["provable"]) == (Verdict.PASS, True)
    clean = [{**row, "leaked": False} for row in rows]
    (without,) = sf.grade(clean, **asked).checks
    assert (without.verdict, without.reason_code) == (Verdict.INCONCLUSIVE, ReasonCode.CANNOT_PASS)
    assert without.reason.startswith("a clean run could not pass: ")
