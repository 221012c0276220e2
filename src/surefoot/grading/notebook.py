"""A grade as one small table of HTML, for a notebook: what a value shows of itself, every text escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from surefoot.grading import wording

if TYPE_CHECKING:
    from surefoot.grading.grade import Grade

TASKS_SHOWN = 5


def grade_html(grade: Grade) -> str:
    """The verdict, each check with its reason, pass@k beside pass^k, and the flakiest tasks."""
    head = f"<b>{escape(str(grade.verdict or 'no verdict'))}</b>: {escape(grade.reason)}"
    parts = [f"<p>{head}</p>"]
    if grade.checks:
        rows = [(str(check.verdict), check.name, check.reason) for check in grade.checks]
        parts.append(_table(("verdict", "check", "reason"), rows))
    description = grade.description
    if description is not None:
        numbers = [
            (str(row.k), _shown(row.pass_at), _shown(row.pass_hat), _bound(row.lower_bounds["fixed-tasks"]))
            for row in description.table
        ]
        heads = ("k", "pass@k", "pass^k", f"pass^k proved ({wording.confidence(grade.confidence_level)})")
        parts.append(_table(heads, numbers))
        flaky = [task for task in description.tasks if task.observed_class == "mixed"][:TASKS_SHOWN]
        if flaky:
            tasks = [
                (task.task, task.runs or "", f"{task.passed}/{task.trials - task.unscored}") for task in flaky
            ]
            parts.append(_table(("flaky task", "runs in order", "passed"), tasks))
    return "".join(parts)


def _shown(value: float | None) -> str:
    return "-" if value is None else wording.percent(value)


def _bound(value: float) -> str:
    return wording.percent(value, rounded="down")


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
