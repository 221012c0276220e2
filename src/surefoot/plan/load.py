"""Plans from files, from Python data, and from the flags of one check."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from surefoot.errors import PlanError, PlanMistake, UsageError
from surefoot.plan.toml_lines import LineMap, Loc

if TYPE_CHECKING:
    from surefoot.plan.plan import Plan

_PYPROJECT: Final = "pyproject.toml"
_PYPROJECT_TABLE: Final = ("tool", "surefoot")


def load_plan(path: str | Path) -> Plan:
    """Which plan does a file hold? surefoot.toml, or the table [tool.surefoot] of a pyproject.toml.

    Raises
    ------
    UsageError
        The file cannot be read, or is not text in UTF-8.
    PlanError
        Everything that is wrong with the plan, each with its line.
    """
    from surefoot.plan.read import read_plan

    path = Path(path)
    content = _content(path)
    text = _decoded(content, path)
    inside = _PYPROJECT_TABLE if path.name == _PYPROJECT else ()
    data: Any = _parsed(text, str(path))
    for key in inside:
        data = data.get(key) if isinstance(data, dict) else None
    if not isinstance(data, dict):
        raise UsageError(
            f"{path}: no table [tool.surefoot] in it; a plan stands there, or in a surefoot.toml"
        )
    lines = LineMap(text, inside)
    sha256 = hashlib.sha256(content).hexdigest()
    return read_plan(data, sha256=sha256, source=str(path), line_of=lines.line_of)


def plan_from_mapping(data: Mapping[str, Any], *, source: str = "plan") -> Plan:
    """Which plan do Python data of the shape of surefoot.toml describe? ``{"name": ..., "check": [{...}]}``.

    Entries of ``check`` may be models of surefoot.plan.checks.

    Raises
    ------
    PlanError
        Everything that is wrong with the plan; there are no lines.
    """
    from surefoot.plan.read import read_plan

    if not isinstance(data, Mapping):
        raise UsageError(f"expected a plan as a mapping or the path of a file, got {data!r:.60}")
    return read_plan(data, sha256=_fingerprint(data), source=source, line_of=_no_line)


def plan_from_check(check: Mapping[str, Any], *, source: str = "command line", **header: Any) -> Plan:
    """A plan of one check, as the flags of a command give it; `header` holds keys such as confidence_level.

    Raises
    ------
    PlanError
        What is wrong with it; fields are named without the number of the check.

    Examples
    --------
    >>> plan_from_check({"event": "breached", "at_most": "5%"}).name
    'breached at most 5 %'
    """
    try:
        plan = plan_from_mapping({"name": source, **header, "check": [check]}, source=source)
    except PlanError as error:
        mistakes = [PlanMistake(None, m.field.removeprefix("check 1, "), m.message) for m in error.mistakes]
        raise PlanError(source, mistakes) from error
    return plan if "name" in header else plan.model_copy(update={"name": plan.checks[0].name})


def _fingerprint(data: Mapping[str, Any]) -> str:
    """The same for the same plan, in whatever order its keys were given."""
    try:
        content = json.dumps(data, sort_keys=True, default=repr)
    except (TypeError, ValueError):
        # Keys that are no text, or data that hold themselves: reading them will say what is wrong.
        content = repr(data)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file; expected a plan such as surefoot.toml") from None
    except IsADirectoryError:
        raise UsageError(f"{path}: is a folder; expected a plan such as {path / 'surefoot.toml'}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageError(f"{path}: cannot be read: {reason}") from error


def _decoded(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}: line {line} is not text in UTF-8; save the plan as UTF-8") from error


def _parsed(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise PlanError(source, [PlanMistake(None, "TOML", "brackets are nested too deeply")]) from error
    except ValueError as error:
        raise PlanError(source, [_syntax_mistake(str(error), text)]) from error


def _syntax_mistake(message: str, text: str) -> PlanMistake:
    """tomllib says where only inside its message."""
    found = re.search(r"\s*\(at line (\d+), column (\d+)\)", message)
    if found:
        words = message[: found.start()]
        return PlanMistake(int(found[1]), "TOML", f"{words} (character {found[2]})")
    if "at end of document" in message:
        words = message.replace(" (at end of document)", "")
        return PlanMistake(len(text.splitlines()), "TOML", f"{words} (at the end of the file)")
    return PlanMistake(None, "TOML", message)


def _no_line(loc: Loc) -> None:
    return None
