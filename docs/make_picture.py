"""Draw the README's picture: the terminal output of the example, as SVG. Run: python docs/make_picture.py."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

from rich.console import Console

import surefoot as sf
from surefoot.report.terminal import print_grade

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "grade.svg"
COMMAND = "surefoot grade examples/oncall_runs.jsonl --plan examples/oncall.toml"


def picture() -> str:
    """The SVG text; the same log gives the same picture."""
    console = Console(
        record=True,
        width=80,
        file=StringIO(),
        force_terminal=True,
        color_system="truecolor",
        highlight=False,
        legacy_windows=False,
    )
    grade = sf.grade(sf.read("examples/oncall_runs.jsonl"), "examples/oncall.toml")
    console.print(f"[bold]$ {COMMAND}[/bold]", soft_wrap=True)
    print_grade(console, grade)
    return console.export_svg(title="surefoot", unique_id="surefoot")


if __name__ == "__main__":
    os.chdir(ROOT)
    PICTURE.write_text(picture(), encoding="utf-8")
