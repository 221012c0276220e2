"""The flags that make one check: the same words as the plan file."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from surefoot.cli.common import SHARE
from surefoot.errors import PlanError, UsageError

F = TypeVar("F", bound=Callable[..., Any])

KINDS: Final = {
    "event": "--event",
    "success": "--success",
    "mean": "--mean",
    "forbid": "--forbid",
    "pass_hat": "--pass-hat",
    "flakiness_at_most": "--flakiness-at-most",
}
_HEADER: Final[tuple[str, ...]] = ("confidence_level", "bound")


def check_options(command: F) -> F:
    """Add the flags of one check to a command."""
    for option in reversed(
        (
            click.option("--event", metavar="COLUMN|SQL", help="Count events (harms): with --at-most."),
            click.option("--success", metavar="COLUMN|SQL", help="Count successes: with --at-least."),
            click.option(
                "--mean", metavar="COLUMN", help="Mean of a column in [0, 1]: with --at-most or --at-least."
            ),
            click.option("--forbid", metavar="SQL", help="What must never happen: one event seen is FAIL."),
            click.option("--pass-hat", type=int, metavar="K", help="Mean pass^K: with --at-least."),
            click.option("--flakiness-at-most", type=SHARE, metavar="CAP", help="No task flakier than CAP."),
            click.option("--at-most", type=SHARE, metavar="LIMIT", help="The limit of a harm: 1% or 0.01."),
            click.option(
                "--at-least", type=SHARE, metavar="LIMIT", help="The limit of a success: 90% or 0.9."
            ),
            click.option(
                "--cluster", metavar="COLUMN", help="What tasks share as a cause; a+b joins columns."
            ),
            click.option(
                "--target",
                type=click.Choice(["clusters", "fixed-tasks", "task-population"]),
                help="Whom the claim is about.",
            ),
            click.option(
                "--weighting",
                type=click.Choice(["question", "cluster"]),
                help="Weigh clusters by tasks, or count each once.",
            ),
            click.option(
                "--basis",
                type=click.Choice(["bound", "estimate"]),
                help="Ask for proof, or for what was seen.",
            ),
            click.option(
                "--bound",
                type=click.Choice(["guaranteed", "largest-of-three"]),
                help="Which bound grades a rate.",
            ),
            click.option(
                "--confidence", "confidence_level", type=SHARE, metavar="LEVEL", help="Instead of 95%."
            ),
        )
    ):
        command = option(command)
    return command


def check_from_flags(flags: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The one check that the flags make, and the plan's own keys; an empty check where none was asked.

    Raises
    ------
    UsageError
        Two kinds of check, or a flag that belongs to a check without one.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    header = {name: given.pop(name) for name in _HEADER if name in given}
    kinds = [flag for key, flag in KINDS.items() if key in given]
    if len(kinds) > 1:
        raise UsageError(
            f"flags make exactly one check, and {' and '.join(kinds)} are {len(kinds)}; put several into a plan"
        )
    if given and not kinds:
        stray = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise UsageError(
            f"{stray} belongs to a check, and none was asked; add one of {', '.join(KINDS.values())} "
            "(for example --event leaked --at-most 1%)"
        )
    return given, header


def in_flag_words(error: PlanError) -> UsageError:
    """The mistakes of a check that flags made, in the words of flags: ``at_most = "1%"`` -> ``--at-most 1%``."""
    lines = [f"{_flag(mistake.field)}: {_as_flags(mistake.message)}" for mistake in error.mistakes]
    return UsageError("\n".join(lines))


def _flag(field: str) -> str:
    return "--confidence" if field == "confidence_level" else f"--{field.replace('_', '-')}"


def _as_flags(message: str) -> str:
    return re.sub(
        r'\b([a-z]+(?:_[a-z]+)*) = ("?)([^"\s;,]+)\2',
        lambda found: f"--{found[1].replace('_', '-')} {found[3]}",
        message,
    )
