"""What an expression may not hold, said in words people use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from surefoot.plan.functions import FUNCTIONS
from surefoot.plan.terms import Refused

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

ALLOWED: Final = (
    "allowed: columns, plain values, comparisons, AND OR NOT, IN, BETWEEN, LIKE, IS NULL, arithmetic, CASE, "
    + ", ".join(FUNCTIONS)
)

# Set by sqlglot itself to remember the dialect; none of them changes what the user asked.
_HARMLESS_FLAGS: Final = frozenset({"typed", "safe", "ignore_nulls", "is_null", "is_nvl", "json_scope"})

_WORDS: Final = {
    "star": "*",
    "columns": "COLUMNS(...)",
    "placeholder": "a parameter",
    "parameter": "a parameter",
    "positionalcolumn": "a column by position",
    "bracket": "[...]",
    "array": "[...]",
    "comprehension": "a list comprehension",
    "struct": "{...}",
    "dot": "a dotted name",
    "window": "a window function",
    "lambda": "a lambda",
    "jsonextract": "a JSON path or a lambda",
    "jsonextractscalar": "a JSON path",
    "tuple": "a list outside IN",
    "collate": "COLLATE",
    "dpipe": "||",
    "pow": "a power",
    "intdiv": "//",
    "concat": "texts side by side",
}


def refused_node(node: Expr) -> Refused:
    """The refusal of a node that is not on the list."""
    return Refused(f"uses {_what(node)}, which is not allowed here; {ALLOWED}")


def only(node: Expr, *names: str) -> None:
    """Refuse a node that carries a part nobody looked at: ignoring it would change what was asked."""
    for name, value in node.args.items():
        if value not in (None, False, []) and name not in names and name not in _HARMLESS_FLAGS:
            raise Refused(f"uses {_what(node)} in a form that is not allowed here; {ALLOWED}")


def _what(node: Expr) -> str:
    from sqlglot import exp

    if node.key in _WORDS:
        return _WORDS[node.key]
    if isinstance(node, exp.Query | exp.Exists | exp.Subquery):
        return "a query"
    if isinstance(node, exp.AggFunc):
        return f"the aggregate {node.sql_name().lower()}"
    if isinstance(node, exp.Anonymous):
        return f"the function {str(node.this)[:40]!r}"
    if isinstance(node, exp.Func):
        return f"the function {node.sql_name().lower()!r}"
    return node.key.upper()
