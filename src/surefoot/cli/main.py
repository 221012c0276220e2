"""The ``surefoot`` command: a lazy group, so that ``--help`` imports nothing heavy, and one place for errors."""

from __future__ import annotations

import importlib
import io
import sys
from typing import Final

import click

from surefoot import __version__

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "grade": ("surefoot.cli.grade:grade", "Grade logs, with or without a plan."),
    "bound": ("surefoot.cli.bound:bound", "One exact bound at once: surefoot bound 0/120 --at-most 1%."),
}
"""Command -> (where it is, what it does): told without importing it."""


class LazyGroup(click.Group):
    """Imports a command when it is run, not when it is listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, told) for name, (_, told) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"no command {args[0]!r}.{hint} Commands: {', '.join(COMMANDS)}.")
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit status: 0 pass, 1 fail, 2 usage or plan error, 3 inconclusive, 4 data error, 130 interrupted.",
)
@click.version_option(__version__, "-V", "--version", message="surefoot %(version)s")
def cli() -> None:
    """Tells whether an AI system can be relied on, and how far the evidence goes.

    \b
    Examples:
      surefoot grade logs/*.eval
      surefoot grade runs.csv --event leaked --at-most 1% --cluster fact
      surefoot grade runs.jsonl --plan surefoot.toml --json
      surefoot bound 0/120 --at-most 1%
    """


def main() -> None:
    """Run the command and end the process with its exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A letter that the terminal's encoding lacks is written out: no id of a log may end the command.
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status; every error a user can mend is one clear message on stderr."""
    from surefoot.errors import SurefootError

    try:
        result = cli.main(args=arguments, prog_name="surefoot", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _interrupted()
    except click.exceptions.NoArgsIsHelpError as error:
        _complain(error.format_message())
        return error.exit_code
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        advice = f"\n  what to do: {context.command_path} --help" if context is not None else ""
        _complain(f"surefoot: {printable(error.format_message())}{advice}")
        return error.exit_code
    except SurefootError as error:
        _complain(f"surefoot: {printable(str(error))}")
        return error.exit_status
    except BrokenPipeError:
        # The reader has gone (| head): not an error, and nothing more may be written.
        sys.stdout = None
        return 0
    except OSError as error:
        _complain(f"surefoot: {printable(str(error.strerror or error))}")
        return 2
    except RuntimeError as error:
        # The engine tells of Ctrl-C in words of its own.
        if "interrupted" not in str(error).lower():
            raise
        return _interrupted()
    return result if isinstance(result, int) else 0


def _interrupted() -> int:
    _complain("interrupted")
    return 130


def _complain(message: str) -> None:
    """A message on standard error; where that cannot be written, the exit status says enough."""
    try:
        click.echo(message, err=True)
    except OSError:
        sys.stderr = None


def printable(text: str) -> str:
    """A message with the control characters of hostile names and values written out; its own line breaks stay."""
    return "\n".join(
        "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line)
        for line in text.split("\n")
    )
