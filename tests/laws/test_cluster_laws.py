"""What holds of the bounds over clusters for any sizes, events and grouping."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.stats.clusters import ClusterBounds, lower_bounds, upper_bounds
from surefoot.stats.hinge import hinge_lower, hinge_upper

SLACK = 1e-12

# Another process may hold the machine: no law depends on how long an example takes.
unhurried = settings(deadline=None, max_examples=200)

levels = st.sampled_from([0.75, 0.8, 0.9, 0.95, 0.99, 0.999, 0.999999])
weightings = st.sampled_from(["question", "cluster"])


@st.composite
def clusters(draw: st.DrawFn, *, equal: bool = False) -> tuple[list[int], list[float]]:
    """Sizes and sums of values: whole, with thirds, or any."""
    count = draw(st.integers(1, 12))
    size = draw(st.integers(1, 6))
    sizes = [size if equal else draw(st.integers(1, 12)) for _ in range(count)]
    parts = draw(st.sampled_from([1, 3, 1000]))
    return sizes, [draw(st.integers(0, m * parts)) / parts for m in sizes]


@unhurried
@given(clusters(), weightings, st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_clusters_changes_no_bit(case, weighting, repeated, random) -> None:
    sizes, events = case
    order = list(range(len(sizes)))
    random.shuffle(order)
    for compute in (upper_bounds, lower_bounds):
        here = compute(sizes, events, weighting=weighting, repeated=repeated)
        there = compute(
            [sizes[i] for i in order], [events[i] for i in order], weighting=weighting, repeated=repeated
        )
        assert here == there


@unhurried
@given(clusters(), weightings, st.integers(1, 5), st.booleans())
def test_grouping_equal_clusters_changes_no_bit(case, weighting, copies, repeated) -> None:
    sizes, events = case
    for compute in (upper_bounds, lower_bounds):
        one_by_one = compute(sizes * copies, events * copies, weighting=weighting, repeated=repeated)
        grouped = compute(
            sizes, events, clusters=[copies] * len(sizes), weighting=weighting, repeated=repeated
        )
        assert one_by_one == grouped


@unhurried
@given(clusters(), weightings, st.booleans(), levels)
def test_lower_is_one_minus_upper_of_the_complement(case, weighting, repeated, level) -> None:
    sizes, events = case
    missing = [m - e for m, e in zip(sizes, events, strict=True)]
    above = upper_bounds(sizes, missing, weighting=weighting, repeated=repeated, confidence_level=level)
    below = lower_bounds(sizes, events, weighting=weighting, repeated=repeated, confidence_level=level)
    assert below.guaranteed == pytest.approx(1 - above.guaranteed, rel=1e-9, abs=1e-12)
    assert below.question == pytest.approx(1 - above.question, rel=1e-9, abs=1e-12)
    assert below.cluster == pytest.approx(1 - above.cluster, rel=1e-9, abs=1e-12)
    assert below.clusters_with_event == above.clusters_with_event
    assert (below.design_effect is None) == (above.design_effect is None)
    if above.design_effect is not None:
        assert below.design_effect == pytest.approx(1 - above.design_effect, rel=1e-7, abs=1e-10)
    assert below.largest_of_three == pytest.approx(1 - above.largest_of_three, rel=1e-7, abs=1e-10)


@unhurried
@given(clusters(), weightings, st.booleans(), st.data())
def test_more_events_never_lower_the_guaranteed_bound(case, weighting, repeated, data) -> None:
    sizes, events = case
    repeated = repeated or any(e != int(e) for e in events)
    at = data.draw(st.integers(0, len(sizes) - 1))
    more = list(events)
    more[at] = min(float(sizes[at]), more[at] + 1.0)
    for compute in (upper_bounds, lower_bounds):
        before = compute(sizes, events, weighting=weighting, repeated=repeated).guaranteed
        after = compute(sizes, more, weighting=weighting, repeated=repeated).guaranteed
        assert before <= after * (1 + SLACK)


@unhurried
@given(clusters(), weightings, st.integers(1, 20), st.booleans())
def test_further_clean_clusters_of_the_largest_size_never_raise_the_upper_bound_counted_once(
    case, weighting, more, repeated
) -> None:
    """And for question weighting where all are of one size: adding to unequal sizes changes the claim."""
    sizes, events = case
    if weighting == "question":
        sizes = [max(sizes)] * len(sizes)
    before = upper_bounds(sizes, events, weighting=weighting, repeated=repeated)
    after = upper_bounds(
        [*sizes, max(sizes)],
        [*events, 0.0],
        clusters=[1] * len(sizes) + [more],
        weighting=weighting,
        repeated=repeated,
    )
    # From clusters of one question to others the method changes too, never to a smaller bound at once.
    if max(sizes) == 1 or after.guaranteed_method == before.guaranteed_method:
        assert after.guaranteed <= before.guaranteed * (1 + SLACK)
    assert after.question <= before.question * (1 + SLACK)
    assert after.cluster <= before.cluster * (1 + SLACK)


@unhurried
@given(clusters(), weightings, st.booleans(), levels, levels)
def test_higher_confidence_gives_wider_bounds(case, weighting, repeated, one, other) -> None:
    sizes, events = case
    loose, strict = (
        upper_bounds(sizes, events, weighting=weighting, repeated=repeated, confidence_level=level)
        for level in sorted([one, other])
    )
    for name in ("guaranteed", "question", "cluster"):
        assert getattr(loose, name) <= getattr(strict, name) * (1 + SLACK)


@unhurried
@given(clusters(), weightings, st.booleans(), levels)
def test_the_bounds_stand_on_both_sides_of_the_rate(case, weighting, repeated, level) -> None:
    sizes, events = case
    above = upper_bounds(sizes, events, weighting=weighting, repeated=repeated, confidence_level=level)
    below = lower_bounds(sizes, events, weighting=weighting, repeated=repeated, confidence_level=level)
    means = [e / m for m, e in zip(sizes, events, strict=True)]
    rate = sum(events) / sum(sizes) if weighting == "question" else sum(means) / len(means)
    assert 0 <= below.guaranteed <= rate + SLACK
    assert rate - SLACK <= above.guaranteed <= 1
    for bounds in (above, below):
        assert all(0 <= number <= 1 for number in _numbers(bounds))


def _numbers(bounds: ClusterBounds) -> list[float]:
    four = [bounds.question, bounds.cluster, bounds.design_effect, bounds.guaranteed]
    return [number for number in four if number is not None]


@unhurried
@given(clusters(equal=True), st.booleans())
def test_equal_clusters_tried_with_repeats_are_the_hinge_over_their_means(case, once) -> None:
    sizes, events = case
    total = sum(events) / sizes[0]
    options = {"weighting": "cluster" if once else "question", "repeated": True}
    found = upper_bounds(sizes, events, **options).guaranteed
    assert found == pytest.approx(hinge_upper(min(total, len(sizes)), len(sizes), 0.05), rel=1e-12)
    found = lower_bounds(sizes, events, **options).guaranteed
    expected = hinge_lower(min(total, len(sizes)), len(sizes), 0.05)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-15)


@unhurried
@given(clusters(), st.booleans())
def test_repeats_never_make_a_bound_sharper(case, repeated) -> None:
    """Values that may be fractional by plan give up what yes-or-no values know, and nothing else changes."""
    sizes, events = case
    once = upper_bounds(sizes, events)
    several = upper_bounds(sizes, events, repeated=True)
    assert once.guaranteed <= several.guaranteed * (1 + SLACK)
    assert once.question <= several.question * (1 + SLACK)
    same = {"guaranteed": 0.0, "question": 0.0, "guaranteed_method": ""}
    assert dataclasses.replace(once, **same) == dataclasses.replace(several, **same)


@unhurried
@given(clusters(), st.floats(-1e-12, 1e-12))
def test_a_rounding_error_in_a_sum_moves_the_bound_by_a_rounding_error(case, error) -> None:
    sizes, events = case
    moved = np.clip(np.array(events) + error, 0, sizes)
    before, after = (upper_bounds(sizes, e, repeated=True).guaranteed for e in (events, moved))
    assert after == pytest.approx(before, rel=1e-9)
