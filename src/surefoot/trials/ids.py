"""Ids made of columns: one column, or several joined as ``suite+injection_task``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from surefoot.errors import UsageError
from surefoot.trials.columns import ColumnKind
from surefoot.trials.sql import quote_identifier


def find_column(name: str, columns: Iterable[str]) -> str | None:
    """The column of that name as the log spells it: names compare without case."""
    wanted = name.strip().lower()
    return next((column for column in columns if column.lower() == wanted), None)


def joined_parts(text: str, columns: Iterable[str]) -> tuple[str, ...] | None:
    """The columns that ``"a+b"`` (or ``"a"``) names, as the log spells them; None where one does not exist.

    Examples
    --------
    >>> joined_parts("suite + Task", ["task", "suite"]), joined_parts("suite+x", ["suite"])
    (('suite', 'task'), None)
    """
    known = tuple(columns)
    whole = find_column(text, known)
    if whole is not None:
        return (whole,)
    found = [find_column(part, known) for part in text.split("+")]
    parts = tuple(part for part in found if part is not None)
    return parts if len(parts) == len(found) else None


def join_sql(parts: Sequence[str], columns: Mapping[str, ColumnKind]) -> str:
    """SQL of one id joined from columns: ``%`` and ``/`` escaped in each part, ``/`` between them.

    One part alone is taken as it is. A part that is NULL or empty makes the id NULL: a missing id, which is
    a data problem and never an id of its own.

    Raises
    ------
    UsageError
        A part that is no column.
    """
    pieces = [_part_sql(part, columns) for part in parts]
    if len(pieces) == 1:
        return pieces[0]
    escaped = [f"replace(replace({piece}, '%', '%25'), '/', '%2F')" for piece in pieces]
    return "(" + " || '/' || ".join(escaped) + ")"


def _part_sql(part: str, columns: Mapping[str, ColumnKind]) -> str:
    column = find_column(part, columns)
    if column is None:
        raise UsageError(f"no column named {part!r}; columns: {', '.join(columns)}")
    if columns[column] == "text":
        return f"NULLIF({quote_identifier(column)}, '')"
    return f"CAST({quote_identifier(column)} AS VARCHAR)"
