"""The tool that renews the output shown in the pages: what still matches stays, what was left out stays out."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "refresh_examples.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("refresh_examples", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_lines_that_still_match_stay(tool):
    assert tool.renewed(["a", "...", "d"], ["a", "b", "c", "d"]) == ["a", "...", "d"]


def test_whole_output_is_replaced_whole(tool):
    assert tool.renewed(["a", "b"], ["x", "y", "z"]) == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("old", "shown"),
    [
        (["head 1", "...", "tail 1"], ["head 2", "...", "tail 2"]),
        (["...", "the middle 1", "..."], ["...", "the middle 2", "..."]),
        (["head 1", "...", "the middle 1", "more", "..."], ["head 2", "...", "the middle 2", "more", "..."]),
    ],
)
def test_what_was_left_out_stays_out(tool, old, shown):
    new = ["head 2", "noise", "the middle 2", "more", "other noise", "tail 2"]
    assert tool.renewed(old, new) == shown


def test_a_page_gets_what_the_command_prints_and_keeps_everything_else(tool):
    page = "# A\n\n```console\n$ surefoot bound 0/120 --at-most 3%  # clean\nold\n```\n\n```text\nold\n```\n"
    new = tool.refreshed(page)
    assert new.startswith("# A\n\n```console\n$ surefoot bound 0/120 --at-most 3%  # clean\n0 of 120 trials")
    assert "PASS" in new
    assert new.endswith("\n```\n\n```text\nold\n```\n")
    assert tool.refreshed(new) == new
