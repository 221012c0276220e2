"""Printed parts of an expression, and the readings they can have: as a condition, a number or text."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

ColumnKind = Literal["text", "number", "boolean", "other"]
"""How an expression may use a column: the same four words as in the trial relation."""

TruthSql = Callable[[str, ColumnKind], str]
"""SQL of a value and its kind -> SQL of its truth: TRUE, FALSE, or NULL for anything else."""

TermKind = Literal["text", "number", "boolean", "null"]

_LONGEST_SQL: Final = 200_000
_LARGEST: Final = repr(sys.float_info.max)


class Refused(Exception):
    """Why an expression is refused; the gate turns it into an ExpressionError that quotes the expression."""


@dataclass(frozen=True)
class Term:
    """A printed part of an expression.

    Parameters
    ----------
    sql
        Its text, safe to stand inside any other.
    kind
        What it yields.
    literal
        The plain value it is, as text; None for anything that depends on the row.
    is_finite
        A number that cannot be NaN or infinite.
    is_column
        A number column as the log has it, not yet read as DOUBLE.
    """

    sql: str
    kind: TermKind
    literal: str | None = None
    is_finite: bool = True
    is_column: bool = False

    def __post_init__(self) -> None:
        # Readings repeat what they read, so a deep expression could double at every level.
        if len(self.sql) > _LONGEST_SQL:
            raise Refused("is too complicated; simplify it, or add a column that holds its value")


class Readings:
    """Reads terms as their context asks; `truth_sql` is the truth table of the trial relation."""

    def __init__(self, truth_sql: TruthSql) -> None:
        self._truth_sql = truth_sql

    def as_condition(self, term: Term) -> str:
        """TRUE, FALSE or NULL: text and numbers go through the truth table."""
        if term.kind == "boolean":
            return term.sql
        if term.kind == "null":
            return f"CAST({term.sql} AS BOOLEAN)"
        if term.kind == "number":
            return _sized(f"({self._truth_sql(self.as_number(term), 'number')})")
        return _sized(f"({self._truth_sql(term.sql, 'text')})")

    def as_number(self, term: Term) -> str:
        """A finite DOUBLE or NULL."""
        loose = self.as_loose_number(term)
        never_odd = term.kind in ("boolean", "null") or term.literal is not None
        return loose if never_odd or (term.kind == "number" and term.is_finite) else finite(loose)

    def as_loose_number(self, term: Term) -> str:
        """A DOUBLE that may be NaN or infinite: adding and multiplying carry that on to the guard outside."""
        if term.kind == "text" and term.literal is not None:
            return number_literal(term.literal)
        if term.kind == "number" and not term.is_column:
            return term.sql
        return f"TRY_CAST({term.sql} AS DOUBLE)"

    def as_text(self, term: Term) -> str:
        """VARCHAR or NULL."""
        return term.sql if term.kind in ("text", "null") else f"CAST({term.sql} AS VARCHAR)"

    def aligned(self, terms: Sequence[Term]) -> tuple[list[str], TermKind]:
        """Terms that meet are read as one kind: truth beside true or false, numbers beside numbers, else text."""
        kinds = {term.kind for term in terms} - {"null"}
        says_true_or_false = any(term.kind == "boolean" and term.literal is not None for term in terms)
        if says_true_or_false or ("boolean" in kinds and "number" not in kinds):
            return [self.as_condition(term) for term in terms], "boolean"
        if "number" in kinds:
            return [self.as_number(term) for term in terms], "number"
        return [self.as_text(term) for term in terms], "text" if kinds else "null"


def finite(sql: str) -> str:
    """NULL for NaN and the infinities: engines hold NaN to be greater than any number.

    That is also why a comparison finds them, in words that every SQL engine knows.
    """
    return _sized(f"(CASE WHEN {sql} BETWEEN -{_LARGEST} AND {_LARGEST} THEN {sql} END)")


def number_literal(text: str) -> str:
    """A DOUBLE in exponent form: 0.1 as it stands is a DECIMAL to the engine, which rounds before comparing."""
    try:
        value = float(text)
    except ValueError:
        raise Refused(
            f"compares a number with the text {text[:40]!r}; compare numbers with numbers"
        ) from None
    if not math.isfinite(value):
        raise Refused(f"holds the number {text[:40]}, which is too large or not a number")
    shown = repr(value)
    return shown if "e" in shown else f"{shown}e0"


def text_literal(text: str) -> str:
    """A VARCHAR literal: ``it's`` -> ``'it''s'``."""
    return "'" + text.replace("'", "''") + "'"


def _sized(sql: str) -> str:
    return Term(sql, "text").sql
