"""Write the pages of docs/reference that follow from the code: the command, Python, and the data problems.

    python docs/generate_reference.py

A test compares the pages with what this file makes, so that none can go stale.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import click

import surefoot
from surefoot.cli.main import COMMANDS, cli

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
SOURCE = ROOT / "src" / "surefoot"
MADE = "<!-- Made by docs/generate_reference.py: change the code, not this page. -->"

EXIT_STATUS = """\
| exit status | it means |
|---|---|
| 0 | PASS, or no check was asked |
| 1 | FAIL |
| 2 | usage or plan error |
| 3 | INCONCLUSIVE |
| 4 | data error: a log cannot be read or graded |
| 130 | interrupted |
"""

RESULTS = (
    ("surefoot.grading.grade", "Grade"),
    ("surefoot.grading.grade", "GroupedGrade"),
    ("surefoot.grading.grade", "DataSummary"),
    ("surefoot.grading.verdict", "CheckGrade"),
    ("surefoot.grading.describe", "TaskGrade"),
    ("surefoot.grading.answers", "RateAnswer"),
    ("surefoot.grading.answers", "PassHatAnswer"),
    ("surefoot.stats.results", "Bound"),
    ("surefoot.trials.findings", "Finding"),
)
"""What the public functions return, by module and name."""


def command_page() -> str:
    """The page of the command: every command with its options and examples."""
    parts = [
        "# The command",
        MADE,
        "`surefoot --help` and `surefoot COMMAND --help` say the same. Shares may be written `1%` or `0.01`. Output is "
        "plain lines in a pipe, in CI and with `NO_COLOR` set; messages about errors go to standard error.",
        EXIT_STATUS.rstrip(),
    ]
    with click.Context(cli, info_name="surefoot") as context:
        for name in COMMANDS:
            command = cli.get_command(context, name)
            assert command is not None
            parts += _command(name, command)
    return _page(parts)


def _command(name: str, command: click.Command) -> Iterator[str]:
    help_text = inspect.cleandoc(command.help or "")
    prose, _, examples = help_text.partition("\b\nExamples:\n")
    arguments = " ".join(
        p.make_metavar(click.Context(command)) for p in command.params if isinstance(p, click.Argument)
    )
    yield f"## surefoot {name}"
    yield f"```text\nsurefoot {name} [OPTIONS] {arguments}\n```"
    yield prose.strip()
    if examples:
        yield f"```text\n{inspect.cleandoc(examples)}\n```"
    rows = [_option(option) for option in command.params if isinstance(option, click.Option)]
    yield "\n".join(["| option | meaning |", "|---|---|", *rows])


def _option(option: click.Option) -> str:
    names = ", ".join(option.opts)
    value = option.metavar
    if value is None and isinstance(option.type, click.Choice):
        value = "\\|".join(map(str, option.type.choices))
    shown = f"`{names}`" if option.is_flag or value is None else f"`{names} {_in_cell(value)}`"
    more = " May be given several times." if option.multiple else ""
    return f"| {shown} | {_in_cell(option.help or '')}{more} |"


def python_page() -> str:
    """The page of the Python functions: signatures and docstrings of all public names."""
    parts = [
        "# Python",
        MADE,
        "`import surefoot as sf`. How to use it: [Grade from Python](../how-to/grade-from-python.md). The functions "
        "behind these, each with its assumptions and its formula, are in "
        "[`surefoot.stats`](../../src/surefoot/stats).",
        "## Functions",
    ]
    functions = [name for name in surefoot.__all__ if inspect.isfunction(getattr(surefoot, name))]
    for name in functions:
        function = getattr(surefoot, name)
        parts += [f"### {name}", _signature(name, function), _docstring(function)]
    parts.append("## What they return")
    for module, name in RESULTS:
        parts += [f"### {name}", *_result(getattr(importlib.import_module(module), name))]
    parts += ["## Errors", "Each carries the exit status that the command gives it, `exit_status`."]
    errors = [getattr(surefoot, name) for name in surefoot.__all__ if name.endswith("Error")]
    rows = [
        f"| `{error.__name__}` | {error.exit_status} | {_first(error).replace('``', '`')} |"
        for error in errors
    ]
    parts.append("\n".join(["| error | exit status | when |", "|---|---|---|", *rows]))
    return _page(parts)


def _signature(name: str, function: Callable[..., object]) -> str:
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    lines = [_parameter(parameter) for parameter in parameters]
    keyword_only = [parameter.kind is parameter.KEYWORD_ONLY for parameter in parameters]
    if True in keyword_only:
        lines.insert(keyword_only.index(True), "*")
    body = "".join(f"    {line},\n" for line in lines)
    return f"```text\n{name}(\n{body}) -> {signature.return_annotation}\n```"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
    default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
    return f"{stars}{parameter.name}: {parameter.annotation}{default}"


def _docstring(thing: object) -> str:
    """A numpydoc docstring as Markdown: headings in bold, parameters as a list, doctests as blocks."""
    text = inspect.getdoc(thing) or ""
    text = re.sub(r"``(.+?)``", r"`\1`", text)
    text = re.sub(r":\w+:`~?(.+?)`", r"`\1`", text)
    sections = re.split(r"^(\w[\w ]*)\n-+\n", text, flags=re.MULTILINE)
    parts = [sections[0].strip()]
    for title, body in zip(sections[1::2], sections[2::2], strict=True):
        parts.append(f"**{title}**")
        parts.append(_doctests(body) if title == "Examples" else _items(body))
    return "\n\n".join(parts)


def _doctests(body: str) -> str:
    return f"```pycon\n{body.strip()}\n```"


def _items(body: str) -> str:
    lines = []
    for name, told in re.findall(r"^(\S.*)\n((?:[ ]{4}.*\n?|\n)*)", body + "\n", flags=re.MULTILINE):
        lines.append(f"- `{name}`: {' '.join(told.split())}" if told.strip() else name)
    return "\n".join(lines)


def _result(result: type) -> Iterator[str]:
    yield _docstring(result)
    fields = [field.name for field in dataclasses.fields(result) if field.repr]
    told = {
        name: member
        for name, member in vars(result).items()
        if isinstance(member, property) or (name == "description" and hasattr(member, "func"))
    }
    methods = [name for name in ("to_dict", "to_frame") if hasattr(result, name)]
    yield "Fields: " + ", ".join(f"`{name}`" for name in fields) + "."
    if told:
        yield "Also: " + ", ".join(f"`{name}`" for name in told) + "."
    if methods:
        yield "Methods: " + ", ".join(f"`{name}()`" for name in methods) + "."


def problems_page() -> str:
    """The page of the data problems: every finding that the source can give, by its code."""
    rows = sorted({_problem(call) for file in SOURCE.rglob("*.py") for call in _findings(file)})
    return _page(
        [
            "# Data problems",
            MADE,
            "What surefoot says about the data, beside the numbers and in `data.problems` of the "
            "[JSON](grade-json.md). A **note** is worth knowing, a **warning** may change how the numbers read, and "
            "after an **error** nothing is graded (exit status 4). `...` stands for what the log holds.",
            "\n".join(["| code | severity | message | what to do |", "|---|---|---|---|", *rows]),
        ]
    )


def _findings(file: Path) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding":
            yield node


def _problem(call: ast.Call) -> str:
    given = [_words(part) for part in (*call.args, *(keyword.value for keyword in call.keywords))]
    code, severity, message, what_to_do = (*given, "")[:4]
    severity = severity if severity in ("note", "warning", "error") else "note or warning"
    if not message.strip(". "):
        message, what_to_do = "(depends on the log)", ""
    return f"| `{code}` | {severity} | {_in_cell(message)} | {_in_cell(what_to_do)} |"


def _words(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        text = str(node.value)
    elif isinstance(node, ast.JoinedStr):
        text = "".join(_words(part) for part in node.values)
    elif isinstance(node, ast.BinOp):
        text = _words(node.left) + _words(node.right)
    else:
        text = "..."
    return re.sub(r"\.{3,}( ?\.{3})*(?! [A-Z])", "...", text)


def _first(thing: object) -> str:
    return (inspect.getdoc(thing) or "").split("\n")[0].replace("``", "`")


def _in_cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))


def _page(parts: list[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


PAGES = {"cli.md": command_page, "python.md": python_page, "data-problems.md": problems_page}


def main() -> None:
    """Write the pages."""
    for name, make in PAGES.items():
        (REFERENCE / name).write_text(make(), encoding="utf-8")
        print(f"wrote docs/reference/{name}")


if __name__ == "__main__":
    main()
