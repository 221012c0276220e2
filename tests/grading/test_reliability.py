"""The dual gate: mean pass^k and no time bombs, as seen and as proved."""

from __future__ import annotations

import numpy as np
import pytest

import surefoot as sf
from surefoot.grading.verdict import ReasonCode, Verdict

TEXTBOOK = {"searchRunbook": (10, 12), "queryLogs": (12, 12), "queryMetrics": (12, 12)}
MENDED = dict.fromkeys(TEXTBOOK, (12, 12))


def test_the_textbook_gate_blocks_exactly_the_task_that_flips():
    gate = sf.reliability_gate(TEXTBOOK)
    reliable, bombs = gate.checks
    assert reliable.details["estimate"] == pytest.approx((7 / 22 + 2) / 3, abs=1e-12)
    assert reliable.verdict is Verdict.PASS
    assert bombs.verdict is Verdict.FAIL
    assert [task["task"] for task in bombs.details["offending_tasks"]] == ["searchRunbook"]
    assert bombs.details["offending_tasks"][0]["flakiness"] == pytest.approx(5 / 9, abs=1e-12)
    assert gate.verdict is Verdict.FAIL
    assert gate.exit_status == 1


def test_the_mended_task_passes_the_textbook_gate():
    gate = sf.reliability_gate(MENDED)
    assert gate.verdict is Verdict.PASS
    assert gate.exit_status == 0


def test_asking_for_proof_leaves_twelve_clean_runs_open_and_says_56():
    gate = sf.reliability_gate(MENDED, basis="bound")
    reliable, bombs = gate.checks
    assert gate.verdict is Verdict.INCONCLUSIVE
    assert bombs.reason_code is ReasonCode.CANNOT_PASS
    assert "56 clean repeats" in bombs.reason
    assert bombs.next_steps[0].startswith("56 clean repeats of each task")
    # 36 clean trials of three tasks: a^(k / (T n)) = .05^(5/36).
    assert reliable.details["graded_bound"] == pytest.approx(0.05 ** (5 / 36), abs=1e-9)
    assert reliable.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(("runs", "verdict"), [(55, Verdict.INCONCLUSIVE), (56, Verdict.PASS)])
def test_56_clean_runs_are_the_fewest_that_prove_a_task_under_a_cap_of_20_percent(runs, verdict):
    gate = sf.reliability_gate({"a": (runs, runs)}, basis="bound", pass_hat_at_least=0.5)
    assert gate.checks[1].verdict is verdict


def test_a_task_always_failing_is_not_flaky():
    gate = sf.reliability_gate({"a": (0, 60)}, basis="bound")
    assert gate.checks[1].verdict is Verdict.PASS
    assert gate.checks[0].verdict is Verdict.FAIL


def test_a_proved_flake_fails_the_bound_gate():
    gate = sf.reliability_gate({"a": (30, 60), "b": (60, 60)}, basis="bound")
    assert gate.checks[1].verdict is Verdict.FAIL
    assert gate.checks[1].details["tasks_deciding"] == 1


def test_many_tasks_share_a_budget_too_small_for_a_level(profile, check_counts):
    """1e-12 / 20,001 is less than a float leaves between a level and 1."""
    from surefoot.grading.flakiness_check import grade_flakiness
    from surefoot.plan.checks import FlakinessCheck

    counts = check_counts(profile((400, 200, 0), (400, 400, 0), tasks=[1, 20_000]))
    check = FlakinessCheck(flakiness_at_most=0.2, basis="bound")
    grade = grade_flakiness(check, counts, confidence_level=1 - 1e-12)
    assert (grade.verdict, grade.details["tasks_deciding"]) == (Verdict.FAIL, 1)


def test_the_bound_gate_blocks_healthy_sets_no_more_often_than_it_may():
    """All tasks exactly at the cap: the chance that any is called flaky is at most 5 %, by enumeration."""
    from surefoot.plan.checks import FlakinessCheck

    n, tasks, cap = 40, 8, 0.2
    rate = (1 + (1 - cap) ** 0.5) / 2
    check = FlakinessCheck(flakiness_at_most=cap, basis="bound")
    weights = np.array([_binomial(c, n, rate) for c in range(n + 1)])
    blocked_one = sum(weights[c] for c in range(n + 1) if _blocks(check, c, n, tasks))
    assert 0 < 1 - (1 - blocked_one) ** tasks <= 0.05


def _blocks(check, passed, trials, tasks):
    """Is a task with these passes called flaky in a set of `tasks`, the others all clean?"""
    from surefoot.grading.flakiness_check import grade_flakiness
    from surefoot.grading.given import counts_of_tasks

    given = {"this": (passed, trials), **{f"other{i}": (trials, trials) for i in range(tasks - 1)}}
    counts = counts_of_tasks(given, (check,)).checks[0]
    return grade_flakiness(check, counts, confidence_level=0.95).verdict is Verdict.FAIL


def _binomial(count, trials, rate):
    from math import comb

    return comb(trials, count) * rate**count * (1 - rate) ** (trials - count)


def test_the_gate_tells_its_own_error():
    gate = sf.reliability_gate({f"t{i}": (12, 12) for i in range(30)})
    told = gate.checks[1].details["gate"]
    assert told["failures_forgiven"] == 0
    assert told["block_rate_one_task"] == pytest.approx(1 - 0.999**12, abs=1e-12)
    assert told["block_rate_all_tasks"] == pytest.approx(1 - 0.999**360, abs=1e-12)
    # Neither twelve passes nor twelve failures in a row is a flip.
    assert told["catch_rate_one_in_six"] == pytest.approx(1 - (5 / 6) ** 12 - (1 / 6) ** 12, abs=1e-12)


@pytest.mark.parametrize(
    "tasks", [{}, {"a": (3, 2)}, {"a": (-1, 2)}, {"a": (1.5, 2)}, {"a": (True, 2)}, {"a": (0, 0)}]
)
def test_counts_that_are_none_are_refused(tasks):
    with pytest.raises(sf.UsageError):
        sf.reliability_gate(tasks)
