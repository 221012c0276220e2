"""A JSON text read in pieces gives what json.loads gives, and a broken one says where."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.errors import UnreadableLogError
from surefoot.importers import json_stream
from surefoot.importers.json_stream import JsonCursor

PATH = Path("log.json")

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


class Dribble:
    """Gives a few bytes at a time, whatever is asked for."""

    def __init__(self, data: bytes, size: int) -> None:
        self._inner = io.BytesIO(data)
        self._size = size

    def read(self, size: int, /) -> bytes:
        return self._inner.read(min(size, self._size))


def cursor_of(text: str | bytes, size: int = 1 << 20) -> JsonCursor:
    data = text.encode("utf-8") if isinstance(text, str) else text
    return JsonCursor(Dribble(data, size), path=PATH)


def all_items(cursor: JsonCursor) -> list[object]:
    values = [cursor.value() for _ in cursor.items()]
    cursor.finish()
    return values


def all_members(cursor: JsonCursor) -> dict[str, object]:
    return {key: cursor.value() for key in cursor.members()}


@given(st.lists(json_values, max_size=6), st.integers(1, 9), st.booleans(), st.sampled_from([None, 2]))
def test_any_list_in_any_pieces_is_what_json_loads_gives(
    values: list[Any], size: int, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(values, ensure_ascii=ascii_only, indent=indent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK_BYTES", size)
        assert all_items(cursor_of(text, size)) == values


@given(st.dictionaries(st.text(max_size=6), json_values, max_size=6), st.integers(1, 9), st.data())
def test_any_object_is_walked_key_by_key_and_any_value_can_be_skipped(
    values: dict[str, Any], size: int, data: st.DataObject
) -> None:
    skipped = data.draw(st.sets(st.sampled_from(sorted(values)))) if values else set()
    found: dict[str, object] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK_BYTES", size)
        cursor = cursor_of(json.dumps(values), size)
        for key in cursor.members():
            if key in skipped:
                cursor.skip()
            else:
                found[key] = cursor.value()
        cursor.finish()
    assert found == {key: value for key, value in values.items() if key not in skipped}


@given(st.lists(json_values, max_size=4), st.data())
def test_every_cut_of_a_list_is_an_error(values: list[Any], data: st.DataObject) -> None:
    whole = json.dumps(values, ensure_ascii=False).encode("utf-8")
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(UnreadableLogError, match=r"log\.json: byte [\d,]+: "):
        all_items(cursor_of(whole[:cut]))


@pytest.mark.parametrize(
    ("text", "byte", "reason"),
    [
        ('[1, x]', "4", "not JSON"),
        ('["ä", x]', "7", "not JSON"),
        ("[1 2]", "3", "expected ',' or ']', found '2'"),
        ("[1,]", "3", "not JSON"),
        ("[1] true", "4", "expected the end of the file"),
        ("{}", "0", "expected a list, found '{'"),
        ('["a', "1", "cut short"),
        ("[1", "2", "cut short"),
        ("", "0", "cut short"),
        ("[" + "9" * 5000 + "]", "1", "a number here cannot be read"),
        ("[" * 200_000, "1", "nested too deeply"),
    ],
)  # fmt: skip
def test_a_mistake_names_its_byte(text: str, byte: str, reason: str) -> None:
    with pytest.raises(UnreadableLogError) as caught:
        all_items(cursor_of(text))
    assert str(caught.value).startswith(f"log.json: byte {byte}: ")
    assert reason in str(caught.value)


def test_the_byte_is_right_after_text_was_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "CHUNK_BYTES", 10)
    good = json.dumps(["ä" * 30] * 20, ensure_ascii=False)[:-1]
    text = good + ", x" + " " * 100 + "]"
    with pytest.raises(UnreadableLogError, match=f"byte {len(good.encode()) + 2:,}: not JSON"):
        all_items(cursor_of(text, 10))


def test_bytes_that_are_not_utf_8_are_named() -> None:
    with pytest.raises(UnreadableLogError, match="byte 2: not UTF-8"):
        all_items(cursor_of(b'["\xff"]'))


@pytest.mark.parametrize("text", ['{"a" 1}', "{1: 2}", '{"a": 1 "b": 2}', '{"a": 1', "{", '{"a"'])
def test_a_broken_object_is_an_error(text: str) -> None:
    with pytest.raises(UnreadableLogError, match="byte"):
        all_members(cursor_of(text))


def test_bare_nan_and_a_byte_order_mark_are_read() -> None:
    (value,) = all_items(cursor_of(b"\xef\xbb\xbf[NaN]"))
    assert isinstance(value, float)
    assert value != value


def test_one_value_over_the_cap_is_refused_before_it_fills_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(json_stream, "MAX_VALUE_CHARS", 1 << 20)
    monkeypatch.setattr(json_stream, "CHUNK_BYTES", 1 << 16)
    source = Dribble(b'["' + b"a" * (8 << 20) + b'"]', 1 << 16)
    with pytest.raises(UnreadableLogError, match="one value here is longer than 1 MiB"):
        all_items(JsonCursor(source, path=PATH))
    assert source.read(1) == b"a"


def test_a_disk_that_fails_half_way_is_said() -> None:
    class Failing(Dribble):
        def read(self, size: int, /) -> bytes:
            data = super().read(size)
            if not data:
                raise OSError(5, "Input/output error")
            return data

    with pytest.raises(UnreadableLogError, match=r"log\.json: byte 3: cannot be read on: Input/output error"):
        all_items(JsonCursor(Failing(b"[1,", 1), path=PATH))


def test_a_member_is_named() -> None:
    with pytest.raises(UnreadableLogError, match=r"log\.json: header\.json, byte 0: "):
        JsonCursor(io.BytesIO(b"?"), path=PATH, member="header.json").value()
