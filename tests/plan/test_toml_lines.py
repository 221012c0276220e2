from __future__ import annotations

import time
import tomllib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.plan.toml_lines import LineMap, lines_of

PLAN = '''\
# a comment with [brackets] and "quotes"
name = "x"  # [[check]]
text = """
[[check]]
name = 'not a statement'
"""
words = [
  "a]",  # ] in a text
  'b[',
  { c = 1, "d]" = [1, 2] },
]
"quoted key" = 1
dotted.key.deep = 2

[system]
settings = { temperature = 0.7, inner = { a = 1 } }
[system.headers]
A = 1

[[check]]
name = "first"

  [[ check ]]   # indented, with blanks
name = "second"
detector = { caught = 1,
planted = 2 }
[check.extra]
a = 1
[[check.part]]
b = 1
[[check.part]]
b = 2
[[check]]
name = \'\'\'
third \'\'\'
[repeats.by_tag]
"high-risk" = 3
'''.replace("caught = 1,\nplanted", "caught = 1, planted")


def test_every_statement_is_found_on_its_line() -> None:
    lines = lines_of(PLAN)
    assert lines[("name",)] == 2
    assert lines[("text",)] == 3
    assert lines[("words",)] == 7
    assert lines[("quoted key",)] == 12
    assert lines[("dotted", "key", "deep")] == 13
    assert lines[("system",)] == 15
    assert lines[("system", "settings", "inner", "a")] == 16
    assert lines[("system", "headers", "A")] == 18
    assert lines[("check", 0)] == 20
    assert lines[("check", 0, "name")] == 21
    assert lines[("check", 1)] == 23
    assert lines[("check", 1, "detector", "planted")] == 25
    assert lines[("check", 1, "extra", "a")] == 27
    assert lines[("check", 1, "part", 0, "b")] == 29
    assert lines[("check", 1, "part", 1)] == 30
    assert lines[("check", 2)] == 32
    assert lines[("check", 2, "name")] == 33
    assert lines[("repeats", "by_tag", "high-risk")] == 36


def test_what_is_not_written_stands_on_the_line_of_what_is_around_it() -> None:
    lines = LineMap(PLAN)
    assert lines.line_of(("check", 1, "at_most")) == 23
    assert lines.line_of(("words", 2, "c")) == 7
    assert lines.line_of(("system", "adapter")) == 15
    assert lines.line_of(("nothing",)) is None
    assert lines.line_of(()) is None


def test_a_plan_inside_pyproject_is_found_there() -> None:
    text = '[project]\nname = "p"\n\n[tool.surefoot]\nname = "x"\n\n[[tool.surefoot.check]]\nforbid = "a"\n'
    lines = LineMap(text, ("tool", "surefoot"))
    assert lines.line_of(("name",)) == 5
    assert lines.line_of(("check", 0)) == 7
    assert lines.line_of(("check", 0, "forbid")) == 8


def test_line_ends_of_windows_count_once() -> None:
    assert lines_of("a = 1\r\n\r\nb = '''\r\nx'''\r\nc = 2\r\n") == {("a",): 1, ("b",): 3, ("c",): 5}


def test_an_empty_text_has_no_lines() -> None:
    assert lines_of("") == {}
    assert lines_of("# only this") == {}


def test_quotes_at_the_end_of_long_texts_belong_to_them() -> None:
    text = 'a = """x"""""\nb = """\\""" [ """\nc = 1\n'
    assert tomllib.loads(text) == {"a": 'x""', "b": '""" [ ', "c": 1}
    assert lines_of(text) == {("a",): 1, ("b",): 2, ("c",): 3}


KEYS = st.text(alphabet="abc-_", min_size=1, max_size=3)
VALUES = st.sampled_from(
    [
        ("1", 1),
        ("'[#'", 1),
        ('"]\\"["', 1),
        ("[\n 1, # ]\n 2,\n]", 4),
        ('"""\n[[x]]\n\'\'\' \\"""\n"""', 4),
        ("'''\n\"\"\"\n]'''", 3),
        ("{ z = [1, 2], y = '}' }", 1),
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    entries=st.lists(st.tuples(KEYS, VALUES, st.integers(0, 2)), unique_by=lambda entry: entry[0], max_size=8)
)
def test_lines_are_exact_whatever_the_values_hold(entries: list[tuple[str, tuple[str, int], int]]) -> None:
    text, expected, line = "", {}, 1
    for key, (value, height), blanks in entries:
        text += "\n" * blanks + f"{key} = {value} # [\n"
        line += blanks
        expected[key] = line
        line += height
    found = {loc[0]: number for loc, number in lines_of(text).items() if len(loc) == 1}
    assert found == expected


def test_big_files_take_time_in_proportion() -> None:
    def seconds(count: int) -> float:
        text = "".join(f'[[check]]\nname = "c{i}"\nforbid = """\n[[ {i}\n"""\n' for i in range(count))
        text += "words = [\n" + "  ['a', ']'],\n" * count + "]\n"
        start = time.process_time()
        lines = lines_of(text)
        assert lines[("check", count - 1, "name")] == 5 * count - 3
        return time.process_time() - start

    small, big = min(seconds(250) for _ in range(3)), min(seconds(2_000) for _ in range(2))
    # Eight times the text; in proportion to its square it would be 64 times.
    assert big < 24 * small


def test_the_map_agrees_with_tomllib_on_what_there_is() -> None:
    def keys(data: Any, path: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
        if isinstance(data, dict):
            return {path} | {loc for key, value in data.items() for loc in keys(value, (*path, key))}
        if isinstance(data, list) and data and all(isinstance(entry, dict) for entry in data):
            return {path} | {loc for place, entry in enumerate(data) for loc in keys(entry, (*path, place))}
        return {path}

    whole = keys(tomllib.loads(PLAN)) - {()}
    assert set(lines_of(PLAN)) == whole
