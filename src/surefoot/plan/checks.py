"""What a plan can promise: one model a kind of check, each saying which trials it selects and what it counts.

Every kind has `kind`, `side`, `limit`, `where` (which trials), `value` (what is counted of one trial, None for
the passed column) and `value_kind`. Nothing here reads a log or decides a verdict.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, ClassVar, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from surefoot.plan.shares import parse_share, share_text

BoundRule = Literal["guaranteed", "largest-of-three"]
IdenticalOutputs = Literal["keep", "collapse", "refuse"]
RateTarget = Literal["clusters", "fixed-tasks"]
TaskTarget = Literal["fixed-tasks", "task-population"]
Weighting = Literal["question", "cluster"]
Basis = Literal["bound", "estimate"]
Side = Literal["at_most", "at_least"]
ValueKind = Literal["event", "number"]


def _share_inside(value: object) -> float:
    share = parse_share(value, argument="limit")
    if not 0 < share < 1:
        raise ValueError(
            f"expected a limit between 0 and 1, both excluded, such as 0.01 or {'1%'!r}, got {value!r}"
        )
    return share


def _level(value: object) -> float:
    level = parse_share(value, argument="confidence_level")
    if not 0.75 <= level < 1:
        raise ValueError(
            f"expected a confidence level from 0.75 up to but not 1, such as 0.95, got {value!r}"
        )
    return level


def _text(value: str) -> str:
    if not value.strip():
        raise ValueError("expected some text, got an empty one")
    return value


Limit = Annotated[float, BeforeValidator(_share_inside)]
ConfidenceLevel = Annotated[float, BeforeValidator(_level)]
Text = Annotated[
    str, Field(max_length=4_000), BeforeValidator(lambda v: _text(v) if isinstance(v, str) else v)
]


class Strict(BaseModel):
    """Frozen, no unknown keys, no silent conversion of types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Detector(Strict):
    """How good the detector of events is, measured on planted ones: it caught `caught` of `planted`.

    With `in_bound` the bound itself allows for what the detector misses; otherwise it is shown beside.
    """

    caught: Annotated[int, Field(ge=0)]
    planted: Annotated[int, Field(ge=1)]
    in_bound: bool = False

    @model_validator(mode="after")
    def _no_more_than_planted(self) -> Detector:
        if self.caught > self.planted:
            raise ValueError(f"caught {self.caught} of {self.planted} planted; expected no more than planted")
        return self


class Check(Strict):
    """What all kinds of checks have in common.

    Parameters
    ----------
    name
        How reports call the check; made from the check itself where none is given.
    where
        SQL condition that selects trials by what was so before they ran; None selects all.
    cluster
        The column tasks share a cause by, or several joined: ``"suite+injection_task"``. None: each task is
        its own cluster.
    confidence_level
        Instead of the plan's.
    identical_outputs
        Instead of the plan's.
    """

    kind: ClassVar[str]
    side: ClassVar[Side]
    value_kind: ClassVar[ValueKind] = "event"

    name: Annotated[str, Field(max_length=200)] = ""
    where: Text | None = None
    cluster: Text | None = None
    confidence_level: ConfidenceLevel | None = None
    identical_outputs: IdenticalOutputs | None = None

    @property
    def limit(self) -> float | None:
        """The limit the check promises, as a share; None for a plain rule."""
        return None

    @property
    def value(self) -> str | None:
        """SQL of what is counted of one trial; None stands for the passed column."""
        return None

    @property
    def cluster_parts(self) -> tuple[str, ...]:
        """The columns that make a cluster: ``"a+b"`` -> ``("a", "b")``; empty where none is named."""
        return () if self.cluster is None else tuple(part.strip() for part in self.cluster.split("+"))

    @property
    def in_words(self) -> str:
        """The check in plain words: its name where none is given."""
        return "check"

    @classmethod
    def pairing_mistake(cls, keys: Collection[str]) -> tuple[str, str] | None:
        """Do the keys of a check go together? The key at fault and what is wrong with it, or None."""
        return None

    @model_validator(mode="after")
    def _paired(self) -> Check:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        mistake = self.pairing_mistake(given)
        if mistake is not None:
            raise ValueError(mistake[1])
        return self

    @field_validator("name")
    @classmethod
    def _one_line(cls, name: str) -> str:
        if not name.strip() or not name.isprintable():
            raise ValueError("expected a name in one line of visible characters")
        return name

    @field_validator("cluster")
    @classmethod
    def _whole_parts(cls, cluster: str | None) -> str | None:
        if cluster is not None:
            parts = [part.strip().lower() for part in cluster.split("+")]
            if "" in parts or len(set(parts)) < len(parts):
                raise ValueError(f"expected column names joined by +, each once, got {cluster!r}")
        return cluster

    @model_validator(mode="after")
    def _named(self) -> Check:
        if not self.name:
            chosen = f", where {self.where}" if self.where else ""
            # A frozen model fills in its own default once, before anyone else sees it.
            object.__setattr__(self, "name", _shortened(" ".join((self.in_words + chosen).split())))
        return self


class BoundedCheck(Check):
    """A check graded on a bound over clusters.

    Parameters
    ----------
    target
        ``"clusters"``: a claim about clusters like these. ``"fixed-tasks"``: about these tasks only.
    weighting
        ``"question"``: a cluster counts by its number of tasks. ``"cluster"``: each cluster counts once.
    bound
        Instead of the plan's.
    """

    target: RateTarget = "clusters"
    weighting: Weighting = "question"
    bound: BoundRule | None = None

    @model_validator(mode="after")
    def _weighting_fits_target(self) -> BoundedCheck:
        if self.target == "fixed-tasks" and self.weighting == "cluster":
            raise ValueError(
                'weighting = "cluster" is a claim about clusters; it cannot go with target = "fixed-tasks"'
            )
        return self


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
    def side(self) -> Side:  # type: ignore[override]
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
        return f"{self.value} {_side_words(self.side)} {share_text(self.limit)}"

    @classmethod
    def pairing_mistake(cls, keys: Collection[str]) -> tuple[str, str] | None:
        if ("event" in keys) == ("success" in keys):
            return "event", "a rate check counts one of event and success"
        if "event" in keys:
            counted, wanted, other, turned = "event", "at_most", "at_least", "success"
        else:
            counted, wanted, other, turned = "success", "at_least", "at_most", "event"
        if other in keys:
            words = _side_words(other)
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
    def side(self) -> Side:  # type: ignore[override]
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
        return f"mean of {self.mean} {_side_words(self.side)} {self.limit:.10g}"

    @classmethod
    def pairing_mistake(cls, keys: Collection[str]) -> tuple[str, str] | None:
        if ("at_most" in keys) == ("at_least" in keys):
            return "at_most", "a mean check needs one limit: at_most or at_least, such as at_most = 0.02"
        return None


class ForbidCheck(BoundedCheck):
    """A plain rule: one event seen is a FAIL. The bound on its rate stands beside."""

    kind: ClassVar[str] = "forbid"
    side: ClassVar[Side] = "at_most"

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
    side: ClassVar[Side] = "at_least"

    pass_hat: Annotated[int, Field(ge=1, le=1_000)]
    at_least: Limit
    target: TaskTarget = "fixed-tasks"
    basis: Basis = "bound"

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
    side: ClassVar[Side] = "at_most"

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


def _side_words(side: str) -> str:
    return side.replace("_", " ")


def _shortened(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "..."
