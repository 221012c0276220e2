"""Foreign values become ids, numbers and columns without changing what they mean."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from surefoot.errors import DataError
from surefoot.importers.row_values import (
    finite,
    is_trial_index,
    metadata_columns,
    microunits,
    plain_text,
    sha256_of,
    task_id,
)

PATH = Path("log.json")


def columns(metadata: dict[str, object]) -> dict[str, object]:
    return metadata_columns(metadata, path=PATH, place="sample q1/2", own=frozenset({"eval_task"}))


def test_scalars_stay_and_deeper_values_become_json_text() -> None:
    assert columns({"a": 1, "b": "x", "c": True, "d": None, "e": {"z": [1, math.nan]}}) == {
        "a": 1, "b": "x", "c": True, "d": None, "e": '{"z":[1,null]}',
    }  # fmt: skip


def test_nan_is_nulled() -> None:
    assert columns({"a": math.nan, "b": math.inf}) == {"a": None, "b": None}


@pytest.mark.parametrize("name", ["task", "Task", "passed", "TRIAL_INDEX", "unscored_cause", "score_x"])
def test_a_field_that_would_judge_the_trial_is_a_data_error(name: str) -> None:
    with pytest.raises(DataError, match=f"log.json: sample q1/2: .*'{name}'"):
        columns({name: 1})


def test_names_that_differ_in_case_only_are_a_data_error() -> None:
    with pytest.raises(DataError, match="'Kind' and 'kind' differ in case only"):
        columns({"Kind": 1, "kind": 2})


def test_other_names_of_surefoots_columns_are_kept_apart() -> None:
    assert columns({"version": "2.1", "Eval_Task": 1, "": 2, "_file": 3, "_type:x": 4}) == {
        "metadata__file": 3, "metadata__type:x": 4, "metadata_version": "2.1", "metadata_Eval_Task": 1, "metadata_": 2,
    }  # fmt: skip


def test_ids_keep_what_they_were() -> None:
    assert task_id(1) == 1
    assert task_id("1") == "1"
    assert task_id("a\ud800") == "a\\ud800"
    assert [task_id(value) for value in (True, None, 1.0, [1])] == [None] * 4


def test_half_characters_become_distinct_escapes() -> None:
    assert plain_text("a\ud800") == "a\\ud800"
    assert plain_text("é") == "é"
    assert columns({"k\udc00": "v\ud801"}) == {"k\\udc00": "v\\ud801"}


def test_finite_takes_numbers_only() -> None:
    assert finite(3) == 3.0
    assert [finite(value) for value in (True, "1", None, math.nan, math.inf, 10**400)] == [None] * 6


def test_microunits_are_whole_and_bounded() -> None:
    assert microunits(0.0035475) == 3548
    assert [microunits(value) for value in (-1, None, math.nan, 1e300)] == [None] * 4


def test_trial_indexes() -> None:
    assert is_trial_index(0)
    assert not any(map(is_trial_index, (-1, True, 1.0, "1", None, 1 << 63)))


def test_equal_outputs_have_equal_fingerprints_and_nothing_has_none() -> None:
    assert sha256_of({"a": 1, "b": [2]}) == sha256_of({"b": [2], "a": 1})
    assert sha256_of("x") != sha256_of("y")
    assert sha256_of("a\ud800") is not None
    assert [sha256_of(value) for value in (None, "", [], {})] == [None] * 4
