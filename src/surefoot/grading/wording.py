"""Numbers and counts in plain words. Bounds are rounded outward, so that a shown bound is still a bound."""

from __future__ import annotations

import math
from decimal import Decimal

from surefoot.plan.shares import share_text

_MOST_PLACES = 8


def percent(value: float, *, rounded: str = "nearest", digits: int | None = None) -> str:
    """``0.34816`` -> ``"34.82 %"`` (up), ``"34.81 %"`` (down), ``"34.8 %"`` (nearest, for what was seen).

    Small rates get more digits, so that 0.0246 % never shows as 0.0 %, and very small ones an exponent.
    """
    if digits is None:
        digits = 1 if rounded == "nearest" else 2
    return f"{_shown(value * 100, rounded, digits)} %"


def share(value: float, *, rounded: str = "nearest", digits: int = 3) -> str:
    """A number in [0, 1] with a fixed number of digits, rounded as asked."""
    return f"{_rounded(value, rounded, digits):.{digits}f}"


def amount(value: float, *, scores: bool, rounded: str = "nearest") -> str:
    """A rate as a percentage, or (`scores`) the mean of a column as the number it is."""
    if not scores:
        return percent(value, rounded=rounded)
    return _shown(value, rounded, 4)


def limit(value: float, *, scores: bool) -> str:
    """A limit as the plan states it: ``"1 %"``, or ``"0.02"`` for the mean of a column."""
    return f"{value:.10g}" if scores else share_text(value)


def _shown(number: float, rounded: str, digits: int) -> str:
    magnitude = abs(number)
    if magnitude == 0 or magnitude >= 1:
        return f"{_rounded(number, rounded, digits):.{digits}f}"
    places = max(digits, digits - math.floor(math.log10(magnitude)))
    if places <= _MOST_PLACES:
        return f"{_rounded(number, rounded, places):.{places}f}"
    exponent = math.floor(math.log10(magnitude))
    mantissa = _rounded(number / 10.0**exponent, rounded, 1)
    return f"{mantissa:.1f}e{exponent}"


def _rounded(number: float, rounded: str, places: int) -> float:
    scale = 10.0**places
    if rounded == "nearest":
        return round(number * scale) / scale
    # One part in 10^12 of slack: 0.05 * 100 is 5.000000000000001 in floats and must stay 5.
    slack = abs(number * scale) * 1e-12
    whole = math.ceil(number * scale - slack) if rounded == "up" else math.floor(number * scale + slack)
    return whole / scale


def count(number: float, noun: str, plural: str | None = None) -> str:
    """``count(1, "task")`` -> ``"1 task"``; ``count(1200, "task")`` -> ``"1,200 tasks"``."""
    whole = float(number).is_integer()
    # Through int: a float would round a count of 18 digits.
    shown = f"{int(number):,}" if whole else f"{number:,.3g}"
    return f"{shown} {noun if number == 1 else plural or noun + 's'}"


def confidence(confidence_level: float) -> str:
    """``0.95`` -> ``"95 %"``, with all digits of the level: 99.99999999999 % is not 100 %."""
    return f"{(Decimal(repr(float(confidence_level))) * 100).normalize():f} %"
