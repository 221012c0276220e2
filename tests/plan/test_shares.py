from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.errors import ArgumentError
from surefoot.plan.shares import parse_share, share_text


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1%", 0.01),
        ("1 %", 0.01),
        (" 1% ", 0.01),
        ("0.01", 0.01),
        (0.01, 0.01),
        ("0.1%", 0.001),
        ("12.5%", 0.125),
        ("7%", 0.07),
        ("29%", 0.29),
        ("100%", 1.0),
        (1, 1.0),
        (0, 0.0),
        ("1e-3", 0.001),
    ],
)
def test_a_share_is_the_float_nearest_to_the_decimal_as_written(written: object, number: float) -> None:
    assert parse_share(written) == number


@pytest.mark.parametrize(
    "written",
    [
        "",
        "%",
        "one",
        "1,5%",
        "1%%",
        "nan",
        "inf",
        "nan%",
        True,
        None,
        float("nan"),
        float("inf"),
        "1_0%",
        [1],
        "1" * 50,
    ],
)
def test_what_is_no_share_is_an_error_that_names_the_argument(written: object) -> None:
    with pytest.raises(ArgumentError, match=r"^at-most: expected a share such as"):
        parse_share(written, argument="at-most")


@given(st.decimals(min_value=0, max_value=100, places=6))
def test_percent_and_share_agree_whatever_the_digits(percent: object) -> None:
    text = f"{percent:f}"
    assert parse_share(f"{text}%") == float(f"{text}e-2")


@given(st.floats(min_value=1e-9, max_value=1, exclude_min=True))
def test_a_share_survives_being_written_and_read(share: float) -> None:
    text = share_text(share)
    assert parse_share(text) == share
    assert text.endswith(" %")
