"""What a model refuses, said in plain words: where, what was expected, what came."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, get_args

from surefoot.errors import ArgumentError
from surefoot.plan.toml_lines import Loc

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails


@dataclass(frozen=True)
class Fault:
    """One mistake at its place in the data; its line is looked up at the end."""

    loc: Loc
    message: str

    @property
    def field(self) -> str:
        """The place in words: ``check 2, at_most`` or ``system.time_limit``."""
        if len(self.loc) > 1 and isinstance(self.loc[1], int):
            rest = ".".join(str(part) for part in self.loc[2:])
            return f"{self.loc[0]} {self.loc[1] + 1}" + (f", {rest}" if rest else "")
        return ".".join(str(part) for part in self.loc) or "plan"


def faults_of(error: ValidationError, model: type[BaseModel], loc: Loc) -> list[Fault]:
    """The faults of data at `loc` that `model` refused."""
    return [Fault((*loc, *_plain(detail["loc"])), _message(detail, model)) for detail in error.errors()]


def unknown_key(key: str, known: Iterable[str]) -> str:
    """What to say about a key that nothing reads."""
    names = sorted(known)
    close = get_close_matches(key, names, n=1, cutoff=0.6)
    hint = f"did you mean {close[0]}?" if close else f"known here: {', '.join(names)}"
    return f"unknown key; {hint}"


def shown(value: object) -> str:
    """A value as the file writes it, shortened."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _plain(loc: Loc) -> Loc:
    # pydantic marks the key of a mapping, where the key itself is wrong, with "[key]".
    return tuple(part for part in loc if part != "[key]")


def _message(detail: ErrorDetails, model: type[BaseModel]) -> str:
    kind, got = detail["type"], shown(detail["input"])
    context: Mapping[str, Any] = detail.get("ctx") or {}
    if kind == "extra_forbidden":
        owner = _model_at(model, detail["loc"][:-1])
        return unknown_key(str(detail["loc"][-1]), owner.model_fields)
    if kind == "missing":
        return "this key is missing"
    if kind == "value_error":
        return _of_value_error(context["error"])
    if kind == "literal_error":
        close = get_close_matches(str(detail["input"]), str(context["expected"]).split("'")[1::2], n=1)
        hint = f"; did you mean {shown(close[0])}?" if close else ""
        return f"expected {str(context['expected']).replace(chr(39), chr(34))}, got {got}{hint}"
    if kind in _EXPECTED:
        return f"expected {_EXPECTED[kind]}, got {got}"
    limits = {"greater_than_equal": ("at least", "ge"), "less_than_equal": ("at most", "le")}
    if kind in limits:
        words, name = limits[kind]
        return f"expected {words} {context[name]}, got {got}"
    return f"{detail['msg'][0].lower()}{detail['msg'][1:]}, got {got}"


_EXPECTED = {
    "string_type": "text in quotes",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "dict_type": "a table of keys and values",
    "model_type": "a table of keys and values",
    "model_attributes_type": "a table of keys and values",
    "tuple_type": "a list in [...]",
    "list_type": "a list in [...]",
    "too_short": "at least one entry",
}


def _of_value_error(error: object) -> str:
    if isinstance(error, ArgumentError):
        return f"expected {error.expected}, got {shown(error.got)}"
    return str(error)


def _model_at(model: type[BaseModel], loc: Loc) -> type[BaseModel]:
    """The model that reads the table at `loc` inside `model`."""
    from pydantic import BaseModel

    for part in loc:
        field = model.model_fields.get(str(part))
        if field is None:
            continue
        inner = [t for t in (field.annotation, *get_args(field.annotation)) if _is_model(t, BaseModel)]
        model = inner[0] if inner else model
    return model


def _is_model(candidate: object, base: type) -> bool:
    return isinstance(candidate, type) and issubclass(candidate, base)
