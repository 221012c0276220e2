"""Tasks on a terminal: the flaky ones first with their runs in order, then the stable failures."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from surefoot.grading import wording
from surefoot.grading.describe import Description, TaskGrade
from surefoot.report.text import fitted, print_lines, visible, width_of

TASKS_SHOWN = 10
_RUNS_SHOWN = 24
_NARROWEST_NAME = 12
_MEAN_THAT_HIDES = 0.9
_RUN_STYLES = {"x": "red", ".": "green", "?": "yellow"}


def print_flaky_tasks(
    console: Console, description: Description, *, all_tasks: bool = False, k: int | None = None
) -> None:
    """The tasks that went both ways, worst first, with their runs in order."""
    flaky = [task for task in description.tasks if task.observed_class == "mixed"]
    total = description.observed.get("mixed", 0)
    if not flaky:
        return
    k = k or (description.table[-1].k if description.table else 1)
    shown = flaky if all_tasks else flaky[:TASKS_SHOWN]
    known = any(task.runs for task in shown)
    runs_width = max(13, min(_RUNS_SHOWN, max(len(task.runs or "") for task in shown))) if known else 0
    heads = ("passed", "flakiness", f"{wording.confidence(description.confidence_level)} range", f"pass^{k}")
    columns = [_numbers(task, k) for task in shown]
    widths = [max(len(text) for text in column) for column in zip(heads, *columns, strict=True)]
    room = width_of(console) - runs_width - 6
    # A narrow terminal loses the last numbers first, and the names last.
    while len(widths) > 1 and room - sum(widths) - 2 * len(widths) < _NARROWEST_NAME:
        widths.pop()
    name_width = max(1, room - sum(widths) - 2 * len(widths))
    legend = " (. passed, x failed)" if known else ""
    title = f"  {wording.count(total, 'flaky task')}, worst first{legend}"
    print_lines(console, title.lstrip(), first="  ", rest="  ", style="bold")
    head = Text(
        f"  {fitted('task', name_width)}  {'runs in order' if known else '':<{runs_width}}", style="bold"
    )
    console.print(_with_numbers(head, heads, widths), soft_wrap=True)
    for task, numbers in zip(shown, columns, strict=True):
        row = Text(f"  {fitted(task.task, name_width)}  ")
        for letter in fitted(task.runs or "", runs_width):
            row.append(letter, style=_RUN_STYLES.get(letter, ""))
        console.print(_with_numbers(row, numbers, widths), soft_wrap=True)
    if total > len(shown):
        more = f"... {total - len(shown):,} more: --all-tasks, or --json"
        print_lines(console, more, first="  ", rest="  ", style="dim")
    _print_mean_hides(console, description)
    console.print()


def print_stable_failures(console: Console, description: Description, *, all_tasks: bool) -> None:
    """The tasks that failed every time: no time bombs, but failures."""
    failed = [task.task for task in description.tasks if task.observed_class == "all fail"]
    total = description.observed.get("all fail", 0)
    if not failed:
        return
    shown = failed if all_tasks else failed[: TASKS_SHOWN * 2]
    names = ", ".join(visible(name) for name in shown) + (", ..." if total > len(shown) else "")
    text = f"{wording.count(total, 'task')} failed every time: {names}"
    print_lines(console, text, first="  ", rest="    ")
    console.print()


def _numbers(task: TaskGrade, k: int) -> tuple[str, str, str, str]:
    low, high = task.flakiness_interval
    hat = task.pass_hat_k.get(k, task.pass_rate if k == 1 else None)
    spread = f"{wording.share(low, rounded='down', digits=2)}-{wording.share(high, rounded='up', digits=2)}"
    return (
        f"{task.passed}/{task.trials - task.unscored}",
        "-" if task.flakiness is None else f"{task.flakiness:.2f}",
        spread,
        "-" if hat is None else f"{hat:.3f}",
    )


def _with_numbers(row: Text, numbers: tuple[str, ...], widths: list[int]) -> Text:
    for text, width in zip(numbers, widths, strict=False):
        row.append(f"  {text:>{width}}")
    return row


def _print_mean_hides(console: Console, description: Description) -> None:
    """A high mean pass rate over many steady tasks is where a flake goes unseen."""
    mean = description.mean_pass_rate
    if mean is not None and mean >= _MEAN_THAT_HIDES:
        text = f"The mean hides them: over all tasks the pass rate is {wording.percent(mean)}."
        print_lines(console, text, first="  ", rest="  ", style="yellow")
