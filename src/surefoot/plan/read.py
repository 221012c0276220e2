"""From plain data to a Plan, or to every mistake in it at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from surefoot import plugins
from surefoot.errors import PlanError, PlanMistake
from surefoot.plan.checks import KIND_KEYS, Check
from surefoot.plan.mistakes import Fault, faults_of, shown, unknown_key
from surefoot.plan.plan import Factor, Plan, Repeats, Tasks
from surefoot.plan.rules import Draft, draft_of, rule_faults
from surefoot.plan.system import ADAPTERS, PluginSystem, System
from surefoot.plan.toml_lines import Loc

M = TypeVar("M", bound=BaseModel)
LineOf = Callable[[Loc], int | None]

_HEADER_KEYS: Final = (
    "name",
    "confidence_level",
    "bound",
    "max_unscored",
    "on_inconclusive",
    "identical_outputs",
)
_TABLES: Final[Mapping[str, type[BaseModel]]] = {"tasks": Tasks, "repeats": Repeats}
_KNOWN_KEYS: Final = (*_HEADER_KEYS, *_TABLES, "system", "check", "factor")


def read_plan(data: Mapping[str, Any], *, sha256: str, source: str, line_of: LineOf) -> Plan:
    """The plan that `data` (shaped as surefoot.toml) describes.

    Raises
    ------
    PlanError
        Everything that is wrong with it, each with its line.
    """
    reader = _Reader()
    parts = reader.parts(data)
    try:
        plan = Plan(**parts, sha256=sha256, source=source)
    except ValidationError as error:
        reader.faults += faults_of(error, Plan, ())
    if reader.faults:
        unique = dict.fromkeys(reader.faults)
        raise PlanError(source, [PlanMistake(line_of(f.loc), f.field, f.message) for f in unique])
    return plan


class _Reader:
    """Reads the parts one by one and keeps the faults, so that one bad part does not hide another."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def parts(self, data: Mapping[str, Any]) -> dict[str, Any]:
        for key in data:
            if key not in _KNOWN_KEYS:
                self._fault((str(key),), unknown_key(str(key), _KNOWN_KEYS))
        parts: dict[str, Any] = {key: data[key] for key in _HEADER_KEYS if key in data}
        for key, model in _TABLES.items():
            if key in data:
                parts[key] = self._read(model, data[key], (key,))
        if "system" in data:
            parts["system"] = self._system(data["system"])
            if "tasks" not in data:
                self._fault(
                    ("system",), 'a plan that runs a system needs its tasks: [tasks] file = "tasks.jsonl"'
                )
        checks, drafts = self._checks(data.get("check", []))
        self.faults += rule_faults(drafts, self._planned_repeats(parts))
        return {**parts, "checks": checks, "factors": self._factors(data.get("factor", []))}

    def _planned_repeats(self, parts: Mapping[str, Any]) -> Repeats | None:
        """What is known of the repeats: a plan that grades logs leaves them to the logs."""
        if "repeats" in parts:
            repeats = parts["repeats"]
            return repeats if isinstance(repeats, Repeats) else None
        return Repeats() if "system" in parts else None

    def _checks(self, given: Any) -> tuple[tuple[Check, ...], list[Draft]]:
        checks, drafts = [], []
        for index, raw in self._tables(given, "check"):
            check = raw if isinstance(raw, Check) else self._check(raw, ("check", index))
            drafts.append(draft_of(index, raw, check))
            if check is not None:
                checks.append(check)
        return tuple(checks), drafts

    def _check(self, raw: Mapping[str, Any], loc: Loc) -> Check | None:
        kinds = [key for key in raw if key in KIND_KEYS]
        if len(kinds) == 1:
            return self._one_check(KIND_KEYS[kinds[0]], raw, loc)
        if kinds:
            words = " and ".join(kinds)
            self._fault((*loc, kinds[1]), f"two kinds in one check: {words}; write a [[check]] for each")
        else:
            self._fault(loc, f"a check needs one of {', '.join(KIND_KEYS)}")
            known = {name for model in KIND_KEYS.values() for name in model.model_fields}
            for key in raw:
                if key not in known:
                    self._fault((*loc, str(key)), unknown_key(str(key), known))
        # Of which kind it is cannot be told; what all kinds share can still be checked.
        self._read(Check, {key: raw[key] for key in raw if key in Check.model_fields}, loc)
        return None

    def _one_check(self, model: type[Check], raw: Mapping[str, Any], loc: Loc) -> Check | None:
        pairing = model.pairing_mistake(raw)
        misspelt = [key for key in raw if key not in model.model_fields]
        if pairing is not None and (pairing[0] in raw or not misspelt):
            self._fault((*loc, pairing[0]), pairing[1])
        known_faults = {fault.message for fault in self.faults}
        before = len(self.faults)
        check = self._read(model, raw, loc)
        # The model repeats what was said of the pairing, at a less exact place.
        self.faults[before:] = [
            f for f in self.faults[before:] if f.loc != loc or f.message not in known_faults
        ]
        return check

    def _factors(self, given: Any) -> tuple[Any, ...]:
        read = [
            (index, self._read(Factor, raw, ("factor", index)))
            for index, raw in self._tables(given, "factor")
        ]
        first: dict[str, int] = {}
        for index, factor in read:
            if isinstance(factor, Factor) and first.setdefault(factor.name, index) != index:
                self._fault(("factor", index, "name"), f"is also the name of factor {first[factor.name] + 1}")
            if isinstance(factor, Factor) and factor.off == factor.on:
                self._fault(("factor", index, "on"), "is the same as off, so there is nothing to compare")
        return tuple(factor for _, factor in read if factor is not None)

    def _system(self, raw: Any) -> BaseModel | None:
        adapter = raw.get("adapter") if isinstance(raw, Mapping) else None
        model = ADAPTERS.get(adapter, System) if isinstance(adapter, str) else System
        if isinstance(adapter, str) and adapter not in ADAPTERS:
            outside = [name for name in plugins.names("surefoot.adapters") if name not in ADAPTERS]
            if adapter not in outside:
                known = ", ".join(shown(name) for name in (*ADAPTERS, *outside))
                self._fault(("system", "adapter"), f"expected one of {known}, got {shown(adapter)}")
            model = PluginSystem
        return self._read(model, raw, ("system",))

    def _tables(self, given: Any, key: str) -> list[tuple[int, Any]]:
        if not isinstance(given, list | tuple):
            self._fault((key,), f"expected tables that begin with [[{key}]], got {shown(given)}")
            return []
        for index, raw in enumerate(given):
            if not isinstance(raw, Mapping | Check):
                self._fault((key, index), f"expected a table of keys and values, got {shown(raw)}")
        return [(index, raw) for index, raw in enumerate(given) if isinstance(raw, Mapping | Check)]

    def _read(self, model: type[M], raw: Any, loc: Loc) -> M | None:
        try:
            return model.model_validate(dict(raw) if isinstance(raw, Mapping) else raw)
        except ValidationError as error:
            self.faults += faults_of(error, model, loc)
            return None

    def _fault(self, loc: Loc, message: str) -> None:
        self.faults.append(Fault(loc, message))
