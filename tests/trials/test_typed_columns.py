"""Types of the engine become the four kinds an expression knows."""

from __future__ import annotations

import duckdb
import pytest

from surefoot.trials.columns import kind_of_type
from surefoot.trials.typed_columns import typed_kinds, typed_select


@pytest.mark.parametrize(
    ("engine_type", "kind"),
    [
        ("BIGINT", "number"),
        ("DECIMAL(18,3)", "number"),
        ("DOUBLE", "number"),
        ("BOOLEAN", "boolean"),
        ("VARCHAR", "text"),
        ("ENUM('a', 'b')", "text"),
        ("JSON", "text"),
        ("DATE", "other"),
        ("BLOB", "other"),
        ("INTEGER[]", "other"),
        ("DECIMAL(4,1)[3]", "other"),
    ],
)
def test_kinds_of_types(engine_type, kind):
    assert kind_of_type(engine_type) == kind


def test_nested_values_are_json_text_and_nan_is_missing():
    types = {"s": "STRUCT(a INTEGER)", "l": "INTEGER[]", "d": "DOUBLE", "f": "FLOAT", "t": "VARCHAR"}
    assert typed_kinds(types) == {"s": "text", "l": "text", "d": "number", "f": "number", "t": "text"}
    source = "SELECT {'a': 1} AS s, [1, 2] AS l, 'NaN'::DOUBLE AS d, 1.5::FLOAT AS f, 'x' AS t"
    assert duckdb.execute(f"SELECT {typed_select(types)} FROM ({source})").fetchall() == [
        ('{"a":1}', "[1,2]", None, 1.5, "x")
    ]
