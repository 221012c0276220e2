"""One check on a terminal: its verdict, what was seen, where the bounds lie against the limit, what comes next."""

from __future__ import annotations

from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from surefoot.grading import wording
from surefoot.grading.verdict import CheckGrade, Verdict
from surefoot.report.text import glyphs_for, print_lines, visible, width_of

STYLES = {Verdict.PASS: "bold green", Verdict.INCONCLUSIVE: "bold yellow", Verdict.FAIL: "bold red"}

_BOUND_NAMES = (
    ("question", "by question", "if tasks were independent"),
    ("cluster", "by cluster", "share of clusters {bad}"),
    ("design_effect", "design effect", "clusters' spread as it was seen"),
    ("guaranteed", "guaranteed", "holds whatever happens inside clusters"),
    ("fixed_tasks", "these tasks only", "a claim about these tasks, no others"),
)
_GRADED_KEYS = {"guaranteed": "guaranteed", "fixed-tasks": "fixed_tasks"}


def print_check(console: Console, check: CheckGrade, *, status: int | None = None) -> None:
    """Print one check; `status` is the exit status, where this check alone makes it."""
    _print_title(console, check, status)
    if check.kind in ("rate", "mean"):
        _print_seen(console, check)
        _print_scale(console, check)
        _print_bounds(console, check)
    reason = check.reason[0].upper() + check.reason[1:]
    print_lines(console, reason + ".", first="  ", rest="  ")
    if check.kind == "flakiness":
        _print_gate(console, check)
    if check.kind in ("rate", "mean"):
        _print_disagreement(console, check)
        _print_worst_clusters(console, check)
        _print_detector(console, check)
    for index, step in enumerate(check.next_steps):
        print_lines(
            console, step, first="  Next  " if index == 0 else "        ", rest="        ", style="cyan"
        )


def _print_title(console: Console, check: CheckGrade, status: int | None) -> None:
    ending = "" if status is None else f"exit {status}"
    name = visible(check.name)
    text = Text(f"{check.verdict}  ", style=STYLES[check.verdict])
    text.append(name, style="bold")
    room = width_of(console) - cell_len(text.plain) - len(ending)
    if ending and room >= 2:
        text.append(" " * room + ending, style="dim")
    console.print(text, soft_wrap=True)


def _print_seen(console: Console, check: CheckGrade) -> None:
    details = check.details
    if check.kind == "mean":
        estimate = details["estimate"]
        seen = "nothing scored" if estimate is None else f"mean {estimate:.4g}"
        text = f"{seen} over {wording.count(check.trials, 'trial')}"
    else:
        what = ("event", None) if check.side == "at_most" else ("success", "successes")
        text = f"{wording.count(details['events'], *what)} in {wording.count(check.trials, 'trial')}"
    if details["clusters"] != details["tasks"]:
        text += (
            f", {details['clusters_with_event']:,} of {wording.count(details['clusters'], 'cluster')} "
            + ("with an event" if check.side == "at_most" else "not wholly clean")
        )
    if check.unscored:
        low, high = details["estimate_range"]
        text += (
            f"; {check.unscored:,} unscored, so between "
            f"{_rounded(check, low, 'down')} and {_rounded(check, high, 'up')}"
        )
    print_lines(console, text + ".", first="  ", rest="  ")


def _amount(check: CheckGrade, bound: float) -> str:
    """A bound of this check, rounded outward."""
    return _rounded(check, bound, "up" if check.side == "at_most" else "down")


def _rounded(check: CheckGrade, value: float, rounded: str) -> str:
    return wording.amount(value, scores=check.kind == "mean", rounded=rounded)


def _print_scale(console: Console, check: CheckGrade) -> None:
    """A line from 0 to the bound (or from the bound to 100 %), with what was seen, the limit and the bound on it."""
    details, limit = check.details, check.limit
    estimate: float | None = details["estimate"]
    bound: float = details["graded_bound"]
    if estimate is None or limit is None:
        return
    glyphs = glyphs_for(console)
    upper = check.side == "at_most"
    room = width_of(console) - 14
    if upper:
        low, high = 0.0, max(bound, limit, estimate) * 1.02
    else:
        low, high = max(0.0, min(bound, limit, estimate) - 0.02 * (1 - min(bound, limit, estimate))), 1.0

    def at(value: float) -> int:
        return min(room - 1, max(0, round((value - low) / (high - low) * (room - 1))))

    cells = [glyphs.line] * room
    cells[at(limit)] = glyphs.limit
    cells[at(bound)] = glyphs.bound
    cells[at(estimate)] = glyphs.seen
    styles = {at(bound): STYLES[check.verdict], at(limit): "bold", at(estimate): "bold cyan"}
    what = "mean" if check.kind == "mean" else "rate"
    words = f"worst {what} the evidence still allows" if upper else f"{what} the evidence proves"
    head = f"limit {wording.limit(limit, scores=check.kind == 'mean')}"
    position = at(limit)
    label = " " * max(0, min(position, room - len(head))) + head
    if len(label) + len(words) + 2 <= width_of(console) - 2:
        label = label + " " * (width_of(console) - 2 - len(label) - len(words)) + words
    console.print(Text(f"  {label}", style="dim"), soft_wrap=True)
    text = Text("  ")
    for index, cell in enumerate(cells):
        text.append(cell, style=styles.get(index, "dim"))
    text.append(f"  {_amount(check, bound)}", style=STYLES[check.verdict])
    console.print(text, soft_wrap=True)


_ROOM_BESIDE = 54
"""On narrower terminals the words of a bound stand below it: beside it they would be cut to pieces."""


def _print_bounds(console: Console, check: CheckGrade) -> None:
    details = check.details
    upper = check.side == "at_most"
    graded = _GRADED_KEYS.get(details["graded_by"])
    for key, name, words in _BOUND_NAMES:
        if key not in details["bounds"]:
            continue
        value = details["bounds"][key]
        shown = "none" if value is None else _amount(check, value)
        mark = ">" if key == graded else " "
        words = words.format(bad="with an event" if upper else "wholly clean")
        said = f"graded: {words}" if key == graded else words
        style = "bold" if key == graded else ""
        number = f"  {mark} {name:<17}{shown:>10}"
        if width_of(console) >= _ROOM_BESIDE:
            print_lines(console, said, first=f"{number}   ", rest=" " * 34, style=style)
        else:
            console.print(Text(number, style=style), soft_wrap=True)
            print_lines(console, said, first=" " * 6, rest=" " * 6, style=style)
    if details["graded_by"] == "largest-of-three":
        print_lines(
            console,
            f"graded on the {'largest' if upper else 'smallest'} of the first three (the published rule): proved for "
            "clusters of equal size only.",
            first="  > ",
            rest="    ",
            style="bold",
        )


def _print_disagreement(console: Console, check: CheckGrade) -> None:
    other = check.details["verdict_by_largest_of_three"]
    if check.details["graded_by"] == "guaranteed" and other is not None and other != str(check.verdict):
        print_lines(
            console,
            f"The published rule ({'largest' if check.side == 'at_most' else 'smallest'} of the first three) would say "
            f"{other}: it is proved for clusters of equal size only.",
            first="  ",
            rest="  ",
            style="yellow",
        )


def _total(events: float) -> str:
    """Events as they are counted; the sum of scores in four digits."""
    return f"{events:,}" if isinstance(events, int) else f"{events:,.4g}"


def _print_worst_clusters(console: Console, check: CheckGrade) -> None:
    rows: list[dict[str, Any]] = check.details["worst_clusters"]
    if not rows:
        return
    named = ", ".join(
        f"{visible(row['cluster'])} ({_total(row['bad_trials'])} of {row['trials']:,})" for row in rows[:5]
    )
    print_lines(
        console,
        f"Look at these, whatever the verdict: {named}{', ...' if len(rows) > 5 else ''}",
        first="  ",
        rest="  ",
    )


def _print_detector(console: Console, check: CheckGrade) -> None:
    detector = check.details.get("detector")
    if detector is None:
        return
    proved = wording.percent(detector["recall_lower_bound"], rounded="down")
    print_lines(
        console,
        f"The detector caught {detector['caught']} of {detector['planted']} planted events: proved to catch at least "
        f"{proved}. What it misses is not in the bound above.",
        first="  ",
        rest="  ",
    )


def _print_gate(console: Console, check: CheckGrade) -> None:
    gate = check.details["gate"]
    if gate is None:
        return
    forgiven = gate["failures_forgiven"]
    allowed = "no failure at all" if forgiven == 0 else f"at most {wording.count(forgiven, 'failure')} a task"
    print_lines(
        console,
        f"About this gate: with {gate['trials']} runs a cap of {check.limit:g} allows {allowed}. A healthy task that "
        f"fails 1 run in 1,000 trips it in {wording.percent(gate['block_rate_one_task'])} of gradings, "
        f"{wording.count(check.details['tasks'], 'such task')} trip it in {wording.percent(gate['block_rate_all_tasks'])}; "
        f"a task that fails one run in six is caught in {wording.percent(gate['catch_rate_one_in_six'])}.",
        first="  ",
        rest="  ",
        style="dim",
    )
