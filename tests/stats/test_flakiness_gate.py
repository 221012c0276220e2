"""How often the gate on the flakiness seen errs, recomputed by enumerating every count."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from surefoot.errors import ArgumentError
from surefoot.stats.flakiness import flakiness_values
from surefoot.stats.flakiness_gate import failures_forgiven, gate_block_rate, gate_catch_rate

TRIALS = [0, 1, 2, 3, 4, 11, 12, 19, 20, 40, 101]
CAPS = [0.05, 0.19, 0.2, 0.5, 0.9, 0.999]


def enumerated(trials: int, cap: float, rate: float, tasks: int = 1) -> float:
    passed = np.arange(trials + 1)
    seen = flakiness_values(passed, trials)
    once = float(stats.binom.pmf(passed, trials, rate)[seen > cap].sum())
    return 1 - (1 - once) ** tasks


@pytest.mark.parametrize("trials", TRIALS)
@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("rate", [0.0, 1e-9, 0.01, 1 / 6, 0.5, 5 / 6, 0.999, 1.0])
def test_rates_are_those_of_the_enumeration(trials: int, cap: float, rate: float) -> None:
    assert gate_block_rate(trials, cap, rate) == pytest.approx(enumerated(trials, cap, rate), abs=1e-13)
    assert gate_catch_rate(trials, cap, rate) == gate_block_rate(trials, cap, rate)
    many = enumerated(trials, cap, rate, tasks=30)
    assert gate_block_rate(trials, cap, rate, tasks=30) == pytest.approx(many, abs=1e-12)


@pytest.mark.parametrize("trials", TRIALS)
@pytest.mark.parametrize("cap", CAPS)
def test_failures_forgiven_are_those_not_seen_over_the_cap(trials: int, cap: float) -> None:
    seen = flakiness_values(trials - np.arange(trials + 1), trials)
    over = np.flatnonzero(seen > cap)
    assert failures_forgiven(trials, cap) == (over[0] - 1 if over.size else trials)


def test_the_printed_rates() -> None:
    assert flakiness_values(11, 12) == pytest.approx(0.306, abs=5e-4)
    assert failures_forgiven(12, 0.2) == 0
    assert failures_forgiven(18, 0.2) == 0
    assert failures_forgiven(19, 0.2) == 1
    assert gate_block_rate(12, 0.2, 0.99, tasks=30) == pytest.approx(0.97, abs=0.005)
    assert gate_block_rate(12, 0.2, 0.999, tasks=30) == pytest.approx(0.30, abs=0.005)
    assert gate_block_rate(19, 0.2, 0.99, tasks=30) == pytest.approx(0.37, abs=0.01)
    assert gate_catch_rate(19, 0.2, 5 / 6) == pytest.approx(0.85, abs=0.005)


def test_a_chance_too_small_for_a_subtraction_keeps_its_digits() -> None:
    rare = 2.0**-40
    exact = -math.expm1(12 * math.log1p(-rare))
    for pass_rate in (rare, 1 - rare):
        assert gate_block_rate(12, 0.2, pass_rate) == pytest.approx(exact, rel=1e-13, abs=0)
        many = gate_block_rate(12, 0.2, pass_rate, tasks=1000)
        assert many == pytest.approx(-math.expm1(12_000 * math.log1p(-rare)), rel=1e-13, abs=0)


def test_many_trials_are_no_trouble() -> None:
    assert gate_block_rate(10**9, 0.2, 0.5, tasks=10) == 1
    assert gate_block_rate(10**9, 0.2, 0.99, tasks=10) == pytest.approx(0, abs=1e-300)
    assert failures_forgiven(10**9, 0.2) == pytest.approx(52_786_404.5, abs=1)


def test_without_tasks_nothing_blocks() -> None:
    assert gate_block_rate(12, 0.2, 0.5, tasks=0) == 0
    assert gate_block_rate(10**9, 0.2, 0.5, tasks=0) == 0


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((True, 0.2, 0.9), "trials"),
        ((12.5, 0.2, 0.9), "trials"),
        ((12, 0, 0.9), "cap"),
        ((12, math.nan, 0.9), "cap"),
        ((12, 0.2, 1.1), "pass_rate"),
        ((12, 0.2, math.nan), "pass_rate"),
        ((12, 0.2, 0.9, -1), "tasks"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments: tuple[Any, ...], name: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        gate_block_rate(*arguments)
    assert caught.value.argument == name
