"""Every block of code in the how-to pages and the explanations does what its page says."""

from __future__ import annotations

import re
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from surefoot.errors import PlanError
from surefoot.plan.load import load_plan

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
WRONG_ON_PURPOSE = "# wrong on purpose"


@dataclass(frozen=True)
class Block:
    page: str
    language: str
    line: int
    code: str
    after: str
    """The page from the end of the block."""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(language: str) -> list[Block]:
    found = []
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE):
            line = text.count("\n", 0, match.start()) + 2
            found.append(Block(str(path.relative_to(ROOT)), language, line, match[1], text[match.end() :]))
    return found


PLANS = [block for block in blocks("toml") if "[[check]]" in block.code]
GOOD_PLANS = [block for block in PLANS if not block.code.startswith(WRONG_ON_PURPOSE)]
BAD_PLANS = [block for block in PLANS if block.code.startswith(WRONG_ON_PURPOSE)]
PYTHON_PAGES = sorted({block.page for block in blocks("python")})


def test_there_are_blocks():
    assert len(GOOD_PLANS) >= 6
    assert BAD_PLANS
    assert len(PYTHON_PAGES) >= 4


@pytest.mark.parametrize("name", PYTHON_PAGES)
def test_python_runs(name, tmp_path, monkeypatch):
    """The blocks of a page run one after the other, as a reader would run them, beside the examples."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks("python"):
        if block.page == name:
            # Blank lines in front, so that a traceback names the line of the page.
            code = compile("\n" * (block.line - 1) + block.code, str(ROOT / name), "exec")
            exec(code, names)  # noqa: S102  (the pages are our own)


@pytest.mark.parametrize("block", blocks("toml"), ids=str)
def test_toml_can_be_read(block):
    assert tomllib.loads(block.code)


@pytest.mark.parametrize("block", GOOD_PLANS, ids=str)
def test_a_plan_loads(block, tmp_path):
    path = tmp_path / "surefoot.toml"
    path.write_text(block.code, encoding="utf-8")
    assert load_plan(path).checks


@pytest.mark.parametrize("block", BAD_PLANS, ids=str)
def test_a_wrong_plan_is_refused_with_the_words_of_the_page(block, tmp_path):
    path = tmp_path / "surefoot.toml"
    path.write_text(block.code, encoding="utf-8")
    with pytest.raises(PlanError) as refused:
        load_plan(path)
    said = re.search(r"```text\n(.*?)```", block.after, flags=re.DOTALL)
    assert said is not None
    assert said[1].strip() == f"surefoot: {refused.value}".replace(str(path), "surefoot.toml")


def test_the_plan_shown_is_the_plan_that_is_run(tmp_path):
    shown = next(block for block in GOOD_PLANS if 'name = "deskbook release 7"' in block.code)
    path = tmp_path / "surefoot.toml"
    path.write_text(shown.code, encoding="utf-8")
    assert load_plan(path).checks == load_plan(ROOT / "examples" / "deskbook.toml").checks
