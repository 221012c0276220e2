"""Whatever passes the gate runs: no expression stops the engine because of a type or a value."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from surefoot.errors import ExpressionError
from surefoot.plan.expressions import compile_expression

COLUMNS = {
    "words": "text",
    "enum": "text",
    "id": "text",
    "doc": "text",
    "real": "number",
    "whole": "number",
    "money": "number",
    "huge": "number",
    "yes": "boolean",
    "day": "other",
    "many": "other",
    "deep": "other",
}
ROWS = """
CREATE OR REPLACE TABLE odd_rows AS SELECT
    CAST(words AS VARCHAR) AS words, CAST(enum AS ENUM ('pass', 'b')) AS enum,
    CAST(id AS UUID) AS id, CAST(doc AS JSON) AS doc, CAST("real" AS DOUBLE) AS "real",
    CAST(whole AS BIGINT) AS whole, CAST(money AS DECIMAL(18, 3)) AS money, CAST(huge AS HUGEINT) AS huge,
    CAST(yes AS BOOLEAN) AS yes, CAST(day AS DATE) AS day, CAST(many AS INTEGER[]) AS many,
    CAST(deep AS STRUCT(a INTEGER)) AS deep
FROM (VALUES
    ('x', 'pass', '6f1f5b0e-0000-4000-8000-000000000000', '{"a": 1}', 'nan', '9223372036854775807', '1.5', '-170141183460469231731687303715884105728', 'true', '2025-01-01', '[1]', '{''a'': 1}'),
    ('-1e308', 'b', NULL, '"1"', 'inf', '-9223372036854775808', '-999999999999999.999', '1', 'false', 'infinity', '[]', NULL),
    ('', NULL, NULL, '1', '1e308', '0', '0', '0', NULL, NULL, NULL, NULL)
) AS t(words, enum, id, doc, "real", whole, money, huge, yes, day, many, deep)
"""

NAMES = st.sampled_from(sorted(COLUMNS)).map(lambda name: f'"{name}"')
PLAIN = st.sampled_from(["1", "0", "-2.5", "1e308", "'x'", "'1'", "'pass'", "''", "true", "false", "null"])


def longer(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def shaped(shape: str) -> st.SearchStrategy[str]:
        return st.lists(inner, min_size=shape.count("{}"), max_size=shape.count("{}")).map(
            lambda parts: shape.format(*parts)
        )

    shapes = [
        *(
            f"({{}} {sign} {{}})"
            for sign in ("=", "<>", "<", ">=", "and", "or", "+", "-", "*", "/", "%", "like")
        ),
        *(
            f"{name}({{}})"
            for name in ("lower", "upper", "trim", "length", "abs", "round", "not", "-", "coalesce")
        ),
        *(
            f"{name}({{}}, {{}})"
            for name in ("contains", "starts_with", "ends_with", "nullif", "least", "greatest")
        ),
        *(f"try_cast({{}} as {kind})" for kind in ("double", "varchar", "boolean")),
        "coalesce({}, {}, {})",
        "round({}, -3)",
        "regexp_matches({}, 'a|1')",
        "({} is null)",
        "({} is not true)",
        "({} in ('x', '1'))",
        "({} not in (1, -2.5))",
        "({} in (true))",
        "({} between {} and {})",
        "case when {} then {} else {} end",
        "case {} when {} then {} end",
        "({} ilike '%1')",
    ]
    return st.sampled_from(shapes).flatmap(shaped)


EXPRESSIONS = st.recursive(NAMES | NAMES | PLAIN, longer, max_leaves=6)


@pytest.fixture(scope="module")
def odd_rows(engine: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    engine.execute(ROWS)
    return engine


@example(text="case when words then null end", as_="condition")
@example(text="case when words then null else null end", as_="number")
@example(text="case when words then null else null end", as_="condition")
@settings(max_examples=500, deadline=None)
@given(text=EXPRESSIONS, as_=st.sampled_from(["condition", "number"]))
def test_whatever_passes_the_gate_runs(
    text: str, as_: Any, odd_rows: duckdb.DuckDBPyConnection, truth_sql: Any
) -> None:
    try:
        sql = compile_expression(text, COLUMNS, as_=as_, truth_sql=truth_sql).sql  # type: ignore[arg-type]
    except ExpressionError:
        return
    result = odd_rows.execute(f"SELECT {sql} AS answer FROM odd_rows")
    kind = str(result.description[0][1])
    answers = [answer for (answer,) in result.fetchall()]
    assert len(answers) == 3
    if as_ == "condition":
        assert kind == "BOOLEAN"
        assert set(answers) <= {True, False, None}
    else:
        assert kind == "DOUBLE"
        assert all(answer is None or abs(answer) < float("inf") for answer in answers)
