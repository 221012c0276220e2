"""Frames, tables, relations and dicts become logs without losing what a value was."""

from __future__ import annotations

import sys

import duckdb
import pytest

from surefoot.errors import ArgumentError, DataError
from surefoot.trials.python_rows import from_python
from surefoot.trials.relation import build_relation


def rows(source, columns="task, trial_index, passed", **options):
    return build_relation([from_python(source)], **options).query(f"SELECT {columns} FROM trials")


def test_a_list_of_dicts():
    found = rows([{"id": "a", "trial": 0, "success": "PASS"}, {"id": "a", "trial": 1, "success": 0}])
    assert found == [("a", 0, True), ("a", 1, False)]


def test_dicts_keep_what_an_id_was():
    assert rows([{"task": 1}, {"task": "1"}], "task, _task_type") == [("1", "number"), ("1", "text")]


def test_a_pandas_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"id": ["a", "a"], "trial": [0, 1], "passed": [True, False], "x": [0.5, float("nan")]}
    )
    assert rows(frame, "task, trial_index, passed, x, file") == [
        ("a", 0, True, 0.5, None),
        ("a", 1, False, None, None),
    ]
    assert list(frame.columns) == ["id", "trial", "passed", "x"]


def test_object_columns_of_a_frame_are_never_sampled():
    pandas = pytest.importorskip("pandas")
    ids = pandas.Series([7] * 3000 + ["7", None, float("nan")], dtype=object)
    nested = pandas.Series([{"k": [1]}] + [None] * 3002, dtype=object)
    relation = build_relation([from_python(pandas.DataFrame({"task": ids, "d": nested}))])
    sql = "SELECT _task_type, count(*), min(task), min(d) FROM trials GROUP BY 1 ORDER BY 2"
    assert relation.query(sql) == [
        ("text", 1, "7", None),
        (None, 2, None, None),
        ("number", 3000, "7", '{"k": [1]}'),
    ]


@pytest.mark.parametrize("columns", [["task", "task"], ["task", 0], ["task", ""]])
def test_names_that_are_no_names_are_refused(columns):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="pandas DataFrame"):
        from_python(pandas.DataFrame([["a", 1]], columns=columns))


def test_an_arrow_table():
    arrow = pytest.importorskip("pyarrow")
    source = arrow.table({"task": ["a", "b"], "score": [1.0, 0.0], "deep": [{"k": 1}, None]})
    assert rows(source, "task, passed, deep") == [("a", True, '{"k":1}'), ("b", False, None)]


def test_anything_that_exports_an_arrow_stream_can_be_scanned_again():
    arrow = pytest.importorskip("pyarrow")

    class Exporter:
        def __arrow_c_stream__(self, requested_schema=None):
            return arrow.table({"task": ["a"], "passed": [True]}).__arrow_c_stream__(requested_schema)

    relation = build_relation([from_python(Exporter())])
    assert [relation.query("SELECT count(*) FROM trials WHERE passed") for _ in range(2)] == [[(1,)], [(1,)]]


def test_a_duckdb_relation_is_read_from_its_own_connection():
    own = duckdb.connect()
    own.execute("CREATE TABLE t AS SELECT 'a' AS task, range AS trial, range % 2 = 0 AS passed FROM range(3)")
    relation = build_relation([from_python(own.table("t"))])
    sql = "SELECT trial_index, passed FROM trials ORDER BY 1"
    assert relation.query(sql) == [(0, True), (1, False), (2, True)]
    assert relation.query(sql) == [(0, True), (1, False), (2, True)]
    assert own.execute("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchone() == (0,)
    assert own.execute("SELECT current_setting('lock_configuration')").fetchone() == (False,)


def test_a_duckdb_relation_needs_no_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    own = duckdb.connect()
    assert rows(own.sql("SELECT 'a' AS task, TRUE AS passed"), "task, passed") == [("a", True)]


@pytest.mark.parametrize("source", ["text", 3, None, [1, 2], {"task": "a"}])
def test_anything_else_is_refused_and_says_what_is_taken(source):
    with pytest.raises(
        ArgumentError, match="a data frame, an Arrow table, a DuckDB relation or a list of dicts"
    ):
        from_python(source)


@pytest.mark.parametrize("row", [{"": 1}, {3: 1}])
def test_dicts_with_keys_that_are_no_names_are_refused(row):
    with pytest.raises(DataError, match="keys must be text"):
        from_python([{"task": "a"} | row])
