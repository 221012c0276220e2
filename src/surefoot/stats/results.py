"""What the functions of this package return: frozen, carrying their inputs, side and method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from surefoot.errors import ArgumentError

Side = Literal["lower", "upper"]

LOWEST_CONFIDENCE_LEVEL = 0.75


@dataclass(frozen=True)
class Bound:
    """One-sided confidence bound: the true value lies on the other side of it in at most ``1 - confidence_level`` of reviews."""

    value: float
    side: Side
    confidence_level: float
    method: str
    inputs: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        words = "at most" if self.side == "upper" else "at least"
        return f"{words} {self.value:.6g} with {self.confidence_level * 100:g} % confidence ({self.method})"

    def to_dict(self) -> dict[str, Any]:
        return {
            "value": self.value,
            "side": self.side,
            "confidence_level": self.confidence_level,
            "method": self.method,
            "inputs": dict(self.inputs),
        }


@dataclass(frozen=True)
class Interval:
    """Two-sided confidence interval: each end errs in at most half of ``1 - confidence_level``."""

    low: float
    high: float
    confidence_level: float
    method: str
    inputs: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return (
            f"[{self.low:.6g}, {self.high:.6g}] with {self.confidence_level * 100:g} % confidence "
            f"({self.method})"
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "low": self.low,
            "high": self.high,
            "confidence_level": self.confidence_level,
            "method": self.method,
            "inputs": dict(self.inputs),
        }


@dataclass(frozen=True)
class Estimate:
    """A point estimate; ``value`` is None where the data allow none (never 0 or 1 for lack of data)."""

    value: float | None
    method: str
    inputs: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        shown = "not measured" if self.value is None else f"{self.value:.6g}"
        return f"{shown} ({self.method})"

    def to_dict(self) -> dict[str, Any]:
        return {"value": self.value, "method": self.method, "inputs": dict(self.inputs)}


def error_budget(confidence_level: float) -> float:
    """How often may the bound be wrong? One minus the *decimal literal* of the confidence level.

    ``1 - 0.95`` in floats is ``0.050000000000000044``; the budget of 95 % is ``0.05``.

    Raises
    ------
    ArgumentError
        `confidence_level` is not a number in [0.75, 1).
    """
    if (
        isinstance(confidence_level, bool)
        or not isinstance(confidence_level, (int, float))
        or not LOWEST_CONFIDENCE_LEVEL <= confidence_level < 1
    ):
        raise ArgumentError(
            "confidence_level",
            expected=f"a number in [{LOWEST_CONFIDENCE_LEVEL}, 1), such as 0.95",
            got=confidence_level,
        )
    return float(1 - Decimal(repr(float(confidence_level))))
