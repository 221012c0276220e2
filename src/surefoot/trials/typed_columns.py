"""Columns that come with the engine's types: what an expression may do with them, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping

from surefoot.trials.columns import ColumnKind, kind_of_type
from surefoot.trials.sql import quote_identifier

_NESTED = ("STRUCT", "MAP", "UNION", "VARIANT")
_FLOATING = ("FLOAT", "DOUBLE")


def typed_kinds(types: Mapping[str, str]) -> dict[str, ColumnKind]:
    """Column -> kind. Nested values are read as JSON text."""
    return {name: "text" if _is_nested(kind) else kind_of_type(kind) for name, kind in types.items()}


def typed_select(types: Mapping[str, str]) -> str:
    """The columns of a SELECT: nested values as JSON text, NaN as NULL."""
    return ", ".join(_item(name, kind) for name, kind in types.items())


def _item(name: str, engine_type: str) -> str:
    column = quote_identifier(name)
    if _is_nested(engine_type):
        return f"CAST(to_json({column}) AS VARCHAR) AS {column}"
    if engine_type in _FLOATING:
        # NaN is greater than every number here, so that NaN > 0.5 would be true.
        return f"CASE WHEN isnan({column}) THEN NULL ELSE {column} END AS {column}"
    if kind_of_type(engine_type) == "text" and engine_type != "VARCHAR":
        return f"CAST({column} AS VARCHAR) AS {column}"
    return column


def _is_nested(engine_type: str) -> bool:
    return engine_type.endswith("]") or engine_type.startswith(_NESTED)
