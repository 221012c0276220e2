"""CSV tables: delimiter and header are looked at, every field is text, and what is wrong is said with its line."""

from __future__ import annotations

import gzip

import pytest

from surefoot.errors import DataError, UnreadableLogError
from surefoot.importers.csv_table import CsvImporter, detected_delimiter
from surefoot.trials.relation import build_relation
from surefoot.trials.source import ReadOptions


@pytest.fixture
def write(tmp_path):
    def put(text, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return put


def rows(*paths, columns="task, trial_index, passed", **options):
    logs = [CsvImporter().read(path, ReadOptions()) for path in paths]
    return build_relation(logs, **options).query(f"SELECT {columns} FROM trials")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_every_delimiter_is_found(write, delimiter):
    text = "task,trial,passed\na,0,true\na,1,false\n".replace(",", delimiter)
    assert rows(write(text)) == [("a", 0, True), ("a", 1, False)]


def test_the_delimiter_that_fits_all_rows_wins():
    assert detected_delimiter("task;note;x\na;one, two, three;1\nb;four;2\n") == ";"
    assert detected_delimiter("task,note\na,x;y;z\n") == ","


def test_all_fields_are_text_and_empty_ones_are_missing(write):
    path = write('task,passed,n\n007,1,1e3\n"","0",""\n')
    assert rows(path, columns="task, passed, n") == [("007", True, "1e3"), (None, False, None)]


def test_quoted_fields_may_hold_lines_delimiters_and_quotes(write):
    path = write('task,passed,note\na,1,"two\nlines, ""quoted"""\nb,0,x\n')
    assert rows(path, columns="task, note") == [("a", 'two\nlines, "quoted"'), ("b", "x")]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_line_ends_of_any_system(write, ends):
    assert rows(write(ends.join(["task,passed", "a,1", "b,0", ""])), columns="task, passed") == [
        ("a", True),
        ("b", False),
    ]


def test_a_byte_order_mark_is_no_part_of_the_first_name(write):
    assert rows(write(b"\xef\xbb\xbftask;passed\na;1\n"), columns="task, passed") == [("a", True)]


def test_blanks_around_names_are_no_part_of_them(write):
    assert rows(write("task , passed\na, 1\n"), columns="task, passed") == [("a", True)]


def test_a_column_without_a_name_gets_its_number(write):
    assert rows(write(",task,passed\n0,a,1\n"), columns="column_1, task") == [("0", "a")]


def test_compressed_tables_are_read_by_their_bytes(write):
    packed = write(gzip.compress(b"task,passed\na,1\n"), "t.csv.gz")
    assert rows(packed, columns="task, passed") == [("a", True)]
    misnamed = write(gzip.compress(b"task,passed\nb,0\n"), "u.csv")
    assert rows(misnamed, columns="task, passed") == [("b", False)]


def test_zstd_tables_are_read(write):
    zstd = pytest.importorskip("backports.zstd")
    packed = write(zstd.compress(b"task,passed\na,1\n"), "t.csv.zst")
    assert rows(packed, columns="task, passed") == [("a", True)]


def test_shards_of_one_header_are_one_scan_and_name_their_file(write):
    paths = [write(f"task,passed\n{name},1\n", f"{name}.csv") for name in ("b", "a")]
    assert rows(*paths, columns="task, file") == [("b", str(paths[0])), ("a", str(paths[1]))]


def test_tables_of_other_headers_are_joined_by_name(write):
    paths = [write("task,passed,x\na,1,one\n", "1.csv"), write("x;PASSED;task\ntwo;0;b\n", "2.csv")]
    assert rows(*paths, columns="task, passed, x") == [("a", True, "one"), ("b", False, "two")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task,passed\n", "has a header and no rows"),
        ("task,task,passed\na,b,1\n", "names the column 'task' twice"),
        ("a,1,true\nb,0,false\n", "line 1 must name the columns, but it holds the value '1'"),
        ("\ntask,passed\na,1\n", "line 1 is empty"),
        ("  \n", "is empty"),
        (b"task,passed\ncaf\xe9,1\n", "line 2: the byte at offset 15 of the file is not UTF-8.*iconv"),
        ("task,passed\na,1\n".encode("utf-16"), "UTF-16, not UTF-8; convert it: iconv"),
        (b"task,passed\na,\x001\n", "zero bytes"),
        (gzip.compress(b"task,passed\na,1\n", mtime=0)[:-9], "cannot be unpacked"),
    ],
)
def test_what_is_wrong_is_said_when_the_file_is_opened(write, text, message):
    with pytest.raises(UnreadableLogError, match=message):
        CsvImporter().read(write(text), ReadOptions())


def test_the_byte_that_is_not_utf8_is_found_beyond_the_first_piece(write):
    path = write(b"task,passed\n" + b"a,1\n" * 400_000 + "é,1\n".encode() + b"caf\xe9,1\n")
    with pytest.raises(UnreadableLogError, match="line 400003: the byte at offset 1600020 of"):
        CsvImporter().read(path, ReadOptions())


def test_text_that_ends_in_half_a_character_is_refused(write):
    with pytest.raises(UnreadableLogError, match="line 2: the byte at offset 13 of"):
        CsvImporter().read(write(b"task,passed\na\xc3"), ReadOptions())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task,passed\na,1\nb\nc,1\n", "line 3: expected 2 fields as in the header, found 1"),
        ("task,passed\na,1\nb,0,x\n", "line 3: expected 2 fields as in the header, found 3"),
        ('task,passed\na,1\n"b,0\n', "a quoted field never ends"),
        ("task,passed\na,1\r\nb,0\n", "line ends are mixed"),
    ],
)
def test_rows_that_do_not_fit_are_said_with_their_file_and_line(write, text, message):
    good = write("task,passed\nz,1\n", "good.csv")
    with pytest.raises(UnreadableLogError, match=message) as caught:
        rows(good, write(text, "bad.csv"))
    assert caught.value.path.endswith("bad.csv")


def test_names_that_differ_only_in_case_are_an_error(write):
    with pytest.raises(DataError, match="'Id' and 'id'"):
        CsvImporter().read(write("Id,id\na,b\n"), ReadOptions())


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("t.csv", b"", True),
        ("t.TSV.gz", b"", True),
        ("t.dat", b"task,passed\na,1\n", True),
        ("t.dat", b"task,passed\na,1,2\n", False),
        ("t.dat", b"one column\nonly\n", False),
        ("t.dat", b'{"a": 1, "b": 2}\n', False),
        ("t.dat", b"<a>,</a>\nb,c\n", False),
        ("t.dat", b"\xff\xfe\x00\x01,\n", False),
    ],
)
def test_tables_are_recognised_by_name_or_by_what_is_in_them(tmp_path, name, head, expected):
    assert CsvImporter().recognizes(tmp_path / name, head) is expected
