"""``surefoot bound``: the numbers of the manual, as typed."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("0/120", "--at-most", "1%"), 3),
        (("0/298", "--at-most", "1%"), 3),
        (("0/299", "--at-most", "1%"), 0),
        (("0/299", "--at-most", "0.01"), 0),
        (("7/299", "--at-most", "1%"), 1),
        (("0/140", "--clusters", "7"), 0),
        (("290/300", "--at-least", "90%"), 0),
        (("10/12", "--pass-hat", "5"), 0),
        (("10/12", "--pass-hat", "5", "--at-least", "70%"), 3),
    ],
)
def test_the_exit_status_is_the_verdict(surefoot, arguments, status):
    assert surefoot("bound", *arguments).status == status


def test_120_clean_trials_need_299(surefoot):
    shown = " ".join(surefoot("bound", "0/120", "--at-most", "1%").out.split())
    assert "2.47 %" in shown
    assert "could never pass" in shown
    assert "299 in all" in shown


def test_seven_clusters_prove_34_8_percent(surefoot):
    shown = surefoot("bound", "0/140", "--clusters", "7")
    assert "34.82 %" in shown.out
    as_json = surefoot("bound", "0/140", "--clusters", "7", "--json").json
    assert as_json["upper_bounds"]["guaranteed"] == pytest.approx(0.348163, abs=1e-6)


def test_one_task_passed_10_of_12(surefoot):
    found = surefoot("bound", "10/12", "--pass-hat", "5", "--json").json
    assert found["pass_hat_k"]["estimate"] == pytest.approx(7 / 22)
    assert found["pass_hat_k"]["lower_bound"] == pytest.approx(0.0560111070196043, abs=1e-12)
    assert found["flakiness"] == pytest.approx(5 / 9)


@pytest.mark.parametrize("limit", ["0", "1", "100%", "-1%", "nan", "x"])
def test_a_limit_outside_0_to_1_is_a_usage_error(surefoot, limit):
    for asked in (
        ("0/120", "--at-most", limit),
        ("0/120", "--at-least", limit),
        ("1/2", "--pass-hat", "2", "--at-least", limit),
    ):
        ran = surefoot("bound", *asked)
        assert ran.status == 2
        assert ran.out == ""


def test_a_very_small_bound_is_shown_as_small(surefoot):
    shown = surefoot("bound", "0/1000000000000", "--at-most", "1e-9").out
    assert "3.0e-10 %" in shown
    assert "0.1 %" not in shown


@pytest.mark.parametrize(
    "asked",
    [("--pass-hat", "5", "--at-most", "1%"), ("--pass-hat", "0"), ("--pass-hat", "2", "--clusters", "3")],
)
def test_a_pass_hat_goes_with_at_least_only(surefoot, asked):
    ran = surefoot("bound", "5/12", *asked)
    assert ran.status == 2
    assert "pass_hat" in ran.err or "--pass-hat" in ran.err


@pytest.mark.parametrize("counts", ["12", "a/b", "-1/3", "5/3", "0/0", "1.5/3", "1/2/3", ""])
def test_what_is_no_count_is_a_usage_error(surefoot, counts):
    ran = surefoot("bound", counts)
    assert ran.status == 2
    assert ran.out == ""


def test_a_confidence_below_75_percent_is_refused(surefoot):
    assert surefoot("bound", "0/10", "--confidence", "50%").status == 2
    assert surefoot("bound", "0/10", "--confidence", "99%").status == 0
