"""Grades to show, and a terminal to show them on."""

from __future__ import annotations

import random
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

import surefoot as sf
from surefoot.report.terminal import print_grade


@pytest.fixture(scope="session")
def rows() -> list[dict[str, Any]]:
    """Forty tasks of four trials about ten facts; four are flaky, two always fail, a few trials have no verdict."""
    draw = random.Random(5)
    made = []
    for t in range(40):
        for i in range(4):
            passed: bool | None = not (t in (3, 8) or (t in (1, 12, 21, 30) and (t + i) % 2))
            if (t, i) in ((5, 2), (33, 0)):
                passed = None
            made.append(
                {
                    "task": f"task{t}",
                    "trial": i,
                    "passed": passed,
                    "leaked": (t, i) == (12, 3),
                    "harm": round(draw.random() * 0.2, 3),
                    "fact": f"fact{t % 10}",
                }
            )
    return made


CHECKS = [
    {
        "name": "leaks",
        "event": "leaked",
        "at_most": "5%",
        "cluster": "fact",
        "detector": {"caught": 48, "planted": 50},
    },
    {"name": "leaks, these tasks", "event": "leaked", "at_most": "5%", "target": "fixed-tasks"},
    {
        "name": "leaks, published",
        "event": "leaked",
        "at_most": "50%",
        "cluster": "fact",
        "bound": "largest-of-three",
    },
    {"name": "answers are right", "success": "passed", "at_least": "70%"},
    {"name": "harm", "mean": "harm", "at_most": 0.6, "cluster": "fact"},
    {"name": "never", "forbid": "leaked and harm > 0.9"},
    {"name": "reliable", "pass_hat": 3, "at_least": "70%"},
    {"name": "no time bombs", "flakiness_at_most": 0.2},
]


@pytest.fixture(scope="session")
def graded(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """A description, all kinds of checks, and two groups."""
    halves = [{**row, "model": "new" if int(row["task"][4:]) % 2 else "old"} for row in rows]
    return {
        "description": sf.grade(rows),
        "checks": sf.grade(rows, {"name": "release 7", "check": CHECKS}),
        "warns": sf.grade(
            [row for row in rows if row["passed"] is not None],
            {
                "name": "w",
                "on_inconclusive": "warn",
                "check": [{"event": "leaked", "at_most": "1%"}, {"forbid": "harm > 0.5"}],
            },
        ),
        "groups": sf.grade(halves, {"name": "g", "check": CHECKS[:1]}, by="model"),
    }


@pytest.fixture
def shown() -> Callable[..., str]:
    """What a grade looks like on a terminal so many cells wide."""

    def show(grade: Any, width: int = 80, *, colour: bool = False, all_tasks: bool = False) -> str:
        out = StringIO()
        console = Console(
            file=out,
            width=width,
            no_color=not colour,
            force_terminal=colour,
            color_system="truecolor" if colour else None,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )
        print_grade(console, grade, all_tasks=all_tasks)
        return out.getvalue()

    return show
