"""Text for a terminal: visible, fitted, wrapped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from surefoot.report.text import fitted, visible, wrapped

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.text(
    "ab 任务é\u0301\u200b", max_size=40
)


@given(TEXT)
def test_what_is_visible_is_printable_and_printable_text_is_left_alone(text):
    assert visible(text).isprintable()
    if text.isprintable():
        assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [("\x1b", "\\x1b"), ("\u202e", "\\u202e"), ("\U000e0001", "\\U000e0001"), ("\n", "\\x0a")],
)
def test_what_is_not_printable_is_written_out(text, shown):
    assert visible(text) == shown


@given(TEXT, st.integers(1, 30), st.booleans())
def test_fitted_text_fills_its_cells_exactly(text, width, right):
    assert cell_len(fitted(text, width, right=right)) == width


@given(TEXT, st.integers(20, 60), st.sampled_from(["", "  ", "  Next  "]))
def test_wrapped_lines_fit_and_lose_no_word(text, width, first):
    lines = wrapped(text, width, first=first, rest=" " * len(first))
    assert all(cell_len(line) <= width for line in lines)
    kept = "".join(lines).replace(" ", "")
    assert kept == (first + visible(text)).replace(" ", "")


def test_a_number_stays_beside_its_percent_sign():
    lines = wrapped("the rate is 99.5 % and so on", 16)
    assert any("99.5 %" in line for line in lines)
