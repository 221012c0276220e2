"""Random expressions on random rows: the engine and a small evaluator in Python must agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import duckdb
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.plan.expressions import compile_expression

COLUMNS = {
    "leaked": "text",
    "kind": "text",
    "amount": "text",
    "score": "number",
    "flag": "number",
    "passed": "boolean",
}
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Spoken:
    """An expression as text, and what it means."""

    text: str
    value: Callable[[Row], Any]


def finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def column_number(name: str) -> Callable[[Row], float | None]:
    def read(row: Row) -> float | None:
        try:
            return None if row[name] is None else float(row[name])
        except ValueError:
            return None

    return read


def truth(value: object) -> bool | None:
    if value in ("true", "pass", "1", 1):
        return True
    return False if value in ("false", "fail", "0", 0) else None


def both(
    operation: Callable[[Any, Any], Any], left: Callable[[Row], Any], right: Callable[[Row], Any]
) -> Callable[[Row], Any]:
    """NULL where either side is."""

    def value(row: Row) -> Any:
        a, b = left(row), right(row)
        return None if a is None or b is None else operation(a, b)

    return value


def guarded(number: Spoken) -> Callable[[Row], float | None]:
    return lambda row: finite(number.value(row))


def divided(a: float, b: float) -> float | None:
    return finite(a / b) if b else None


LITERALS = st.sampled_from(["0", "1", "2.5", "0.1", "1e3", "0.30000000000000004"]).map(
    lambda text: Spoken(text, lambda row: float(text))
)
NUMBER_COLUMNS = st.sampled_from(["score", "flag", "amount"]).map(
    lambda name: Spoken(name, column_number(name))
)


def longer_numbers(inner: st.SearchStrategy[Spoken]) -> st.SearchStrategy[Spoken]:
    pairs = st.tuples(inner, inner)

    def plus(pair: tuple[Spoken, Spoken]) -> Spoken:
        a, b = pair
        return Spoken(f"({a.text} + {b.text})", both(lambda x, y: x + y, a.value, b.value))

    def times(pair: tuple[Spoken, Spoken]) -> Spoken:
        a, b = pair
        return Spoken(f"({a.text} * {b.text})", both(lambda x, y: x * y, a.value, b.value))

    def over(pair: tuple[Spoken, Spoken]) -> Spoken:
        a, b = pair
        return Spoken(f"({a.text} / {b.text})", both(divided, guarded(a), guarded(b)))

    def first(pair: tuple[Spoken, Spoken]) -> Spoken:
        a, b = pair
        return Spoken(
            f"coalesce({a.text}, {b.text}, 1)",
            lambda row: next(v for v in (guarded(a)(row), guarded(b)(row), 1.0) if v is not None),
        )

    def negative(a: Spoken) -> Spoken:
        return Spoken(f"(-{a.text})", lambda row: None if a.value(row) is None else -a.value(row))

    def absolute(a: Spoken) -> Spoken:
        return Spoken(
            f"abs({a.text} + 0)", lambda row: None if guarded(a)(row) is None else abs(a.value(row))
        )

    return st.one_of(
        pairs.map(plus),
        pairs.map(times),
        pairs.map(over),
        pairs.map(first),
        inner.map(negative),
        inner.map(absolute),
    )


# "+ 0" makes a number of a lone text column, which beside another text would be text.
NUMBERS = st.recursive(LITERALS | NUMBER_COLUMNS, longer_numbers, max_leaves=5).map(
    lambda n: Spoken(f"({n.text} + 0)", n.value)
)
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
WORDS = st.text(alphabet="ab'%_\"\\é☃ ", max_size=4)


@st.composite
def simple_conditions(draw: st.DrawFn) -> Spoken:
    shape = draw(st.sampled_from(["bare", "numbers", "texts", "in", "null", "between", "truth"]))
    if shape == "bare":
        name = draw(st.sampled_from(["leaked", "flag", "passed", "kind"]))
        return Spoken(name, lambda row: truth(row[name]))
    if shape == "numbers":
        a, b, sign = draw(NUMBERS), draw(NUMBERS), draw(st.sampled_from(sorted(COMPARISONS)))
        return Spoken(f"({a.text} {sign} {b.text})", both(COMPARISONS[sign], guarded(a), guarded(b)))
    if shape == "null":
        a = draw(NUMBERS)
        return Spoken(f"({a.text} is null)", lambda row: guarded(a)(row) is None)
    if shape == "between":
        a, low, high = draw(NUMBERS), draw(LITERALS), draw(LITERALS)
        inside = both(
            lambda x, ends: ends[0] <= x <= ends[1], guarded(a), lambda row: (low.value(row), high.value(row))
        )
        return Spoken(f"({a.text} between {low.text} and {high.text})", inside)
    if shape == "truth":
        answer = draw(st.booleans())
        return Spoken(
            f"(leaked = {str(answer).lower()})",
            both(lambda x, y: x is y, lambda row: truth(row["leaked"]), lambda row: answer),
        )
    words = draw(st.lists(WORDS, min_size=1, max_size=3))
    quoted = ["'" + word.replace("'", "''") + "'" for word in words]
    if shape == "texts":
        sign = draw(st.sampled_from(["=", "<>"]))
        return Spoken(
            f"(kind {sign} {quoted[0]})",
            both(COMPARISONS[sign], lambda row: row["kind"], lambda row: words[0]),
        )
    return Spoken(
        f"(kind in ({', '.join(quoted)}))",
        both(lambda x, y: x in y, lambda row: row["kind"], lambda row: words),
    )


def longer_conditions(inner: st.SearchStrategy[Spoken]) -> st.SearchStrategy[Spoken]:
    def joined(pair: tuple[Spoken, Spoken], word: str, deciding: bool) -> Spoken:
        a, b = pair

        def value(row: Row) -> bool | None:
            answers = (a.value(row), b.value(row))
            if deciding in answers:
                return deciding
            return None if None in answers else not deciding

        return Spoken(f"({a.text} {word} {b.text})", value)

    def negated(a: Spoken) -> Spoken:
        return Spoken(f"(not {a.text})", lambda row: None if a.value(row) is None else not a.value(row))

    def chosen(three: tuple[Spoken, Spoken, Spoken]) -> Spoken:
        when, yes, no = three
        return Spoken(
            f"(case when {when.text} then ({yes.text}) is true else ({no.text}) is not false end)",
            lambda row: yes.value(row) is True if when.value(row) is True else no.value(row) is not False,
        )

    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda pair: joined(pair, "and", deciding=False)),
        pairs.map(lambda pair: joined(pair, "OR", deciding=True)),
        inner.map(negated),
        st.tuples(inner, inner, inner).map(chosen),
    )


CONDITIONS = st.recursive(simple_conditions(), longer_conditions, max_leaves=6).map(
    # Every expression must name a column.
    lambda c: Spoken(f"{c.text} and (passed is null or passed is not null)", c.value)
)
ODD_NUMBERS = st.sampled_from(
    [None, 0.0, 1.0, 2.5, 0.1, 0.1 + 0.2, -1.0, 1000.0, math.nan, math.inf, -math.inf]
)
ROWS = st.fixed_dictionaries(
    {
        "leaked": st.sampled_from([None, "", "true", "PASS", "false", "fail", "maybe", "1", "0"]).map(
            lambda word: word.lower() if word else word
        ),
        "kind": st.none() | WORDS,
        "amount": st.sampled_from([None, "", "0", "1", "2.5", "-1", "1e3", "nan", "inf", "many"]),
        "score": ODD_NUMBERS,
        "flag": ODD_NUMBERS,
        "passed": st.sampled_from([None, True, False]),
    }
)


@settings(max_examples=250, deadline=None)
@given(condition=CONDITIONS, rows=st.lists(ROWS, min_size=1, max_size=4))
def test_conditions_mean_the_same_to_the_engine(
    condition: Spoken, rows: list[Row], engine: duckdb.DuckDBPyConnection, truth_sql: Any
) -> None:
    sql = compile_expression(condition.text, COLUMNS, as_="condition", truth_sql=truth_sql).sql  # type: ignore[arg-type]
    assert answers(engine, sql, rows) == [condition.value(row) for row in rows]


@settings(max_examples=150, deadline=None)
@given(number=NUMBERS, rows=st.lists(ROWS, min_size=1, max_size=4))
def test_numbers_mean_the_same_to_the_engine(
    number: Spoken, rows: list[Row], engine: duckdb.DuckDBPyConnection, truth_sql: Any
) -> None:
    text = f"({number.text}) + 0 * coalesce(score, 0)"
    sql = compile_expression(text, COLUMNS, as_="number", truth_sql=truth_sql).sql  # type: ignore[arg-type]
    assert answers(engine, sql, rows) == [guarded(number)(row) for row in rows]


@settings(max_examples=150, deadline=None)
@given(condition=CONDITIONS)
def test_what_is_printed_reads_back_as_the_same_tree(condition: Spoken, truth_sql: Any) -> None:
    sql = compile_expression(condition.text, COLUMNS, as_="condition", truth_sql=truth_sql).sql  # type: ignore[arg-type]
    (tree,) = sqlglot.parse(sql, read="duckdb")
    assert tree is not None
    (again,) = sqlglot.parse(tree.sql(dialect="duckdb"), read="duckdb")
    assert again == tree
    assert not list(
        tree.find_all(sqlglot.exp.Query, sqlglot.exp.Table, sqlglot.exp.Anonymous, sqlglot.exp.Placeholder)
    )
    assert {column.name for column in tree.find_all(sqlglot.exp.Column)} <= set(COLUMNS)


# No control characters: those are refused. No surrogates: those are no text.
ANY_TEXT = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")), min_size=1, max_size=20)


@settings(max_examples=300, deadline=None)
@given(name=ANY_TEXT, word=ANY_TEXT)
def test_no_name_and_no_text_gets_out_of_its_quotes(
    name: str, word: str, engine: duckdb.DuckDBPyConnection, truth_sql: Any
) -> None:
    written = '"' + name.replace('"', '""') + "\" = '" + word.replace("'", "''") + "'"
    compiled = compile_expression(written, {name: "text"}, as_="condition", truth_sql=truth_sql)
    assert compiled.columns_used == (name,)
    (tree,) = sqlglot.parse(compiled.sql, read="duckdb")
    assert tree is not None
    assert [column.name for column in tree.find_all(sqlglot.exp.Column)] == [name]
    assert [text.this for text in tree.find_all(sqlglot.exp.Literal)] == [word]
    quoted = '"' + name.replace('"', '""') + '"'
    assert engine.execute(f"SELECT {compiled.sql} FROM (SELECT ? AS {quoted})", [word]).fetchall() == [
        (True,)
    ]


def answers(engine: duckdb.DuckDBPyConnection, sql: str, rows: list[Row]) -> list[Any]:
    types = {"text": "VARCHAR", "number": "DOUBLE", "boolean": "BOOLEAN"}
    cells = ", ".join(f"CAST(? AS {types[kind]})" for kind in COLUMNS.values())
    values = ", ".join(f"({position}, {cells})" for position in range(len(rows)))
    source = f"(VALUES {values}) AS t(position, {', '.join(COLUMNS)})"
    parameters = [row[name] for row in rows for name in COLUMNS]
    return [
        value
        for (value,) in engine.execute(f"SELECT {sql} FROM {source} ORDER BY position", parameters).fetchall()
    ]
