"""Paths, patterns and folders become logs, and what cannot be read is said by name."""

from __future__ import annotations

import gzip

import duckdb
import pytest

from surefoot import plugins
from surefoot.errors import DataError, UnreadableLogError, UsageError
from surefoot.importers.importer import detect, find_logs, importers, read_logs

TABLE = "task,passed\na,1\n"


@pytest.fixture
def folder(tmp_path):
    """Files by name and text, in one folder."""

    def make(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path

    return make


def names(paths, root):
    return [str(path.relative_to(root)) for path in paths]


def test_the_importers_of_one_tool_come_before_tables():
    found = [importer.name for importer in importers()]
    assert {"csv", "jsonl", "parquet", "tau-bench", "inspect-eval", "inspect-json"} <= set(found)
    assert found.index("tau-bench") < found.index("jsonl")


def test_what_is_in_a_file_counts_and_not_its_name(folder):
    root = folder(
        a_dot_log=TABLE, b_dot_txt='{"task": 1}\n{"task": 2}\n', c_dot_csv=gzip.compress(TABLE.encode())
    )
    duckdb.execute(f"COPY (SELECT 'a' AS task) TO '{root}/d.bin' (FORMAT parquet)")
    found = {name: detect(root / name).name for name in ("a.log", "b.txt", "c.csv", "d.bin")}
    assert found == {"a.log": "csv", "b.txt": "jsonl", "c.csv": "csv", "d.bin": "parquet"}


def test_a_tau_bench_log_is_not_taken_for_a_table(folder):
    root = folder(t_dot_json='[{"task_id": 0, "reward": 1.0, "info": {}, "traj": [], "trial": 0}]')
    assert detect(root / "t.json").name == "tau-bench"


def test_a_folder_stands_for_the_logs_in_and_below_it(folder):
    root = folder(
        b_dot_csv=TABLE,
        a_dot_csv=TABLE,
        deep__c_dot_jsonl='{"task": 1}\n',
        README_dot_md="name, value\nx, y\n",
        _dot_hidden_dot_csv=TABLE,
    )
    assert names(find_logs([root]), root) == ["a.csv", "b.csv", "deep/c.jsonl"]


def test_files_of_a_folder_that_are_no_logs_are_named(folder):
    root = folder(a_dot_csv=TABLE, notes_dot_md="hello", other_dot_json="{}")
    logs, findings = read_logs([root])
    assert names([log.path for log in logs], root) == ["a.csv"]
    assert [(f.code, f.severity) for f in findings] == [("passed-over", "note")]
    assert findings[0].message.startswith("2 files in the folders are no known logs")
    assert "notes.md" in findings[0].message
    assert "other.json" in findings[0].message


def test_a_pattern_is_expanded_in_order(folder):
    root = folder(b_dot_csv=TABLE, a_dot_csv=TABLE, c_dot_txt=TABLE, deep__d_dot_csv=TABLE)
    assert names(find_logs([f"{root}/*.csv"]), root) == ["a.csv", "b.csv"]
    assert names(find_logs([f"{root}/**/*.csv"]), root) == ["a.csv", "b.csv", "deep/d.csv"]


def test_a_file_whose_name_looks_like_a_pattern_is_itself(folder):
    root = folder(**{"a[1]_dot_csv": TABLE, "a1_dot_csv": TABLE})
    assert names(find_logs([root / "a[1].csv"]), root) == ["a[1].csv"]


def test_a_file_named_twice_is_read_once(folder):
    root = folder(a_dot_csv=TABLE)
    (root / "link.csv").symlink_to(root / "a.csv")
    assert names(find_logs([root / "a.csv", f"{root}/*.csv", root / "." / "a.csv"]), root) == ["a.csv"]


def test_a_pattern_that_matches_nothing_and_a_path_that_is_not_there_are_errors(tmp_path):
    with pytest.raises(DataError, match="matches no file"):
        find_logs([f"{tmp_path}/*.eval"])
    with pytest.raises(UnreadableLogError, match="no such file or folder"):
        find_logs([tmp_path / "gone.eval"])


def test_a_folder_without_a_log_says_what_was_looked_for(folder):
    root = folder(README_dot_md="hello")
    with pytest.raises(DataError, match=r"no known log in this folder; looked for .*csv.*; found README\.md"):
        find_logs([root])


def test_an_empty_table_in_a_folder_is_not_passed_over(folder):
    root = folder(a_dot_csv=TABLE, b_dot_csv="")
    with pytest.raises(UnreadableLogError, match=r"b\.csv: is empty"):
        read_logs([root])


@pytest.mark.parametrize(
    ("text", "message"), [("", "is empty"), ("hello\n", "not a log of a known kind; known kinds: .*csv")]
)
def test_a_file_that_is_no_log_is_an_error(folder, text, message):
    root = folder(a_dot_txt=text)
    with pytest.raises(UnreadableLogError, match=message):
        detect(root / "a.txt")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(UnreadableLogError, match="is a folder"):
        detect(tmp_path)


def test_the_first_unreadable_file_stops_the_reading_or_is_left_out_by_name(folder):
    root = folder(a_dot_csv=TABLE, b_dot_csv="task,passed\n", c_dot_csv=TABLE + "b,0\n")
    with pytest.raises(UnreadableLogError, match=r"b\.csv: has a header and no rows"):
        read_logs([root])
    logs, findings = read_logs([root], skip_unreadable=True)
    assert names([log.path for log in logs], root) == ["a.csv", "c.csv"]
    assert [f.code for f in findings] == ["skipped-file"]
    assert "b.csv: has a header and no rows" in findings[0].message


def test_nothing_left_to_read_is_an_error(folder):
    root = folder(b_dot_csv="task,passed\n")
    with pytest.raises(DataError, match=r"none of the files can be read:\n.*b\.csv"):
        read_logs([root], skip_unreadable=True)


def test_a_plug_in_that_is_no_importer_is_refused(monkeypatch):
    monkeypatch.setattr(plugins, "load_all", lambda group: {"odd": object()})
    with pytest.raises(UsageError, match=r"is no importer: expected name, priority, recognizes"):
        importers()


def test_a_file_that_equals_another_byte_for_byte_is_read_once(folder):
    root = folder(a_dot_csv=TABLE, b_dot_csv=TABLE, c_dot_csv="task,passed\nb,1\n", d_dot_csv=TABLE + "b,0\n")
    logs, findings = read_logs([root])
    assert names([log.path for log in logs], root) == ["a.csv", "c.csv", "d.csv"]
    assert [f.code for f in findings] == ["same-file-twice"]
    assert "b.csv is the same as" in findings[0].message
