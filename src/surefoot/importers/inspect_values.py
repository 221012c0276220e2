"""The values Inspect's scorers give, as numbers and verdicts, and the choice of the one that is `passed`."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from surefoot.importers.row_values import canonical_json, finite, mapping, plain_text
from surefoot.trials.columns import SCORE_PREFIX
from surefoot.trials.truth_table import truth_value

if TYPE_CHECKING:
    from collections.abc import Iterator

VALUE_PREFIX = "value_"
"""Columns with the value as the scorer wrote it; ``score_`` columns hold the number it stands for."""

ReadingKind = Literal["passed", "failed", "between", "absent", "unknown word", "several"]

_BEYOND_THE_TRUTH_TABLE = {"P": 0.5, "N": 0.0}
"""Inspect's partial credit, and its "no answer", which it counts as incorrect."""

_SHOWN_VALUES = 5
_KEPT_VALUES = 50


def number_of(value: object) -> float | None:
    """What number does a score's value stand for? C is 1, P is 0.5, I and N are 0; None for NaN and other words."""
    if not isinstance(value, str | bool):
        return finite(value)
    truth = truth_value(value)
    if truth is not None or isinstance(value, bool):
        return float(bool(truth))
    word = value.strip()
    if word.upper() in _BEYOND_THE_TRUTH_TABLE:
        return _BEYOND_THE_TRUTH_TABLE[word.upper()]
    try:
        return finite(float(word))
    except ValueError:
        return None


def kind_of(value: object) -> ReadingKind:
    """How does a value read as pass or fail without a declared threshold?"""
    if isinstance(value, dict | list):
        return "several"
    number = number_of(value)
    if number is not None:
        return "passed" if number == 1.0 else "failed" if number == 0.0 else "between"
    return "unknown word" if isinstance(value, str) and value.strip().lower() not in ("", "nan") else "absent"


def value_columns(scores: dict[str, object]) -> Iterator[tuple[str, object]]:
    """The columns of a sample's scores: the number where there is one, and the word it was written as."""
    for name, value in flat_values(scores):
        plain = plain_text(name)
        number = number_of(value)
        yield SCORE_PREFIX + plain, number
        if isinstance(value, str):
            yield VALUE_PREFIX + plain, plain_text(value)


def flat_values(scores: dict[str, object]) -> Iterator[tuple[str, object]]:
    """Each single value: of a scorer that gives several, one a key, named ``scorer_key``."""
    for name, score in scores.items():
        value = score_value(score)
        if isinstance(value, dict):
            yield from ((f"{name}_{key}", inner) for key, inner in value.items())
        elif isinstance(value, list):
            yield from ((f"{name}_{index}", inner) for index, inner in enumerate(value))
        else:
            yield name, value


def score_value(score: object) -> object:
    """The value inside a score, or the score itself where an old log wrote it bare."""
    return score.get("value") if isinstance(score, dict) else score


@dataclass(frozen=True)
class Asked:
    """The scorer that decides, and the key inside its values where it gives several."""

    scorer: str
    key: str | None = None

    def value(self, scores: dict[str, object]) -> object:
        """Its value in one sample; None where it gave none."""
        value = score_value(scores.get(self.scorer))
        if self.key is None:
            return value
        if isinstance(value, dict):
            return value.get(self.key)
        if isinstance(value, list) and self.key.isascii() and self.key.isdigit() and len(self.key) < 6:
            return value[int(self.key)] if int(self.key) < len(value) else None
        return None

    @property
    def column(self) -> str:
        """The column with its number, quoted where SQL needs it."""
        name = SCORE_PREFIX + plain_text(self.scorer if self.key is None else f"{self.scorer}_{self.key}")
        return name if name.isascii() and name.isidentifier() else '"' + name.replace('"', '""') + '"'

    def __str__(self) -> str:
        return self.scorer if self.key is None else f"{self.scorer}.{self.key}"


def asked_for(text: str, scores: dict[str, object]) -> Asked | None:
    """Which of these scores does ``scorer`` or ``scorer.key`` name? Names may hold dots themselves."""
    if text in scores:
        return Asked(text)
    for place, letter in enumerate(text):
        if letter == "." and text[:place] in scores:
            return Asked(text[:place], text[place + 1 :])
    return None


@dataclass
class SeenValues:
    """Which values each scorer gave, for a message that asks to choose one."""

    by_scorer: dict[str, Counter[str]] = field(default_factory=dict)
    keys: dict[str, dict[str, None]] = field(default_factory=dict)

    def add(self, scores: dict[str, object]) -> None:
        """Count one sample's values."""
        for name, score in scores.items():
            value = score_value(score)
            counter = self.by_scorer.setdefault(name, Counter())
            if isinstance(value, dict | list):
                keys = value if isinstance(value, dict) else map(str, range(len(value)))
                self.keys.setdefault(name, {}).update(dict.fromkeys(keys))
                continue
            shown = _shown(value)
            counter[shown if shown in counter or len(counter) < _KEPT_VALUES else "other"] += 1

    def lines(self, also: tuple[str, ...] = ()) -> str:
        """One line a scorer: its name and the values it gave."""
        names = [*self.by_scorer, *(name for name in also if name not in self.by_scorer)]
        width = min(24, max(map(len, names), default=0))
        return "\n".join(f"  {plain_text(name):{width}}  {self._said_by(name)}" for name in names)

    def example(self) -> str:
        """A scorer (with its key, where it has several) that could be asked for."""
        plain = [name for name in self.by_scorer if name not in self.keys]
        if plain:
            return plain[0]
        return next((f"{name}.{next(iter(keys))}" for name, keys in self.keys.items() if keys), "NAME")

    def _said_by(self, name: str) -> str:
        if name in self.keys:
            keys = [plain_text(key) for key in self.keys[name]]
            more = ", ..." if len(keys) > _SHOWN_VALUES else ""
            return (
                "several values: "
                + ", ".join(f"{plain_text(name)}.{key}" for key in keys[:_SHOWN_VALUES])
                + more
            )
        counter = self.by_scorer.get(name)
        if not counter:
            return "no value in this log"
        more = ", ..." if len(counter) > _SHOWN_VALUES else ""
        return ", ".join(f"{value} {count:,}" for value, count in counter.most_common(_SHOWN_VALUES)) + more


def _shown(value: object) -> str:
    if isinstance(value, str):
        text = plain_text(value)
    elif isinstance(value, float) and math.isnan(value):
        text = "NaN"
    else:
        text = canonical_json(value)
    return text if len(text) <= 24 else text[:21] + "..."


def scores_of(sample: dict[str, object], fallback_name: str) -> dict[str, object]:
    """A sample's scores by scorer; old logs hold one nameless ``score``."""
    scores = mapping(sample.get("scores"))
    if not scores and sample.get("score") is not None:
        return {fallback_name: sample["score"]}
    return scores
