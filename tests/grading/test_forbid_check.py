"""The plain rule: seen is FAIL, none seen is PASS only where every trial was judged."""

from __future__ import annotations

import pytest

from surefoot.grading.counts import EventRow
from surefoot.grading.forbid_check import grade_forbid
from surefoot.grading.verdict import ReasonCode, Verdict
from surefoot.plan.checks import ForbidCheck

CHECK = ForbidCheck(name="never", forbid="leaked")


def graded(counts):
    return grade_forbid(CHECK, counts, confidence_level=0.95)


def test_one_event_fails_and_is_named(profile, check_counts):
    counted = check_counts(profile((4, 1, 0), (4, 0, 0)), event_rows=(EventRow("a", 2, "log.csv"),))
    check = graded(counted)
    assert (check.verdict, check.reason_code) == (Verdict.FAIL, ReasonCode.BROKEN)
    assert "task a trial 2" in check.reason
    assert check.next_steps == ("look at task a trial 2",)
    assert check.details["events"] == [{"task": "a", "trial_index": 2, "file": "log.csv"}]
    assert check.details["events_seen"] == 1


def test_one_event_fails_whatever_is_unscored(profile, check_counts):
    assert graded(check_counts(profile((4, 1, 3)))).verdict is Verdict.FAIL


def test_none_seen_passes_the_rule_and_tells_the_rate_that_is_still_allowed(profile, check_counts):
    check = graded(check_counts(profile((1, 0, 0), tasks=[299])))
    assert (check.verdict, check.reason_code) == (Verdict.PASS, ReasonCode.PROVED)
    assert check.details["bounds"]["guaranteed"] == pytest.approx(1 - 0.05 ** (1 / 299), abs=1e-14)
    assert "0.997 %" in check.reason
    assert check.details["graded_bound"] is None


def test_a_trial_without_a_verdict_could_hide_one(profile, check_counts):
    check = graded(check_counts(profile((4, 0, 0), (4, 0, 1))))
    assert (check.verdict, check.reason_code) == (Verdict.INCONCLUSIVE, ReasonCode.UNSCORED_DECIDE)
    assert "1 trial" in check.reason


@pytest.mark.parametrize("rows", [[], [(3, 0, 3)]])
def test_nothing_scored_is_no_good_news(profile, check_counts, rows):
    check = graded(check_counts(profile(*rows)))
    assert (check.verdict, check.reason_code) == (Verdict.INCONCLUSIVE, ReasonCode.TOO_FEW)
    assert check.details["estimate"] is None


def test_the_bound_beside_counts_clusters_and_not_trials(profile, check_counts):
    counted = check_counts(profile(*[(1, 0, 0)] * 140, clusters=[i % 7 for i in range(140)]))
    assert graded(counted).details["bounds"]["guaranteed"] == pytest.approx(1 - 0.05 ** (1 / 7), abs=1e-12)
