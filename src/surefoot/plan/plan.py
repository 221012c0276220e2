"""A plan: what is promised, of which system, on which tasks, repeated how often. Frozen once loaded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SerializeAsAny

from surefoot.plan.check_base import (
    BoundRule,
    Check,
    ConfidenceLevel,
    IdenticalOutputs,
    Strict,
    Text,
)
from surefoot.plan.shares import parse_share
from surefoot.plan.system import System

OnInconclusive = Literal["block", "warn"]


def _unscored_share(value: object) -> float:
    share = parse_share(value, argument="max_unscored")
    if not 0 <= share < 1:
        raise ValueError(f'expected a share from 0 up to but not 1, such as "5%", got {value!r}')
    return share


RepeatCount = Annotated[int, Field(ge=1, le=100_000)]


class Tasks(Strict):
    """Where the tasks are: a file of JSON lines, relative to the plan's folder."""

    file: Text


class Repeats(Strict):
    """How often each task runs."""

    default: RepeatCount = 1
    by_tag: dict[str, RepeatCount] = Field(default_factory=dict)

    def of(self, tags: Iterable[str]) -> int:
        """How often does a task with these tags run? The largest number of its tags, or the default."""
        return max((self.by_tag[tag] for tag in tags if tag in self.by_tag), default=self.default)


class Factor(Strict):
    """One setting to switch off and on, to learn whether it makes the system flaky."""

    name: Text
    setting: Text
    off: Any
    on: Any
    source: Literal["sampling", "tool", "concurrency", "environment"]


class Plan(Strict):
    """What was promised before the trials.

    Parameters
    ----------
    name
        How reports call the release.
    confidence_level
        How often each bound is right, in [0.75, 1).
    bound
        The bound that grades: ``"guaranteed"``, or ``"largest-of-three"`` (the published rule).
    max_unscored
        An extra gate: the largest share of unscored trials; None for no such gate.
    on_inconclusive
        ``"block"``: exit status 3. ``"warn"``: 0, said everywhere.
    identical_outputs
        What to do with equal outputs of a task's trials that may come from a cache.
    system
        None for a plan that grades logs.
    sha256
        Fingerprint of the file's bytes.
    source
        The file, or where else the plan came from.
    """

    name: Text
    confidence_level: ConfidenceLevel = 0.95
    bound: BoundRule = "guaranteed"
    max_unscored: Annotated[float, BeforeValidator(_unscored_share)] | None = None
    on_inconclusive: OnInconclusive = "block"
    identical_outputs: IdenticalOutputs = "keep"
    system: SerializeAsAny[System] | None = None
    tasks: Tasks | None = None
    repeats: Repeats | None = None
    checks: tuple[SerializeAsAny[Check], ...] = ()
    factors: tuple[Factor, ...] = ()
    sha256: str
    source: str

    def confidence_level_of(self, check: Check) -> float:
        """The confidence level that grades `check`."""
        return self.confidence_level if check.confidence_level is None else check.confidence_level

    def bound_of(self, check: Check) -> BoundRule:
        """The bound that grades `check`."""
        own: BoundRule | None = getattr(check, "bound", None)
        return self.bound if own is None else own

    def identical_outputs_of(self, check: Check) -> IdenticalOutputs:
        """What `check` does with equal outputs."""
        return self.identical_outputs if check.identical_outputs is None else check.identical_outputs
