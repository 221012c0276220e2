"""The reference pages say what the code does: made pages are up to date, written ones leave nothing out."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest

import surefoot
from surefoot.cli.main import run
from surefoot.errors import ExpressionError
from surefoot.grading.verdict import ReasonCode
from surefoot.plan.checks import KIND_KEYS, Detector
from surefoot.plan.expressions import columns_of
from surefoot.plan.functions import FUNCTIONS
from surefoot.plan.read import _HEADER_KEYS
from surefoot.plan.rules import OUTCOME_COLUMNS
from surefoot.trials.columns import UNSCORED_CAUSES
from surefoot.trials.truth_table import truth_value

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MADE_PAGES = ("cli.md", "python.md", "data-problems.md")
NOT_A_LOGS_OWN = {"interim", "in_bound"}
"""Names the code keeps and nothing that grades a log gives or takes."""


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def code_words(text: str) -> set[str]:
    """Everything that stands in backquotes, without the quotes of values."""
    return {word.strip('"') for word in re.findall(r"`([^`\n]+)`", text)}


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_reference", DOCS / "generate_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_generator_makes_the_pages_this_test_knows(generator):
    assert set(generator.PAGES) == set(MADE_PAGES)


@pytest.mark.parametrize("name", MADE_PAGES)
def test_a_made_page_is_up_to_date(generator, name):
    assert generator.PAGES[name]() == page(f"reference/{name}"), "run: python docs/generate_reference.py"


def test_every_option_of_the_command_is_on_its_page():
    from surefoot.cli.bound import bound
    from surefoot.cli.grade import grade

    text = page("reference/cli.md")
    missing = [
        name
        for command in (grade, bound)
        for option in command.params
        for name in option.opts
        if name.startswith("-") and name not in text
    ]
    assert missing == []


def test_every_public_name_is_on_the_python_page():
    headings = set(re.findall(r"^### (\w+)", page("reference/python.md"), flags=re.MULTILINE))
    functions = {name for name in surefoot.__all__ if name[0].islower() and name != "__version__"}
    assert functions <= headings
    errors = {name for name in surefoot.__all__ if name.endswith("Error")}
    assert errors <= code_words(page("reference/python.md"))


def test_every_key_of_a_plan_that_grades_logs_is_on_its_page():
    keys = set(_HEADER_KEYS)
    for model in (*KIND_KEYS.values(), Detector):
        keys |= set(model.model_fields)
    words = " ".join(code_words(page("reference/plan-file.md")))
    assert {key for key in keys if not re.search(rf"\b{key}\b", words)} <= NOT_A_LOGS_OWN


def test_every_reason_code_and_cause_is_explained():
    assert {str(code) for code in ReasonCode} - code_words(page("reference/grade-json.md")) <= NOT_A_LOGS_OWN
    assert set(UNSCORED_CAUSES) <= code_words(page("explanation/unscored-trials.md"))


@pytest.mark.parametrize(
    "command",
    [
        "examples/oncall_runs.jsonl --plan examples/oncall.toml",
        "examples/leak_probe.csv --plan examples/deskbook.toml",
        "examples/leak_probe.csv --event leaked --at-most 5% --target fixed-tasks",
        "examples/oncall_runs.jsonl --success passed --at-least 99% --by risk",
        "examples/oncall_runs.jsonl --pass-hat 5 --at-least 70%",
    ],
)
def test_every_key_of_a_grade_is_on_its_page(command, tmp_path, monkeypatch, capsys):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    run(["grade", *command.split(), "--json"])
    words = " ".join(code_words(page("reference/grade-json.md")))
    keys = keys_of(json.loads(capsys.readouterr().out))
    assert len(keys) > 30
    # Numbers are values of k; "fixed-tasks" and the columns of --by are values too.
    unexplained = {key for key in keys if not re.search(rf"\b{re.escape(key)}\b", words)}
    assert {key for key in unexplained if not key.isdigit()} <= {"fixed-tasks", "task-population", "risk"}


def keys_of(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set().union(*map(keys_of, value)) if isinstance(value, list) else set()


def cells(text: str, heading: str, column: int) -> list[str]:
    """The code of one column of the table under a heading line."""
    table = text[text.index(heading) :].split("\n\n", maxsplit=1)[0].splitlines()[2:]
    assert table
    return [
        word
        for row in table
        for word in re.findall(r"`([^`]+)`", re.split(r"(?<!\\) \| |^\| | \|$", row)[column + 1])
    ]


def test_what_the_page_says_may_stand_in_an_expression_may():
    allowed = cells(page("reference/expressions.md"), "| part | examples |", 1)
    assert len(allowed) > 15
    for text in allowed:
        if not re.fullmatch(r"[0-9.]+|'.*'|TRUE", text):
            assert columns_of(text)


def test_what_the_page_says_is_refused_is():
    refused = cells(page("reference/expressions.md"), "| refused | why |", 0)
    assert len(refused) > 4
    for text in refused:
        with pytest.raises(ExpressionError):
            columns_of(text)


def test_every_function_and_every_outcome_column_is_named():
    words = code_words(page("reference/expressions.md"))
    assert set(FUNCTIONS) <= words
    assert set(OUTCOME_COLUMNS) <= words


def test_values_read_as_the_table_says():
    text = page("how-to/grade-a-table.md")
    values = cells(text, "| value | read as |", 0)
    passed, failed = values[: values.index("false")], values[values.index("false") : values.index("NaN")]
    assert len(passed) == len(failed) == 8
    assert all(truth_value(word) is True for word in passed)
    assert all(truth_value(word) is False for word in failed)
    assert truth_value("NaN") is None


def test_links_to_headings_find_them():
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")]:
        text = path.read_text(encoding="utf-8")
        for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", text):
            other = path if not target else path.parent / target
            headings = re.findall(r"^#+ (.+)$", other.read_text(encoding="utf-8"), flags=re.MULTILINE)
            slugs = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in slugs, f"{path.name}: {target}#{anchor}"


def test_every_page_is_reached_from_the_index():
    index = page("index.md")
    pages = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")} - {"index.md"}
    assert {name for name in pages if f"({name})" not in index} == set()


def test_the_glossary_is_in_order():
    words = re.findall(r"^### (.+)$", page("glossary.md"), flags=re.MULTILINE)
    assert len(words) > 15
    assert words == sorted(words)
