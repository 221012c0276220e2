"""Text for a terminal: hostile ids made visible, wide characters lined up, paragraphs wrapped."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.style import Style
from rich.text import Text

_JOIN = "\N{NO-BREAK SPACE}"
_KEPT_TOGETHER = re.compile(r"(?<=\d) (?=%)|(?<=exit) (?=\d)")
"""Spaces at which no line is broken: ``95 %``, ``exit 3``."""

NARROWEST = 40
WIDEST = 100
_LONGEST_WORD = 4096
"""An id may be a megabyte long: in a paragraph its beginning is enough (JSON has it whole)."""


@dataclass(frozen=True)
class Glyphs:
    """What bars and scales are drawn with."""

    bar: str
    line: str
    seen: str
    limit: str
    bound: str


PLAIN = Glyphs(bar="#", line="-", seen="o", limit="|", bound="X")
DRAWN = Glyphs(bar="█", line="─", seen="●", limit="│", bound="◆")


def glyphs_for(console: Console) -> Glyphs:
    """Drawn glyphs on a terminal that shows them, plain ones in a pipe, in CI and where colour is unwanted."""
    drawn = console.is_terminal and not console.no_color and console.encoding.lower().startswith("utf")
    return DRAWN if drawn else PLAIN


def visible(text: str) -> str:
    """Control characters, escapes and direction marks written out, so that no id can move the cursor or hide."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def fitted(text: str, width: int, *, right: bool = False, keep_end: bool = False) -> str:
    """Exactly `width` cells: padded, or cut with a ``~`` at the end (at the start, where the end tells more)."""
    text = visible(text)
    length = cell_len(text)
    if length > width:
        if keep_end:
            return "~" + set_cell_size(text[::-1], max(0, width - 1))[::-1]
        return set_cell_size(text, max(0, width - 1)) + "~"
    return " " * (width - length) + text if right else text + " " * (width - length)


def wrapped(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """A paragraph in lines of at most `width` cells; words longer than a line are cut."""
    lines: list[str] = []
    line, prefix = first, first
    for word in _KEPT_TOGETHER.sub(_JOIN, visible(text)).split(" "):
        if not word:
            continue
        shown = word if len(word) <= _LONGEST_WORD else word[:_LONGEST_WORD] + "~"
        for piece in _pieces(shown, width - cell_len(rest)):
            joined = piece if line == prefix else f" {piece}"
            if cell_len(line) + cell_len(joined) <= width or line == prefix:
                line += joined
            else:
                lines.append(line)
                line, prefix = rest + piece, rest
    if line != prefix or not lines:
        lines.append(line.rstrip())
    return [line.replace(_JOIN, " ") for line in lines]


def _pieces(word: str, width: int) -> list[str]:
    pieces = []
    while cell_len(word) > max(width, 1):
        cut = set_cell_size(word, width).rstrip() or word[:1]
        pieces.append(cut)
        word = word[len(cut) :]
    return [*pieces, word]


def print_lines(console: Console, text: str, *, first: str = "", rest: str = "", style: str = "") -> None:
    """Print a paragraph wrapped to the console; `first` keeps its own style."""
    for line in wrapped(text, width_of(console), first=first, rest=rest):
        console.print(Text(line, style=Style.parse(style)), soft_wrap=True)


def width_of(console: Console) -> int:
    """The width to lay out for: never wider than is pleasant to read."""
    return max(NARROWEST, min(console.width, WIDEST))
