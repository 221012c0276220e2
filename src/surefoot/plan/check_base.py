"""What all kinds of checks have in common, and the words their keys are made of."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from surefoot.plan.shares import parse_share

BoundRule = Literal["guaranteed", "largest-of-three"]
IdenticalOutputs = Literal["keep", "collapse", "refuse"]
RateTarget = Literal["clusters", "fixed-tasks"]
Weighting = Literal["question", "cluster"]
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

    kind: ClassVar[str] = "check"
    value_kind: ClassVar[ValueKind] = "event"

    name: Annotated[str, Field(max_length=200)] = ""
    where: Text | None = None
    cluster: Text | None = None
    confidence_level: ConfidenceLevel | None = None
    identical_outputs: IdenticalOutputs | None = None

    @property
    def side(self) -> Side:
        """Which side of the limit is good."""
        return "at_most"

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
        return self.kind

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


def _shortened(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "..."
