"""The functions an expression may call: pure, quick on any row, and never an error because of a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from surefoot.plan.terms import Readings, Refused, Term

_MOST_DIGITS: Final = 15


@dataclass(frozen=True)
class Function:
    """How many values a function takes, and how a call is printed."""

    fewest: int
    most: int
    build: Callable[[Readings, str, list[Term]], Term]


def call(readings: Readings, name: str, arguments: list[Term]) -> Term:
    """The call of a function on the list; Refused where the number of values is wrong."""
    function = FUNCTIONS[name]
    if not function.fewest <= len(arguments) <= function.most:
        some = function.fewest == function.most
        wanted = str(function.fewest) if some else f"{function.fewest} to {function.most}"
        raise Refused(f"calls {name} with {len(arguments)} values; it takes {wanted}")
    return function.build(readings, name, arguments)


def _text_of_text(readings: Readings, name: str, arguments: list[Term]) -> Term:
    return Term(f"{name}({readings.as_text(arguments[0])})", "text")


def _length(readings: Readings, name: str, arguments: list[Term]) -> Term:
    return Term(f"CAST({name}({readings.as_text(arguments[0])}) AS DOUBLE)", "number")


def _test_of_text(readings: Readings, name: str, arguments: list[Term]) -> Term:
    return Term(f"{name}({', '.join(readings.as_text(term) for term in arguments)})", "boolean")


def _matches(readings: Readings, name: str, arguments: list[Term]) -> Term:
    pattern = arguments[1]
    if pattern.literal is None or pattern.kind != "text":
        raise Refused(f"calls {name} with a pattern that is not plain text; write {name}(column, 'pattern')")
    _check_pattern(pattern.literal)
    return _test_of_text(readings, name, arguments)


def _number_of_number(readings: Readings, name: str, arguments: list[Term]) -> Term:
    return Term(f"{name}({readings.as_number(arguments[0])})", "number")


def _round(readings: Readings, name: str, arguments: list[Term]) -> Term:
    digits = arguments[1].literal if len(arguments) > 1 else "0"
    bare = (digits or "").removeprefix("-")
    if digits is None or not (bare.isascii() and bare.isdigit()) or int(bare) > _MOST_DIGITS:
        raise Refused(f"calls {name} with digits that are not a whole number from -15 to 15")
    return Term(f"{name}({readings.as_number(arguments[0])}, {int(digits)})", "number")


def _of_one_kind(readings: Readings, name: str, arguments: list[Term]) -> Term:
    values, kind = readings.aligned(arguments)
    return Term(f"{name}({', '.join(values)})", kind)


def _check_pattern(pattern: str) -> None:
    """Let the engine read a regular expression once: a bad one is a mistake of the plan, not of a row.

    The engine's matcher takes time in proportion to the text, whatever the pattern.
    """
    import duckdb

    with duckdb.connect(config={"enable_external_access": "false"}) as connection:
        try:
            connection.execute("SELECT regexp_matches('', ?)", [pattern])
        except duckdb.Error as error:
            reason = str(error).splitlines()[0].removeprefix("Invalid Input Error: ")
            raise Refused(f"holds a regular expression that cannot be read ({reason})") from error


FUNCTIONS: Final[Mapping[str, Function]] = {
    "lower": Function(1, 1, _text_of_text),
    "upper": Function(1, 1, _text_of_text),
    "trim": Function(1, 1, _text_of_text),
    "length": Function(1, 1, _length),
    "contains": Function(2, 2, _test_of_text),
    "starts_with": Function(2, 2, _test_of_text),
    "ends_with": Function(2, 2, _test_of_text),
    "regexp_matches": Function(2, 2, _matches),
    "abs": Function(1, 1, _number_of_number),
    "round": Function(1, 2, _round),
    "coalesce": Function(1, 20, _of_one_kind),
    "nullif": Function(2, 2, _of_one_kind),
    "least": Function(1, 20, _of_one_kind),
    "greatest": Function(1, 20, _of_one_kind),
}
