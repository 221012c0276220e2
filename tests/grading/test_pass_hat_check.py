"""The reliability check: by bound and by estimate, for both targets, with tasks too short and trials unscored."""

from __future__ import annotations

import pytest

from surefoot.grading.pass_hat_check import grade_pass_hat
from surefoot.grading.verdict import ReasonCode, Verdict
from surefoot.plan.checks import PassHatCheck


def graded(counts, *, k=2, at_least=0.5, **more):
    check = PassHatCheck(name="reliable", pass_hat=k, at_least=at_least, **more)
    return grade_pass_hat(check, counts, confidence_level=0.95)


def test_thirty_tasks_that_passed_twelve_times_prove_95_9_percent(profile, check_counts):
    counted = check_counts(profile((12, 12, 0), tasks=[30]))
    check = graded(counted, k=5, at_least=0.959)
    assert check.verdict is Verdict.PASS
    assert check.details["graded_bound"] == pytest.approx(0.959246314, abs=1e-9)
    assert graded(counted, k=5, at_least=0.96).reason_code is ReasonCode.CANNOT_PASS
    population = graded(counted, k=5, at_least=0.9, target="task-population")
    assert population.details["graded_bound"] == pytest.approx(0.904966147, abs=1e-9)


def test_failures_that_keep_it_open_are_told_from_a_plan_that_never_could(profile, check_counts):
    open_ = graded(check_counts(profile((12, 12, 0), (12, 8, 0), tasks=[27, 3])), k=5, at_least=0.9)
    assert (open_.verdict, open_.reason_code) == (Verdict.INCONCLUSIVE, ReasonCode.EVENTS_SEEN)
    assert open_.details["provable"]
    never = graded(check_counts(profile((3, 2, 0))), k=2, at_least=0.9)
    assert never.reason_code is ReasonCode.CANNOT_PASS
    assert not never.details["provable"]


def test_a_set_that_always_fails_is_proved_bad(profile, check_counts):
    check = graded(check_counts(profile((12, 0, 0), tasks=[30])), at_least=0.5)
    assert (check.verdict, check.reason_code) == (Verdict.FAIL, ReasonCode.BROKEN)
    assert check.details["opposite_bound"] < 0.5


def test_unscored_trials_fail_for_pass_and_pass_for_fail(profile, check_counts):
    clean = graded(check_counts(profile((12, 12, 0), tasks=[30])), k=5, at_least=0.9)
    lost = graded(check_counts(profile((12, 12, 0), (12, 6, 6), tasks=[26, 4])), k=5, at_least=0.9)
    assert clean.verdict is Verdict.PASS
    assert (lost.verdict, lost.reason_code) == (Verdict.INCONCLUSIVE, ReasonCode.UNSCORED_DECIDE)
    low, high = lost.details["estimate_range"]
    assert low < 0.9 < high == 1.0


@pytest.mark.parametrize(("passed", "verdict"), [(12, Verdict.PASS), (6, Verdict.FAIL)])
def test_the_textbook_gate_compares_the_estimate(profile, check_counts, passed, verdict):
    counted = check_counts(profile((12, passed, 0), (12, 12, 0)))
    assert graded(counted, k=5, at_least=0.7, basis="estimate").verdict is verdict


def test_what_passes_by_estimate_is_called_provable(profile, check_counts):
    """Three clean tasks prove 66 %, and the textbook gate asks for no proof."""
    check = graded(check_counts(profile((12, 12, 0), tasks=[3])), k=5, at_least=0.7, basis="estimate")
    assert check.verdict is Verdict.PASS
    assert check.details["provable"]
    assert check.details["bounds"]["fixed-tasks"] < 0.7


def test_tasks_with_too_few_trials_are_told_and_count_at_the_bad_end(profile, check_counts):
    counted = check_counts(profile((12, 12, 0), (3, 3, 0), tasks=[8, 2]))
    by_estimate = graded(counted, k=5, at_least=0.9, basis="estimate")
    assert by_estimate.verdict is Verdict.INCONCLUSIVE
    assert by_estimate.details["tasks_left_out"] == 2
    assert by_estimate.details["estimate"] == 1.0
    assert by_estimate.details["estimate_range"] == [0.8, 1.0]
    assert graded(counted, k=5, at_least=0.79, basis="estimate").verdict is Verdict.PASS
    population = graded(counted, k=5, at_least=0.5, target="task-population")
    assert population.details["graded_bound"] < 0.8


def test_tasks_that_lost_their_verdicts_are_told_as_left_out_of_the_estimate(profile, check_counts):
    check = graded(check_counts(profile((4, 2, 2), (3, 0, 2), (1, 1, 0), tasks=[20, 5, 2])), k=2)
    assert check.details["estimate"] == 1.0
    assert check.details["tasks_left_out"] == 7


@pytest.mark.parametrize("basis", ["bound", "estimate"])
@pytest.mark.parametrize("rows", [[], [(4, 0, 4)]])
def test_nothing_scored_is_no_good_news(profile, check_counts, basis, rows):
    check = graded(check_counts(profile(*rows)), at_least=0.01, basis=basis)
    assert (check.verdict, check.reason_code) == (Verdict.INCONCLUSIVE, ReasonCode.TOO_FEW)


def test_repeats_never_count_as_clusters(profile, check_counts):
    """Sixty tasks in four clusters: a claim about tasks like these rests on four."""
    clustered = check_counts(profile(*[(4, 4, 0)] * 60, clusters=[i % 4 for i in range(60)]))
    check = graded(clustered, at_least=0.4, target="task-population")
    assert check.details["graded_bound"] == pytest.approx(0.05 ** (1 / 4), abs=1e-9)
    apart = graded(check_counts(profile((4, 4, 0), tasks=[60])), at_least=0.4, target="task-population")
    assert apart.details["graded_bound"] == pytest.approx(0.05 ** (1 / 60), abs=1e-9)


def test_so_many_more_clean_repeats_do_decide_and_one_fewer_does_not(profile, check_counts):
    check = graded(check_counts(profile((12, 12, 0), (12, 11, 0), tasks=[2, 1])), k=2, at_least=0.8)
    more = int(check.next_steps[0].split()[0])

    def with_more(n):
        return check_counts(profile((12 + n, 12 + n, 0), (12 + n, 11 + n, 0), tasks=[2, 1]))

    assert graded(with_more(more), k=2, at_least=0.8).verdict is Verdict.PASS
    assert graded(with_more(more - 1), k=2, at_least=0.8).verdict is not Verdict.PASS


def test_so_many_more_clean_tasks_do_decide_and_one_fewer_does_not(profile, check_counts):
    asked = {"k": 2, "at_least": 0.8, "target": "task-population"}
    check = graded(check_counts(profile((4, 4, 0), (4, 3, 0), tasks=[9, 1])), **asked)
    more = int(check.next_steps[0].split()[0])

    def with_more(n):
        return check_counts(profile((4, 4, 0), (4, 3, 0), tasks=[9 + n, 1]))

    assert graded(with_more(more), **asked).verdict is Verdict.PASS
    assert graded(with_more(more - 1), **asked).verdict is not Verdict.PASS
