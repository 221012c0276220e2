"""``surefoot bound``: one exact bound at once, from two numbers."""

from __future__ import annotations

import json
import re
from typing import Any

import click

from surefoot.cli.common import SHARE, console, tell
from surefoot.errors import UsageError

_COUNTS = re.compile(r"^(\d{1,18})/(\d{1,18})$")


@click.command(epilog="Exit status: 0 PASS (or no limit asked), 1 FAIL, 2 usage error, 3 INCONCLUSIVE.")
@click.argument("counts", metavar="EVENTS/TRIALS")
@click.option("--clusters", type=int, metavar="M", help="The trials lie in M clusters of equal size.")
@click.option("--pass-hat", type=int, metavar="K", help="Read COUNTS as passed/trials of one task: pass^K.")
@click.option("--at-most", type=SHARE, metavar="LIMIT", help="The limit: 1% or 0.01.")
@click.option("--at-least", type=SHARE, metavar="LIMIT", help="The limit of successes: 90% or 0.9.")
@click.option(
    "--confidence", "confidence_level", type=SHARE, default=0.95, metavar="LEVEL", help="Instead of 95%."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
def bound(
    counts: str,
    clusters: int | None,
    pass_hat: int | None,
    at_most: float | None,
    at_least: float | None,
    confidence_level: float,
    as_json: bool,
) -> int:
    """One exact bound on the rate behind EVENTS/TRIALS.

    \b
    Examples:
      surefoot bound 0/120 --at-most 1%      what 120 clean trials prove
      surefoot bound 0/140 --clusters 7      140 trials about 7 causes
      surefoot bound 10/12 --pass-hat 5      one task, passed 10 of 12
      surefoot bound 285/300 --at-least 90%  successes
    """
    from surefoot import api
    from surefoot.report.terminal_bound import print_bound

    found = _COUNTS.match(counts.strip())
    if found is None:
        raise UsageError(f"{counts}: expected EVENTS/TRIALS in whole numbers, such as 0/120")
    given: dict[str, Any] = {
        "clusters": clusters,
        "pass_hat": pass_hat,
        "at_most": at_most,
        "at_least": at_least,
        "confidence_level": confidence_level,
    }
    result = api.bound(int(found[1]), int(found[2]), **given)
    if as_json:
        tell(lambda: click.echo(json.dumps(result.to_dict(), indent=2, allow_nan=False)))
    else:
        tell(lambda: print_bound(console(), result))
    return result.exit_status
