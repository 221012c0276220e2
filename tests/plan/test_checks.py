from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from surefoot.plan.checks import (
    KIND_KEYS,
    Check,
    FlakinessCheck,
    ForbidCheck,
    MeanCheck,
    PassHatCheck,
    RateCheck,
)

EVERY_KIND = [
    (RateCheck(event="breached", at_most="5%"), "rate", "at_most", 0.05, "breached", "breached at most 5 %"),
    (RateCheck(success="passed", at_least=0.9), "rate", "at_least", 0.9, "passed", "passed at least 90 %"),
    (
        MeanCheck(mean="severity", at_most=0.02),
        "mean",
        "at_most",
        0.02,
        "severity",
        "mean of severity at most 0.02",
    ),
    (
        MeanCheck(mean="quality", at_least="70%"),
        "mean",
        "at_least",
        0.7,
        "quality",
        "mean of quality at least 0.7",
    ),
    (ForbidCheck(forbid="leaked"), "forbid", "at_most", None, "leaked", "never leaked"),
    (PassHatCheck(pass_hat=5, at_least=0.7), "pass_hat", "at_least", 0.7, None, "pass^5 at least 70 %"),
    (FlakinessCheck(flakiness_at_most=0.2), "flakiness", "at_most", 0.2, None, "flakiness at most 0.2"),
]


@pytest.mark.parametrize(("check", "kind", "side", "limit", "value", "name"), EVERY_KIND)
def test_each_kind_says_what_it_counts_and_which_side_is_good(
    check: Check, kind: str, side: str, limit: float | None, value: str | None, name: str
) -> None:
    assert (check.kind, check.side, check.limit, check.value, check.name) == (kind, side, limit, value, name)
    assert check.value_kind == ("number" if kind == "mean" else "event")


def test_the_defaults_are_those_of_the_plan_file() -> None:
    rate = RateCheck(event="leaked", at_most="1%")
    assert (rate.target, rate.weighting, rate.bound, rate.detector) == ("clusters", "question", None, None)
    assert (rate.where, rate.cluster_parts, rate.confidence_level, rate.identical_outputs) == (
        None,
        (),
        None,
        None,
    )
    reliable = PassHatCheck(pass_hat=5, at_least=0.7)
    assert (reliable.target, reliable.basis, reliable.k) == ("fixed-tasks", "bound", 5)
    assert FlakinessCheck(flakiness_at_most=0.2).basis == "estimate"


def test_a_given_name_is_kept_and_a_made_one_tells_the_selection() -> None:
    assert ForbidCheck(name="no salary", forbid="leaked").name == "no salary"
    assert ForbidCheck(forbid="leaked", where="kind = 'x'").name == "never leaked, where kind = 'x'"
    long = ForbidCheck(forbid="leaked", where="\n or ".join(["kind = 'x'"] * 50)).name
    assert len(long) == 120
    assert long.isprintable()


def test_a_cluster_may_join_columns() -> None:
    assert ForbidCheck(forbid="x", cluster="suite+injection_task").cluster_parts == (
        "suite",
        "injection_task",
    )
    assert ForbidCheck(forbid="x", cluster=" suite + task ").cluster_parts == ("suite", "task")


@pytest.mark.parametrize("limit", [0, 1, 0.0, 1.0, "0%", "100%", 1.5, -0.1, True, "nan", float("nan"), "a"])
@pytest.mark.parametrize("key", ["at_most", "flakiness_at_most", "at_least"])
def test_a_limit_lies_inside_0_and_1(limit: object, key: str) -> None:
    model, rest = {
        "at_most": (RateCheck, {"event": "x"}),
        "flakiness_at_most": (FlakinessCheck, {}),
        "at_least": (PassHatCheck, {"pass_hat": 2}),
    }[key]
    with pytest.raises(ValidationError, match=key):
        model.model_validate({**rest, key: limit})


@pytest.mark.parametrize(
    ("model", "data", "words"),
    [
        (RateCheck, {"event": "a", "at_least": 0.9}, "write success"),
        (RateCheck, {"success": "a", "at_most": 0.1}, "write event"),
        (RateCheck, {"event": "a", "success": "b", "at_most": 0.1}, "one of event and success"),
        (RateCheck, {"event": "a"}, "event needs its limit"),
        (RateCheck, {"event": "a", "at_most": 0.1, "at_least": 0.2}, "event goes with at_most"),
        (
            RateCheck,
            {"success": "a", "at_least": 0.9, "detector": {"caught": 1, "planted": 2}},
            "event check",
        ),
        (RateCheck, {"event": "a", "at_most": 0.1, "detector": {"caught": 3, "planted": 2}}, "caught 3 of 2"),
        (RateCheck, {"event": "a", "at_most": 0.1, "detector": {"caught": True, "planted": 2}}, "caught"),
        (
            RateCheck,
            {"event": "a", "at_most": 0.1, "target": "fixed-tasks", "weighting": "cluster"},
            "claim about clusters",
        ),
        (MeanCheck, {"mean": "a"}, "one limit"),
        (MeanCheck, {"mean": "a", "at_most": 0.1, "at_least": 0.2}, "one limit"),
        (PassHatCheck, {"pass_hat": 0, "at_least": 0.5}, "pass_hat"),
        (PassHatCheck, {"pass_hat": True, "at_least": 0.5}, "pass_hat"),
        (PassHatCheck, {"pass_hat": 2.0, "at_least": 0.5}, "pass_hat"),
        (PassHatCheck, {"pass_hat": 2, "at_least": 0.5, "target": "clusters"}, "target"),
        (ForbidCheck, {"forbid": " "}, "some text"),
        (ForbidCheck, {"forbid": "a", "name": ""}, "one line"),
        (ForbidCheck, {"forbid": "a", "name": "two\nlines"}, "one line"),
        (ForbidCheck, {"forbid": "a", "cluster": "a+"}, "joined by"),
        (ForbidCheck, {"forbid": "a", "cluster": "a+A"}, "each once"),
        (ForbidCheck, {"forbid": "a", "confidence_level": 0.5}, "confidence level"),
        (ForbidCheck, {"forbid": "a", "confidence_level": 1}, "confidence level"),
        (ForbidCheck, {"forbid": "a", "unknown": 1}, "unknown"),
        (ForbidCheck, {"forbid": 1}, "forbid"),
    ],
)
def test_what_a_check_refuses(model: type[Check], data: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        model.model_validate(data)


def test_a_check_cannot_be_changed() -> None:
    check = ForbidCheck(forbid="leaked")
    with pytest.raises(ValidationError, match="frozen"):
        check.forbid = "told"  # type: ignore[misc]


def test_equal_checks_are_equal_and_can_be_keys() -> None:
    assert len({ForbidCheck(forbid="leaked"), ForbidCheck(forbid="leaked"), ForbidCheck(forbid="told")}) == 2


def test_every_kind_is_known_by_its_key() -> None:
    assert {model.kind for model in KIND_KEYS.values()} == {"rate", "mean", "forbid", "pass_hat", "flakiness"}
    assert all(key in model.model_fields for key, model in KIND_KEYS.items())
