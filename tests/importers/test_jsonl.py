"""JSON lines: every key is a column, no type is guessed from a sample, and a bad line is named."""

from __future__ import annotations

import gzip
import json

import pytest

from surefoot.errors import DataError, UnreadableLogError
from surefoot.importers.jsonl import JsonlImporter
from surefoot.trials.relation import build_relation
from surefoot.trials.source import ReadOptions


@pytest.fixture
def write(tmp_path):
    def put(text, name="t.jsonl"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return put


def relation(*paths, **options):
    return build_relation([JsonlImporter().read(path, ReadOptions()) for path in paths], **options)


def rows(*paths, columns="task, passed", **options):
    return relation(*paths, **options).query(f"SELECT {columns} FROM trials")


def test_values_are_read_by_key_whatever_their_type(write):
    path = write(
        '{"task": "a", "passed": true}\n{"passed": "no", "task": 7, "more": {"x": [1]}}\n\n{"task": 1.5}\n'
    )
    assert rows(path, columns="task, passed, more") == [
        ("a", True, None),
        ("7", False, '{"x":[1]}'),
        ("1.5", None, None),
    ]


def test_a_key_of_the_last_line_is_a_column(write):
    path = write('{"task": "a"}\n' * 30_000 + '{"task": "a", "late": "x"}\n')
    assert rows(path, columns="count(*), max(late)") == [(30_001, "x")]


def test_ids_1_and_text_1_stay_apart(write):
    path = write('{"task": 1}\n{"task": "1"}\n{"task": null}\n')
    assert rows(path, columns="task, _task_type") == [("1", "number"), ("1", "text"), (None, None)]


def test_joined_ids_tell_the_type_of_each_part(write):
    path = write('{"s": 1, "t": "2"}\n')
    assert rows(path, columns="task, _task_type", mapping={"task": "s+t"}) == [("1/2", "number+text")]


def test_nan_and_infinity_are_missing_but_words_are_words(write):
    path = write('{"task": "NaN", "passed": NaN, "x": -Infinity}\n{"task": "b", "passed": 1, "x": "NaN"}\n')
    assert rows(path, columns="task, passed, unscored_cause, x") == [
        ("NaN", None, "unknown", None),
        ("b", True, None, "NaN"),
    ]


def test_a_json_array_of_objects_is_a_table_too(write):
    path = write(json.dumps([{"task": 1, "passed": True}, {"task": 2, "passed": False}], indent=2), "t.json")
    assert rows(path) == [("1", True), ("2", False)]


def test_compressed_lines_are_read(write):
    assert rows(write(gzip.compress(b'{"task": "a", "passed": 1}\n'), "t.jsonl.gz")) == [("a", True)]


def test_keys_with_quotes_and_blanks_are_columns(write):
    path = write(json.dumps({"task": "a", 'it\'s "so"': 1, "p q": 2}) + "\n")
    assert rows(path, columns='"it\'s ""so""", "p q"') == [("1", "2")]


def test_a_key_without_a_name_is_left_out_and_said(write):
    found = relation(write('{"task": "a", "": 1}\n'))
    assert "" not in found.columns
    assert [f.code for f in found.findings] == ["unnamed-column"]


def test_files_of_other_keys_are_joined_by_name(write):
    paths = [
        write('{"task": "a", "x": 1}\n', "1.jsonl"),
        write('{"task": "b"}\n', "2.jsonl"),
        write('{"task": "c", "x": 3}\n', "3.jsonl"),
    ]
    assert sorted(rows(*paths, columns="task, x, file")) == [
        ("a", "1", str(paths[0])),
        ("b", None, str(paths[1])),
        ("c", "3", str(paths[2])),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"task": 1}\n\n{"task":\n', "line 3: expected one JSON object, found something else at column 9"),
        ('{"task": 1}\n7\n', "line 2: expected one JSON object, found 7"),
        ('{"task": 1}\n{"task": 2} x\n', "line 2: .*column 13"),
        (b'{"task": 1}\n{"task": "caf\xe9"}\n', "line 2: .*byte 14 of the line that is not UTF-8"),
        ('{"task": "\\ud800"}\n', "line 1: .*half a character"),
        ('{"task": 1, "task": 2}\n', "names the key 'task' twice"),
        ("{}\n{}\n", "have no keys"),
        (" \n", "is empty"),
        ("[]", "no object in it"),
        ('[{"task": 1}, 3]', "1 of 2 entries are something else"),
        ('{"task": 1}\n'.encode("utf-16"), "UTF-16"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(write, text, message):
    with pytest.raises(UnreadableLogError, match=message):
        JsonlImporter().read(write(text), ReadOptions())


def test_names_that_differ_only_in_case_are_an_error(write):
    with pytest.raises(DataError, match="'Id' and 'id'"):
        JsonlImporter().read(write('{"Id": 1}\n{"id": 2, "Id": 3}\n'), ReadOptions())


def test_objects_keyed_by_ids_are_no_table(write):
    path = write("".join(json.dumps({f"task {n}": 1}) + "\n" for n in range(2001)))
    with pytest.raises(UnreadableLogError, match="2001 different keys"):
        JsonlImporter().read(path, ReadOptions())


def test_a_value_longer_than_the_usual_limit_is_read(write):
    path = write(b'{"task": "a"}\n' * 40_000 + b'{"task": "' + b"x" * (40 << 20) + b'", "passed": 1}\n')
    assert rows(path, columns="max(length(task))") == [(40 << 20,)]


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("t.jsonl", b"", True),
        ("t.ndjson.zst", b"", True),
        ("t.log", b'{"a": 1}\n{"a": 2}\n', True),
        ("t.log", b'\xef\xbb\xbf\n[\n {"a"', True),
        ("t.json", b'{\n "a": 1\n}\n', False),
        ("t.json", b"[1, 2]", False),
        ("settings.json", b'{"a": 1}\n', False),
        ("t.log", b"a,b\n", False),
    ],
)
def test_lines_are_recognised_by_name_or_by_what_is_in_them(tmp_path, name, head, expected):
    assert JsonlImporter().recognizes(tmp_path / name, head) is expected
