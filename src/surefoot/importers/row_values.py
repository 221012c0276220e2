"""Values of a foreign log on their way into a trial row: ids, text, numbers, and metadata as columns."""

from __future__ import annotations

import hashlib
import json
import math
from typing import TYPE_CHECKING, TypeGuard

from surefoot.errors import DataError
from surefoot.trials.columns import CANONICAL_TYPES, HIDDEN_COLUMNS, SCORE_PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_TYPE_PREFIX = "_type:"
"""The relation keeps names like this for itself."""
_JUDGES = frozenset({"task", "trial_index", "passed", "unscored_cause"})
"""Names that say which trial a row is and how it went: a second meaning would change the grade."""


def mapping(value: object) -> dict[str, object]:
    """The value where it is an object, else an empty one: logs leave out what they do not know."""
    return value if isinstance(value, dict) else {}


def plain_text(value: object) -> str:
    """Text an engine can store: half characters, which JSON can spell, are shown as escapes."""
    text = value if isinstance(value, str) else str(value)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def task_id(value: object) -> int | str | None:
    """The id, still a number or a text, as 1 and "1" are two tasks; None for what cannot be an id."""
    if isinstance(value, str):
        return plain_text(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def finite(value: object) -> float | None:
    """The number, or None for anything else (NaN, infinity and booleans too)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def is_trial_index(value: object) -> TypeGuard[int]:
    """Is it a whole number >= 0 that an engine can hold?"""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62


def microunits(cost: object) -> int | None:
    """Money in millionths, or None for what cannot be a cost."""
    number = finite(cost)
    return None if number is None or not 0 <= number < 1e12 else round(number * 1e6)


def canonical_json(value: object) -> str:
    """One text for equal values: keys sorted, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def sha256_of(value: object) -> str | None:
    """A fingerprint of what the system gave, or None where it gave nothing."""
    if value is None or value == "" or value == [] or value == {}:
        return None
    return hashlib.sha256(canonical_json(value).encode("ascii")).hexdigest()


def metadata_columns(
    metadata: Mapping[str, object], *, path: Path, place: str, own: frozenset[str] = frozenset()
) -> dict[str, object]:
    """Metadata as columns of a row.

    A name that would judge or identify the trial is a data error; another canonical name becomes
    ``metadata_<name>``, so that ``version`` always is the system's version.

    Parameters
    ----------
    metadata
        The fields; scalars stay, deeper values are kept as JSON text.
    path, place
        Where it was found, for messages: ``"sample q1, epoch 2"``.
    own
        Further column names (lower case) that the importer uses itself.
    """
    columns: dict[str, object] = {}
    spelled: dict[str, str] = {}
    for key, value in metadata.items():
        name = plain_text(key)
        lower = name.lower()
        if lower in _JUDGES or lower.startswith(SCORE_PREFIX):
            raise DataError(
                f"{path}: {place}: the metadata field {name!r} has the name of a column that says which trial "
                "this is or how it went; rename it in the data set and log again"
            )
        if lower in spelled:
            raise DataError(
                f"{path}: {place}: the metadata fields {spelled[lower]!r} and {name!r} differ in case only, and "
                "column names compare without case; rename one of them"
            )
        spelled[lower] = name
        taken = lower in CANONICAL_TYPES or lower in own or lower in HIDDEN_COLUMNS
        taken = taken or not lower or lower.startswith(_TYPE_PREFIX)
        columns[f"metadata_{name}" if taken else name] = _column_value(value)
    return columns


def _column_value(value: object) -> object:
    if isinstance(value, str):
        return plain_text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return canonical_json(_without_nan(value))


def _without_nan(value: object) -> object:
    """NaN and infinity are not JSON and would read as large numbers: they become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(inner) for key, inner in value.items()}
    return [_without_nan(inner) for inner in value] if isinstance(value, list) else value
