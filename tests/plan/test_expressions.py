"""What an expression means: compiled, then run by the engine on rows that hold every trap."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import duckdb
import pytest

from surefoot.errors import ExpressionError
from surefoot.plan.expressions import CompiledExpression, columns_of, compile_expression

COLUMNS = {
    "leaked": "text",
    "kind": "text",
    "amount": "text",
    "score": "number",
    "flag": "number",
    "passed": "boolean",
    "when": "other",
}
Evaluate = Callable[..., Any]


@pytest.fixture
def evaluate(engine: duckdb.DuckDBPyConnection, truth_sql: Any) -> Evaluate:
    """The value of an expression on one row; columns not given are NULL."""

    def run(text: str, as_: str = "condition", **row: object) -> object:
        compiled = compile_expression(text, COLUMNS, as_=as_, truth_sql=truth_sql)  # type: ignore[arg-type]
        types = {"number": "DOUBLE", "boolean": "BOOLEAN", "text": "VARCHAR", "other": "VARCHAR"}
        cells = ", ".join(f'CAST(? AS {types[kind]}) AS "{name}"' for name, kind in COLUMNS.items())
        sql = f"SELECT {compiled.sql} FROM (SELECT {cells})"
        return engine.execute(sql, [row.get(name) for name in COLUMNS]).fetchall()[0][0]

    return run


@pytest.mark.parametrize(
    ("text", "row", "answer"),
    [
        # A text column beside a number is a number.
        ("amount < 0.5", {"amount": "0.4"}, True),
        ("amount < 0.5", {"amount": "10"}, False),
        ("amount > 9", {"amount": "10"}, True),
        ("amount > 0.5", {"amount": "NaN"}, None),
        ("amount > 0.5", {"amount": "inf"}, None),
        ("amount > 0.5", {"amount": ""}, None),
        ("amount > 0.5", {"amount": "many"}, None),
        ("amount > score", {"amount": "10", "score": 9}, True),
        ("amount + 1 = 3", {"amount": "2"}, True),
        # Beside a text it is text.
        ("amount = '1'", {"amount": "1.0"}, False),
        ("kind = 'it''s'", {"kind": "it's"}, True),
        ("kind <> 'a'", {"kind": None}, None),
        ("kind = leaked", {"kind": "x", "leaked": "x"}, True),
        ("kind in ('a', 'b')", {"kind": "b"}, True),
        ("kind not in ('a', 'b')", {"kind": "c"}, True),
        ("amount in (1, -2)", {"amount": "-2.0"}, True),
        ("kind between 'a' and 'c'", {"kind": "b"}, True),
        ("kind like 'res%'", {"kind": "restricted"}, True),
        ("kind not like 'res%'", {"kind": "restricted"}, False),
        ("kind ilike 'RES%'", {"kind": "restricted"}, True),
        ("score like '7%'", {"score": 7}, True),
        # Bare, under NOT, AND and OR, or beside true and false it is a truth value.
        ("leaked", {"leaked": "PASS"}, True),
        ("leaked", {"leaked": "fail"}, False),
        ("leaked", {"leaked": "maybe"}, None),
        ("leaked", {"leaked": None}, None),
        ("not leaked", {"leaked": "false"}, True),
        ("leaked and passed", {"leaked": "true", "passed": True}, True),
        ("leaked or passed", {"leaked": "maybe", "passed": True}, True),
        ("leaked = true", {"leaked": "pass"}, True),
        ("leaked = false", {"leaked": "0"}, True),
        ("leaked = passed", {"leaked": "pass", "passed": True}, True),
        ("leaked is true", {"leaked": "maybe"}, False),
        ("leaked is not true", {"leaked": "maybe"}, True),
        # A number bare is 1 or 0 and nothing else.
        ("flag", {"flag": 1}, True),
        ("flag", {"flag": 0}, False),
        ("flag", {"flag": 2}, None),
        ("flag", {"flag": math.nan}, None),
        ("flag = true", {"flag": 1}, True),
        ("flag = true", {"flag": 2}, None),
        ("flag <> false", {"flag": 0.5}, None),
        ("passed = 1", {"passed": True}, True),
        ("passed = 0", {"passed": True}, False),
        ("passed = flag", {"passed": True, "flag": 2}, False),
        ("passed = 'true'", {"passed": True}, True),
        # The engine holds NaN > 0.5 to be true, and gives infinity for a division by zero.
        ("score > 0.5", {"score": math.nan}, None),
        ("score > 0.5", {"score": math.inf}, None),
        ("score = score", {"score": math.nan}, None),
        ("score is null", {"score": math.nan}, True),
        ("not score > 0.5", {"score": math.nan}, None),
        ("score - score = 0", {"score": math.inf}, None),
        ("score * 0 = 0", {"score": math.inf}, None),
        ("1 / score > 2", {"score": 0}, None),
        ("1 / (1 / score) = 0", {"score": 0}, None),
        ("score % 0 = 0", {"score": 5}, None),
        ("score % 3 = 2", {"score": 5}, True),
        ("score * 1e308 * 10 > 1", {"score": 1}, None),
        # Decimal literals are not compared after rounding.
        ("score = 0.1", {"score": 0.1}, True),
        ("score = 0.30000000000000004", {"score": 0.1 + 0.2}, True),
        ("score = 0.3", {"score": 0.1 + 0.2}, False),
        ("0.1 + 0.2 = score", {"score": 0.1 + 0.2}, True),
        ("score < 0.1", {"score": 0.09999999999999999}, True),
        ("score between 0.1 and 0.2", {"score": 0.2}, True),
        ("score = '0.5'", {"score": 0.5}, True),
        ("score in (0.1, 0.5)", {"score": 0.5}, True),
        ("-score = -1", {"score": 1}, True),
        ("score > 1_000", {"score": 1001}, True),
        # Functions.
        ("lower(kind) = 'a'", {"kind": "A"}, True),
        ("upper(kind) = 'A'", {"kind": "a"}, True),
        ("trim(kind) = 'a'", {"kind": " a "}, True),
        ("length(kind) > 2", {"kind": "abc"}, True),
        ("abs(score) = 1", {"score": -1}, True),
        ("round(score, 1) = 0.1", {"score": 0.12}, True),
        ("round(score) = 2", {"score": 1.6}, True),
        ("contains(kind, 'ell')", {"kind": "hello"}, True),
        ("starts_with(kind, 'he')", {"kind": "hello"}, True),
        ("ends_with(kind, 'lo')", {"kind": "hello"}, True),
        ("regexp_matches(kind, '^h.+o$')", {"kind": "hello"}, True),
        ("kind ~ 'h.*'", {"kind": "hello"}, True),
        ("coalesce(leaked, false)", {"leaked": None}, False),
        ("coalesce(amount, 0) = 0", {"amount": "many"}, True),
        ("nullif(score, 1) is null", {"score": 1}, True),
        ("greatest(score, amount) = 3", {"score": 1, "amount": "3"}, True),
        ("least(score, 2) = 1", {"score": 1}, True),
        ("case when leaked then 1 else 0 end = 1", {"leaked": "true"}, True),
        ("case kind when 'a' then true when 'b' then false end", {"kind": "c"}, None),
        ("try_cast(amount as double) > 1", {"amount": "2"}, True),
        ("try_cast(score as varchar) = '7.0'", {"score": 7}, True),
        ("try_cast(kind as boolean)", {"kind": "pass"}, True),
        # Columns of any other type are read as their text; names match without case.
        ("\"when\" < '2026'", {"when": "2025-12-01"}, True),
        ("KIND = 'a'", {"kind": "a"}, True),
    ],
)
def test_the_meaning_of(text: str, row: dict[str, object], answer: object, evaluate: Evaluate) -> None:
    assert evaluate(text, **row) is answer


@pytest.mark.parametrize(
    ("text", "row", "answer"),
    [
        ("score", {"score": 0.25}, 0.25),
        ("score", {"score": math.nan}, None),
        ("amount", {"amount": "0.1"}, 0.1),
        ("amount", {"amount": "x"}, None),
        ("passed", {"passed": True}, 1.0),
        ("score > 1", {"score": 2}, 1.0),
        ("score / 4", {"score": 1}, 0.25),
        ("score / flag", {"score": 1, "flag": 0}, None),
        ("case when kind = 'bad' then 1 else 0.25 end", {"kind": "ok"}, 0.25),
    ],
)
def test_a_mean_reads_numbers(text: str, row: dict[str, object], answer: object, evaluate: Evaluate) -> None:
    assert evaluate(text, as_="number", **row) == answer


def test_a_column_that_is_an_enum_to_the_engine_does_not_stop_the_query(
    engine: duckdb.DuckDBPyConnection, truth_sql: Any
) -> None:
    sql = compile_expression("kind = 'c' or kind", COLUMNS, as_="condition", truth_sql=truth_sql).sql
    source = "(SELECT CAST('pass' AS ENUM ('pass', 'b')) AS kind)"
    assert engine.execute(f"SELECT {sql} FROM {source}").fetchone() == (True,)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("scor < 0.5", "did you mean score"),
        ("nothing = 1", "columns: amount, flag, kind"),
        ('kind = "restricted"', "single quotes"),
        ("trials.kind = 'a'", 'written "trials.kind"'),
        ("score = 'high'", "compares a number with the text 'high'"),
        ("kind = NULL", "IS NULL"),
        ("kind in ('a', 1)", "mixes kinds"),
        ("leaked;", "one expression"),
        ("leaked -- x", "comment"),
        ("leaked and", "not one SQL expression"),
        ("score::double < 1", "TRY_CAST"),
        ("max(score) > 1", "the aggregate max"),
        ("read_csv('x')", "the function 'read_csv'"),
        ("1 = 1", "names no column"),
        ("lower(kind, 'x') = 'a'", "not one SQL expression|takes 1|in a form"),
        ("score" + " + score" * 120 + " > 1", "nested too deeply"),
        ("NOT " * 900 + "leaked", "nested too deeply"),
        ("round(score, 99) = 1", "-15 to 15"),
        ("regexp_matches(kind, '(')", "regular expression"),
    ],
)
def test_a_refusal_teaches(text: str, words: str, truth_sql: Any) -> None:
    with pytest.raises(ExpressionError, match=words):
        compile_expression(text, COLUMNS, as_="condition", truth_sql=truth_sql)


@pytest.mark.parametrize(
    ("text", "forbidden"),
    [("PASSED", ["passed"]), ("score_fluency > 1", ["score_*"]), ("kind = 'a' and Score_x", ["score_*"])],
)
def test_a_forbidden_column_is_named(text: str, forbidden: list[str], truth_sql: Any) -> None:
    columns = {**COLUMNS, "score_fluency": "number", "score_x": "text"}
    with pytest.raises(ExpressionError, match="known only after a trial"):
        compile_expression(text, columns, as_="condition", truth_sql=truth_sql, forbidden=forbidden)  # type: ignore[arg-type]


def test_a_name_that_only_begins_like_a_forbidden_one_is_free(truth_sql: Any) -> None:
    compiled = compile_expression(
        "score > 1", COLUMNS, as_="condition", truth_sql=truth_sql, forbidden=["score_*", "scores"]
    )
    assert compiled.columns_used == ("score",)


def test_columns_are_told_once_in_order_and_as_the_log_spells_them(truth_sql: Any) -> None:
    compiled = compile_expression(
        "SCORE > 1 and kind = 'a' and score < 2", COLUMNS, as_="condition", truth_sql=truth_sql
    )
    assert compiled.columns_used == ("score", "kind")
    assert isinstance(compiled, CompiledExpression)
    assert str(compiled) == compiled.sql


def test_columns_can_be_asked_for_before_a_log_is_there() -> None:
    assert columns_of("Score < 0.5 and (kind = 'a' or not leaked) and SCORE > 0") == (
        "Score",
        "kind",
        "leaked",
    )
    assert columns_of("severity / 10", as_="number") == ("severity",)
    with pytest.raises(ExpressionError, match="known only after"):
        columns_of("passed", forbidden=["passed"])


def test_long_lists_are_no_deep_nesting(truth_sql: Any, engine: duckdb.DuckDBPyConnection) -> None:
    many = " or ".join(f"kind = 'k{i}'" for i in range(200))
    sql = compile_expression(many, COLUMNS, as_="condition", truth_sql=truth_sql).sql
    assert engine.execute(f"SELECT {sql} FROM (SELECT 'k199' AS kind)").fetchone() == (True,)
    listed = "kind in (" + ", ".join(f"'k{i}'" for i in range(400)) + ")"
    sql = compile_expression(listed, COLUMNS, as_="condition", truth_sql=truth_sql).sql
    assert engine.execute(f"SELECT {sql} FROM (SELECT 'k400' AS kind)").fetchone() == (False,)


def test_importing_the_gate_is_light() -> None:
    import subprocess
    import sys

    code = "import sys, surefoot.plan.expressions; print([m for m in ('sqlglot', 'duckdb', 'numpy', 'pydantic') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
