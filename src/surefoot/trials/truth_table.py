"""What a recorded value says about success: yes, no, or nothing, by one table in SQL and in Python.

=================================================  =========
true, 1, 1.0, pass, passed, C, correct, yes        passed
false, 0, 0.0, fail, failed, I, incorrect, no      failed
any other number, NULL, empty, NaN, any other word no verdict
=================================================  =========

Words compare without case and without blanks around them. ``bool("false")`` is True: it is never used.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from numbers import Real
from typing import Literal

from surefoot.trials.columns import ColumnKind
from surefoot.trials.sql import quote_text

UnscoredReason = Literal["missing", "not a number", "other number", "unknown word"]

TRUE_WORDS = ("true", "1", "1.0", "pass", "passed", "c", "correct", "yes")
FALSE_WORDS = ("false", "0", "0.0", "fail", "failed", "i", "incorrect", "no")

_USUAL_TRUE = ("true", "True", "1", "C", "pass", "1.0", "PASS", "passed", "correct", "yes")
_USUAL_FALSE = ("false", "False", "0", "I", "fail", "0.0", "FAIL", "failed", "incorrect", "no")

_BLANKS = " \t\r\n"
_NUMBER = r"[+-]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,2})?"


def truth_value(value: object) -> bool | None:
    """Did a trial with this recorded value pass? None where the value gives no verdict.

    Examples
    --------
    >>> truth_value("false"), truth_value("PASS"), truth_value(1.0), truth_value(0.5)
    (False, True, True, None)
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _word_truth(value.strip(_BLANKS).lower())
    if isinstance(value, Real | Decimal):
        return _number_truth(float(value))
    # numpy's own booleans are no bool and no number; they say what they are by item.
    item = getattr(value, "item", None)
    return truth_value(item()) if callable(item) and getattr(value, "shape", None) == () else None


def unscored_reason(value: object) -> UnscoredReason | None:
    """Why does this recorded value give no verdict? None where it gives one.

    Examples
    --------
    >>> unscored_reason(0.5), unscored_reason("maybe"), unscored_reason(None), unscored_reason("no")
    ('other number', 'unknown word', 'missing', None)
    """
    if truth_value(value) is not None:
        return None
    if value is None or (isinstance(value, str) and not value.strip(_BLANKS)):
        return "missing"
    if isinstance(value, str):
        return _word_reason(value.strip(_BLANKS).lower())
    if isinstance(value, Real | Decimal):
        return "not a number" if math.isnan(value) else "other number"
    return "unknown word"


def truth_sql(column_sql: str, kind: ColumnKind) -> str:
    """The truth table as an SQL expression: BOOLEAN, or NULL for no verdict."""
    if kind == "boolean":
        return column_sql
    if kind == "number":
        return f"(CASE WHEN {column_sql} = 1 THEN TRUE WHEN {column_sql} = 0 THEN FALSE END)"
    text = column_sql if kind == "text" else f"CAST({column_sql} AS VARCHAR)"
    word = _word_sql(text)
    number = f"TRY_CAST(CASE WHEN {_is_number_sql(word)} THEN {word} END AS DOUBLE)"
    # The usual spellings come first, as they stand in the file: they cost next to nothing.
    return (
        f"(CASE WHEN {_equals_one_of(text, _USUAL_TRUE)} THEN TRUE"
        f" WHEN {_equals_one_of(text, _USUAL_FALSE)} THEN FALSE"
        f" WHEN {text} IS NULL THEN NULL"
        f" WHEN {word} IN ({_words_sql(TRUE_WORDS)}) THEN TRUE"
        f" WHEN {word} IN ({_words_sql(FALSE_WORDS)}) THEN FALSE"
        f" WHEN {number} = 1 THEN TRUE WHEN {number} = 0 THEN FALSE END)"
    )


def unscored_reason_sql(column_sql: str, kind: ColumnKind) -> str:
    """The reason for no verdict as an SQL expression: one of the reasons as text, or NULL."""
    truth = truth_sql(column_sql, kind)
    if kind == "boolean":
        return f"(CASE WHEN {column_sql} IS NULL THEN 'missing' END)"
    if kind == "number":
        rest = f"WHEN isnan(CAST({column_sql} AS DOUBLE)) THEN 'not a number' ELSE 'other number'"
        return (
            f"(CASE WHEN {column_sql} IS NULL THEN 'missing' WHEN {truth} IS NOT NULL THEN NULL {rest} END)"
        )
    word = _word_sql(column_sql if kind == "text" else f"CAST({column_sql} AS VARCHAR)")
    return (
        f"(CASE WHEN {truth} IS NOT NULL THEN NULL WHEN {column_sql} IS NULL OR {word} = '' THEN 'missing'"
        f" WHEN {word} IN ('nan', '-nan', '+nan') THEN 'not a number'"
        f" WHEN {_is_number_sql(word)} THEN 'other number' ELSE 'unknown word' END)"
    )


def _word_truth(word: str) -> bool | None:
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    return _number_truth(float(word)) if re.fullmatch(_NUMBER, word) else None


def _word_reason(word: str) -> UnscoredReason:
    if word in ("nan", "-nan", "+nan"):
        return "not a number"
    return "other number" if re.fullmatch(_NUMBER, word) else "unknown word"


def _number_truth(number: float) -> bool | None:
    if number == 1:
        return True
    return False if number == 0 else None


def _word_sql(text: str) -> str:
    return f"lower(trim({text}, ' ' || chr(9) || chr(10) || chr(13)))"


def _is_number_sql(word: str) -> str:
    return f"regexp_full_match({word}, {quote_text(_NUMBER)})"


def _words_sql(words: tuple[str, ...]) -> str:
    return ", ".join(quote_text(word) for word in words)


def _equals_one_of(text: str, words: tuple[str, ...]) -> str:
    # Spelled out: IN with a list of constants is a search per row, and several times as slow.
    return " OR ".join(f"{text} = {quote_text(word)}" for word in words)
