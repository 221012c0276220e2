"""What holds of flakiness, its classes and its gate for every count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.stats.flakiness import (
    failures_forgiven,
    flakiness,
    flakiness_interval,
    flakiness_range,
    gate_block_rate,
    proved_class,
    repeats_to_prove_stable,
    unbiased_flakiness,
)

SLACK = 1e-11
MIRROR = {"stable pass": "stable fail", "stable fail": "stable pass"}

caps = st.floats(0.001, 0.999)
levels = st.sampled_from([0.75, 0.95, 0.999])


@st.composite
def tasks(draw: st.DrawFn) -> tuple[int, int]:
    trials = draw(st.one_of(st.integers(2, 30), st.integers(2, 3000), st.integers(2, 10**9)))
    return draw(st.one_of(st.integers(0, trials), st.integers(max(0, trials - 3), trials))), trials


@given(tasks())
def test_it_does_not_care_which_way_is_called_a_pass(task: tuple[int, int]) -> None:
    passed, trials = task
    assert flakiness(passed, trials).value == flakiness(trials - passed, trials).value
    one, other = flakiness_interval(passed, trials), flakiness_interval(trials - passed, trials)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-6, abs=1e-15)


@given(tasks())
def test_it_lies_in_its_interval_and_below_the_unbiased_one(task: tuple[int, int]) -> None:
    value, unbiased, interval = (
        flakiness(*task).value,
        unbiased_flakiness(*task).value,
        flakiness_interval(*task),
    )
    assert value is not None
    assert unbiased is not None
    assert 0 <= value <= 1
    assert value <= unbiased
    assert interval.low <= value * (1 + SLACK)
    assert value * (1 - SLACK) <= interval.high <= 1


@given(tasks(), st.data())
def test_the_range_holds_every_completion(task: tuple[int, int], data: st.DataObject) -> None:
    passed, trials = task
    unscored = data.draw(st.integers(0, trials - passed))
    completed = flakiness(passed + data.draw(st.integers(0, unscored)), trials).value
    smallest, largest = flakiness_range(passed, trials, unscored)
    assert completed is not None
    assert smallest <= completed * (1 + SLACK)
    assert completed <= largest * (1 + SLACK)


@given(tasks(), caps, levels)
def test_the_class_of_the_mirrored_task_is_mirrored(task: tuple[int, int], cap: float, level: float) -> None:
    passed, trials = task
    found = proved_class(passed, trials, cap=cap, confidence_level=level)
    other = proved_class(trials - passed, trials, cap=cap, confidence_level=level)
    assert other == MIRROR.get(found, found)


@given(tasks(), caps, caps, levels)
def test_a_looser_cap_keeps_what_is_stable(
    task: tuple[int, int], one: float, other: float, level: float
) -> None:
    strict = proved_class(*task, cap=min(one, other), confidence_level=level)
    loose = proved_class(*task, cap=max(one, other), confidence_level=level)
    if strict in MIRROR:
        assert loose == strict
    if loose == "flaky":
        assert strict == "flaky"


@given(tasks(), caps)
def test_a_proof_at_a_higher_level_is_one_at_a_lower(task: tuple[int, int], cap: float) -> None:
    strict = proved_class(*task, cap=cap, confidence_level=0.999)
    if strict != "undetermined":
        assert proved_class(*task, cap=cap, confidence_level=0.95) == strict


@given(caps, st.integers(0, 20), levels)
def test_the_repeats_asked_for_are_the_least_that_prove_it(cap: float, failures: int, level: float) -> None:
    need = repeats_to_prove_stable(cap, failures=failures, confidence_level=level)
    assert proved_class(need - failures, need, cap=cap, confidence_level=level) == "stable pass"
    fewer = proved_class(need - 1 - failures, need - 1, cap=cap, confidence_level=level)
    assert fewer != "stable pass"


@given(st.integers(2, 10**6), caps)
def test_one_failure_more_than_is_forgiven_is_over_the_cap(trials: int, cap: float) -> None:
    forgiven = failures_forgiven(trials, cap)
    at = flakiness(trials - forgiven, trials).value
    assert at is not None
    assert at <= cap
    if forgiven < trials:
        over = flakiness(trials - forgiven - 1, trials).value
        assert over is not None
        assert over > cap


@given(st.integers(0, 2000), caps, st.floats(0, 1), st.integers(0, 100))
def test_more_tasks_are_blocked_more_often(trials: int, cap: float, rate: float, tasks: int) -> None:
    fewer, more = (gate_block_rate(trials, cap, rate, tasks=count) for count in (tasks, tasks + 1))
    assert 0 <= fewer <= more <= 1
    mirrored = gate_block_rate(trials, cap, 1 - rate, tasks=tasks)
    assert fewer == pytest.approx(mirrored, abs=1e-9)
