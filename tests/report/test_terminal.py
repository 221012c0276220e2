"""Grades on a terminal: they fit, line up, and say the same with colour and without."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

import surefoot as sf
from surefoot.report.text import DRAWN, PLAIN

PICTURES = ["description", "checks", "warns", "groups"]
ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize("picture", PICTURES)
def test_the_picture(graded, shown, snapshot, picture, width):
    assert shown(graded[picture], width) == snapshot


@pytest.mark.parametrize("width", [50, 60, 72, 80, 100, 160])
@pytest.mark.parametrize("picture", PICTURES)
def test_no_line_is_wider_than_the_terminal(graded, shown, picture, width):
    lines = shown(graded[picture], width).splitlines()
    # A command to type is never broken: it is the one thing that must be copied whole.
    assert [line for line in lines if cell_len(line) > width and not line.startswith("    surefoot ")] == []
    assert max(map(cell_len, lines)) <= max(100, width)


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("picture", PICTURES)
def test_colour_changes_no_letter_and_no_place(graded, shown, picture, width):
    coloured = shown(graded[picture], width, colour=True)
    assert "\x1b[" in coloured
    plain_glyphs = str.maketrans(
        {getattr(DRAWN, name): getattr(PLAIN, name) for name in ("bar", "line", "seen", "limit", "bound")}
    )
    stripped = ANSI.sub("", coloured)
    assert "\x1b" not in stripped
    assert stripped.translate(plain_glyphs) == shown(graded[picture], width)


def test_plain_output_is_plain(graded, shown):
    for picture in PICTURES:
        assert shown(graded[picture]).isascii()


def test_wide_names_line_up(shown):
    """Names of full-width letters take two cells each: the columns after them must not move."""
    names = ["任务一", "タスク", "ascii-name", "é" * 5, "任务" * 30, "x" * 60]
    rows = [
        {"task": name, "trial": i, "passed": bool((i + n) % 2)}
        for n, name in enumerate(names)
        for i in range(4)
    ]
    for width in (60, 80, 100):
        lines = shown(sf.grade(rows), width).splitlines()
        at = next(i for i, line in enumerate(lines) if "runs in order" in line)
        table = lines[at + 1 : at + 1 + len(names)]
        starts = set()
        for line in table:
            found = re.search(r"[.x]{4} ", line)
            assert found
            starts.add(cell_len(line[: found.start()]))
        assert len(starts) == 1
        assert len({cell_len(line) for line in table}) == 1
        assert cell_len(lines[at][: lines[at].index("runs in order")]) == starts.pop()


@pytest.mark.parametrize("letter", ["\x1b[2J", "\u202e", "\x07", "\r", "\u200b", "\x9b31m"])
def test_no_name_can_move_the_cursor_or_hide(shown, letter):
    name = f"a{letter}b"
    rows = [
        {"task": name, "trial": i, "passed": bool(i % 2), "fact": name, "model": name, "leaked": i == 1}
        for i in range(4)
    ]
    for grade in (
        sf.grade(rows),
        sf.grade(rows, by="model"),
        sf.grade(rows, event="leaked", at_most=0.5, cluster="fact"),
        sf.grade(rows, flakiness_at_most=0.2),
        sf.grade(rows, forbid="leaked"),
    ):
        text = shown(grade)
        assert "a" in text
        assert all(c.isprintable() or c == "\n" for c in text)


def test_sums_of_scores_are_shown_in_a_few_digits(graded, shown):
    assert re.search(r"\d\.\d{6,}", " ".join(shown(graded["checks"]).split("harm")[1:2])) is None


def test_groups_are_told_apart_on_a_narrow_terminal(shown):
    rows = [
        {"task": f"t{t}", "trial": 0, "passed": True, "leaked": False, "model": model}
        for model in ("old", "a-model-with-a-name-of-its-own")
        for t in range(9)
    ]
    summary = shown(sf.grade(rows, by="model", event="leaked", at_most=0.5), 50).split("-----")[0]
    assert "old" in summary
    assert "its-own" in summary


def test_all_tasks_lists_what_is_otherwise_cut(shown):
    rows = [{"task": f"t{t:02}", "trial": i, "passed": bool(i % 2)} for t in range(30) for i in range(4)]
    grade = sf.grade(rows)
    short, every = shown(grade), shown(grade, all_tasks=True)
    assert "20 more" in short
    assert "more: --all-tasks" not in every
    assert all(f"t{t:02} " in every for t in range(30))


def test_the_verdict_of_each_check_is_printed_as_graded(graded, shown):
    text = shown(graded["checks"])
    for check in graded["checks"].checks:
        assert f"{check.verdict}  {check.name}" in text
    assert f"Verdict {graded['checks'].verdict}" in text
    assert f"exit {graded['checks'].exit_status}" in " ".join(text.split())


def test_a_plan_that_only_warns_says_so(graded, shown):
    assert graded["warns"].exit_status == 0
    text = " ".join(shown(graded["warns"]).split())
    assert 'on_inconclusive = "warn"' in text
    assert "exit 3" not in text
