"""A counter that is slow and plain: Python loops over rows, to check the SQL against."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

Row = Mapping[str, Any]


@dataclass(frozen=True)
class SlowCounts:
    """Rows (cluster, trials, events, unscored) -> tasks, with the cluster by name."""

    profile: Mapping[tuple[Any, ...], int]
    trials: int


def slow_count(
    rows: Iterable[Row],
    *,
    where: Callable[[Row], bool] = lambda row: True,
    value: Callable[[Row], Any],
    cluster: Sequence[str] = (),
) -> SlowCounts:
    """Count as the words say: select, judge, add up by task, gather equal tasks. One record a slot."""
    tasks: dict[tuple[str, Any], list[Any]] = defaultdict(lambda: [0, Fraction(0), 0])
    seen = set()
    for row in rows:
        slot = (row.get("run"), row["task"], row.get("trial_index"))
        if slot[2] is not None:
            if slot in seen:
                continue
            seen.add(slot)
        if not where(row):
            continue
        label = tuple(row[name] for name in cluster) if cluster else None
        counts = tasks[(row["task"], label)]
        counts[0] += 1
        judged = None if row.get("unscored_cause") else value(row)
        if judged is None:
            counts[2] += 1
        else:
            counts[1] += Fraction(judged)
    profile = Counter((label, n, events, unscored) for (_, label), (n, events, unscored) in tasks.items())
    return SlowCounts(profile, sum(n for n, _, _ in tasks.values()))


@pytest.fixture(scope="session")
def slowly() -> Callable[..., SlowCounts]:
    return slow_count
