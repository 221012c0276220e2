"""A grade on a terminal: fits 80 columns, in colour or plain. Prints what the grade says and decides nothing."""

from __future__ import annotations

import math

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from surefoot.grading import wording
from surefoot.grading.grade import Grade, GroupedGrade
from surefoot.grading.verdict import Verdict
from surefoot.report.terminal_checks import STYLES, print_check
from surefoot.report.terminal_description import print_description
from surefoot.report.terminal_tasks import print_flaky_tasks
from surefoot.report.text import fitted, print_lines, visible, width_of
from surefoot.trials.findings import Finding

_USUAL_K = 5
_NARROWEST_NAME = 10
_FINDING_STYLES = {"note": "dim", "warning": "yellow", "error": "red"}


def print_grade(console: Console, grade: Grade | GroupedGrade, *, all_tasks: bool = False) -> None:
    """Print a grade, or each group of it."""
    if isinstance(grade, GroupedGrade):
        _print_groups(console, grade, all_tasks=all_tasks)
        return
    _print_headline(console, grade)
    for finding in grade.data.problems:
        print_finding(console, finding)
    console.print()
    if grade.checks:
        _print_checks(console, grade, all_tasks=all_tasks)
    elif grade.description is not None:
        print_description(console, grade.description, all_tasks=all_tasks, tasks_total=grade.data.tasks)
        _print_how_to_check(console, grade)
    _print_not_shown(console, grade)


def print_finding(console: Console, finding: Finding) -> None:
    """A finding as one paragraph: its severity, what is so, what to do."""
    label = f"  {finding.severity:<9}"
    text = " ".join(_sentence(part) for part in (finding.message, finding.what_to_do) if part)
    print_lines(console, text, first=label, rest=" " * len(label), style=_FINDING_STYLES[finding.severity])


def _sentence(text: str) -> str:
    """A capital first and a full stop last, unless it ends in something to type."""
    shown = text[:1].upper() + text[1:]
    return shown if shown.endswith((".", "?", "!")) else f"{shown}."


def headline(grade: Grade) -> str:
    """``tau-bench log: 50 tasks x 4 trials = 200 trials, 200 scored, 0 unscored``."""
    data = grade.data
    each = data.trials / data.tasks if data.tasks else 0
    fewest_most = grade.trials_per_task
    if fewest_most is not None and fewest_most[0] == fewest_most[1]:
        trials = f"{wording.count(data.tasks, 'task')} x {wording.count(each, 'trial')} = {wording.count(data.trials, 'trial')}"
    elif fewest_most is not None:
        trials = (
            f"{wording.count(data.tasks, 'task')} x {fewest_most[0]:,} to {fewest_most[1]:,} trials "
            f"= {wording.count(data.trials, 'trial')}"
        )
    else:
        trials = f"{wording.count(data.tasks, 'task')}, {wording.count(data.trials, 'trial')}"
    if grade.checks and not data.unscored:
        # Each check says what it scored: a condition of its own may be unknown where the log has a verdict.
        return f"{data.format}: {trials}"
    return f"{data.format}: {trials}, {data.scored:,} scored, {data.unscored:,} unscored"


def _print_headline(console: Console, grade: Grade) -> None:
    by = ", ".join(f"{name} = {'(none)' if value is None else value}" for name, value in grade.by.items())
    if by:
        print_lines(console, by, rest="  ", style="bold")
    print_lines(console, headline(grade), rest="  ", style="bold")


def _print_checks(console: Console, grade: Grade, *, all_tasks: bool) -> None:
    alone = len(grade.checks) == 1
    for check in grade.checks:
        print_check(console, check, status=grade.exit_status if alone else None)
        console.print()
    if grade.description is not None:
        print_flaky_tasks(console, grade.description, all_tasks=all_tasks, k=_asked_k(grade))
    if len(grade.checks) > 1 or grade.only_warns:
        _print_verdict(console, grade)


def _asked_k(grade: Grade) -> int | None:
    """The k of the first pass^k check, so that the tasks are shown by what was promised."""
    return next((check.details["k"] for check in grade.checks if check.kind == "pass_hat"), None)


def _print_verdict(console: Console, grade: Grade) -> None:
    assert grade.verdict is not None
    told = f": {grade.reason}" if len(grade.checks) > 1 else ""
    text = f"Verdict {grade.verdict}{told} (exit {grade.exit_status})"
    if grade.verdict is Verdict.INCONCLUSIVE and grade.only_warns:
        text += '. The plan says on_inconclusive = "warn", so this does not block'
    print_lines(console, text, rest="  ", style=STYLES[grade.verdict])
    console.print()


def _print_how_to_check(console: Console, grade: Grade) -> None:
    description = grade.description
    source = visible(grade.data.sources[0]) if grade.data.sources else "LOG"
    if " " in source:
        source = f"'{source}'"
    table = () if description is None else description.table
    row = next((row for row in reversed(table) if row.k <= _USUAL_K and row.pass_hat is not None), None)
    k, seen = (1, None) if row is None else (row.k, row.pass_hat)
    # A limit is a promise made beforehand; one just under what was seen is only an example of the form.
    share = 70 if seen is None else max(10, math.floor(seen * 10) * 10 - 10)
    print_lines(
        console, "No check asked, so no verdict (exit 0). To make one, for example:", first="  ", rest="  "
    )
    console.print(
        f"    surefoot grade {source} --pass-hat {k} --at-least {share}%",
        style="cyan",
        soft_wrap=True,
        markup=False,
        highlight=False,
    )
    console.print()


def _print_not_shown(console: Console, grade: Grade) -> None:
    """What the numbers do not show; said every time, in few words."""
    said = [
        "tasks of kinds that were not run",
        "other versions of the system",
        "drift between or after these trials",
    ]
    if any(check.kind in ("rate", "forbid") for check in grade.checks):
        said.append("events that their detector misses")
    level = wording.confidence(grade.confidence_level)
    share = f"each bound alone is right in at least {level} of such reviews"
    print_lines(
        console,
        f"What this does not show: {'; '.join(said)}. {share[0].upper()}{share[1:]}.",
        rest="  ",
        style="dim",
    )


def _print_groups(console: Console, grouped: GroupedGrade, *, all_tasks: bool) -> None:
    if len(grouped.groups) > 1:
        _print_side_by_side(console, grouped)
    for index, grade in enumerate(grouped.groups):
        if index:
            console.print()
        console.print(Text("-" * width_of(console), style="dim"), soft_wrap=True)
        print_grade(console, grade, all_tasks=all_tasks)


def _print_side_by_side(console: Console, grouped: GroupedGrade) -> None:
    """One line a group, before the groups in full."""
    rows = []
    for grade in grouped.groups:
        name = " / ".join("(none)" if value is None else value for value in grade.by.values())
        numbers = [wording.count(grade.data.trials, "trial")]
        if grade.checks:
            check = grade.checks[0]
            bound = check.details.get("graded_bound")
            numbers.append(str(grade.verdict))
            if len(grade.checks) == 1 and bound is not None:
                upper = check.side == "at_most"
                numbers.append(
                    ("at most " if upper else "at least ")
                    + wording.percent(bound, rounded="up" if upper else "down", digits=3)
                )
        elif grade.description is not None and grade.description.mean_pass_rate is not None:
            last = grade.description.table[-1]
            numbers.append(f"pass rate {wording.percent(grade.description.mean_pass_rate)}")
            if last.pass_hat is not None:
                numbers.append(f"pass^{last.k} {wording.percent(last.pass_hat)}")
        rows.append((name, numbers))
    width = min(
        max(cell_len(visible(name)) for name, _ in rows), max(_NARROWEST_NAME, width_of(console) - 50)
    )
    for name, numbers in rows:
        line = "  ".join(
            [fitted(name, width, keep_end=True), fitted(numbers[0], 16, right=True), *numbers[1:]]
        )
        style = (
            STYLES.get(Verdict(numbers[1]), "")
            if len(numbers) > 1 and numbers[1] in Verdict.__members__
            else ""
        )
        if cell_len(line) > width_of(console):
            print_lines(console, line, rest="  ", style=style)
        else:
            console.print(Text(line, style=style), soft_wrap=True)
    console.print()
