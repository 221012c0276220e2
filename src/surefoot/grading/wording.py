"""Numbers and counts in plain words. Bounds are rounded outward, so that a shown bound is still a bound."""

from __future__ import annotations

import math

_SMALLEST_SHOWN = 1e-6


def percent(value: float, *, rounded: str = "nearest", digits: int = 1) -> str:
    """``0.34816`` -> ``"34.9 %"`` (up), ``"34.8 %"`` (down or nearest).

    Small rates get more digits, so that 0.0246 % never shows as 0.0 %.
    """
    share = value * 100
    places = _places(share, digits)
    scale = 10.0**places
    if rounded == "nearest":
        scaled = float(round(share * scale))
    else:
        # One part in 10^12 of slack: 0.05 * 100 is 5.000000000000001 in floats and must stay 5.
        slack = abs(share * scale) * 1e-12
        scaled = math.ceil(share * scale - slack) if rounded == "up" else math.floor(share * scale + slack)
    return f"{scaled / scale:.{places}f} %"


def share(value: float, *, rounded: str = "nearest", digits: int = 3) -> str:
    """A number in [0, 1] with a fixed number of digits, rounded as asked."""
    scale = 10.0**digits
    if rounded == "nearest":
        return f"{value:.{digits}f}"
    slack = abs(value * scale) * 1e-12
    scaled = math.ceil(value * scale - slack) if rounded == "up" else math.floor(value * scale + slack)
    return f"{scaled / scale:.{digits}f}"


def count(number: float, noun: str, plural: str | None = None) -> str:
    """``count(1, "task")`` -> ``"1 task"``; ``count(1200, "task")`` -> ``"1,200 tasks"``."""
    shown = f"{number:,.0f}" if float(number).is_integer() else f"{number:,.3g}"
    return f"{shown} {noun if number == 1 else plural or noun + 's'}"


def confidence(confidence_level: float) -> str:
    """``0.95`` -> ``"95 %"``."""
    return f"{confidence_level * 100:.12g} %"


def _places(share: float, digits: int) -> int:
    magnitude = abs(share)
    if magnitude < _SMALLEST_SHOWN or magnitude >= 1:
        return digits
    return max(digits, min(6, digits - math.floor(math.log10(magnitude))))
