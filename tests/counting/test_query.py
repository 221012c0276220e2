"""The text of the counting query: user text is quoted wherever it stands, and names cannot be anything but names."""

from __future__ import annotations

import pytest
import sqlglot

import surefoot as sf
from surefoot.counting.count import CountRequest, count
from surefoot.counting.query import Measure, counting_sql, merged_sql
from surefoot.plan.load import plan_from_mapping

ATTACKS = [
    'a"b',
    "it's",
    '"; DROP TABLE surefoot_counted; --',
    "' OR '1'='1",
    "x') UNION SELECT 1 --",
    "/* */ --",
    "$$x$$",
    "a\\'b",
    "новый\u202e",
    "line\nbreak",
    "?",
    "%s {0}",
    "e'\\x27'",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_key_is_one_quoted_identifier(attack):
    text = counting_sql(
        "trials",
        keys=(attack, "task"),
        measures=(Measure(None, "passed"),),
        has_trial_index=True,
        has_output_hash=True,
        has_cause=True,
    )
    tree = sqlglot.parse(text, dialect="duckdb")
    assert len(tree) == 1
    names = {column.name for column in tree[0].find_all(sqlglot.exp.Column)}
    assert attack in names
    assert {name for name in names if name not in (attack, "y_0")} == {
        "task",
        "unscored_cause",
        "trial_index",
        "output_hash",
        "passed",
    }
    assert (
        len(sqlglot.parse(f"SELECT * FROM {merged_sql('t', keys=(attack,), measures=1)}", dialect="duckdb"))
        == 1
    )


@pytest.mark.parametrize("attack", ATTACKS)
def test_names_ids_and_values_of_groups_may_be_any_text(attack):
    """The same log under plain and under hostile names: all counts are the same."""

    def rows(cluster, task, value):
        return [
            {
                "task": f"{task}{t}",
                "trial": i,
                "passed": i > t,
                cluster: f"{value}{t % 2}",
                "model": f"{value}{m}",
            }
            for m in range(2)
            for t in range(3)
            for i in range(4)
        ]

    def counted(given, cluster):
        checks = [
            {"success": "passed", "at_least": 0.5, "cluster": cluster},
            {"flakiness_at_most": 0.2},
            {"forbid": "not passed"},
        ]
        plan = plan_from_mapping({"name": "p", "check": checks}, source="test")
        return count(sf.read(given), CountRequest(checks=plan.checks, by=("model",)))

    # A plus sign joins columns; no attack has one.
    plain = counted(rows("fact", "t", "v"), "fact")
    hostile = counted(rows(attack, attack, attack), attack)
    assert [counts.by["model"] for counts in hostile] == [f"{attack}0", f"{attack}1"]
    for expected, found in zip(plain, hostile, strict=True):
        assert found.rows == expected.rows == 12
        assert [row.task for row in found.task_rows] == [
            row.task.replace("t", attack, 1) for row in expected.task_rows
        ]
        assert [row[1:] for row in found.task_rows] == [row[1:] for row in expected.task_rows]
        for one, other in zip(expected.checks, found.checks, strict=True):
            assert other.profile.events.tolist() == one.profile.events.tolist()
            assert other.clusters == one.clusters
        assert [row.cluster for row in found.checks[0].cluster_rows] == [
            row.cluster.replace("v", attack, 1) for row in expected.checks[0].cluster_rows
        ]
        assert [row.task for row in found.checks[2].event_rows] == [
            row.task.replace("t", attack, 1) for row in expected.checks[2].event_rows
        ]
        runs = {row.task: row.runs for row in expected.checks[1].task_rows}
        assert {row.task: row.runs for row in found.checks[1].task_rows} == {
            task.replace("t", attack, 1): shown for task, shown in runs.items()
        }


def test_equal_measures_are_counted_once():
    rows = [{"task": "a", "trial": 0, "passed": True, "fact": "f"}]
    checks = [
        {"name": "1", "success": "passed", "at_least": 0.5},
        {"name": "2", "pass_hat": 1, "at_least": 0.5},
        {"name": "3", "success": "passed", "at_least": 0.5, "cluster": "fact"},
    ]
    from surefoot.counting.measures import measures_of

    plan = plan_from_mapping({"name": "p", "check": checks}, source="test")
    measures = measures_of(plan.checks, sf.read(rows))
    assert [measured.measure for measured in measures.checks][1] == measures.passed
    assert len(measures.measures) <= 2


@pytest.mark.parametrize("harm", [1e300, -1e300, 1.0000001, -0.1])
def test_a_score_far_outside_0_and_1_is_counted_and_not_summed(harm):
    rows = [{"task": "a", "trial": i, "harm": 0.5 if i else harm} for i in range(3)]
    plan = plan_from_mapping({"name": "p", "check": [{"mean": "harm", "at_most": 0.5}]}, source="test")
    (counts,) = count(sf.read(rows), CountRequest(checks=plan.checks))
    assert counts.checks[0].out_of_range == 1
    assert counts.checks[0].profile.events.tolist() == [1.0]
