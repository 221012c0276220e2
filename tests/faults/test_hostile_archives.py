"""Archives and logs built to harm: refused with the file's name and the reason, with little memory."""

from __future__ import annotations

import json
import struct
import sys
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from surefoot.errors import SurefootError, UnreadableLogError
from surefoot.importers import json_stream, safe_zip
from surefoot.importers.inspect_ai import InspectEvalImporter, InspectJsonImporter
from surefoot.importers.tau_bench import TauBenchImporter
from surefoot.trials.source import Importer, ReadOptions, RowScan

if sys.version_info >= (3, 14):
    from zipfile import ZipFile

    from compression import zstd
else:
    from backports import zstd
    from backports.zstd.zipfile import ZipFile

HEADER = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m", "eval_id": "e", "config": {},
          "dataset": {"sample_ids": ["a"]}}}  # fmt: skip
SAMPLE = {"id": "a", "epoch": 1, "scores": {"match": {"value": "C"}}, "metadata": {}}
Members = dict[str, bytes]
GOOD: Members = {"header.json": json.dumps(HEADER).encode(), "summaries.json": json.dumps([SAMPLE]).encode()}


def grade_all(path: Path, importer: Importer | None = None) -> list[object]:
    log = (importer or InspectEvalImporter()).read(path, ReadOptions())
    assert isinstance(log.scan, RowScan)
    return list(log.scan.rows())


def archive_of(path: Path, members: Members, method: int = 8) -> Path:
    with ZipFile(path, "w", compression=method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def refused(path: Path) -> str:
    with pytest.raises(UnreadableLogError) as caught:
        grade_all(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


def reason_of_refusal(path: Path) -> str:
    try:
        grade_all(path)
    except SurefootError as error:
        return str(error)
    return "read"


def entry_field(raw: bytearray, name: bytes, offset: int, size: int, value: int) -> None:
    """Set a field of the central directory entry of a member."""
    place = raw.rindex(b"PK\x01\x02", 0, raw.rindex(name))
    raw[place + offset : place + offset + size] = value.to_bytes(size, "little")


@pytest.fixture
def log_path(tmp_path: Path) -> Path:
    return tmp_path / "log.eval"


@pytest.fixture
def peak_memory() -> Iterator[Callable[[], float]]:
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1] / (1 << 20)
    tracemalloc.stop()


@pytest.mark.parametrize("method", [0, 8, 93])
def test_the_honest_archive_is_read(log_path: Path, method: int) -> None:
    (row,) = grade_all(archive_of(log_path, GOOD, method))
    assert isinstance(row, dict)
    assert row["passed"] is True


@pytest.mark.parametrize("method", [8, 93])
def test_a_member_that_states_a_gigabyte_is_refused_unread(
    log_path: Path, method: int, peak_memory: Callable[[], float]
) -> None:
    raw = bytearray(archive_of(log_path, GOOD, method).read_bytes())
    entry_field(raw, b"summaries.json", 24, 4, 1 << 30)
    log_path.write_bytes(raw)
    assert "'summaries.json' unpacks to 1,073,741,824 bytes, over the cap of 536,870,912" in refused(log_path)
    assert peak_memory() < 4


@pytest.mark.parametrize("method", [8, 93])
def test_a_member_that_unpacks_to_more_than_it_states_is_stopped_there(
    log_path: Path, method: int, peak_memory: Callable[[], float]
) -> None:
    bomb = b"[" + b" " * (64 << 20)
    raw = bytearray(archive_of(log_path, {**GOOD, "summaries.json": bomb}, method).read_bytes())
    del bomb
    tracemalloc.reset_peak()
    entry_field(raw, b"summaries.json", 24, 4, 1000)
    log_path.write_bytes(raw)
    assert "unpacks to more than the 1,000 bytes it states" in refused(log_path)
    assert peak_memory() < 8


@pytest.mark.parametrize("method", [8, 93])
def test_an_honest_bomb_is_stopped_by_the_ratio_and_the_value_cap(
    log_path: Path, method: int, monkeypatch: pytest.MonkeyPatch, peak_memory: Callable[[], float]
) -> None:
    monkeypatch.setattr(safe_zip, "MAX_MEMBER_BYTES", 32 << 20)
    members = {
        **GOOD,
        "summaries.json": b"[" + b" " * (20 << 20),
        "samples/b_epoch_1.json": b" " * (20 << 20),
    }
    members["summaries.json"] = b"[" + b" " * (20 << 20) + b"]"
    archive_of(log_path, members, method)
    assert log_path.stat().st_size * safe_zip.MAX_RATIO < 40 << 20
    members.clear()
    tracemalloc.reset_peak()
    assert "takes the archive over 250 times its own size" in refused(log_path)
    assert peak_memory() < 8


def test_one_giant_text_is_refused_before_it_is_in_memory(
    log_path: Path, monkeypatch: pytest.MonkeyPatch, peak_memory: Callable[[], float]
) -> None:
    monkeypatch.setattr(json_stream, "MAX_VALUE_CHARS", 1 << 20)
    archive_of(log_path, {**GOOD, "summaries.json": b'["' + b"a" * (30 << 20) + b'"]'}, 93)
    tracemalloc.reset_peak()
    assert "expected a sample (an object)" in refused(log_path)
    archive_of(log_path, {**GOOD, "summaries.json": b'[{"id":"' + b"a" * (30 << 20) + b'"}]'}, 93)
    tracemalloc.reset_peak()
    assert "one value here is longer than 1 MiB" in refused(log_path)
    assert peak_memory() < 12


@pytest.mark.parametrize(
    "name", ["../header.json", "samples/../../etc/passwd", "/etc/passwd", "C:/x.json", "a\\..\\..\\b.json"]
)
def test_a_name_that_points_outside_is_refused(log_path: Path, name: str) -> None:
    archive_of(log_path, {**GOOD, name: b"{}"})
    assert "has a name that points outside the archive" in refused(log_path)
    assert sorted(path.name for path in log_path.parent.iterdir()) == ["log.eval"]


def test_two_members_of_one_name_are_refused(log_path: Path) -> None:
    archive_of(log_path, {**GOOD, "headex.json": GOOD["header.json"]})
    log_path.write_bytes(log_path.read_bytes().replace(b"headex.json", b"header.json"))
    assert "member 'header.json' is in the archive twice" in refused(log_path)


def test_an_encrypted_member_is_refused(log_path: Path) -> None:
    raw = bytearray(archive_of(log_path, GOOD).read_bytes())
    entry_field(raw, b"header.json", 8, 2, 1)
    log_path.write_bytes(raw)
    assert "member 'header.json' is encrypted" in refused(log_path)


def test_an_unknown_method_is_refused(log_path: Path) -> None:
    archive_of(log_path, GOOD, zipfile.ZIP_BZIP2)
    assert "is packed by zip method 12; 0, 8 and 93 can be read" in refused(log_path)


@pytest.mark.parametrize("method", [0, 8, 93])
def test_every_cut_of_an_archive_is_refused(log_path: Path, method: int) -> None:
    whole = archive_of(log_path, GOOD, method).read_bytes()
    for cut in range(0, len(whole), 5):
        log_path.write_bytes(whole[:cut])
        message = refused(log_path)
        assert ("cut short" in message) == whole[:cut].startswith(b"PK"), message


def test_a_damaged_member_is_refused(log_path: Path) -> None:
    raw = archive_of(log_path, GOOD, 0).read_bytes()
    log_path.write_bytes(raw.replace(b'"C"', b'"I"', 1))
    assert "is damaged (its length or checksum is not the stated one)" in refused(log_path)


@pytest.mark.parametrize("method", [8, 93])
def test_packed_bytes_that_end_too_early_are_refused(log_path: Path, method: int) -> None:
    raw = bytearray(archive_of(log_path, GOOD, method).read_bytes())
    entry_field(raw, b"header.json", 20, 4, 20)
    log_path.write_bytes(raw)
    assert "'header.json' is damaged (its packed bytes end too early)" in refused(log_path)


def test_a_member_that_begins_elsewhere_is_refused(log_path: Path) -> None:
    raw = bytearray(archive_of(log_path, GOOD).read_bytes())
    entry_field(raw, b"summaries.json", 42, 4, 7)
    log_path.write_bytes(raw)
    assert "does not begin where the archive says" in refused(log_path)


def test_a_member_before_the_file_is_refused(log_path: Path) -> None:
    raw = bytearray(archive_of(log_path, GOOD).read_bytes())
    end = raw.rindex(b"PK\x05\x06")
    offset = int.from_bytes(raw[end + 16 : end + 20], "little")
    raw[end + 16 : end + 20] = (offset + 300).to_bytes(4, "little")
    log_path.write_bytes(raw)
    assert "does not begin where the archive says" in refused(log_path)


def test_a_directory_longer_than_any_log_has_is_refused_before_it_is_read(
    log_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive_of(log_path, {**GOOD, **{f"samples/{i}_epoch_1.json": b"{}" for i in range(200)}})
    monkeypatch.setattr(safe_zip, "MAX_DIRECTORY_BYTES", 10_000)

    def not_reached(file: object) -> None:
        raise AssertionError("the directory was read")

    monkeypatch.setattr(safe_zip.zipfile, "ZipFile", not_reached)
    assert "lists more members than any log has" in refused(log_path)


def test_the_length_of_a_zip64_directory_is_seen_too(log_path: Path) -> None:
    raw = archive_of(log_path, GOOD, 0).read_bytes()
    end = raw.rindex(b"PK\x05\x06")
    size, offset = struct.unpack("<II", raw[end + 12 : end + 20])
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 2, 2, size, offset)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
    log_path.write_bytes(raw[:end] + record + locator + raw[end:])
    assert len(grade_all(log_path)) == 1
    huge = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 2, 2, 1 << 40, offset)
    log_path.write_bytes(raw[:end] + huge + locator + raw[end:])
    assert "lists more members than any log has" in refused(log_path)


@pytest.mark.parametrize("content", [b"", b"{}", b"PK", b"\x00" * 5000, b"PK\x05\x06" + b"\x00" * 18])
def test_a_file_that_only_has_the_name_is_refused(log_path: Path, content: bytes) -> None:
    log_path.write_bytes(content)
    assert InspectEvalImporter().recognizes(log_path, content[:65536])
    refused(log_path)


def test_a_folder_with_the_name_of_a_log_is_refused(log_path: Path) -> None:
    log_path.mkdir()
    assert "cannot be opened" in refused(log_path)


@pytest.mark.parametrize(
    ("summaries", "said"),
    [
        (b"[" * 100_000, "expected a sample"),
        (b'[{"id":' + b"[" * 100_000, "nested too deeply"),
        (b'[{"id":"a","epoch":1,"events":' + b'{"a":' * 100_000, "nested too deeply"),
        (b'[{"id":' + b"9" * 100_000 + b"}]", "a number here cannot be read"),
        (b'[{"id":"a","epoch":' + b"9" * 4000 + b"}]", "epoch should be a whole number"),
        (b"{}", "expected a list"),
        (b"[1]", "expected a sample"),
        (b"[{}]", "id should be a number or text"),
        (b'[{"id":"a"}', "epoch should be"),
        (b'[{"id":"a","epoch":true}]', "epoch should be"),
        (b"[\xff]", "not UTF-8"),
        (b'[{"id":"a","epoch":1}', "cut short"),
        (b'[{"id":"a","epoch":1}] [', "expected the end of the file"),
    ],
)
def test_hostile_json_inside_is_refused(log_path: Path, summaries: bytes, said: str) -> None:
    message = refused(archive_of(log_path, {**GOOD, "summaries.json": summaries}))
    assert said in message
    assert len(message) < 400


@pytest.mark.parametrize(
    "header", [b"[]", b"{}", b"null", b'{"eval": 1}', b'{"eval": {}}', b'{"eval": {"task": ""}}', b"{"]
)
def test_a_header_that_is_none_is_refused(log_path: Path, header: bytes) -> None:
    refused(archive_of(log_path, {**GOOD, "header.json": header}))


@pytest.mark.parametrize("key", ["eval", "plan", "results", "error", "status", "version", "invalidated"])
@pytest.mark.parametrize(
    "value", [1, "x", [1], [[{}]], {"scores": [1], "scorer": 2, "dataset": 3, "task": "t"}]
)
def test_a_header_with_fields_of_any_shape_raises_nothing_else(
    log_path: Path, key: str, value: object
) -> None:
    archive_of(log_path, {**GOOD, "header.json": json.dumps({**HEADER, key: value}).encode()})
    try:
        rows = grade_all(log_path)
    except SurefootError:
        assert key == "eval"
    else:
        assert len(rows) >= 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
@given(st.data())
def test_no_change_of_bytes_gets_past_as_another_kind_of_error(log_path: Path, data: st.DataObject) -> None:
    method = data.draw(st.sampled_from([0, 8, 93]))
    raw = bytearray(archive_of(log_path, GOOD, method).read_bytes())
    for place, value in data.draw(
        st.lists(st.tuples(st.integers(0, len(raw) - 1), st.integers(0, 255)), max_size=6)
    ):
        raw[place] = value
    log_path.write_bytes(raw)
    assert InspectEvalImporter().recognizes(log_path.with_suffix(".zip"), bytes(raw)) in (True, False)
    assert reason_of_refusal(log_path).startswith(("read", f"{log_path}: "))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_recognizing_never_raises(head: bytes) -> None:
    for importer in (InspectEvalImporter(), InspectJsonImporter(), TauBenchImporter()):
        for start in (b"", b"PK\x03\x04", b"[{", b'{"eval":'):
            assert importer.recognizes(Path("absent.zip"), start + head) in (True, False)


@pytest.mark.parametrize(
    "text",
    [
        '{"eval": {"task": "t"}, "status": "success", "samples": [' + "[" * 100_000,
        '{"eval": {"task": "t"}, "status": "success", "samples": [{"id": ' + "1" * 9000 + "}]}",
        '{"eval": {"task": "t"}, "status": "success", "samples": [], "samples": []}',
        '{"eval": {"task": "t"}, "status": "success", "samples": []',
        '{"eval": {"task": "t"}, "status": "success", "samples": []} x',
        '{"samples": [{"id": "a", "epoch": 1}]}',
        '{"eval"',
        "[]",
        "",
    ],
)
def test_hostile_json_logs_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "log.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableLogError, match=r"log\.json: "):
        grade_all(path, InspectJsonImporter())


def test_a_zstd_frame_that_grows_without_end_is_stopped(
    log_path: Path, peak_memory: Callable[[], float]
) -> None:
    packed = zstd.compress(b"[" + b" " * (100 << 20))
    with zipfile.ZipFile(log_path, "w") as archive:
        archive.writestr("header.json", GOOD["header.json"])
        archive.writestr("summaries.json", packed)
    raw = bytearray(log_path.read_bytes())
    entry_field(raw, b"summaries.json", 10, 2, 93)
    entry_field(raw, b"summaries.json", 16, 4, zlib.crc32(b""))
    log_path.write_bytes(raw)
    tracemalloc.reset_peak()
    assert "unpacks to more than the" in refused(log_path)
    assert peak_memory() < 8
