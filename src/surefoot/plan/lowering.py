"""From the tree of a user's expression to SQL text: one method a kind of node, and nothing else is allowed.

The table of methods *is* the allow-list. Each method prints what it understood, fully bracketed, and refuses
a node that carries anything it did not look at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from surefoot.plan.expressions import ColumnKind, Refused, TruthSql

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

TermKind = Literal["text", "number", "boolean", "null"]

_DEEPEST: Final = 100
_LONGEST_SQL: Final = 200_000
_HARMLESS_FLAGS: Final = frozenset({"typed", "safe", "ignore_nulls", "is_null", "is_nvl", "json_scope"})


@dataclass(frozen=True)
class Term:
    """A printed part of an expression: its SQL, what it yields, and what is known of it."""

    sql: str
    kind: TermKind
    literal: str | None = None
    is_finite: bool = True
    is_column: bool = False

    def __post_init__(self) -> None:
        if len(self.sql) > _LONGEST_SQL:
            raise Refused("is too complicated; simplify it, or add a column that holds its value")


class AnyColumns(Mapping[str, ColumnKind]):
    """Columns before a log is at hand: any name is taken for a text column."""

    def __getitem__(self, name: str) -> ColumnKind:
        return "text"

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class Lowering:
    """Prints one tree; `used` collects the columns it names."""

    def __init__(
        self, columns: Mapping[str, ColumnKind], truth_sql: TruthSql, forbidden: Collection[str]
    ) -> None:
        self._columns = columns
        self._spelling = {name.lower(): name for name in columns}
        self._truth_sql = truth_sql
        self._forbidden = tuple(name.lower() for name in forbidden)
        self._depth = 0
        self.used: dict[str, None] = {}

    def visit(self, node: Expr) -> Term:
        """The SQL of `node`; Refused where it is not on the list."""
        method = self._METHODS.get(node.key)
        if method is None:
            raise Refused(f"uses {_what(node)}, which is not allowed here; {_ALLOWED}")
        if self._depth >= _DEEPEST:
            raise Refused("is nested too deeply; simplify it")
        self._depth += 1
        term = method(self, node)
        self._depth -= 1
        return term

    # Readings of a term

    def as_condition(self, term: Term) -> str:
        """True, false or NULL; text and numbers go through the truth table."""
        if term.kind in ("boolean", "null"):
            return term.sql
        if term.kind == "number":
            return self._sized(self._truth_sql(self.as_number(term), "number"))
        return self._sized(self._truth_sql(term.sql, "text"))

    def as_number(self, term: Term) -> str:
        """A finite DOUBLE or NULL."""
        if term.kind == "number" and term.is_finite:
            return term.sql
        loose = self._as_loose_number(term)
        return loose if term.kind in ("boolean", "null") else self._finite(loose)

    def as_text(self, term: Term) -> str:
        if term.kind in ("text", "null"):
            return term.sql
        return f"CAST({term.sql} AS VARCHAR)"

    def _as_loose_number(self, term: Term) -> str:
        """A DOUBLE that may be NaN or infinite: adding and multiplying carry that on to the guard outside."""
        if term.literal is not None and term.kind == "text":
            return _number_literal(term.literal)
        if term.kind == "null" or (term.kind == "number" and not term.is_column):
            return term.sql
        return f"TRY_CAST({term.sql} AS DOUBLE)"

    def _finite(self, sql: str) -> str:
        return self._sized(f"CASE WHEN isfinite({sql}) THEN {sql} END")

    @staticmethod
    def _sized(sql: str) -> str:
        return Term(sql, "text").sql

    def _aligned(self, terms: list[Term]) -> tuple[list[str], TermKind]:
        """Read terms that meet each other as one kind: truth values beside true or false, numbers beside numbers."""
        kinds = {term.kind for term in terms} - {"null"}
        if any(term.kind == "boolean" and term.literal is not None for term in terms):
            return [self.as_condition(term) for term in terms], "boolean"
        if "number" in kinds:
            return [self.as_number(term) for term in terms], "number"
        if "boolean" in kinds:
            return [self.as_condition(term) for term in terms], "boolean"
        return [self.as_text(term) for term in terms], "text" if kinds else "null"

    # Leaves

    def _column(self, node: Expr) -> Term:
        _only(node, "this")
        identifier = node.this
        if identifier.key != "identifier":
            raise Refused(f"uses {_what(identifier)}, which is not allowed here; {_ALLOWED}")
        typed = str(identifier.this)
        name = self._known(typed, is_quoted=bool(identifier.args.get("quoted")))
        self._check_allowed(name)
        self.used.setdefault(name)
        kind = self._columns[name]
        sql = '"' + name.replace('"', '""') + '"'
        if kind == "other":
            return Term(f"TRY_CAST({sql} AS VARCHAR)", "text")
        return Term(sql, kind, is_finite=kind != "number", is_column=True)

    def _known(self, typed: str, *, is_quoted: bool) -> str:
        if isinstance(self._columns, AnyColumns):
            return next((name for name in self.used if name.lower() == typed.lower()), typed)
        name = self._spelling.get(typed.lower())
        if name is not None:
            return name
        close = get_close_matches(typed.lower(), self._spelling, n=1)
        hint = f"; did you mean {self._spelling[close[0]]}?" if close else ""
        quotes = f"; text goes in single quotes: '{typed}'" if is_quoted else ""
        names = sorted(self._columns)
        listed = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        raise Refused(
            f"names the column {typed!r}, which the log does not have{hint}{quotes}; columns: {listed}"
        )

    def _check_allowed(self, name: str) -> None:
        for pattern in self._forbidden:
            lower = name.lower()
            if lower == pattern or (pattern.endswith("*") and lower.startswith(pattern[:-1])):
                raise Refused(
                    f"names {name!r}, which is known only after the trial; select by what was so before it ran"
                )

    def _literal(self, node: Expr) -> Term:
        _only(node, "this", "is_string")
        text = str(node.this)
        if node.args.get("is_string"):
            return Term("'" + text.replace("'", "''") + "'", "text", literal=text)
        return Term(_number_literal(text), "number", literal=text)

    def _boolean(self, node: Expr) -> Term:
        _only(node, "this")
        word = "TRUE" if node.this else "FALSE"
        return Term(word, "boolean", literal=word)

    def _null(self, node: Expr) -> Term:
        return Term("NULL", "null", literal="NULL")

    # Conditions

    def _paren(self, node: Expr) -> Term:
        _only(node, "this")
        return self.visit(node.this)

    def _not(self, node: Expr) -> Term:
        _only(node, "this")
        return Term(f"(NOT {self.as_condition(self.visit(node.this))})", "boolean")

    def _connected(self, node: Expr) -> Term:
        _only(node, "this", "expression")
        # Long chains lean to the left: walked flat, a list of 300 names is not 300 levels deep.
        parts = [self.as_condition(self.visit(part)) for part in node.flatten()]
        return Term("(" + f" {node.key.upper()} ".join(parts) + ")", "boolean")

    def _compared(self, node: Expr) -> Term:
        _only(node, "this", "expression")
        return self._comparison(
            _COMPARISONS[node.key], self.visit(node.this), self.visit(node.args["expression"])
        )

    def _comparison(self, operator: str, left: Term, right: Term) -> Term:
        if "null" in (left.kind, right.kind):
            raise Refused("compares with NULL, which is never true; write IS NULL or IS NOT NULL")
        (left_sql, right_sql), _ = self._aligned([left, right])
        return Term(f"({left_sql} {operator} {right_sql})", "boolean")

    def _is(self, node: Expr) -> Term:
        _only(node, "this", "expression", "negate")
        term, right = self.visit(node.this), self.visit(node.args["expression"])
        if right.kind == "null":
            read = self.as_number(term) if term.kind == "number" else term.sql
            return _negated(node, Term(f"({read} IS NULL)", "boolean"))
        if right.kind != "boolean" or right.literal is None:
            raise Refused("uses IS with something else than NULL, TRUE or FALSE")
        return _negated(node, Term(f"({self.as_condition(term)} IS {right.sql})", "boolean"))

    def _in(self, node: Expr) -> Term:
        _only(node, "this", "expressions", "negate")
        items = [self.visit(item) for item in node.args.get("expressions") or ()]
        if not items or any(item.literal is None for item in items):
            raise Refused("uses IN with something else than a list of plain values such as ('a', 'b')")
        if any(item.kind == "null" for item in items):
            raise Refused("lists NULL after IN, which never matches; write ... OR x IS NULL")
        if len({item.kind for item in items}) > 1:
            raise Refused("mixes text and numbers after IN; list one kind")
        (first, *rest), _ = self._aligned([self.visit(node.this), *items])
        return _negated(node, Term(f"({first} IN ({', '.join(rest)}))", "boolean"))

    def _between(self, node: Expr) -> Term:
        _only(node, "this", "low", "high", "negate")
        terms = [self.visit(node.args[name]) for name in ("this", "low", "high")]
        if any(term.kind == "null" for term in terms):
            raise Refused("uses BETWEEN with NULL, which is never true")
        (value, low, high), _ = self._aligned(terms)
        return _negated(node, Term(f"({value} BETWEEN {low} AND {high})", "boolean"))

    def _like(self, node: Expr) -> Term:
        _only(node, "this", "expression", "negate")
        value, pattern = self.visit(node.this), self.visit(node.args["expression"])
        if pattern.kind != "text":
            raise Refused("uses LIKE with a pattern that is not text; write LIKE 'begin%'")
        word = "ILIKE" if node.key == "ilike" else "LIKE"
        return _negated(node, Term(f"({self.as_text(value)} {word} {self.as_text(pattern)})", "boolean"))

    def _case(self, node: Expr) -> Term:
        _only(node, "this", "ifs", "default")
        subject = self.visit(node.this) if node.this is not None else None
        conditions: list[str] = []
        results: list[Term] = []
        for branch in node.args["ifs"]:
            _only(branch, "this", "true")
            when = self.visit(branch.this)
            met = when if subject is None else self._comparison("=", subject, when)
            conditions.append(self.as_condition(met))
            results.append(self.visit(branch.args["true"]))
        default = node.args.get("default")
        results.append(self.visit(default) if default is not None else Term("NULL", "null"))
        values, kind = self._aligned(results)
        whens = " ".join(f"WHEN {c} THEN {v}" for c, v in zip(conditions, values, strict=False))
        return Term(f"(CASE {whens} ELSE {values[-1]} END)", kind)

    # Arithmetic

    def _arithmetic(self, node: Expr) -> Term:
        _only(node, "this", "expression")
        left, right = self.visit(node.this), self.visit(node.args["expression"])
        operator = _ARITHMETIC[node.key]
        if operator in ("/", "%"):
            # Dividing by an infinite number gives a finite one, so both sides are guarded before and the
            # quotient (by zero) after.
            return Term(
                self._finite(f"({self.as_number(left)} {operator} {self.as_number(right)})"), "number"
            )
        sql = f"({self._as_loose_number(left)} {operator} {self._as_loose_number(right)})"
        return Term(sql, "number", is_finite=False)

    def _negative(self, node: Expr) -> Term:
        _only(node, "this")
        term = self.visit(node.this)
        literal = f"-{term.literal}" if term.kind == "number" and term.literal is not None else None
        sql = f"(- {self._as_loose_number(term)})"
        return Term(sql, "number", literal=literal, is_finite=literal is not None)

    def _try_cast(self, node: Expr) -> Term:
        _only(node, "this", "to")
        target = node.args["to"]
        name = str(getattr(target.this, "value", target.this)).upper()
        term = self.visit(node.this)
        if target.args.get("nested") or target.expressions:
            raise Refused("casts to a type other than DOUBLE, VARCHAR or BOOLEAN")
        if name == "DOUBLE":
            return Term(self.as_number(replace(term, literal=None)), "number")
        if name in ("VARCHAR", "TEXT"):
            return Term(self.as_text(term), "text")
        if name == "BOOLEAN":
            return Term(self.as_condition(term), "boolean")
        raise Refused("casts to a type other than DOUBLE, VARCHAR or BOOLEAN")

    def _cast(self, node: Expr) -> Term:
        raise Refused("uses a cast that stops at the first odd value; write TRY_CAST(x AS DOUBLE)")

    # Functions

    def _function(self, node: Expr) -> Term:
        name = str(node.this).lower() if node.key == "anonymous" else _TYPED_FUNCTIONS[node.key]
        known = self._FUNCTIONS.get(name)
        if known is None:
            raise Refused(f"calls {name[:40]!r}, which is not allowed here; {_ALLOWED}")
        fewest, most, build = known
        arguments = [self.visit(part) for part in _arguments(node)]
        if not fewest <= len(arguments) <= most:
            wanted = str(fewest) if fewest == most else f"{fewest} or more"
            raise Refused(f"calls {name} with {len(arguments)} values; it takes {wanted}")
        return build(self, name, arguments)

    def _text_function(self, name: str, arguments: list[Term]) -> Term:
        return Term(f"{name}({self.as_text(arguments[0])})", "text")

    def _length(self, name: str, arguments: list[Term]) -> Term:
        return Term(f"CAST(length({self.as_text(arguments[0])}) AS DOUBLE)", "number")

    def _text_test(self, name: str, arguments: list[Term]) -> Term:
        return Term(f"{name}({', '.join(self.as_text(term) for term in arguments)})", "boolean")

    def _matches(self, name: str, arguments: list[Term]) -> Term:
        pattern = arguments[1]
        if pattern.literal is None or pattern.kind != "text":
            raise Refused(f"calls {name} with a pattern that is not plain text")
        _check_pattern(pattern.literal)
        return self._text_test(name, arguments)

    def _number_function(self, name: str, arguments: list[Term]) -> Term:
        return Term(f"{name}({self.as_number(arguments[0])})", "number")

    def _round(self, name: str, arguments: list[Term]) -> Term:
        digits = arguments[1].literal if len(arguments) > 1 else "0"
        if digits is None or not digits.removeprefix("-").isdigit() or abs(int(digits)) > 15:
            raise Refused("calls round with digits that are not a whole number from -15 to 15")
        return Term(f"round({self.as_number(arguments[0])}, {int(digits)})", "number")

    def _aligned_function(self, name: str, arguments: list[Term]) -> Term:
        values, kind = self._aligned(arguments)
        return Term(f"{name}({', '.join(values)})", kind)

    _FUNCTIONS: ClassVar[dict[str, tuple[int, int, Callable[[Lowering, str, list[Term]], Term]]]] = {
        "lower": (1, 1, _text_function),
        "upper": (1, 1, _text_function),
        "trim": (1, 1, _text_function),
        "length": (1, 1, _length),
        "contains": (2, 2, _text_test),
        "starts_with": (2, 2, _text_test),
        "ends_with": (2, 2, _text_test),
        "regexp_matches": (2, 2, _matches),
        "abs": (1, 1, _number_function),
        "round": (1, 2, _round),
        "coalesce": (1, 20, _aligned_function),
        "nullif": (2, 2, _aligned_function),
        "least": (1, 20, _aligned_function),
        "greatest": (1, 20, _aligned_function),
    }

    _METHODS: ClassVar[dict[str, Callable[[Lowering, Expr], Term]]] = {
        "column": _column,
        "literal": _literal,
        "boolean": _boolean,
        "null": _null,
        "paren": _paren,
        "not": _not,
        "and": _connected,
        "or": _connected,
        **dict.fromkeys(("eq", "neq", "lt", "lte", "gt", "gte"), _compared),
        "is": _is,
        "in": _in,
        "between": _between,
        "like": _like,
        "ilike": _like,
        "case": _case,
        **dict.fromkeys(("add", "sub", "mul", "div", "mod"), _arithmetic),
        "neg": _negative,
        "trycast": _try_cast,
        "cast": _cast,
        "anonymous": _function,
        **dict.fromkeys(
            (
                "lower",
                "upper",
                "trim",
                "length",
                "contains",
                "startswith",
                "endswith",
                "regexplike",
                "abs",
                "round",
                "coalesce",
                "nullif",
                "least",
                "greatest",
            ),
            _function,
        ),
    }


_COMPARISONS: Final = {"eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_ARITHMETIC: Final = {"add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%"}
_TYPED_FUNCTIONS: Final = {
    **{name: name for name in Lowering._FUNCTIONS},
    "startswith": "starts_with",
    "endswith": "ends_with",
    "regexplike": "regexp_matches",
}
_ALLOWED: Final = (
    "allowed: columns, plain values, comparisons, AND OR NOT, IN, BETWEEN, LIKE, IS NULL, arithmetic, CASE and "
    + ", ".join(Lowering._FUNCTIONS)
)


def _only(node: Expr, *names: str) -> None:
    """Refuse a node that carries a part nobody looked at: ignoring it would change what was asked."""
    for name, value in node.args.items():
        if value not in (None, False, []) and name not in names and name not in _HARMLESS_FLAGS:
            raise Refused(f"uses {_what(node)} in a form that is not allowed here; {_ALLOWED}")


def _negated(node: Expr, term: Term) -> Term:
    return Term(f"(NOT {term.sql})", "boolean") if node.args.get("negate") else term


def _arguments(node: Expr) -> list[Expr]:
    """The arguments of a function in the order they were written."""
    if node.key == "anonymous":
        _only(node, "this", "expressions")
        return list(node.expressions)
    _only(node, "this", "expression", "decimals", "expressions")
    single = [node.args.get(name) for name in ("this", "expression", "decimals")]
    return [part for part in single if part is not None] + list(node.expressions)


def _number_literal(text: str) -> str:
    """A DOUBLE in exponent form: written plainly DuckDB would read 0.1 as a DECIMAL and compare after rounding."""
    try:
        value = float(text)
    except ValueError:
        raise Refused(
            f"compares a number with the text {text[:40]!r}; compare numbers with numbers"
        ) from None
    if not math.isfinite(value):
        raise Refused(f"holds the number {text[:40]}, which is too large or not a number")
    shown = repr(value)
    return shown if "e" in shown else f"{shown}e0"


def _check_pattern(pattern: str) -> None:
    """Let the engine read a regular expression once, so that a bad one is a mistake of the plan, not of a row."""
    import duckdb

    with duckdb.connect(config={"enable_external_access": "false"}) as connection:
        try:
            connection.execute("SELECT regexp_matches('', ?)", [pattern])
        except duckdb.Error as error:
            reason = str(error).splitlines()[0].rpartition(": ")[2]
            raise Refused(f"holds a regular expression that cannot be read: {reason}") from error


def _what(node: Expr) -> str:
    """A refused node in words people use."""
    return _WORDS.get(node.key) or f"{node.key!r}"


_WORDS: Final = {
    "select": "a query",
    "subquery": "a query",
    "exists": "a query",
    "union": "a query",
    "window": "a window function",
    "lambda": "a lambda",
    "kwarg": "a named argument",
    "star": "*",
    "columns": "COLUMNS(...)",
    "placeholder": "a parameter",
    "parameter": "a parameter",
    "positionalcolumn": "a column by position",
    "bracket": "[...]",
    "struct": "{...}",
    "array": "[...]",
    "comprehension": "a list comprehension",
    "dot": "a dotted name",
    "table": "a table",
    "count": "an aggregate",
    "sum": "an aggregate",
    "avg": "an aggregate",
    "max": "an aggregate",
    "min": "an aggregate",
    "aggfunc": "an aggregate",
    "jsonextract": "a JSON path",
    "jsonextractscalar": "a JSON path",
    "escape": "ESCAPE",
    "collate": "COLLATE",
    "tuple": "a list outside IN",
    "alias": "a name given with AS",
    "dpipe": "||",
    "pow": "a power",
    "intdiv": "//",
}
