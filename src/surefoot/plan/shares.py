"""Shares of a whole as people write them: ``1%``, ``"1 %"`` and ``0.01`` are the same number."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Final

from surefoot.errors import ArgumentError

_EXPECTED: Final = 'a share such as "1%" or 0.01'
_LONGEST: Final = 40


def parse_share(value: object, *, argument: str = "share") -> float:
    """Which number does ``"1%"`` or ``0.01`` mean? The nearest float of the decimal as it was written.

    Parameters
    ----------
    value
        Text with or without a percent sign, or a number. Any finite value is accepted: whether it may be 0,
        1 or negative is for the caller to say.
    argument
        What the error calls the value.

    Raises
    ------
    ArgumentError
        Not a number, not finite, or a comma where a point belongs.

    Examples
    --------
    >>> parse_share("1%"), parse_share("1 %"), parse_share(0.01)
    (0.01, 0.01, 0.01)
    """
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ArgumentError(argument, expected=_EXPECTED, got=value)
    text = value.strip() if isinstance(value, str) else repr(value)
    number = _decimal(text.removesuffix("%").rstrip()) if len(text) <= _LONGEST else None
    if number is None:
        raise ArgumentError(argument, expected=_EXPECTED, got=value)
    return float(number.scaleb(-2) if text.endswith("%") else number)


def share_text(share: float) -> str:
    """A share as the plan states it: ``0.05`` -> ``"5 %"``, ``0.125`` -> ``"12.5 %"``.

    Examples
    --------
    >>> share_text(0.05), share_text(0.001)
    ('5 %', '0.1 %')
    """
    percent = Decimal(repr(share)).scaleb(2).normalize()
    return f"{percent:f} %"


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and "_" not in text else None
