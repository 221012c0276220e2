"""Names and texts quoted for the engine, so that no id or column name of a log is ever read as SQL."""

from __future__ import annotations

from collections.abc import Iterable


def quote_identifier(name: str) -> str:
    """A column or table name, quoted: ``a"b`` -> ``"a""b"``."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """A text literal, quoted: ``it's`` -> ``'it''s'``."""
    return "'" + text.replace("'", "''") + "'"


def quote_list(texts: Iterable[str]) -> str:
    """Texts as a list literal."""
    return "[" + ", ".join(quote_text(text) for text in texts) + "]"
