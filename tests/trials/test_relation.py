"""Logs become one relation: canonical columns, causes, label, order, and a connection that is closed to the rest."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from surefoot.errors import ArgumentError, DataError, UnreadableLogError, UsageError
from surefoot.trials.columns import ALWAYS_COLUMNS
from surefoot.trials.relation import build_relation, rows_in_order
from surefoot.trials.source import ImportedLog, RowScan, SqlScan


def trial(task, index=None, passed=True, **more):
    row = {"task": task, "passed": passed, **more}
    return row if index is None else row | {"trial_index": index}


def codes(relation):
    return [finding.code for finding in relation.findings]


def test_rows_of_a_tool_keep_their_canonical_values(tool_log):
    relation = build_relation([tool_log([trial("a", 0, suite="x"), trial("a", 1, False, suite="y")])])
    assert relation.query("SELECT task, trial_index, passed, suite, file FROM trials") == [
        ("a", 0, True, "x", "run.log"),
        ("a", 1, False, "y", "run.log"),
    ]
    assert relation.has_trial_index
    assert relation.asks_success
    assert (relation.format, relation.sources) == ("tool log", ("run.log",))


def test_every_relation_has_the_columns_that_counting_needs(tool_log):
    relation = build_relation([tool_log([{"task": "a"}])])
    names = [row[0] for row in relation.query("DESCRIBE trials")]
    assert set(ALWAYS_COLUMNS) <= set(names)
    assert "passed" not in relation.columns
    assert not relation.asks_success
    assert relation.query("SELECT passed, unscored_cause FROM trials") == [(None, None)]


def test_tasks_are_text_and_their_type_in_the_log_is_kept(tool_log):
    relation = build_relation([tool_log([trial(1, 0), trial("1", 1)])])
    assert relation.has_task_type
    assert relation.query("SELECT task, _task_type FROM trials") == [("1", "number"), ("1", "text")]
    assert "_task_type" not in relation.columns


def test_an_importer_may_say_what_the_id_was(tool_log):
    relation = build_relation([tool_log([{"task": "1", "_task_type": "number"}])])
    assert relation.query("SELECT task, _task_type FROM trials") == [("1", "number")]


def test_an_index_from_one_is_kept_as_given(tool_log):
    relation = build_relation([tool_log([trial("a", 1), trial("a", 2)])])
    assert relation.query("SELECT min(trial_index), max(trial_index) FROM trials") == [(1, 2)]


def test_no_index_is_made_up_where_a_log_gives_none(tool_log):
    relation = build_relation([tool_log([trial("a"), trial("a", passed=False), trial("b")])])
    assert not relation.has_trial_index
    assert relation.query("SELECT count(trial_index) FROM trials") == [(0,)]


def test_an_index_that_some_rows_lack_is_not_used_and_said(tool_log):
    relation = build_relation([tool_log([trial("a", 0), trial("a")])])
    assert not relation.has_trial_index
    assert "no-trial-index" in codes(relation)


def test_logs_with_and_without_an_index_together_are_said(tool_log, table):
    relation = build_relation([tool_log([trial("a", 0)]), table([{"task": "b", "passed": True}])])
    assert not relation.has_trial_index
    assert "some-without-trial-index" in codes(relation)


def test_shown_trials_are_ordered_by_index_or_by_row(tool_log):
    with_index = build_relation(
        [tool_log([trial("a", 2), trial("a", 0, False), trial("b", 0), trial("a", 1)])]
    )
    assert [(t.trial_index, t.passed) for t in rows_in_order(with_index, ["a"])["a"]] == [
        (0, False),
        (1, True),
        (2, True),
    ]
    without = build_relation([tool_log([trial("a"), trial("b"), trial("a", passed=False)])])
    shown = rows_in_order(without, ["b", "a"])
    assert [(t.trial_index, t.passed) for t in shown["a"]] == [(0, True), (1, False)]
    assert [t.trial_index for t in shown["b"]] == [0]


def test_shown_trials_follow_the_order_of_files(tool_log):
    logs = [tool_log([trial("a", passed=n == 1)], path=f"night{n}.xml") for n in range(3)]
    shown = rows_in_order(build_relation(logs), ["a"], limit=2)["a"]
    assert [(t.file, t.passed) for t in shown] == [("night0.xml", False), ("night1.xml", True)]


def test_a_task_that_is_not_there_has_no_trials_and_a_limit_must_be_positive(tool_log):
    relation = build_relation([tool_log([trial("a")])])
    assert rows_in_order(relation, ["gone"]) == {"gone": ()}
    with pytest.raises(ArgumentError, match="limit"):
        rows_in_order(relation, ["a"], limit=0)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"passed": "yes"}, (True, None)),
        ({"passed": None}, (None, "unknown")),
        ({"passed": ""}, (None, "unknown")),
        ({"passed": "maybe"}, (None, "unknown")),
        ({"passed": float("nan")}, (None, "unknown")),
        ({"passed": None, "error": "boom"}, (None, "unknown")),
        ({"passed": None, "error": "boom", "unscored_cause": "Infra"}, (None, "infra")),
        ({"passed": True, "unscored_cause": "scorer"}, (None, "scorer")),
        ({"passed": False, "unscored_cause": "gremlins"}, (None, "unknown")),
        ({"passed": False, "error": "wrong answer"}, (False, None)),
        ({"passed": True, "cached": True}, (None, "cached")),
        ({"passed": True, "cached": "no"}, (True, None)),
        ({"passed": True, "cached": True, "unscored_cause": "budget"}, (None, "budget")),
    ],
)
def test_why_a_trial_of_a_table_has_no_verdict(row, expected, table, select):
    assert select([table([{"task": "a"} | row])], "passed, unscored_cause") == [expected]


def test_a_log_not_asked_about_success_is_not_unscored(table, select):
    assert select([table([{"task": "a", "x": 1}])], "passed, unscored_cause") == [(None, None)]


def test_an_error_is_unscored_even_where_success_was_not_asked(table, select):
    rows = [{"task": "a", "error": "boom"}, {"task": "a", "error": None}, {"task": "a", "error": False}]
    assert select([table(rows)], "unscored_cause") == [("unknown",), (None,), (None,)]


def test_a_tool_that_gives_no_cause_was_not_asked(tool_log, select):
    assert select([tool_log([trial("a", passed=None)])], "passed, unscored_cause") == [(None, None)]


def test_a_verdict_that_is_none_is_unscored_in_a_tools_log_too(tool_log, select):
    rows = [trial("a", passed="maybe"), trial("a", passed="C")]
    assert select([tool_log(rows)], "passed, unscored_cause") == [(None, "unknown"), (True, None)]


def test_unknown_causes_are_counted_and_shown(table):
    relation = build_relation([table([{"task": "a", "unscored_cause": "gremlins"}, {"task": "a"}])])
    (finding,) = [f for f in relation.findings if f.code == "unknown-cause"]
    assert "1 trial " in finding.message
    assert "'gremlins'" in finding.message


def test_equal_seed_and_output_are_one_trial_and_its_copies_in_the_cache(tool_log, select):
    rows = [
        trial("a", 1, seed="7", output_hash="h"),
        trial("a", 0, seed="7", output_hash="h"),
        trial("a", 2, seed="8", output_hash="h"),
        trial("a", 3, seed="7", output_hash="other"),
        trial("b", 0, seed="7", output_hash="h"),
        trial("a", 4, seed=None, output_hash="h"),
        trial("a", 5, seed=None, output_hash="h"),
    ]
    found = select([tool_log(rows)], "task, trial_index, passed, unscored_cause")
    assert [row for row in found if row[3]] == [("a", 1, None, "cached")]
    assert len(found) == len(rows)


def test_without_an_index_the_first_row_is_the_trial(tool_log, select):
    rows = [trial("a", passed=passed, seed="7", output_hash="h") for passed in (False, True, True)]
    assert select([tool_log(rows)], "passed, unscored_cause") == [
        (False, None),
        (None, "cached"),
        (None, "cached"),
    ]


def test_copies_of_one_slot_stay_equal(tool_log, select):
    rows = [trial("a", 0, seed="7", output_hash="h"), trial("a", 0, seed="7", output_hash="h")]
    assert select([tool_log(rows)], "passed, unscored_cause") == [(True, None), (True, None)]


def test_another_model_with_the_same_seed_and_output_is_no_copy(tool_log, select):
    rows = [trial("a", 0, seed="7", output_hash="h", model=model) for model in ("x", "y")]
    assert select([tool_log(rows)], "unscored_cause") == [(None,), (None,)]


def test_the_label_names_the_system_only_where_no_log_does(tool_log, select):
    rows = [trial("a", 0, system="own"), trial("a", 1, system=None)]
    assert select([tool_log(rows)], "system", label="it's mine") == [("own",), ("it's mine",)]


def test_mapped_columns_become_canonical_and_stay_by_their_name(table):
    relation = build_relation(
        [table([{"suite": "s", "item": "a/b", "ok": "no"}])], mapping={"task": "suite+item", "success": "ok"}
    )
    assert relation.query("SELECT task, passed, ok FROM trials") == [("s/a%2Fb", False, "no")]
    assert relation.columns["passed"] == "boolean"
    assert relation.columns["item"] == "text"


def test_success_as_an_expression_is_compiled_by_the_caller(table):
    asked = []

    def compiled(text, columns):
        asked.append((text, dict(columns)))
        return 'TRY_CAST("score" AS DOUBLE) >= 0.5'

    relation = build_relation(
        [table([{"task": "a", "score": 0.7}, {"task": "a", "score": 0.2}, {"task": "a", "score": None}])],
        mapping={"success": "score >= 0.5"},
        passed_sql=compiled,
    )
    assert relation.query("SELECT passed, unscored_cause FROM trials") == [
        (True, None),
        (False, None),
        (None, "unknown"),
    ]
    assert asked == [("score >= 0.5", {"task": "text", "score": "text"})]


def test_a_score_between_zero_and_one_is_not_taken_for_success(table):
    relation = build_relation([table([{"task": "a", "score": 0.7}, {"task": "a", "score": 1}])])
    (finding,) = [f for f in relation.findings if f.code == "score-needs-threshold"]
    assert "'0.7'" in finding.message
    assert finding.what_to_do == 'Declare what counts as success, for example --success "score >= 0.5"'
    assert not relation.asks_success
    assert relation.query("SELECT count(unscored_cause) FROM trials") == [(0,)]


def test_a_score_of_zeros_and_ones_is_success(table):
    relation = build_relation([table([{"task": "a", "score": 0.0}, {"task": "a", "score": 1}])])
    assert relation.query("SELECT passed FROM trials") == [(False,), (True,)]


def test_a_guessed_index_that_holds_no_whole_numbers_is_given_up(table):
    relation = build_relation([table([{"task": "a", "run": "monday", "ok": 1}])])
    assert not relation.has_trial_index
    assert any("'monday'" in f.message and f.severity == "note" for f in relation.findings)
    assert not any(f.code == "guessed-column" and "'run'" in f.message for f in relation.findings)


@pytest.mark.parametrize("odd", ["first", "-1", "1.5", "true"])
def test_an_index_that_was_said_must_be_whole_numbers(table, odd):
    rows = [{"task": "a", "n": "0"}, {"task": "a", "n": odd}]
    with pytest.raises(DataError, match=f"whole numbers from 0.*{odd}"):
        build_relation([table(rows)], mapping={"trial_index": "n"})


def test_values_that_fit_no_number_are_said(table):
    relation = build_relation(
        [table([{"task": "a", "duration_s": "1.5"}, {"task": "a", "duration_s": "fast"}])]
    )
    assert relation.query("SELECT duration_s FROM trials") == [(1.5,), (None,)]
    assert any("'fast'" in f.message for f in relation.findings)


def test_kinds_that_differ_between_logs_become_text():
    one = ImportedLog(
        "a", SqlScan("SELECT 'x' AS task, 1 AS v", {"task": "text", "v": "number"}), is_table=True
    )
    two = ImportedLog(
        "b", SqlScan("SELECT 'x' AS task, 'q' AS \"V\"", {"task": "text", "V": "text"}), is_table=True
    )
    relation = build_relation([one, two])
    assert relation.columns["v"] == "text"
    assert relation.query("SELECT v FROM trials") == [("1",), ("q",)]
    assert relation.format == "1 a, 1 b"


def test_a_table_may_carry_the_file_its_trials_come_from(table, select):
    rows = [{"task": "a", "file": "night.log"}, {"task": "b", "file": None}]
    assert select([table(rows)], "file") == [("night.log",), (None,)]


def test_findings_of_logs_and_rows_are_kept(tool_log):
    from surefoot.trials.findings import Finding

    said = Finding("said", "note", "by the importer")
    between = Finding("between", "note", "between rows")
    relation = build_relation([tool_log([trial("a"), between, trial("b")], findings=(said,))])
    assert relation.findings[:2] == (said, between)


def test_columns_that_must_match_are_the_usual_and_those_a_log_names(tool_log):
    relation = build_relation(
        [tool_log([trial("a", eval_name="x")], provenance_columns=("Eval_Name", "gone"))]
    )
    assert relation.provenance_columns == ("system", "version", "model", "settings", "eval_name")


def test_no_logs_and_no_rows_are_errors(tool_log, table):
    with pytest.raises(ArgumentError, match="at least one log"):
        build_relation([])
    for log in (tool_log([]), table([])):
        with pytest.raises(DataError, match="no trials in it"):
            build_relation([log])


def test_a_mapping_that_no_log_can_use_is_refused(tool_log):
    with pytest.raises(UsageError, match="no log has that column"):
        build_relation([tool_log([trial("a")])], mapping={"task": "gone"})


def test_a_log_damaged_in_the_middle_stops_the_build_or_is_left_out(tool_log):
    def broken():
        yield trial("a", passed=False)
        raise UnreadableLogError("bad.log", "cut off")

    bad = ImportedLog("tool log", RowScan(broken), Path("bad.log"))
    good = tool_log([trial("b")])
    with pytest.raises(UnreadableLogError, match="cut off"):
        build_relation([bad, good])
    relation = build_relation([bad, good], skip_unreadable=True)
    assert relation.query("SELECT task FROM trials") == [("b",)]
    assert relation.findings[0].code == "skipped-file"
    with pytest.raises(UnreadableLogError, match="cut off"):
        build_relation([bad], skip_unreadable=True)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/hostname')",
        "COPY (SELECT 1) TO '/tmp/surefoot-should-not-exist.csv'",
        "ATTACH '/tmp/surefoot-should-not-exist.db'",
        "SET enable_external_access = true",
        "SET threads = 1",
        "INSTALL httpfs",
        "LOAD httpfs",
    ],
)
def test_the_connection_opens_nothing_else(tool_log, sql):
    relation = build_relation([tool_log([trial("a")])])
    with pytest.raises(duckdb.Error):
        relation.connection.execute(sql)


def test_the_connection_takes_no_python_variable_for_a_table(tool_log):
    relation = build_relation([tool_log([trial("a")])])
    rows = duckdb.sql("SELECT 1 AS x")
    with pytest.raises(duckdb.Error, match="rows"):
        relation.connection.execute("SELECT * FROM rows")
    assert rows.fetchall() == [(1,)]
