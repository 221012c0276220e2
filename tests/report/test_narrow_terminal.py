"""Forty columns: every line fits, and no word is cut to pieces."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

import surefoot as sf
from surefoot.report.terminal import print_grade

WORDS = ("independent", "clusters", "whatever", "happens")


@pytest.mark.parametrize("width", [40, 53, 54, 60])
def test_the_words_of_bounds_stay_whole(width):
    rows = [{"task": f"t{i}", "fact": f"f{i // 4}", "leaked": False} for i in range(40)]
    grade = sf.grade(rows, event="leaked", at_most=0.05, cluster="fact")
    text = io.StringIO()
    print_grade(Console(file=text, width=width, no_color=True), grade)
    shown = text.getvalue()
    assert max(map(len, shown.splitlines())) <= width
    assert all(word in shown for word in WORDS)
    assert "if tasks were independent" in " ".join(shown.split())
