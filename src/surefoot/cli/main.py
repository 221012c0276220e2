"""The ``surefoot`` command: a lazy group, so that ``--help`` imports nothing heavy, and one place for errors."""

from __future__ import annotations

import importlib
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
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status; every error a user can mend is one clear message on stderr."""
    from surefoot.errors import SurefootError

    try:
        result = cli.main(args=arguments, prog_name="surefoot", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.Abort:
        click.echo("interrupted", err=True)
        return 130
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        return 130
    except click.ClickException as error:
        click.echo(f"surefoot: {printable(error.format_message())}", err=True)
        context = getattr(error, "ctx", None)
        if context is not None:
            click.echo(f"  what to do: {context.command_path} --help", err=True)
        return error.exit_code
    except SurefootError as error:
        click.echo(f"surefoot: {printable(str(error))}", err=True)
        return error.exit_status
    except BrokenPipeError:
        # The reader has gone (| head): not an error, and nothing more may be written.
        sys.stdout = None
        return 0
    return result if isinstance(result, int) else 0


def printable(text: str) -> str:
    """A message with the control characters of hostile names and values written out; its own line breaks stay."""
    return "\n".join(
        "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line)
        for line in text.split("\n")
    )
