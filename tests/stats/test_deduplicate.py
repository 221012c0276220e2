"""Every pair of counts is computed once, whatever the shapes, the sizes and the order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from surefoot.stats.deduplicate import for_each_pair

Ints = NDArray[np.int64]


class Recorder:
    """Computes two values that tell all pairs apart, and keeps what it was called with."""

    def __init__(self) -> None:
        self.calls: list[list[tuple[int, int]]] = []

    def __call__(self, events: Ints, trials: Ints) -> tuple[NDArray[np.float64], ...]:
        self.calls.append(list(zip(events.tolist(), trials.tolist(), strict=True)))
        return events + trials / 1e10, events - 0.25 * trials


def pairs(seed: int, size: int, first: int, last: int) -> tuple[Ints, Ints]:
    rng = np.random.default_rng(seed)
    trials = rng.integers(first, last + 1, size)
    return rng.integers(first // 2, trials + 1), trials


CASES: dict[str, tuple[Any, Any]] = {
    "few pairs": pairs(0, 10, 5, 30),
    "small table": pairs(1, 5000, 0, 12),
    "many pairs for each cell": pairs(10, 20_000, 0, 2),
    "table that does not start at zero": pairs(2, 5000, 1000, 1010),
    "too sparse for a table": pairs(3, 500, 10**6, 2 * 10**6),
    "too many cells to number": tuple(column[1:] for column in pairs(9, 101, 0, 2**40)),
    "one number of trials": (pairs(4, 5000, 9, 9)[0], np.array(9)),
    "one number of trials, few tasks": (pairs(5, 70, 50, 50)[0], np.array([50])),
    "one number of events": (np.array(3), pairs(6, 5000, 4, 40)[1]),
    "one pair for many": (np.array([3]), np.full(5000, 4)),
    "a grid": (np.arange(20)[:, None], np.arange(20, 400)),
    "two columns": tuple(column.reshape(50, 2, 50) for column in pairs(7, 5000, 0, 9)),
    "nothing": (np.empty((0, 3), dtype=np.int64), np.array(4)),
    "one pair": (np.array(3), np.array(4)),
}


@pytest.mark.parametrize("case", CASES)
def test_every_pair_gets_what_is_computed_for_it(case: str) -> None:
    events, trials = CASES[case]
    first, second = for_each_pair(events, trials, Recorder())
    x, n = np.broadcast_arrays(events, trials)
    assert first.shape == second.shape == x.shape
    np.testing.assert_array_equal(first, x + n / 1e10)
    np.testing.assert_array_equal(second, x - 0.25 * n)


@pytest.mark.parametrize(
    "case", ["small table", "table that does not start at zero", "too sparse for a table"]
)
def test_equal_pairs_are_computed_once(case: str) -> None:
    events, trials = CASES[case]
    recorder = Recorder()
    for_each_pair(events, trials, recorder)
    (computed,) = recorder.calls
    assert len(computed) == len(set(computed))
    assert set(computed) == set(zip(events.tolist(), trials.tolist(), strict=True))


@pytest.mark.parametrize("case", CASES)
def test_only_valid_pairs_are_computed(case: str) -> None:
    recorder = Recorder()
    for_each_pair(*CASES[case], recorder)
    assert all(0 <= x <= n for call in recorder.calls for x, n in call)


def test_the_arguments_are_left_as_they_were() -> None:
    events, trials = pairs(8, 5000, 1000, 1010)
    before = events.copy(), trials.copy()
    for_each_pair(events, trials, Recorder())
    np.testing.assert_array_equal(events, before[0])
    np.testing.assert_array_equal(trials, before[1])
