"""What the commands share: shares such as ``1%``, the console, where output goes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from surefoot.errors import ArgumentError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rich.console import Console

    from surefoot.grading.grade import Grade, GroupedGrade


class Share(click.ParamType):  # type: ignore[type-arg]
    """A share: ``1%`` or ``0.01``."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        from surefoot.plan.shares import parse_share

        try:
            return parse_share(value)
        except ArgumentError as error:
            self.fail(f"expected {error.expected}, got {error.got!r}", param, ctx)


SHARE = Share()


def console(*, stderr: bool = False) -> Console:
    """A console in colour on a terminal, and in plain lines in a pipe, in CI and where NO_COLOR is set."""
    from rich.console import Console

    class PipedConsole(Console):
        def on_broken_pipe(self) -> None:
            # rich would exit with 1, which means FAIL here.
            raise BrokenPipeError

    plain = bool(os.environ.get("NO_COLOR")) or bool(os.environ.get("CI"))
    return PipedConsole(
        file=sys.stderr if stderr else sys.stdout,
        no_color=plain or None,
        force_terminal=False if plain else None,
        highlight=False,
        markup=False,
        emoji=False,
    )


def tell(write: Callable[[], None]) -> None:
    """Write a result to standard output. A reader that has gone (``| head``) loses text, not the exit status.

    Raises
    ------
    UsageError
        Standard output cannot be written, such as to a full disk.
    """
    if sys.stdout is None:
        return
    try:
        write()
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = None
    except OSError as error:
        # What is left in the buffer would fail once more at the end of the process.
        sys.stdout = None
        raise UsageError(f"standard output cannot be written: {error.strerror or error}") from error


def check_output(output: Path, logs: Iterable[Path]) -> None:
    """Refuse to write a grade over a log that it grades.

    Raises
    ------
    UsageError
        The place to write to is one of the logs, under whatever name.
    """
    if output.exists() and any(log.exists() and output.samefile(log) for log in logs):
        raise UsageError(f"-o {output}: this is a log that is graded; choose another name")


def write_file(path: Path, grade: Grade | GroupedGrade, *, all_tasks: bool) -> None:
    """Write a grade to a file in the form its ending asks for.

    Raises
    ------
    UsageError
        An ending that is not known, or a place that cannot be written.
    """
    text = _text_for(path, grade, all_tasks=all_tasks)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error


def _text_for(path: Path, grade: Grade | GroupedGrade, *, all_tasks: bool) -> str:
    if path.suffix == ".json":
        from surefoot.report.to_json import grade_json

        return grade_json(grade)
    if path.suffix == ".txt":
        from io import StringIO

        from rich.console import Console

        from surefoot.report.terminal import print_grade

        text = StringIO()
        print_grade(Console(file=text, width=80, no_color=True, highlight=False), grade, all_tasks=all_tasks)
        return text.getvalue()
    raise UsageError(
        f"-o {path}: the ending says the form, and {path.suffix or 'none'!r} is not known; known: .json, .txt"
    )
