"""Verdicts: the worst wins, each has one exit status, and a grade turns into one flat object."""

from __future__ import annotations

from itertools import product

import pytest

from surefoot.grading.verdict import CheckGrade, ReasonCode, Verdict, exit_status, worst


def graded(code: ReasonCode, unscored: int, **details: object) -> CheckGrade:
    return CheckGrade(
        name="c",
        kind="rate",
        side="at_most",
        limit=0.1,
        confidence_level=0.95,
        verdict=Verdict.INCONCLUSIVE,
        reason_code=code,
        reason="r",
        trials=9,
        scored=9 - unscored,
        unscored=unscored,
        details=details,
    )


@pytest.mark.parametrize(
    ("verdict", "status"),
    [(None, 0), (Verdict.PASS, 0), (Verdict.FAIL, 1), (Verdict.INCONCLUSIVE, 3)],
)
def test_each_verdict_has_one_exit_status(verdict, status):
    assert exit_status(verdict) == status


def test_the_worst_of_any_three_wins():
    order = [None, Verdict.PASS, Verdict.INCONCLUSIVE, Verdict.FAIL]
    for several in product(order, repeat=3):
        assert worst(several) is max(several, key=order.index)
    assert worst([]) is None


@pytest.mark.parametrize(
    ("code", "unscored", "open_by_unscored"),
    [
        (ReasonCode.UNSCORED_DECIDE, 1, True),
        (ReasonCode.TOO_FEW, 9, True),
        (ReasonCode.TOO_FEW, 0, False),
        (ReasonCode.CANNOT_PASS, 1, False),
        (ReasonCode.EVENTS_SEEN, 1, False),
    ],
)
def test_unscored_trials_keep_a_check_open_where_they_could_decide_or_are_all_there_is(
    code, unscored, open_by_unscored
):
    assert graded(code, unscored).unscored_keep_it_open is open_by_unscored


def test_the_numbers_of_a_kind_stand_beside_the_common_ones():
    shown = graded(ReasonCode.EVENTS_SEEN, 2, estimate=0.5).to_dict()
    assert shown["verdict"] == "INCONCLUSIVE"
    assert shown["reason_code"] == "events_seen"
    assert (shown["trials"], shown["scored"], shown["unscored"]) == (9, 7, 2)
    assert shown["estimate"] == 0.5
