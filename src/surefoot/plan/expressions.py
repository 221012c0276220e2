"""The gate for SQL that users write: read into one tree, checked against an allow-list, printed back.

No text of a user ever reaches an engine. A text is read by sqlglot into one expression; every kind of node
must be one that this package can print (`surefoot.plan.lowering`), every column must be known, and what is
printed is built from the tree: names quoted, literals escaped. What cannot be printed cannot be asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from surefoot.errors import ExpressionError
from surefoot.plan.lowering import AnyColumns, Lowering
from surefoot.plan.terms import ColumnKind, Readings, Refused, TruthSql

if TYPE_CHECKING:
    from sqlglot import Token
    from sqlglot.expressions import Expr

__all__ = ["ColumnKind", "CompiledExpression", "TruthSql", "columns_of", "compile_expression"]

LONGEST_EXPRESSION: Final = 4_000
_DEEPEST_BRACKETS: Final = 40


@dataclass(frozen=True)
class CompiledExpression:
    """An expression that passed the gate.

    Parameters
    ----------
    sql
        Safe text for the engine: BOOLEAN for a condition, finite DOUBLE for a number, NULL where the row
        does not say.
    columns_used
        The columns it names, in order of first use, as the relation spells them.
    """

    sql: str
    columns_used: tuple[str, ...]

    def __str__(self) -> str:
        return self.sql


def compile_expression(
    text: str,
    columns: Mapping[str, ColumnKind],
    *,
    as_: Literal["condition", "number"],
    truth_sql: TruthSql,
    forbidden: Collection[str] = (),
) -> CompiledExpression:
    """Which SQL does a user's expression stand for, on rows with these columns?

    Parameters
    ----------
    text
        One SQL expression, such as ``"score < 0.5"`` or the name of a column.
    columns
        Column name -> kind. Names match without case.
    as_
        What the value is used for: a ``"condition"`` or a ``"number"``.
    truth_sql
        Reads a text or number column as true, false or NULL (the truth table).
    forbidden
        Column names the expression may not use; a name may end in ``*``.

    Raises
    ------
    ExpressionError
        One line: what was expected, what came, what to do.

    Notes
    -----
    Text columns are read as their context asks: as numbers beside numbers (what is not a finite number is
    NULL), through the truth table where a condition is needed, as text beside text. Numbers that are not
    finite are NULL, so that NaN never exceeds a limit.
    """
    with _told_in_one_line(text):
        readings = Readings(truth_sql)
        lowering = Lowering(columns, readings, forbidden)
        term = lowering.visit(parse_expression(text))
        sql = readings.as_condition(term) if as_ == "condition" else readings.as_number(term)
        if not lowering.used:
            raise Refused("names no column, so it would say the same of every trial; name a column")
    return CompiledExpression(sql, tuple(lowering.used))


def columns_of(
    text: str, *, as_: Literal["condition", "number"] = "condition", forbidden: Collection[str] = ()
) -> tuple[str, ...]:
    """Which columns does an expression name, as typed, before any log is at hand?

    All that can be checked without knowing the columns is checked.

    Raises
    ------
    ExpressionError
        The expression is not allowed or not understood.

    Examples
    --------
    >>> columns_of("score < 0.5 and kind = 'restricted'")
    ('score', 'kind')
    """

    def unread(sql: str, kind: ColumnKind) -> str:
        return sql

    compiled = compile_expression(text, AnyColumns(), as_=as_, truth_sql=unread, forbidden=forbidden)
    return compiled.columns_used


def parse_expression(text: str) -> Expr:
    """Read `text` into one expression tree; Refused where it is not one."""
    from sqlglot import Dialect, exp
    from sqlglot.errors import ParseError, SqlglotError

    dialect = Dialect.get_or_raise("duckdb")
    _check_characters(text)
    try:
        _check_tokens(dialect.tokenize(text))
        trees = dialect.parse_into(exp.Condition, text)
    except ParseError as error:
        raise Refused(f"is not one SQL expression{_place(error)}") from error
    except (SqlglotError, ValueError, TypeError, LookupError, AttributeError) as error:
        raise Refused("is not one SQL expression; check its quotes and brackets") from error
    if len(trees) != 1 or trees[0] is None:
        raise Refused("is not one SQL expression")
    return trees[0]


@contextmanager
def _told_in_one_line(text: object) -> Iterator[None]:
    """Turns a refusal, and running out of stack, into an ExpressionError that quotes the expression."""
    if not isinstance(text, str):
        raise ExpressionError(f"expected an SQL expression as text, got {text!r:.60}")
    try:
        yield
    except Refused as refused:
        raise ExpressionError(f"{_quoted(text)} {refused}") from refused
    except RecursionError as error:
        raise ExpressionError(f"{_quoted(text)} is nested too deeply; simplify it") from error


def _check_characters(text: str) -> None:
    if not text.strip():
        raise Refused('is empty; expected an SQL expression such as "score < 0.5"')
    if len(text) > LONGEST_EXPRESSION:
        raise Refused(f"is {len(text):,} characters long; at most {LONGEST_EXPRESSION:,} are read")
    if any((not c.isprintable() and not c.isspace()) or "\ud800" <= c <= "\udfff" for c in text):
        raise Refused("holds an invisible control character; remove it")


def _check_tokens(tokens: list[Token]) -> None:
    from sqlglot import TokenType

    opening = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE}
    closing = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END}
    if not tokens or any(token.comments for token in tokens):
        raise Refused("holds a comment; remove it")
    if any(token.token_type == TokenType.SEMICOLON for token in tokens):
        raise Refused("holds ';': expected one expression, not statements")
    depth = 0
    for token in tokens:
        depth += (token.token_type in opening) - (token.token_type in closing)
        if depth > _DEEPEST_BRACKETS:
            raise Refused(f"is nested more than {_DEEPEST_BRACKETS} brackets deep; simplify it")


def _place(error: object) -> str:
    errors = getattr(error, "errors", None) or [{}]
    column = errors[0].get("col")
    near = str(errors[0].get("highlight") or "").strip()
    if column is None:
        return "; check its quotes, brackets and operators"
    return f": reading stopped near {near[:30]!r} (character {column})" if near else f" (character {column})"


def _quoted(text: str) -> str:
    shown = repr(text[:80])
    return shown if len(text) <= 80 else f"{shown[:-1]}...{shown[-1]}"
