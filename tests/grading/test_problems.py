"""Data problems: each fires where it should, and is quiet on a clean log."""

from __future__ import annotations

import pytest

from surefoot.grading.counts import Duplicates
from surefoot.grading.problems import data_problems
from surefoot.plan.checks import ForbidCheck, MeanCheck, PassHatCheck, RateCheck

RATE = RateCheck(name="leak", event="leaked", at_most=0.1, cluster="fact", where="kind = 'x'")


def codes(counts, checks=()):
    return {finding.code: finding for finding in data_problems(counts, checks)}


def with_check(counts, check_counts, profile, check=RATE, *, clusters=(0, 0, 1, 1), **changed):
    made = check_counts(profile(*[(2, 0, 0)] * len(clusters), clusters=clusters), **changed)
    return codes(counts(checks=(made,)), (check,))


def test_a_clean_log_has_no_problem(counts, check_counts, profile):
    assert codes(counts()) == {}
    assert with_check(counts, check_counts, profile) == {}


@pytest.mark.parametrize(
    ("changed", "code", "severity", "said"),
    [
        ({"provenance": {"model": ("a", "b")}}, "mixed-provenance", "error", "--by model"),
        ({"provenance": {"version": ("1", None)}}, "mixed-provenance", "error", "(none)"),
        (
            {"provenance": {"settings": ("1", "2"), "model": ("a", "b")}},
            "mixed-provenance",
            "error",
            "--by model",
        ),
        ({"runs": 2}, "unknown-provenance", "error", "--label"),
        ({"runs": 2, "provenance": {"model": ("a",)}}, "runs-pooled", "note", "2 runs"),
        ({"missing_task": 3}, "missing-task", "error", "3 rows"),
        ({"mixed_id_types": ("1",)}, "mixed-id-types", "error", "1"),
        (
            {"duplicates": Duplicates(conflicting=1, examples=("task a trial 0",))},
            "conflicting-duplicates",
            "error",
            "task a trial 0",
        ),
        ({"duplicates": Duplicates(equal=2)}, "equal-duplicates", "note", "2 rows"),
        ({"unscored_by_cause": {"infra": 1, "scorer": 2}}, "unscored", "warning", "infra 1, scorer 2"),
        (
            {"identical_output_tasks": 4, "repeated_tasks": 10},
            "identical-outputs",
            "warning",
            "4 tasks of 10",
        ),
    ],
)
def test_a_problem_of_the_log_is_told_with_what_to_do(counts, changed, code, severity, said):
    found = codes(counts(**changed))
    assert set(found) == {code}
    finding = found[code]
    assert finding.severity == severity
    assert said in f"{finding.message} {finding.what_to_do}"
    assert severity == "note" or finding.what_to_do


def test_runs_that_are_graded_apart_are_not_pooled(counts):
    for by in ({"run": "r1"}, {"file": "a.csv"}):
        assert "unknown-provenance" not in codes(counts(runs=2, by=by))
    assert "runs-pooled" not in codes(counts(runs=2, by={"run": "r"}, provenance={"model": ("a",)}))


def test_tasks_run_once_and_tasks_of_unequal_length(counts, profile):
    once = codes(counts(passes=profile((1, 1, 0), tasks=[10])))
    assert once["single-runs"].severity == "warning"
    some = codes(counts(passes=profile((1, 1, 0), (4, 4, 0), tasks=[3, 7])))
    assert some["single-runs"].severity == "note"
    assert "3 tasks of 10" in some["single-runs"].message
    assert "between 1 and 4" in some["uneven-trials"].message
    assert codes(counts(passes=None)) == {}
    assert codes(counts(passes=profile())) == {}


@pytest.mark.parametrize(
    ("changed", "code", "severity", "said"),
    [
        ({"missing_cluster": 2}, "missing-cluster", "error", "2 rows"),
        ({"split_tasks": ("a", "b")}, "task-in-several-clusters", "error", "a, b"),
        ({"where_unknown": 5}, "where-unknown", "error", "kind = 'x'"),
        ({"rows_selected": 0}, "nothing-selected", "warning", "kind = 'x'"),
        ({"clusters": (0, 0)}, "one-cluster", "warning", "one cluster"),
    ],
)
def test_a_problem_of_a_check_names_the_check(counts, check_counts, profile, changed, code, severity, said):
    found = with_check(counts, check_counts, profile, **changed)
    assert set(found) == {code}
    assert found[code].severity == severity
    assert "'leak'" in found[code].message
    assert said in found[code].message
    assert found[code].what_to_do


def test_values_outside_0_and_1_are_refused(counts, check_counts, profile):
    check = MeanCheck(name="harm", mean="severity", at_most=0.1, cluster="fact")
    found = with_check(counts, check_counts, profile, check, out_of_range=1)
    assert found["out-of-range"].severity == "error"


@pytest.mark.parametrize("cluster", ["user_id", "suite+Persona"])
def test_who_asks_is_no_cluster(counts, check_counts, profile, cluster):
    check = ForbidCheck(name="never", forbid="leaked", cluster=cluster)
    assert set(with_check(counts, check_counts, profile, check)) == {"people-as-cluster"}


def test_pass_hat_of_more_tries_than_trials(counts, check_counts, profile):
    made = check_counts(profile((2, 2, 0), (5, 5, 0)))
    found = codes(counts(checks=(made,)), (PassHatCheck(name="r", pass_hat=3, at_least=0.5),))
    assert "1 task of 2 with fewer than 3 trials" in found["too-few-trials-for-k"].message
    assert codes(counts(checks=(made,)), (PassHatCheck(name="r", pass_hat=2, at_least=0.5),)) == {}


def test_errors_come_first(counts):
    found = data_problems(
        counts(missing_task=1, unscored_by_cause={"infra": 1}, duplicates=Duplicates(equal=1)), ()
    )
    assert [finding.severity for finding in found] == ["error", "warning", "note"]
