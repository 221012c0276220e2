"""Texts that try to reach more than the columns of one row: each is refused in one clear line."""

from __future__ import annotations

import pytest

from surefoot.errors import ExpressionError
from surefoot.plan.expressions import LONGEST_EXPRESSION, columns_of, compile_expression

COLUMNS = {"leaked": "text", "score": "number", "passed": "boolean", "kind": "text", "tags": "other"}

ATTACKS = {
    "a query": "(SELECT 1)",
    "a query in IN": "kind IN (SELECT kind FROM trials)",
    "a bare query": "SELECT leaked FROM trials",
    "EXISTS": "EXISTS (SELECT 1 FROM trials)",
    "a WITH query": "WITH t AS (SELECT 1) SELECT * FROM t",
    "VALUES": "(VALUES (1))",
    "ANY of a query": "kind = ANY (SELECT 'a')",
    "a query behind FROM": "FROM trials",
    "UNION": "leaked UNION SELECT 1",
    "reads a file": "read_csv('/etc/passwd') = 'x'",
    "reads text": "read_text('/etc/passwd') LIKE '%root%'",
    "reads a blob": "contains(read_blob('/etc/shadow'), 'x')",
    "lists files": "glob('/etc/*') = 'x'",
    "a file as a table": "kind = (TABLE '/etc/passwd')",
    "a file as a column": "'/etc/passwd'.kind = 'x'",
    "the environment": "getenv('HOME') = '/root'",
    "a setting": "current_setting('home_directory') = ''",
    "query()": "query('SELECT 1') = 1",
    "query_table()": "query_table('trials') = 1",
    "a second statement": "leaked; DROP TABLE trials",
    "a semicolon alone": "leaked;",
    "only a semicolon": ";",
    "a line comment": "leaked -- and more",
    "a block comment": "leaked /* and more */",
    "a comment in between": "leaked /* x */ AND passed",
    "only a comment": "/* nothing */",
    "a hint": "leaked /*+ hint */",
    "closing a bracket": "leaked) OR (1 = 1",
    "closing a bracket with a comment": "leaked) FROM trials --",
    "PRAGMA": "PRAGMA database_list",
    "SET": "SET lock_configuration = false",
    "COPY": "COPY trials TO '/tmp/x.csv'",
    "ATTACH": "ATTACH '/tmp/x.db'",
    "INSTALL": "INSTALL httpfs",
    "LOAD": "LOAD httpfs",
    "CALL": "CALL pragma_version()",
    "EXPORT": "EXPORT DATABASE '/tmp/x'",
    "CREATE MACRO": "CREATE MACRO f(a) AS a",
    "a macro by name": "my_macro(kind) = 'x'",
    "a function of a schema": "main.lower(kind) = 'x'",
    "a method call": "kind.lower() = 'x'",
    "an unknown function": "md5(kind) = 'x'",
    "a slow function": "repeat(kind, 1000000000) = 'x'",
    "a random number": "random() < 0.5",
    "the clock": "current_timestamp > kind",
    "the clock by call": "now() > kind",
    "a sequence": "nextval('s') > 1",
    "an error on purpose": "error(kind) = 'x'",
    "a column by position": "#1 = 'x'",
    "a numbered parameter": "$1 = kind",
    "a named parameter": "$name = kind",
    "a question mark": "? = kind",
    "a colon parameter": ":name = kind",
    "a star": "*",
    "a star inside": "kind = *",
    "a table star": "trials.*",
    "COLUMNS": "COLUMNS(*) = 'x'",
    "COLUMNS by pattern": "COLUMNS('.*') = 'x'",
    "a dotted column": "trials.kind = 'x'",
    "a deep name": "system.main.trials.kind = 'x'",
    "a row id": "rowid = 1",
    "a lambda": "list_transform(tags, x -> x + 1) = 1",
    "a python lambda": "list_filter(tags, lambda x: x = 'a') = 1",
    "a list": "[kind, leaked] = tags",
    "a list comprehension": "[x FOR x IN tags] = tags",
    "a subscript": "tags[1] = 'a'",
    "a slice": "kind[1:2] = 'a'",
    "a struct": "{'a': kind} = tags",
    "ROW": "ROW(kind, 1) = tags",
    "struct_pack": "struct_pack(a := kind) = tags",
    "a map": "MAP {'a': 1} = tags",
    "UNNEST": "unnest(tags) = 'a'",
    "a JSON arrow": "tags->'a' = 'x'",
    "a JSON text arrow": "tags->>'$.a' = 'x'",
    "a JSON cast": "kind::json->'a' = 'x'",
    "a window": "row_number() OVER () = 1",
    "a window over an aggregate": "sum(score) OVER (PARTITION BY kind) > 1",
    "an aggregate": "count(*) > 1",
    "another aggregate": "max(score) > 1",
    "a filtered aggregate": "count(*) FILTER (WHERE passed) > 1",
    "GROUPING": "grouping(kind) = 1",
    "a cast that stops": "kind::INTEGER = 1",
    "a cast to a type of the catalog": "TRY_CAST(kind AS regclass) = 1",
    "a cast to a list": "TRY_CAST(kind AS VARCHAR[]) = tags",
    "a cast to a struct": "TRY_CAST(kind AS STRUCT(a INT)) = tags",
    "a date": "DATE '2020-01-01' < kind",
    "an interval": "kind < INTERVAL 1 DAY",
    "COLLATE": "kind COLLATE nocase = 'x'",
    "AT TIME ZONE": "kind AT TIME ZONE 'UTC' = 'x'",
    "ESCAPE": "kind LIKE 'a!%' ESCAPE '!'",
    "LIKE ANY": "kind LIKE ANY ('a', 'b')",
    "SIMILAR TO": "kind SIMILAR TO '(a+)+'",
    "GLOB": "kind GLOB 'a*'",
    "a huge pattern": "regexp_matches(kind, '((a{100}){100}){100}')",
    "a broken pattern": "regexp_matches(kind, '[')",
    "a pattern of the row": "regexp_matches(kind, leaked)",
    "pattern options": "regexp_matches(kind, 'a', 'g')",
    "side-by-side texts": "kind = 'a' 'b'",
    "a dollar text": "kind = $$a$$",
    "an escaped text": "kind = E'a\\n'",
    "a hexadecimal number": "score = 0xFF",
    "an endless number": "score < 1e999",
    "a power": "score ** 2 > 1",
    "a bit shift": "score << 60 > 1",
    "an assignment": "score := 1",
    "an alias": "leaked AS passed",
    "two values": "leaked, passed",
    "a list outside IN": "(kind, leaked) = ('a', 'b')",
    "IN a column": "kind IN tags",
    "NULL compared": "kind = NULL",
    "NULL in a list": "kind NOT IN ('a', NULL)",
    "nothing": "",
    "blanks": " \n\t ",
    "an open text": "kind = 'a",
    "an open name": 'kind = "a',
    "an open bracket": "(leaked",
    "a NUL": "kind = 'a\0b'",
    "a bell": "kind = 'a\ab'",
    "half a surrogate": "kind = '\ud800'",
    "turning the text around": "kind = '\u202e'",
    "a quote in a name": '"kind"" OR 1=1 --" = 1',
    "curly quotes": "kind = \u2018a\u2019",
    "a name in other letters": "k\u0456nd = 'a'",
    "no column": "1 = 1",
    "only true": "true",
    "only a text": "'true'",
    "1 MB": "kind = '" + "a" * 1_000_000 + "'",
    "1 MB of brackets": "(" * 1_000_000,
    "10,000 brackets": "(" * 10_000 + "leaked" + ")" * 10_000,
    "1,000 brackets": "(" * 1_000 + "leaked" + ")" * 1_000,
    "1,000 NOTs": "NOT " * 990 + "leaked",
    "1,000 signs": "score = " + "- " * 990 + "1",
    "nested CASE": "CASE WHEN " * 300 + "leaked" + " THEN 1 END" * 100,
    "nested calls": "lower(" * 500 + "kind" + ")" * 500,
    "a long sum": "score" + " + score" * 490 + " > 1",
    "doubling at every level": "1 / (" * 38 + "score" + ")" * 38 + " > 1",
    "open lists": "[" * 2_000,
    "open structs": "{" * 2_000,
}


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS)
def test_it_is_refused_in_one_clear_line(
    text: str, truth_table: object, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(ExpressionError) as refused:
        compile_expression(text, COLUMNS, as_="condition", truth_sql=truth_table)
    message = str(refused.value)
    assert len(message.splitlines()) == 1
    assert message.isprintable()
    assert len(message) < 500
    assert "sqlglot" not in message
    assert not caplog.records


# Of these it is the columns of the log that show them for what they are.
NEEDS_COLUMNS = {"a row id", "a name in other letters", "a quote in a name", "IN a column", "curly quotes"}


@pytest.mark.parametrize("text", [t for name, t in ATTACKS.items() if name not in NEEDS_COLUMNS])
def test_it_is_refused_when_the_plan_is_read_before_any_log(text: str) -> None:
    with pytest.raises(ExpressionError):
        columns_of(text)


@pytest.mark.parametrize("value", [None, 1, b"leaked", ["leaked"]])
def test_only_text_is_an_expression(value: object, truth_table: object) -> None:
    with pytest.raises(ExpressionError, match="expected an SQL expression as text"):
        compile_expression(value, COLUMNS, as_="condition", truth_sql=truth_table)  # type: ignore[arg-type]


def test_the_longest_text_is_still_read(truth_table: object) -> None:
    text = "kind = '" + "a" * (LONGEST_EXPRESSION - 9) + "'"
    assert len(text) == LONGEST_EXPRESSION
    assert compile_expression(text, COLUMNS, as_="condition", truth_sql=truth_table).columns_used == ("kind",)


@pytest.fixture
def truth_table() -> object:
    return lambda sql, kind: f"({sql} = 'true')" if kind == "text" else f"({sql} = 1)"
