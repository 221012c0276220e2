"""The counting query against a plain loop over rows, on random logs."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.counting.count import CountRequest, count
from surefoot.plan.load import plan_from_mapping

CHECKS = [
    {"success": "passed", "at_least": 0.5},
    {"event": "leaked", "at_most": 0.5, "cluster": "fact"},
    {"event": "leaked", "at_most": 0.5, "cluster": "fact", "where": "kind = 'hard'"},
    {"mean": "harm", "at_most": 0.5, "cluster": "suite+fact"},
    {"mean": "harm", "at_most": 0.5, "where": "kind = 'hard'"},
    {"forbid": "leaked and harm > 0.5"},
    {"pass_hat": 2, "at_least": 0.5},
]


def hard(row):
    return row["kind"] == "hard"


def forbidden(row):
    leaked, harm = row["leaked"], row["harm"]
    if leaked is False or (harm is not None and harm <= 0.5):
        return False
    return None if leaked is None or harm is None else True


SLOW = [
    {"value": lambda row: row["passed"]},
    {"value": lambda row: row["leaked"], "cluster": ("fact",)},
    {"value": lambda row: row["leaked"], "cluster": ("fact",), "where": hard},
    {"value": lambda row: row["harm"], "cluster": ("suite", "fact")},
    {"value": lambda row: row["harm"], "where": hard},
    {"value": forbidden},
    {"value": lambda row: row["passed"]},
]

TASKS = st.sampled_from(["1", "2", "10", "a", "b'c", 'd"e', "%s/f", "任务"])
# Sixteenths: their sums are exact in the plain loop and in the engine alike.
HARM = st.none() | st.integers(0, 16).map(lambda n: n / 16)


def with_indexes(drawn, *, indexed, runs):
    """Trial indexes in order within (run, task), what a task belongs to fixed by the task."""
    next_index = Counter()
    rows = []
    for row in drawn:
        number = len(row["task"]) + ord(row["task"][0])
        row = {
            **row,
            "fact": f"f{number % 3}",
            "suite": f"s/{number % 2}",
            "kind": ["hard", "easy"][number % 2],
        }
        row["run"] = row["run"] if runs else "r"
        if indexed:
            row["trial_index"] = next_index[(row["run"], row["task"])]
            next_index[(row["run"], row["task"])] += 1
        else:
            row["shard"] = row.pop("run")
        if row["unscored_cause"] is None and row["passed"] is None:
            row["passed"] = False
        rows.append({**row, "model": "m"})
    return rows


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "task": TASKS,
            "passed": st.booleans() | st.none(),
            "leaked": st.booleans() | st.none(),
            "harm": HARM,
            "unscored_cause": st.none() | st.none() | st.sampled_from(["infra", "scorer"]),
            "run": st.sampled_from(["r1", "r2"]),
        }
    ),
    min_size=1,
    max_size=40,
)


def as_counter(counts, names):
    """The profile with the names of its clusters, in the terms of the plain loop."""
    profile = counts.profile
    clusters = [None] * len(profile.trials) if profile.cluster is None else profile.cluster.tolist()
    found = Counter()
    for cluster, n, events, unscored, tasks in zip(
        clusters,
        profile.trials.tolist(),
        profile.events.tolist(),
        profile.unscored.tolist(),
        profile.tasks.tolist(),
        strict=True,
    ):
        found[(None if cluster is None else names[cluster], n, Fraction(events), unscored)] += tasks
    return found


def with_means(profile):
    """Scores in clusters: tasks of one cluster with equal trials share the mean of their sums."""
    totals = {}
    for (label, n, events, unscored), tasks in profile.items():
        total = totals.setdefault((label, n, unscored), [Fraction(0), 0])
        total[0] += events * tasks
        total[1] += tasks
    return Counter(
        {
            (label, n, Fraction(float(total / tasks)), u): tasks
            for (label, n, u), (total, tasks) in totals.items()
        }
    )


def counted(rows, checks=CHECKS, **asked):
    plan = plan_from_mapping({"name": "p", "check": checks}, source="test")
    return count(sf.read(rows), CountRequest(checks=plan.checks, **asked))


@settings(max_examples=25)
@given(drawn=ROWS, indexed=st.booleans(), runs=st.booleans(), copies=st.integers(0, 3))
def test_every_check_counts_what_a_plain_loop_counts(slowly, drawn, indexed, runs, copies):
    rows = with_indexes(drawn, indexed=indexed, runs=runs)
    given_rows = rows + (rows[:copies] if indexed else [])
    (counts,) = counted(given_rows)
    assert counts.duplicates.conflicting == 0
    assert counts.duplicates.equal == (min(copies, len(rows)) if indexed else 0)
    for number, (found, slow) in enumerate(zip(counts.checks, SLOW, strict=True)):
        expected = slowly(given_rows, **slow)
        names = sorted({key[0] for key in expected.profile if key[0] is not None})
        scores_in_clusters = "mean" in CHECKS[number] and bool(names)
        profile = with_means(expected.profile) if scores_in_clusters else expected.profile
        assert as_counter(found, names) == profile, number
        assert found.rows_selected == expected.trials
        assert found.profile.trial_count == expected.trials
        assert found.clusters == (len(names) if names else sum(expected.profile.values()))
    assert counts.rows == len(rows)
    assert counts.tasks == len({row["task"] for row in rows})
    assert counts.unscored_by_cause == Counter(
        row["unscored_cause"] for row in rows if row["unscored_cause"] is not None
    )
    listed = {row.task: (row.trials, row.passed, row.unscored) for row in counts.task_rows}
    assert len(listed) == counts.tasks
    for task, (trials, passed, unscored) in listed.items():
        own = [row for row in rows if row["task"] == task]
        assert trials == len(own)
        assert unscored == sum(row["unscored_cause"] is not None for row in own)
        assert passed == sum(row["passed"] is True for row in own if row["unscored_cause"] is None)


@settings(max_examples=25)
@given(drawn=ROWS, indexed=st.booleans())
def test_each_group_is_counted_as_if_it_were_alone(drawn, indexed):
    rows = with_indexes(drawn, indexed=indexed, runs=True)
    name = "run" if indexed else "shard"
    apart = counted(rows, by=(name,))
    assert [counts.by[name] for counts in apart] == sorted({row[name] for row in rows})
    for counts in apart:
        (alone,) = counted([row for row in rows if row[name] == counts.by[name]])
        assert counts.rows == alone.rows
        assert counts.unscored_by_cause == alone.unscored_by_cause
        for found, expected in zip(counts.checks, alone.checks, strict=True):
            for column in ("trials", "events", "unscored", "tasks"):
                assert np.array_equal(getattr(found.profile, column), getattr(expected.profile, column))


@settings(max_examples=20)
@given(drawn=ROWS)
def test_where_selects_before_anything_is_counted(drawn):
    rows = with_indexes(drawn, indexed=True, runs=False)
    chosen = [row for row in rows if hard(row)]
    if not chosen:
        return
    (selected,), (alone,) = counted(rows, where="kind = 'hard'"), counted(chosen)
    assert selected.rows == alone.rows
    assert [check.rows_selected for check in selected.checks] == [c.rows_selected for c in alone.checks]


def test_a_task_split_by_another_checks_cluster_is_whole_again():
    """A second check clusters by a column that changes within a task; the first one must not notice."""
    rows = [
        {"task": f"t{t}", "trial": i, "passed": i > 0, "harm": 0.1 * i, "half": f"h{i % 2}", "kind": "x"}
        for t in range(3)
        for i in range(5)
    ]
    asked = [
        {"success": "passed", "at_least": 0.5},
        {"mean": "harm", "at_most": 0.5},
        {"event": "passed", "at_most": 0.5, "cluster": "half", "where": "kind = 'none'"},
    ]
    (both,), (alone,) = counted(rows, asked), counted(rows, asked[:2])
    for found, expected in zip(both.checks, alone.checks, strict=False):
        assert found.profile.trials.tolist() == expected.profile.trials.tolist() == [5]
        assert found.profile.tasks.tolist() == [3]
        assert found.profile.events.tolist() == expected.profile.events.tolist()
    assert both.task_rows == alone.task_rows
    assert both.tasks == 3


def test_sums_of_scores_do_not_depend_on_the_order_of_rows_nor_on_how_tasks_are_split():
    rng = np.random.default_rng(7)
    rows = [
        {"task": f"t{t}", "trial": i, "harm": float(h), "fact": f"f{t % 4}", "part": f"p{i % 7}", "kind": "x"}
        for t in range(6)
        for i, h in enumerate(rng.random(300))
    ]
    asked = [
        {"mean": "harm", "at_most": 0.5, "cluster": "fact"},
        {"mean": "harm", "at_most": 0.5, "cluster": "part", "where": "kind = 'none'"},
    ]
    exact = [sum(Fraction(row["harm"]) for row in rows if row["task"] == f"t{t}") for t in range(6)]
    # Tasks t0 and t4, and t1 and t5, share a cluster: of a cluster the mean over its tasks is kept.
    means = [(exact[0] + exact[4]) / 2, (exact[1] + exact[5]) / 2, exact[2], exact[3]]
    expected = sorted(float(total) for total in means)
    seen = set()
    for _ in range(4):
        rng.shuffle(rows)
        for checks in (asked, asked[:1]):
            (counts,) = counted(rows, checks)
            check = counts.checks[0]
            seen.add((tuple(sorted(check.profile.events.tolist())), check.cluster_rows))
    ((sums, _),) = seen
    assert sums == pytest.approx(expected, abs=300 * 2.0**-53)


def test_at_most_two_hundred_groups_are_graded_apart():
    rows = [{"task": "a", "passed": True, "model": f"m{i}"} for i in range(201)]
    assert len(counted(rows[:200], CHECKS[:1], by=("model",))) == 200
    with pytest.raises(sf.UsageError, match="more than 200"):
        counted(rows, CHECKS[:1], by=("model",))


def test_a_group_without_a_value_is_a_group_of_its_own():
    rows = [{"task": "a", "passed": True, "model": model} for model in ("m", None, None)]
    apart = counted(rows, CHECKS[:1], by=("model",))
    assert [(counts.by["model"], counts.rows) for counts in apart] == [("m", 1), (None, 2)]


def test_by_a_column_that_is_not_there_names_those_that_are():
    with pytest.raises(sf.UsageError, match=r"nope.*columns: .*task"):
        counted([{"task": "a", "passed": True}], CHECKS[:1], by=("nope",))
