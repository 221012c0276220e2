"""Parquet: types are the file's own, nested values are JSON text, and shards are one scan."""

from __future__ import annotations

import duckdb
import pytest

from surefoot.errors import DataError, UnreadableLogError
from surefoot.importers.parquet import ParquetImporter
from surefoot.trials.relation import build_relation
from surefoot.trials.source import ReadOptions


@pytest.fixture
def write(tmp_path):
    def put(select, name="t.parquet"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        duckdb.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
        return path

    return put


def relation(*paths, **options):
    return build_relation([ParquetImporter().read(path, ReadOptions()) for path in paths], **options)


def test_types_of_the_file_are_the_kinds_of_the_columns(write):
    path = write(
        "SELECT 'a' AS task, 0 AS trial_index, TRUE AS passed, 1.5::DECIMAL(4, 1) AS price, DATE '2026-01-01' AS day, "
        "{'k': [1]} AS deep, 'x'::BLOB AS raw, uuid() AS ref"
    )
    found = relation(path)
    kinds = {
        name: found.columns[name] for name in ("price", "day", "deep", "raw", "ref", "passed", "trial_index")
    }
    assert kinds == {
        "price": "number",
        "day": "other",
        "deep": "text",
        "raw": "other",
        "ref": "text",
        "passed": "boolean",
        "trial_index": "number",
    }
    assert found.query("SELECT task, trial_index, passed, deep FROM trials") == [("a", 0, True, '{"k":[1]}')]


def test_numbers_as_ids_become_text_and_nan_is_missing(write):
    found = relation(write("SELECT 7 AS task, 'NaN'::DOUBLE AS score"))
    assert found.query("SELECT task, score, passed, unscored_cause FROM trials") == [
        ("7", None, None, "unknown")
    ]


def test_the_file_stays_where_it_is(write):
    path = write("SELECT range::VARCHAR AS task, TRUE AS passed FROM range(1000)")
    found = relation(path)
    assert found.query("SELECT count(*) FROM duckdb_tables()") == [(0,)]
    assert found.query("SELECT count(*) FROM trials WHERE passed") == [(1000,)]


def test_shards_are_one_scan_in_the_order_given(write):
    paths = [write(f"SELECT '{name}' AS task, 1 AS passed", f"{name}.parquet") for name in ("b", "a")]
    found = relation(*paths)
    assert found.query("SELECT task, file FROM trials") == [("b", str(paths[0])), ("a", str(paths[1]))]
    plan = found.query("EXPLAIN SELECT count(*) FROM trials WHERE passed")[0][1]
    assert plan.count("READ_PARQUET") == 1


def test_shards_of_other_types_are_joined_by_name(write):
    paths = [
        write("SELECT 'a' AS task, 1 AS x", "1.parquet"),
        write("SELECT 'two' AS x, 'b' AS task", "2.parquet"),
    ]
    found = relation(*paths)
    assert found.query("SELECT task, x FROM trials") == [("a", "1"), ("b", "two")]


def test_a_folder_name_is_no_column(write):
    found = relation(write("SELECT 'a' AS task", "model=x/t.parquet"))
    assert "model" not in found.columns


def test_names_that_differ_only_in_case_are_an_error(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "t.parquet"
    parquet.write_table(arrow.table({"s": [{"Id": 1, "id": 2}], "Id": ["a"], "id": ["b"]}), path)
    with pytest.raises(DataError, match="'Id' and 'id'"):
        ParquetImporter().read(path, ReadOptions())


def test_a_file_without_rows_and_one_that_is_damaged_are_refused(write, tmp_path):
    with pytest.raises(UnreadableLogError, match="no rows"):
        ParquetImporter().read(write("SELECT 'a' AS task WHERE FALSE"), ReadOptions())
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"PAR1xxxxPAR1")
    with pytest.raises(UnreadableLogError, match="not a Parquet file that can be read"):
        ParquetImporter().read(bad, ReadOptions())


def test_parquet_is_recognised_by_its_first_bytes(tmp_path):
    assert ParquetImporter().recognizes(tmp_path / "x", b"PAR1\x15\x04")
    assert not ParquetImporter().recognizes(tmp_path / "x.parquet", b"task,passed")
