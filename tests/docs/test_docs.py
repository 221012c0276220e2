"""Every command in the README and the docs is run, and prints what the page says it prints."""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from surefoot.cli.main import run

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@dataclass(frozen=True)
class Example:
    page: str
    line: int
    command: str
    expected: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def examples(page: Path) -> list[Example]:
    """The commands of the console blocks: ``$ surefoot ...`` and the lines after it, up to the next prompt."""
    text = page.read_text(encoding="utf-8")
    found = []
    for block in re.finditer(r"```console\n(.*?)```", text, flags=re.DOTALL):
        at = text.count("\n", 0, block.start()) + 2
        for part in re.split(r"^(?=\$ )", block[1], flags=re.MULTILINE):
            if part.startswith("$ surefoot"):
                command, _, expected = part[2:].replace("\\\n", " ").partition("\n")
                found.append(Example(str(page.relative_to(ROOT)), at, command, expected))
            at += part.count("\n")
    return found


ALL = [example for page in PAGES for example in examples(page)]


def test_there_are_examples():
    assert len(ALL) >= 5


@pytest.mark.parametrize("example", ALL, ids=str)
def test_a_command_of_the_docs_prints_what_the_page_says(example, tmp_path, monkeypatch, capsys):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    words = shlex.split(example.command, comments=True)
    run(words[1:])
    printed = capsys.readouterr()
    wanted = [re.escape(line.rstrip()) for line in example.expected.rstrip().splitlines()]
    pattern = "\n".join(wanted).replace(r"\.\.\.", ".*?")
    shown = "\n".join(line.rstrip() for line in (printed.out + printed.err).rstrip().splitlines())
    assert re.fullmatch(pattern, shown, flags=re.DOTALL), f"{example}: $ {example.command}\n{shown}"


def test_the_pages_link_to_files_that_exist():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page}: {target}"
