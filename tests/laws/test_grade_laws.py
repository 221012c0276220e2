"""Laws of whole grades: what unscored trials, order, names and threads may never change."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from surefoot.grading.counts import CheckCounts, Counts, Profile
from surefoot.grading.grade import Grade
from surefoot.grading.grade_counts import grade_counts
from surefoot.grading.verdict import ReasonCode, Verdict, exit_status
from surefoot.plan.load import plan_from_mapping
from surefoot.report.to_json import grade_json

LIMITS = [0.05, 0.2, 0.35, 0.5, 0.65, 0.8]
BOUNDS = ["guaranteed", "largest-of-three"]
WEIGHTINGS = ["question", "cluster"]


def _kinds():
    """Every kind of check, each on both bounds, bases, targets and weightings it has."""
    for bound, weighting in product(BOUNDS, WEIGHTINGS):
        more = {"bound": bound, "weighting": weighting}
        yield "yes-no", {"event": "y", "at_most": None, **more}
        yield "yes-no", {"success": "y", "at_least": None, **more}
        yield "score", {"mean": "y", "at_most": None, **more}
        yield "score", {"mean": "y", "at_least": None, **more}
    for key, counted, limit in (("event", "yes-no", "at_most"), ("success", "yes-no", "at_least")):
        yield counted, {key: "y", limit: None, "target": "fixed-tasks"}
    yield "score", {"mean": "y", "at_most": None, "target": "fixed-tasks"}
    yield "score", {"mean": "y", "at_least": None, "target": "fixed-tasks"}
    yield "yes-no", {"forbid": "y"}
    for basis, target, k in product(["bound", "estimate"], ["fixed-tasks", "task-population"], [1, 2, 3]):
        yield "yes-no", {"pass_hat": k, "at_least": None, "basis": basis, "target": target}
    for basis in ("bound", "estimate"):
        yield "yes-no", {"flakiness_at_most": None, "basis": basis}


KINDS = list(_kinds())
"""(values of its trials, the check without its limit)."""


def plan_of(check, limit, **header):
    asked = {key: limit if value is None else value for key, value in check.items()}
    return plan_from_mapping({"name": "p", "check": [asked], **header}, source="law")


# A trial is its value, or None without a verdict; a task is (cluster, trials).
YES_NO = st.sampled_from([0, 0, 0, 1, 1, None])
SCORE = st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0, None])


def tasks_of(values, clustered):
    """A few tasks, and how often each is there: equal ones bring designs of a useful size cheaply."""
    task = st.tuples(
        st.integers(0, 4) if clustered else st.none(),
        st.lists(values, min_size=1, max_size=4),
        st.sampled_from([1, 1, 2, 5, 20]),
    )
    return st.lists(task, min_size=1, max_size=6)


@st.composite
def cases(draw):
    kind, check = draw(st.sampled_from(KINDS))
    clustered = draw(st.booleans())
    tasks = draw(tasks_of(YES_NO if kind == "yes-no" else SCORE, clustered))
    return check, draw(st.sampled_from(LIMITS)), tasks


def profile_of(tasks) -> Profile:
    """The trials counted; clusters with a multiplicity are as many clusters, all with other codes."""
    rows = []
    for number, (cluster, trials, times) in enumerate(tasks):
        counts = (len(trials), sum(v for v in trials if v is not None), trials.count(None))
        if cluster is None:
            rows.append((*counts, times, 0))
        elif cluster == 4:
            rows += [(*counts, 1, 100 * (number + 1) + i) for i in range(times)]
        else:
            rows.append((*counts, times, cluster))
    columns = np.array(rows, dtype=np.float64).T
    clustered = tasks[0][0] is not None
    codes = np.unique(columns[4], return_inverse=True)[1].astype(np.int64)
    return Profile(
        trials=columns[0].astype(np.int64),
        events=columns[1],
        unscored=columns[2].astype(np.int64),
        tasks=columns[3].astype(np.int64),
        cluster=codes if clustered else None,
    )


def graded(plan, tasks) -> Grade:
    profile = profile_of(tasks)
    clusters = profile.task_count if profile.cluster is None else len(np.unique(profile.cluster))
    causes = {"infra": profile.unscored_count} if profile.unscored_count else {}
    counts = Counts(
        by={},
        rows=profile.trial_count,
        tasks=profile.task_count,
        unscored_by_cause=causes,
        passes=None,
        task_rows=(),
        checks=(CheckCounts(profile, clusters, profile.trial_count),),
    )
    return grade_counts(counts, plan, format_name="law", sources=(), findings=(), surefoot_version="0")


def unscored_more(tasks, data):
    """The same trials, and some that had a verdict have none any more."""
    return [
        (cluster, [v if v is None or data.draw(st.booleans()) else None for v in trials], times)
        for cluster, trials, times in tasks
    ]


@settings(max_examples=120)
@given(case=cases(), data=st.data())
def test_losing_a_verdict_never_makes_a_check_pass_nor_fail(case, data):
    check, limit, tasks = case
    plan = plan_of(check, limit)
    less = unscored_more(tasks, data)
    before, after = graded(plan, tasks), graded(plan, less)
    if after.verdict is Verdict.PASS:
        assert before.verdict is Verdict.PASS
    if after.verdict is Verdict.FAIL:
        assert before.verdict is Verdict.FAIL


@settings(max_examples=80)
@given(case=cases(), data=st.data())
def test_losing_a_verdict_never_lets_a_release_through_that_only_warns(case, data):
    check, limit, tasks = case
    plan = plan_of(check, limit, on_inconclusive="warn")
    before, after = graded(plan, tasks), graded(plan, unscored_more(tasks, data))
    if before.exit_status != 0:
        assert after.exit_status != 0


@settings(max_examples=80)
@given(case=cases())
def test_what_a_grade_says_agrees_with_itself(case):
    check, limit, tasks = case
    grade = graded(plan_of(check, limit), tasks)
    (checked,) = grade.checks
    shown = json.loads(grade_json(grade), parse_constant=pytest.fail)
    assert shown["verdict"] == shown["checks"][0]["verdict"] == str(grade.verdict) == str(checked.verdict)
    assert grade.exit_status == exit_status(grade.verdict)
    assert checked.scored + checked.unscored == checked.trials == grade.data.trials
    assert len(checked.next_steps) <= 3
    numbers = [v for v in _leaves(shown) if isinstance(v, float)]
    assert all(map(math.isfinite, numbers))
    details = checked.details
    if checked.scored == 0:
        assert checked.verdict is Verdict.INCONCLUSIVE
    if details.get("provable") is False:
        assert checked.verdict is not Verdict.PASS
    if checked.verdict is Verdict.PASS:
        assert checked.reason_code is ReasonCode.PROVED
    if checked.verdict is Verdict.FAIL:
        assert checked.reason_code is ReasonCode.BROKEN
    if (
        checked.kind in ("rate", "mean", "pass_hat")
        and checked.verdict is Verdict.INCONCLUSIVE
        and checked.scored
    ):
        assert checked.next_steps or details["graded_by"] != "guaranteed"
    low, high = details.get("estimate_range", [0, 1])
    assert 0 <= low <= high <= 1
    # An estimate of fewer tasks is about other tasks than the range is.
    if (
        details.get("estimate") is not None
        and "estimate_range" in details
        and not details.get("tasks_left_out")
    ):
        assert low - 1e-12 <= details["estimate"] <= high + 1e-12


def _leaves(shown):
    if isinstance(shown, dict):
        for value in shown.values():
            yield from _leaves(value)
    elif isinstance(shown, list):
        for value in shown:
            yield from _leaves(value)
    else:
        yield shown


@settings(max_examples=50)
@given(case=cases(), data=st.data())
def test_the_order_of_tasks_and_the_codes_of_clusters_change_no_number(case, data):
    check, limit, tasks = case
    plan = plan_of(check, limit)
    shuffled = data.draw(st.permutations(tasks))
    codes = data.draw(st.permutations([0, 1, 2, 3]))
    renamed = [(c if c in (None, 4) else codes[c], trials[::-1], n) for c, trials, n in shuffled]
    assert grade_json(graded(plan, tasks)) == grade_json(graded(plan, renamed))


@settings(max_examples=50)
@given(case=cases())
def test_equal_tasks_written_apart_are_the_same_grade(case):
    check, limit, tasks = case
    # Scores, and pass^k in clusters, are fractions: written apart they add up to the last digit or so.
    assume("mean" not in check and not ("pass_hat" in check and tasks[0][0] is not None))
    plan = plan_of(check, limit)
    apart = [(c, trials, 1) for c, trials, n in tasks for _ in range(n) if c != 4]
    apart += [task for task in tasks if task[0] == 4]
    assert grade_json(graded(plan, tasks)) == grade_json(graded(plan, apart))


@settings(max_examples=50)
@given(case=cases())
def test_the_published_rule_is_told_beside_the_guaranteed_bound(case):
    check, limit, tasks = case
    assume(check.get("bound") == "guaranteed")
    by_guaranteed = graded(plan_of(check, limit), tasks).checks[0]
    by_published = graded(plan_of({**check, "bound": "largest-of-three"}, limit), tasks).checks[0]
    for one in (by_guaranteed, by_published):
        assert one.details["verdict_by_largest_of_three"] == str(by_published.verdict)
    assert by_guaranteed.details["bounds"] == by_published.details["bounds"]
    three = [by_published.details["bounds"][name] for name in ("question", "cluster", "design_effect")]
    largest = max if by_published.side == "at_most" else min
    if by_published.unscored == 0:
        assert by_published.details["graded_bound"] == largest(b for b in three if b is not None)
    assert by_guaranteed.details["graded_bound"] == by_guaranteed.details["bounds"]["guaranteed"]
