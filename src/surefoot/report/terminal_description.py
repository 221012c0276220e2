"""The description on a terminal: pass@k beside pass^k, the histogram, the flaky tasks first."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from surefoot.grading import wording
from surefoot.grading.describe import Description, PassAtK
from surefoot.report.terminal_tasks import print_flaky_tasks, print_stable_failures
from surefoot.report.text import fitted, glyphs_for, print_lines, width_of

_SHORT_HISTOGRAM = 7
_HISTOGRAM_ROWS = 60
_GAP_SHOWN = 0.05

_WIDE, _WIDE_FROM = (16, 17, 20, 18), 78
_NARROW = (9, 9, 11, 12)
"""Widths of the columns pass@k, pass^k, and the two bounds."""


def print_description(
    console: Console, description: Description, *, all_tasks: bool = False, tasks_total: int
) -> None:
    """Print all that the runs show without any limit."""
    _print_table(console, description, tasks_total)
    _print_wilson(console, description)
    _print_histogram(console, description)
    print_flaky_tasks(console, description, all_tasks=all_tasks)
    print_stable_failures(console, description, all_tasks=all_tasks)
    _print_how_sure(console, description, tasks_total)


def _print_table(console: Console, description: Description, tasks_total: int) -> None:
    sure = wording.confidence(description.confidence_level)
    these = "this task" if tasks_total == 1 else f"these {tasks_total:,} tasks"
    widths = _WIDE if width_of(console) >= _WIDE_FROM else _NARROW
    heads = ("pass@k", "pass^k", f"pass^k proved at least ({sure})", "")
    under = ("some try works", "every try works", these, "tasks like these")
    if widths is _NARROW:
        heads, under = ("pass@k", "pass^k", "proved", f"({sure})"), ("some", "every", "these", "like these")
    _print_heads(console, heads, widths, under)
    for row in description.table:
        console.print(_table_row(row, widths), soft_wrap=True)
    if any(row.below_larger_k for row in description.table):
        _print_note(
            console,
            "* under the bound of a larger k: each holds at its own confidence, and the larger one may not be "
            "taken after the fact.",
        )
    left_out = max((row.tasks_left_out for row in description.table), default=0)
    if left_out:
        _print_note(
            console,
            f"{wording.count(left_out, 'task')} with fewer than {description.table[-1].k} scored trials: left out of "
            "that estimate, counted at the bad end in the bounds.",
        )
    _print_gap(console, description)
    console.print()


def _print_heads(
    console: Console, heads: tuple[str, ...], widths: tuple[int, ...], under: tuple[str, ...]
) -> None:
    first = "".join(f"{head:>{width}}" for head, width in zip(heads[:2], widths, strict=False))
    # Without a head of its own the last column shares the one before it.
    shared = f"   {heads[2]}"
    first += (
        "".join(f"{head + ' ':>{width}}" for head, width in zip(heads[2:], widths[2:], strict=True))
        if heads[3]
        else shared
    )
    second = "".join(f"{text:>{width}}" for text, width in zip(under[:2], widths, strict=False))
    second += "".join(
        f"{fitted(text, width - 2, right=True) + ' ':>{width}}"
        for text, width in zip(under[2:], widths[2:], strict=True)
    )
    console.print(Text(f"  {'k':<4}{first}".rstrip(), style="bold"), soft_wrap=True)
    console.print(Text(f"      {second}".rstrip(), style="dim"), soft_wrap=True)


def _table_row(row: PassAtK, widths: tuple[int, ...]) -> Text:
    def shown(value: float | None) -> str:
        return "-" if value is None else wording.percent(value)

    text = Text(f"  {row.k:<4}{shown(row.pass_at):>{widths[0]}}")
    text.append(f"{shown(row.pass_hat):>{widths[1]}}", style="bold")
    for target, width in zip(("fixed-tasks", "task-population"), widths[2:], strict=True):
        bound = wording.percent(row.lower_bounds[target], rounded="down")
        mark = "*" if target in row.below_larger_k else " "
        text.append(f"{bound + mark:>{width}}")
    text.rstrip()
    return text


def _print_note(console: Console, text: str) -> None:
    print_lines(console, text, first="      ", rest="      ", style="dim")


def _print_gap(console: Console, description: Description) -> None:
    last = description.table[-1] if description.table else None
    if last is None or last.k == 1 or last.pass_at is None or last.pass_hat is None:
        return
    gap = (last.pass_at - last.pass_hat) * 100
    print_lines(
        console,
        f"Gap at k={last.k}: {gap:.1f} points. {_gap_words(last.pass_at, last.pass_hat)}",
        first="      ",
        rest="      ",
        style="yellow" if gap >= _GAP_SHOWN else "",
    )


def _gap_words(pass_at: float, pass_hat: float) -> str:
    if (pass_at - pass_hat) * 100 < _GAP_SHOWN:
        return "What it can do, it does every time." if pass_at else "It never succeeds."
    if pass_at >= 0.5 and pass_hat < 0.35:
        return "It often can, and rarely does every time."
    if pass_hat >= 0.8:
        return "Mostly steady; some tasks go both ways."
    return "It can more often than it does every time."


def _print_wilson(console: Console, description: Description) -> None:
    if description.wilson is None or description.mean_pass_rate is None:
        return
    low, high = description.wilson
    print_lines(
        console,
        f"One run of each task: pass rate {wording.percent(description.mean_pass_rate)} "
        f"(Wilson {wording.confidence(description.confidence_level)} interval {wording.percent(low)} to {wording.percent(high)}, for display). "
        "It says nothing of whether the same task succeeds twice.",
        first="  ",
        rest="  ",
    )
    console.print()


def _print_histogram(console: Console, description: Description) -> None:
    rows = description.tasks_by_passes
    if rows is None or len(rows) <= 2 or len(rows) > _HISTOGRAM_ROWS:
        return
    glyphs = glyphs_for(console)
    n = len(rows) - 1
    largest = max(tasks for _, tasks in rows)
    room = max(10, width_of(console) - 46)
    for passes, tasks in _rows_worth_a_line(rows):
        length = max(1 if tasks else 0, round(tasks / largest * room)) if largest else 0
        name = f"  {'passed' if passes == 0 else '':<7}{f'{passes} of {n}':>8}  "
        style = "red" if passes == 0 else "green" if passes == n else "yellow"
        text = Text(name)
        text.append(glyphs.bar * length + " " * (room - length), style=style)
        text.append(f"  {tasks:>4,}  ")
        text.append(_histogram_words(passes, n), style=style)
        console.print(Text.assemble(text), soft_wrap=True)
    console.print()


def _rows_worth_a_line(rows: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """Both ends, and between them the numbers of passes that some task has; all of them where they are few."""
    last = len(rows) - 1
    return [row for row in rows if last < _SHORT_HISTOGRAM or row[1] or row[0] in (0, last)]


def _histogram_words(passes: int, n: int) -> str:
    if passes == 0:
        return "failed every time"
    return "passed every time" if passes == n else "went both ways"


def _print_how_sure(console: Console, description: Description, tasks_total: int) -> None:
    cap, n = description.flakiness_cap, description.usual_trials
    flaky = description.proved.get("flaky", 0)
    stable = description.proved.get("stable pass", 0)
    failing = description.proved.get("stable fail", 0)
    undecided = description.proved.get("undetermined", 0)
    sentences = []
    if flaky:
        sentences.append(f"{wording.count(flaky, 'task')} proved over a flakiness cap of {cap:g}.")
    if stable:
        sentences.append(f"{wording.count(stable, 'task')} proved stable passes under it.")
    if failing:
        sentences.append(f"{wording.count(failing, 'task')} proved stable failures.")
    if undecided:
        need = description.repeats_to_prove_stable
        whom = wording.count(undecided, "task")
        if undecided == tasks_total:
            whom = "this task" if undecided == 1 else f"all {whom}"
        elif sentences:
            whom = f"the other {whom}"
        settles = "1 trial settles" if n == 1 else f"{n:,} trials each settle"
        sentences.append(f"For {whom} {settles} nothing: {need} straight passes would prove a task stable.")
    print_lines(
        console,
        f"How sure ({wording.confidence(description.confidence_level)} a task): {' '.join(sentences)}",
        first="  ",
        rest="  ",
    )
    if 1 < n < 17:
        missed = (5 / 6) ** n
        print_lines(
            console,
            f"A task that fails one run in six shows {n} straight passes {wording.percent(missed, digits=0)} of the time; 17 runs would show it with 95 %.",
            first="  ",
            rest="  ",
        )
    console.print()
