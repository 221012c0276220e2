"""What a plan can promise: one model a kind of check, each saying which trials it selects and what it counts.

Every kind has `kind`, `side`, `limit`, `where` (which trials), `value` (what is counted of one trial, None for
the passed column) and `value_kind`. Nothing here reads a log or decides a verdict.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from surefoot.plan.check_base import BoundedCheck, Check, Detector, Limit, Side, Text, ValueKind
from surefoot.plan.shares import share_text

__all__ = [
    "KIND_KEYS",
    "BoundedCheck",
    "Check",
    "Detector",
    "FlakinessCheck",
    "ForbidCheck",
    "MeanCheck",
    "PassHatCheck",
    "RateCheck",
]

TaskTarget = Literal["fixed-tasks", "task-population"]
Basis = Literal["bound", "estimate"]


class RateCheck(BoundedCheck):
    """The rate of harms stays at most, or of successes at least, at a limit.

    `event` goes with `at_most`, `success` with `at_least`: so that an unscored trial, counted at the bad end,
    is a harm in the one and not a success in the other, and nobody has to work out which end is bad.
    """

    kind: ClassVar[str] = "rate"

    event: Text | None = None
    success: Text | None = None
    at_most: Limit | None = None
    at_least: Limit | None = None
    detector: Detector | None = None

    @property
    def side(self) -> Side:
        return "at_most" if self.event is not None else "at_least"

    @property
    def limit(self) -> float:
        limit = self.at_most if self.event is not None else self.at_least
        assert limit is not None
        return limit

    @property
    def value(self) -> str:
        value = self.event if self.event is not None else self.success
        assert value is not None
        return value

    @property
    def in_words(self) -> str:
        return f"{self.value} {self.side.replace('_', ' ')} {share_text(self.limit)}"

    @classmethod
    def pairing_mistake(cls, keys: Collection[str]) -> tuple[str, str] | None:
        if ("event" in keys) == ("success" in keys):
            return "event", "a rate check counts one of event and success"
        if "event" in keys:
            counted, wanted, other, turned = "event", "at_most", "at_least", "success"
        else:
            counted, wanted, other, turned = "success", "at_least", "at_most", "event"
        if other in keys:
            words = other.replace("_", " ")
            return other, (
                f"{counted} goes with {wanted}; for a rate that should be {words} a limit write {turned} = ..."
            )
        if wanted not in keys:
            return wanted, f"{counted} needs its limit, such as {wanted} = {_EXAMPLE_LIMITS[wanted]}"
        if counted == "success" and "detector" in keys:
            return (
                "detector",
                "a detector belongs to an event check: it says how many planted events were caught",
            )
        return None


class MeanCheck(BoundedCheck):
    """The mean of a column in [0, 1] stays at most, or at least, at a limit."""

    kind: ClassVar[str] = "mean"
    value_kind: ClassVar[ValueKind] = "number"

    mean: Text
    at_most: Limit | None = None
    at_least: Limit | None = None

    @property
    def side(self) -> Side:
        return "at_most" if self.at_most is not None else "at_least"

    @property
    def limit(self) -> float:
        limit = self.at_most if self.at_most is not None else self.at_least
        assert limit is not None
        return limit

    @property
    def value(self) -> str:
        return self.mean

    @property
    def in_words(self) -> str:
        return f"mean of {self.mean} {self.side.replace('_', ' ')} {self.limit:.10g}"

    @classmethod
    def pairing_mistake(cls, keys: Collection[str]) -> tuple[str, str] | None:
        if ("at_most" in keys) == ("at_least" in keys):
            return "at_most", "a mean check needs one limit: at_most or at_least, such as at_most = 0.02"
        return None


class ForbidCheck(BoundedCheck):
    """A plain rule: one event seen is a FAIL. The bound on its rate stands beside."""

    kind: ClassVar[str] = "forbid"

    forbid: Text

    @property
    def value(self) -> str:
        return self.forbid

    @property
    def in_words(self) -> str:
        return f"never {self.forbid}"


class PassHatCheck(Check):
    """How likely `pass_hat` tries of a task in a row all pass, on the mean over the tasks: at least a limit."""

    kind: ClassVar[str] = "pass_hat"

    pass_hat: Annotated[int, Field(ge=1, le=1_000)]
    at_least: Limit
    target: TaskTarget = "fixed-tasks"
    basis: Basis = "bound"

    @property
    def side(self) -> Side:
        return "at_least"

    @property
    def k(self) -> int:
        """How many tries in a row."""
        return self.pass_hat

    @property
    def limit(self) -> float:
        return self.at_least

    @property
    def in_words(self) -> str:
        return f"pass^{self.pass_hat} at least {share_text(self.at_least)}"


class FlakinessCheck(Check):
    """No task goes both ways more than a cap: flakiness is 0 for always-the-same and 1 for half and half."""

    kind: ClassVar[str] = "flakiness"

    flakiness_at_most: Limit
    basis: Basis = "estimate"

    @property
    def limit(self) -> float:
        return self.flakiness_at_most

    @property
    def in_words(self) -> str:
        return f"flakiness at most {self.flakiness_at_most:.10g}"


KIND_KEYS: Final[dict[str, type[Check]]] = {
    "event": RateCheck,
    "success": RateCheck,
    "mean": MeanCheck,
    "forbid": ForbidCheck,
    "pass_hat": PassHatCheck,
    "flakiness_at_most": FlakinessCheck,
}
"""The key that makes a check what it is -> its model."""

_EXAMPLE_LIMITS: Final = {"at_most": '"1%"', "at_least": '"90%"'}
