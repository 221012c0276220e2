"""Tables whose names, values or sizes were chosen to mislead the reader."""

from __future__ import annotations

import gzip
import json

import pytest

from surefoot.errors import DataError, UnreadableLogError
from surefoot.importers.importer import read_logs
from surefoot.trials.relation import build_relation, rows_in_order

HOSTILE_NAMES = [
    "a[1].csv",
    "a*.csv",
    "a?.csv",
    "**.csv",
    "it's.csv",
    'say "x".csv',
    "two\nlines.csv",
    "~home.csv",
    "http:example.csv",
    "s3:bucket.csv",
    "k=v.csv",
    "{a,b}.csv",
    "back\\slash.csv",
    "');DROP TABLE trials;--.csv",
    " .csv",
    "ünï.csv",
]


def relation(*paths, **options):
    logs, _ = read_logs(paths)
    return build_relation(logs, **options)


@pytest.mark.parametrize("name", HOSTILE_NAMES)
@pytest.mark.parametrize("relative", [True, False])
def test_a_file_is_read_by_its_name_alone(tmp_path, monkeypatch, name, relative):
    monkeypatch.chdir(tmp_path)
    for decoy in ("a1.csv", "ab.csv", "b.csv", "home.csv"):
        (tmp_path / decoy).write_text("task,passed\ndecoy,1\n")
    (tmp_path / name).write_text("task,passed\nreal,1\n")
    found = relation(name if relative else tmp_path / name)
    assert found.query("SELECT task FROM trials") == [("real",)]


def test_shards_with_hostile_names_tell_their_files_apart(tmp_path):
    paths = [tmp_path / name for name in HOSTILE_NAMES]
    for number, path in enumerate(paths):
        path.write_text(f"task,passed\n{number},1\n")
    found = relation(*paths).query("SELECT task, file FROM trials")
    assert found == [(str(number), str(path)) for number, path in enumerate(paths)]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_column_names_are_never_read_as_sql(tmp_path, suffix):
    name = 'x" FROM trials; DROP VIEW trials; --'
    path = tmp_path / f"t.{suffix}"
    if suffix == "csv":
        quoted = name.replace('"', '""')
        path.write_text(f'task,"{quoted}"\na,1\n')
    else:
        path.write_text(json.dumps({"task": "a", name: 1}) + "\n")
    found = relation(path)
    assert name in found.columns
    assert found.query("SELECT task FROM trials") == [("a",)]


def test_ids_are_never_read_as_sql_or_paths(tmp_path):
    ids = ["'); DROP VIEW trials; --", "/etc/passwd", "../../x", "<script>", "\u202eabc", "a\x01b"]
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps({"task": task, "passed": True}) + "\n" for task in ids))
    found = relation(path)
    assert {task: len(trials) for task, trials in rows_in_order(found, ids).items()} == dict.fromkeys(ids, 1)


def test_a_label_is_never_read_as_sql(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("task,passed\na,1\n")
    label = "x'); DROP VIEW trials; --"
    assert relation(path, label=label).query("SELECT system FROM trials") == [(label,)]


def test_a_huge_field_is_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("task,passed,output\na,1," + "x" * (20 << 20) + "\nb,0,y\n")
    assert relation(path).query("SELECT task, length(output) FROM trials") == [("a", 20 << 20), ("b", 1)]


def test_a_field_beyond_all_measure_is_refused_by_name(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("task,passed,output\na,1," + "x" * (70 << 20) + "\nb,0,y\n")
    with pytest.raises(UnreadableLogError, match=r"t\.csv: .*longer than the reader allows"):
        relation(path)


@pytest.mark.parametrize("letter", ["x", "x,"])
def test_a_header_beyond_all_measure_is_refused(tmp_path, letter):
    path = tmp_path / "t.csv"
    path.write_text(letter * (2 << 20))
    with pytest.raises(UnreadableLogError, match=r"does not end within|names the column .* twice"):
        relation(path)


def test_json_nested_without_end_stays_text(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"task": "a", "passed": true, "x": ' + "[" * 100_000 + "]" * 100_000 + "}\n")
    assert relation(path).query("SELECT task, passed, length(x) FROM trials") == [("a", True, 200_000)]


def test_a_bomb_in_a_compressed_header_is_not_unpacked_whole(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"x" * (40 << 20), compresslevel=9))
    with pytest.raises(UnreadableLogError, match="does not end within"):
        relation(path)


@pytest.mark.parametrize(
    "value", ["NaN", "nan", "-NaN", "inf", "Infinity", "1e999", "2", "0.999", "\u0661", "TRUE.", "t"]
)
def test_odd_words_never_pass(tmp_path, value):
    path = tmp_path / "t.csv"
    path.write_text(f"task,passed\na,{value}\nb,true\n", encoding="utf-8")
    assert relation(path).query("SELECT passed, unscored_cause FROM trials") == [
        (None, "unknown"),
        (True, None),
    ]


def test_ids_1_and_text_1_can_be_told_apart(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"task": 1, "passed": true}\n{"task": "1", "passed": false}\n')
    found = relation(path)
    assert found.has_task_type
    mixed = "SELECT task FROM trials GROUP BY task HAVING min(_task_type) <> max(_task_type)"
    assert found.query(mixed) == [("1",)]


def test_a_file_that_changes_after_it_was_opened_is_an_error_that_names_it(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("task,passed\na,1\n")
    found = relation(path)
    path.write_text("task,passed\na,1\nb\n")
    with pytest.raises(UnreadableLogError, match=r"t\.csv: line 3: expected 2 fields"):
        found.query("SELECT count(*) FROM trials WHERE passed")


def test_a_file_that_is_gone_is_an_error(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("task,passed\na,1\n")
    found = relation(path)
    path.unlink()
    with pytest.raises(DataError):
        found.query("SELECT count(*) FROM trials WHERE passed")


def test_a_device_is_no_log():
    with pytest.raises(UnreadableLogError, match="not a regular file"):
        read_logs(["/dev/null"])
