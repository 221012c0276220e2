"""What the functions of this package return: frozen, carrying their inputs, side and method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, Literal

from surefoot.errors import ArgumentError

Side = Literal["lower", "upper"]

LOWEST_CONFIDENCE_LEVEL = 0.75
"""Below three in four nobody speaks of confidence, and the proofs for unequal rates are not claimed."""

_SHOWN_DIGITS = 6


@dataclass(frozen=True)
class Bound:
    """One-sided confidence bound: the true value lies beyond it in at most ``1 - confidence_level`` of reviews.

    Attributes
    ----------
    value
        The bound, in full precision. As text it is rounded outward, so that what is read is still true.
    side
        ``"upper"``: the true value is at most this; ``"lower"``: at least this.
    confidence_level
        In [0.75, 1), one-sided.
    method
        The name of the bound.
    inputs
        What it was computed from.
    """

    value: float
    side: Side
    confidence_level: float
    method: str
    inputs: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        words = "at most" if self.side == "upper" else "at least"
        value = rounded_outward(self.value, self.side)
        return f"{words} {value} with {confidence_text(self.confidence_level)} confidence ({self.method})"

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
    """Two-sided confidence interval: each end errs in at most half of ``1 - confidence_level`` of reviews.

    Attributes
    ----------
    low, high
        The ends, in full precision. As text they are rounded outward.
    confidence_level, method, inputs
        As in :class:`Bound`.
    """

    low: float
    high: float
    confidence_level: float
    method: str
    inputs: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        low, high = rounded_outward(self.low, "lower"), rounded_outward(self.high, "upper")
        return f"[{low}, {high}] with {confidence_text(self.confidence_level)} confidence ({self.method})"

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
    """A point estimate.

    Attributes
    ----------
    value
        None where the data allow no estimate: neither 0 nor 1 stands in for lack of data.
    method
        The name of the estimate.
    inputs
        What it was computed from.
    """

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


def rounded_outward(value: float, side: Side) -> str:
    """A bound in a few digits, so that what is read is still a bound."""
    rounding = ROUND_CEILING if side == "upper" else ROUND_FLOOR
    shown = Context(prec=_SHOWN_DIGITS, rounding=rounding).create_decimal(repr(float(value)))
    return f"{float(shown):.{_SHOWN_DIGITS}g}"


def confidence_text(confidence_level: float) -> str:
    """All digits of the level: 99.9999 % is not 100 %."""
    return f"{(Decimal(repr(float(confidence_level))) * 100).normalize():f} %"
