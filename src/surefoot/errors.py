"""Every error surefoot raises on purpose, with the exit status the command gives it.

    SurefootError
    |-- UsageError               2   the request cannot be carried out as asked
    |   |-- ArgumentError        2   one argument of a function is wrong (also a ValueError)
    |   |-- ExpressionError      2   an SQL expression of the user is not allowed or not understood
    |   `-- PlanError            2   the plan file holds mistakes (all of them, each with its line)
    `-- DataError                4   what was recorded cannot be graded as it stands
        `-- UnreadableLogError   4   one file cannot be read (names the file)

A message says what was expected, what came, and what to do next. None of these is ever shown as a
traceback by the command.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable


class SurefootError(Exception):
    """Base of all errors that are a user's to fix."""

    exit_status: ClassVar[int] = 2


class UsageError(SurefootError):
    """The request cannot be carried out as asked."""


class ArgumentError(UsageError, ValueError):
    """One argument of a function is wrong; ``argument`` names it.

    Parameters
    ----------
    argument
        The name of the argument.
    expected
        What was expected, in words: ``"a whole number >= 0"``.
    got
        What came.
    """

    def __init__(self, argument: str, *, expected: str, got: object) -> None:
        self.argument = argument
        self.expected = expected
        self.got = got
        super().__init__(f"{argument}: expected {expected}, got {_shown(got)}")


class ExpressionError(UsageError):
    """An SQL expression of the user is not allowed or not understood."""


@dataclass(frozen=True, order=True)
class PlanMistake:
    """One mistake in a plan: where, what, and what to do."""

    line: int | None
    field: str
    message: str

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line is not None else ""
        return f"{place}{self.field}: {self.message}"


class PlanError(UsageError):
    """The plan holds mistakes; ``mistakes`` lists all of them in the order of their lines."""

    def __init__(self, source: str, mistakes: Iterable[PlanMistake]) -> None:
        self.source = source
        self.mistakes = tuple(sorted(mistakes, key=lambda m: (m.line or 0, m.field, m.message)))
        count = len(self.mistakes)
        head = f"{source}: {count} mistake{'s' if count != 1 else ''}"
        super().__init__("\n".join([head, *(f"  {mistake}" for mistake in self.mistakes)]))


class DataError(SurefootError):
    """What was recorded cannot be graded as it stands."""

    exit_status: ClassVar[int] = 4


class UnreadableLogError(DataError):
    """One log cannot be read; ``path`` names it."""

    def __init__(self, path: object, reason: str) -> None:
        self.path = str(path)
        self.reason = reason
        super().__init__(f"{self.path}: {reason}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
