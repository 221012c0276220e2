"""File names are spelled so that the engine takes them literally."""

from __future__ import annotations

from pathlib import Path

import pytest

from surefoot.trials.file_names import allowed_names, engine_path, file_sql, files_sql


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("logs/a.csv", "logs/a.csv"),
        ("~a.csv", "./~a.csv"),
        ("http:x.csv", "./http:x.csv"),
        ("/tmp/~a:b.csv", "/tmp/~a:b.csv"),
    ],
)
def test_homes_and_schemes_are_parts_of_a_name(path, expected):
    assert engine_path(Path(path)) == expected


def test_quotes_and_patterns_are_escaped():
    assert file_sql(Path("it's[1]*?.csv")) == "'it''s[[]1][*][?].csv'"
    assert files_sql([Path("a"), Path("b*")]) == "['a', 'b[*]']"


def test_every_spelling_the_engine_asks_for_is_allowed_once():
    assert allowed_names([Path("a*"), Path("b"), Path("b")]) == ("a*", "a[*]", "b")
