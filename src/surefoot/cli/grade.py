"""``surefoot grade``: logs in, numbers and a verdict out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from surefoot.cli.check_options import check_from_flags, check_options, in_flag_words
from surefoot.cli.common import check_output, console, tell, write_file
from surefoot.errors import PlanError, UsageError

_MAPPING = re.compile(r"^[A-Za-z_]\w*=.")


@click.command(
    epilog="Exit status: 0 PASS (or no check asked), 1 FAIL, 2 usage or plan error, 3 INCONCLUSIVE, 4 data error."
)
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@click.option("--plan", type=click.Path(path_type=Path), metavar="FILE", help="Grade by a plan file.")
@check_options
@click.option("--where", metavar="SQL", help="Select trials by what was so before they ran.")
@click.option(
    "--map", "maps", multiple=True, metavar="NAME=COLUMN", help="task=item_id success=ok; a+b joins columns."
)
@click.option("--by", multiple=True, metavar="COLUMN", help="Grade each value apart (any column, or file).")
@click.option("--label", metavar="NAME", help="Name the system of logs that name none.")
@click.option(
    "--score", metavar="SCORER", help="Which scorer of an Inspect log says passed; none: your own check says."
)
@click.option(
    "--skip-unreadable", is_flag=True, help="Grade the rest where a log cannot be read, and list it."
)
@click.option("--all-tasks", is_flag=True, help="List every task.")
@click.option("--json", "as_json", is_flag=True, help="Print the grade as JSON and nothing else.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also write it to a .json or .txt file.",
)
def grade(
    logs: tuple[str, ...],
    plan: Path | None,
    where: str | None,
    maps: tuple[str, ...],
    by: tuple[str, ...],
    label: str | None,
    score: str | None,
    skip_unreadable: bool,
    all_tasks: bool,
    as_json: bool,
    output: Path | None,
    **flags: Any,
) -> int:
    """Grade LOGs: files, globs and folders of tau-bench, Inspect, CSV, JSON lines and Parquet.

    Without a check it describes: pass@k, pass^k with bounds, flaky tasks first.

    \b
    Examples:
      surefoot grade gpt-4o-airline.json
      surefoot grade logs/*.eval --score match --pass-hat 5 --at-least 70%
      surefoot grade runs.csv --map task=suite+user_task --cluster injection \\
          --event breached --at-most 5% --where "suite = 'travel'"
      surefoot grade runs.parquet --plan surefoot.toml --json
    """
    from surefoot import api

    check, header = check_from_flags(flags)
    if plan is not None and (check or header):
        raise UsageError("--plan holds the checks; leave out the flags that make one, or leave out --plan")
    paths, mapping = _mapping(logs, maps)
    relation = api.read(paths, mapping=mapping, score=score, label=label, skip_unreadable=skip_unreadable)
    if output is not None:
        check_output(output, relation.paths)
    try:
        chosen = plan if plan is not None else api.plan_of_check(check, where=where, **header)
    except PlanError as error:
        raise in_flag_words(error) from error
    graded = api.grade(relation, chosen, by=by, where=where, all_tasks=all_tasks)
    if output is not None:
        write_file(output, graded, all_tasks=all_tasks)
    if as_json:
        from surefoot.report.to_json import grade_json

        tell(lambda: click.echo(grade_json(graded), nl=False))
    else:
        from surefoot.report.terminal import print_grade

        tell(lambda: print_grade(console(), graded, all_tasks=all_tasks))
    return graded.exit_status


def _mapping(logs: tuple[str, ...], maps: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    """``--map task=a success=b`` gives the second pair as an argument: what looks like a pair and is no file is one."""
    paths = []
    pairs = list(maps)
    for text in logs:
        if maps and _MAPPING.match(text) and not Path(text).exists():
            pairs.append(text)
        else:
            paths.append(text)
    if not paths:
        raise UsageError("no logs were given; name files, globs or folders")
    mapping: dict[str, str] = {}
    for pair in pairs:
        name, equals, column = pair.partition("=")
        if not equals or not name.strip() or not column.strip():
            raise UsageError(f"--map {pair}: expected NAME=COLUMN, such as task=item_id")
        if name.strip() in mapping:
            raise UsageError(f"--map {name.strip()} is given twice")
        mapping[name.strip()] = column.strip()
    return paths, mapping
