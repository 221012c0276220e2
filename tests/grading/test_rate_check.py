"""Rate checks: the bound on the side of the limit decides, and an open one says what would decide it."""

from __future__ import annotations

import pytest

import surefoot as sf
from surefoot.grading.verdict import ReasonCode, Verdict


def rate(events, trials, **asked):
    return sf.bound(events, trials, **asked).check


def test_120_clean_trials_can_never_prove_one_percent():
    check = rate(0, 120, at_most=0.01)
    assert check.verdict is Verdict.INCONCLUSIVE
    assert check.reason_code is ReasonCode.CANNOT_PASS
    assert not check.details["provable"]
    assert check.details["graded_bound"] == pytest.approx(0.0246554010556564, abs=1e-14)
    assert check.details["needs"]["clean_clusters"] == 299
    assert check.details["needs"]["more_clean_clusters"] == 179


@pytest.mark.parametrize(("trials", "verdict"), [(298, Verdict.INCONCLUSIVE), (299, Verdict.PASS)])
def test_299_clean_trials_are_the_fewest_that_prove_one_percent(trials, verdict):
    assert rate(0, trials, at_most=0.01).verdict is verdict


def test_140_trials_in_7_clusters():
    answer = sf.bound(0, 140, clusters=7, at_most=0.05)
    assert answer.upper_bounds["question"] == pytest.approx(1 - 0.05 ** (1 / 140), abs=1e-14)
    assert answer.upper_bounds["guaranteed"] == pytest.approx(1 - 0.05 ** (1 / 7), abs=1e-14)
    needs = answer.check.details["needs"]
    assert (needs["clean_clusters"], needs["more_clean_clusters"], needs["more_trials"]) == (59, 52, 1040)
    assert (needs["clusters_if_one_trial_is_bad"], needs["clusters_if_one_cluster_is_bad"]) == (60, 97)


def test_events_in_clusters_that_nobody_named_have_no_design_effect():
    """Eight events in 388 clusters of four: in eight clusters it would be .0093, in two .0162."""
    answer = sf.bound(8, 1552, clusters=388, at_most=0.02)
    for bounds in (answer.upper_bounds, answer.lower_bounds, answer.check.details["bounds"]):
        assert bounds["design_effect"] is None
    assert answer.check.details["clusters_with_event"] is None
    assert answer.check.details["verdict_by_largest_of_three"] is None
    assert answer.check.verdict is Verdict.PASS
    clean = sf.bound(0, 1552, clusters=388, at_most=0.02)
    assert clean.upper_bounds["design_effect"] == pytest.approx(1 - 0.05 ** (1 / 388), rel=1e-12, abs=0)


@pytest.mark.parametrize("events", range(6))
def test_the_needs_are_the_planning_numbers(events):
    """Counting what was already seen, the least number of trials for 1 % is that of the exact bound."""
    least = sf.required_trials(at_most=0.01, events=events)
    assert least == [299, 473, 628, 773, 913, 1049][events]
    check = rate(events, 250, at_most=0.01)
    assert check.details["needs"]["clean_clusters"] == least
    assert check.verdict is Verdict.INCONCLUSIVE
    assert rate(events, least, at_most=0.01).verdict is Verdict.PASS
    assert rate(events, least - 1, at_most=0.01).verdict is Verdict.INCONCLUSIVE


def test_events_seen_are_told_apart_from_a_plan_that_could_never_pass():
    assert rate(1, 400, at_most=0.01).reason_code is ReasonCode.EVENTS_SEEN
    assert rate(1, 200, at_most=0.01).reason_code is ReasonCode.CANNOT_PASS


def test_seven_events_in_299_prove_one_percent_broken_and_six_do_not():
    assert rate(7, 299, at_most=0.01).verdict is Verdict.FAIL
    assert rate(6, 299, at_most=0.01).verdict is Verdict.INCONCLUSIVE


def test_an_estimate_over_the_limit_is_no_fail():
    check = rate(2, 100, at_most=0.01)
    assert check.details["estimate"] > 0.01
    assert check.verdict is Verdict.INCONCLUSIVE


def test_successes_are_the_mirror_of_harms():
    harms = rate(10, 300, at_most=0.1)
    successes = rate(290, 300, at_least=0.9)
    assert successes.details["graded_bound"] == pytest.approx(1 - harms.details["graded_bound"], abs=1e-12)
    assert successes.verdict is harms.verdict is Verdict.PASS


def test_a_tie_with_the_limit_passes_and_a_tie_does_not_fail():
    # One clean trial: the bound is exactly 95 %, the tail at the limit exactly the error budget.
    assert rate(0, 1, at_most=0.95).verdict is Verdict.PASS
    assert rate(1, 1, at_most=0.05).verdict is not Verdict.FAIL


@pytest.mark.parametrize(
    "asked", [{"at_most": 0.1, "at_least": 0.2}, {"clusters": 9, "at_most": 0.1}, {"clusters": 0}]
)
def test_what_does_not_go_together_is_refused(asked):
    with pytest.raises(sf.UsageError):
        sf.bound(0, 140, **asked)
