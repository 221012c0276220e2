"""The three verdicts of a check, why one is open, and what one check's grade holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """What the evidence says of a limit. Worst wins: FAIL, then INCONCLUSIVE, then PASS."""

    PASS = "PASS"
    INCONCLUSIVE = "INCONCLUSIVE"
    FAIL = "FAIL"


_EXIT_STATUS = {Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.INCONCLUSIVE: 3}
_SEVERITY = {Verdict.PASS: 0, Verdict.INCONCLUSIVE: 1, Verdict.FAIL: 2}


def exit_status(verdict: Verdict | None) -> int:
    """The exit status of a verdict; a description (None) is 0."""
    return 0 if verdict is None else _EXIT_STATUS[verdict]


def worst(verdicts: Iterable[Verdict | None]) -> Verdict | None:
    """The worst of several verdicts; None where there is none at all."""
    given = [verdict for verdict in verdicts if verdict is not None]
    return max(given, key=_SEVERITY.__getitem__) if given else None


class ReasonCode(StrEnum):
    """Why a check ended as it did; stable names, part of the JSON interface."""

    PROVED = "proved"
    BROKEN = "broken"
    TOO_FEW = "too_few"
    CANNOT_PASS = "cannot_pass"
    EVENTS_SEEN = "events_seen"
    UNSCORED_DECIDE = "unscored_decide"
    INTERIM = "interim"


@dataclass(frozen=True)
class CheckGrade:
    """What one check came to. Each kind of check adds its own numbers in ``details``.

    ``next_steps`` holds at most three steps, each a plain sentence or a command to type.
    """

    name: str
    kind: str
    side: str
    limit: float | None
    confidence_level: float
    verdict: Verdict
    reason_code: ReasonCode
    reason: str
    trials: int
    scored: int
    unscored: int
    next_steps: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def unscored_keep_it_open(self) -> bool:
        """Do missing verdicts keep the check from being decided: because they could decide, or because none is there?"""
        nothing_seen = self.scored == 0 or (self.reason_code is ReasonCode.TOO_FEW and self.unscored > 0)
        return nothing_seen or self.reason_code is ReasonCode.UNSCORED_DECIDE

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "side": self.side,
            "limit": self.limit,
            "confidence_level": self.confidence_level,
            "verdict": str(self.verdict),
            "reason_code": str(self.reason_code),
            "reason": self.reason,
            "next": list(self.next_steps),
            "trials": self.trials,
            "scored": self.scored,
            "unscored": self.unscored,
            **self.details,
        }
