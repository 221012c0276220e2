"""From the tree of a user's expression to SQL text: one method a kind of node, and nothing else is allowed.

The table of methods *is* the allow-list. Each method prints what it understood, fully bracketed, and refuses
a node that carries anything it did not look at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, ClassVar, Final

from surefoot.plan.functions import FUNCTIONS, call
from surefoot.plan.refusals import only, refused_node
from surefoot.plan.terms import (
    ColumnKind,
    Readings,
    Refused,
    Term,
    finite,
    number_literal,
    text_literal,
)

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

_DEEPEST: Final = 100


class AnyColumns(Mapping[str, ColumnKind]):
    """Columns before a log is at hand: any name is taken for a text column."""

    def __getitem__(self, name: str) -> ColumnKind:
        return "text"

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class Lowering:
    """Prints one tree; `used` collects the columns it names, in order of first use."""

    def __init__(
        self, columns: Mapping[str, ColumnKind], readings: Readings, forbidden: Collection[str]
    ) -> None:
        self._columns = columns
        self._spelling = {name.lower(): name for name in columns}
        self._forbidden = tuple(name.lower() for name in forbidden)
        self._readings = readings
        self._depth = 0
        self.used: dict[str, None] = {}

    def visit(self, node: Expr) -> Term:
        """The SQL of `node`; Refused where it is not on the list."""
        method = self._METHODS.get(node.key)
        if method is None:
            raise refused_node(node)
        if self._depth >= _DEEPEST:
            raise Refused("is nested too deeply; simplify it")
        self._depth += 1
        term = method(self, node)
        self._depth -= 1
        return term

    def _column(self, node: Expr) -> Term:
        identifier = node.this
        if identifier.key != "identifier":
            raise refused_node(identifier)
        typed = str(identifier.this)
        if node.args.get("table") is not None:
            whole = f"{node.args['table'].name}.{typed}"
            raise Refused(f'names {whole} with a dot; a column whose name holds one is written "{whole}"')
        only(node, "this")
        name = self._known(typed, is_quoted=bool(identifier.args.get("quoted")))
        self._check_allowed(name)
        self.used.setdefault(name)
        kind = self._columns[name]
        sql = '"' + name.replace('"', '""') + '"'
        if kind == "number":
            return Term(sql, "number", is_finite=False, is_column=True)
        if kind == "boolean":
            return Term(sql, "boolean")
        # A text column may be an ENUM, a UUID or JSON to the engine: compared with a word that is none of its
        # values it would stop the query.
        return Term(f"CAST({sql} AS VARCHAR)", "text")

    def _known(self, typed: str, *, is_quoted: bool) -> str:
        if isinstance(self._columns, AnyColumns):
            return next((name for name in self.used if name.lower() == typed.lower()), typed)
        name = self._spelling.get(typed.lower())
        if name is not None:
            return name
        close = get_close_matches(typed.lower(), self._spelling, n=1)
        hint = f"; did you mean {self._spelling[close[0]]}?" if close else ""
        is_text = is_quoted or typed[:1] in "\u2018\u2019\u201c\u201d"
        quotes = "; text goes in straight single quotes" if is_text else ""
        names = sorted(self._columns)
        listed = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        raise Refused(f"names the column {typed!r}, which is not there{hint}{quotes}; columns: {listed}")

    def _check_allowed(self, name: str) -> None:
        lower = name.lower()
        for pattern in self._forbidden:
            if lower == pattern or (pattern.endswith("*") and lower.startswith(pattern[:-1])):
                raise Refused(
                    f"names {name!r}, which is known only after a trial; select by what was so before"
                )

    def _literal(self, node: Expr) -> Term:
        only(node, "this", "is_string")
        text = str(node.this)
        if node.args.get("is_string"):
            return Term(text_literal(text), "text", literal=text)
        return Term(number_literal(text), "number", literal=text)

    def _boolean(self, node: Expr) -> Term:
        only(node, "this")
        word = "TRUE" if node.this else "FALSE"
        return Term(word, "boolean", literal=word)

    def _null(self, node: Expr) -> Term:
        only(node)
        return Term("NULL", "null", literal="NULL")

    def _paren(self, node: Expr) -> Term:
        only(node, "this")
        return self.visit(node.this)

    def _not(self, node: Expr) -> Term:
        only(node, "this")
        return Term(f"(NOT {self._readings.as_condition(self.visit(node.this))})", "boolean")

    def _connected(self, node: Expr) -> Term:
        only(node, "this", "expression")
        # Long chains lean to the left: walked flat, a list of 300 names is not 300 levels deep.
        parts = [self._readings.as_condition(self.visit(part)) for part in node.flatten()]
        return Term("(" + f" {node.key.upper()} ".join(parts) + ")", "boolean")

    def _compared(self, node: Expr) -> Term:
        only(node, "this", "expression")
        left, right = self.visit(node.this), self.visit(node.args["expression"])
        return self._comparison(_COMPARISONS[node.key], left, right)

    def _comparison(self, operator: str, left: Term, right: Term) -> Term:
        if "null" in (left.kind, right.kind):
            raise Refused("compares with NULL, which is never true; write IS NULL or IS NOT NULL")
        (left_sql, right_sql), _ = self._readings.aligned([left, right])
        return Term(f"({left_sql} {operator} {right_sql})", "boolean")

    def _is(self, node: Expr) -> Term:
        only(node, "this", "expression", "negate")
        term, right = self.visit(node.this), self.visit(node.args["expression"])
        if right.literal is None or right.kind not in ("boolean", "null"):
            raise Refused("uses IS with something else than NULL, TRUE or FALSE")
        if right.kind == "null":
            read = self._readings.as_number(term) if term.kind == "number" else term.sql
        else:
            read = self._readings.as_condition(term)
        return _negated(node, Term(f"({read} IS {right.sql})", "boolean"))

    def _in(self, node: Expr) -> Term:
        only(node, "this", "expressions", "negate")
        items = [self.visit(item) for item in node.args.get("expressions") or ()]
        if not items or any(item.literal is None for item in items):
            raise Refused("uses IN with something else than a list of plain values such as ('a', 'b')")
        if any(item.kind == "null" for item in items):
            raise Refused("lists NULL after IN, which never matches; write ... OR x IS NULL")
        if len({item.kind for item in items}) > 1:
            raise Refused("mixes kinds of values after IN; list only texts, or only numbers")
        (first, *rest), _ = self._readings.aligned([self.visit(node.this), *items])
        return _negated(node, Term(f"({first} IN ({', '.join(rest)}))", "boolean"))

    def _between(self, node: Expr) -> Term:
        only(node, "this", "low", "high", "negate")
        terms = [self.visit(node.args[name]) for name in ("this", "low", "high")]
        if any(term.kind == "null" for term in terms):
            raise Refused("uses BETWEEN with NULL, which is never true")
        (value, low, high), _ = self._readings.aligned(terms)
        return _negated(node, Term(f"({value} BETWEEN {low} AND {high})", "boolean"))

    def _like(self, node: Expr) -> Term:
        only(node, "this", "expression", "negate")
        value, pattern = self.visit(node.this), self.visit(node.args["expression"])
        if pattern.kind != "text":
            raise Refused("uses LIKE with a pattern that is not text; write LIKE 'begin%'")
        word = "ILIKE" if node.key == "ilike" else "LIKE"
        sql = f"({self._readings.as_text(value)} {word} {pattern.sql})"
        return _negated(node, Term(sql, "boolean"))

    def _case(self, node: Expr) -> Term:
        only(node, "this", "ifs", "default")
        subject = None if node.args.get("this") is None else self.visit(node.this)
        conditions: list[str] = []
        results: list[Term] = []
        for branch in node.args["ifs"]:
            only(branch, "this", "true")
            when = self.visit(branch.this)
            met = when if subject is None else self._comparison("=", subject, when)
            conditions.append(self._readings.as_condition(met))
            results.append(self.visit(branch.args["true"]))
        default = node.args.get("default")
        results.append(Term("NULL", "null") if default is None else self.visit(default))
        (*values, otherwise), kind = self._readings.aligned(results)
        whens = " ".join(f"WHEN {met} THEN {value}" for met, value in zip(conditions, values, strict=True))
        return Term(f"(CASE {whens} ELSE {otherwise} END)", kind)

    def _arithmetic(self, node: Expr) -> Term:
        only(node, "this", "expression")
        left, right = self.visit(node.this), self.visit(node.args["expression"])
        sign, read = _SIGNS[node.key], self._readings
        if sign in ("/", "%"):
            # Dividing by an infinite number gives a finite one, and by zero an infinite one: the guard stands
            # on both sides before, and on the quotient after.
            return Term(finite(f"({read.as_number(left)} {sign} {read.as_number(right)})"), "number")
        sql = f"({read.as_loose_number(left)} {sign} {read.as_loose_number(right)})"
        return Term(sql, "number", is_finite=False)

    def _negative(self, node: Expr) -> Term:
        only(node, "this")
        term = self.visit(node.this)
        literal = f"-{term.literal}" if term.kind == "number" and term.literal is not None else None
        sql = f"(- {self._readings.as_loose_number(term)})"
        return Term(sql, "number", literal=literal, is_finite=literal is not None)

    def _try_cast(self, node: Expr) -> Term:
        only(node, "this", "to")
        target = node.args["to"]
        name = "" if target.expressions else str(getattr(target.this, "value", target.this)).upper()
        term = self.visit(node.this)
        if name == "DOUBLE":
            return Term(self._readings.as_number(replace(term, literal=None)), "number")
        if name in ("VARCHAR", "TEXT"):
            return Term(self._readings.as_text(term), "text")
        if name == "BOOLEAN":
            return Term(self._readings.as_condition(term), "boolean")
        raise Refused("casts to a type other than DOUBLE, VARCHAR or BOOLEAN")

    def _cast(self, node: Expr) -> Term:
        raise Refused(
            "uses a cast that would stop at the first odd value; "
            "columns are read as their context asks, or write TRY_CAST(x AS DOUBLE)"
        )

    def _function(self, node: Expr) -> Term:
        name = str(node.this).lower() if node.key == "anonymous" else _TYPED_FUNCTIONS[node.key]
        if name not in FUNCTIONS:
            raise refused_node(node)
        return call(self._readings, name, [self.visit(part) for part in _arguments(node)])

    _METHODS: ClassVar[Mapping[str, Callable[[Lowering, Expr], Term]]]


_COMPARISONS: Final = {"eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_SIGNS: Final = {"add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%"}
# sqlglot names some functions otherwise than the engine; those it does not know are "anonymous".
_TYPED_FUNCTIONS: Final = {name.replace("_", ""): name for name in FUNCTIONS} | {
    "regexplike": "regexp_matches"
}


def _negated(node: Expr, term: Term) -> Term:
    return Term(f"(NOT {term.sql})", "boolean") if node.args.get("negate") else term


def _arguments(node: Expr) -> list[Expr]:
    """The arguments of a function in the order they were written."""
    if node.key == "anonymous":
        only(node, "this", "expressions")
        return list(node.expressions)
    only(node, "this", "expression", "decimals", "expressions")
    single = [node.args.get(name) for name in ("this", "expression", "decimals")]
    return [part for part in single if part is not None] + list(node.expressions)


Lowering._METHODS = {
    "column": Lowering._column,
    "literal": Lowering._literal,
    "boolean": Lowering._boolean,
    "null": Lowering._null,
    "paren": Lowering._paren,
    "not": Lowering._not,
    "and": Lowering._connected,
    "or": Lowering._connected,
    "is": Lowering._is,
    "in": Lowering._in,
    "between": Lowering._between,
    "like": Lowering._like,
    "ilike": Lowering._like,
    "case": Lowering._case,
    "neg": Lowering._negative,
    "trycast": Lowering._try_cast,
    "cast": Lowering._cast,
    "anonymous": Lowering._function,
    **dict.fromkeys(_COMPARISONS, Lowering._compared),
    **dict.fromkeys(_SIGNS, Lowering._arithmetic),
    **dict.fromkeys(_TYPED_FUNCTIONS, Lowering._function),
}
