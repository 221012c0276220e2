from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from surefoot.errors import PlanError
from surefoot.plan.checks import FlakinessCheck, ForbidCheck, RateCheck
from surefoot.plan.load import plan_from_mapping
from surefoot.plan.plan import Plan, Repeats


def test_a_check_may_be_stricter_than_its_plan() -> None:
    own = RateCheck(
        event="a", at_most=0.1, confidence_level=0.99, bound="largest-of-three", identical_outputs="refuse"
    )
    plain, capped = ForbidCheck(forbid="a"), FlakinessCheck(flakiness_at_most=0.2)
    plan = Plan(name="x", checks=(own, plain, capped), identical_outputs="collapse", sha256="", source="s")
    assert [plan.confidence_level_of(check) for check in plan.checks] == [0.99, 0.95, 0.95]
    assert [plan.bound_of(check) for check in plan.checks] == ["largest-of-three", "guaranteed", "guaranteed"]
    assert [plan.identical_outputs_of(check) for check in plan.checks] == ["refuse", "collapse", "collapse"]


def test_of_several_tags_the_largest_number_of_repeats_wins() -> None:
    repeats = Repeats(default=5, by_tag={"high-risk": 12, "read-only": 3})
    assert repeats.of([]) == 5
    assert repeats.of(["other"]) == 5
    assert repeats.of(["read-only"]) == 3
    assert repeats.of(["read-only", "high-risk", "other"]) == 12


def test_a_plan_cannot_be_changed() -> None:
    plan = plan_from_mapping({"name": "x"})
    with pytest.raises(ValidationError, match="frozen"):
        plan.name = "y"  # type: ignore[misc]


@pytest.mark.parametrize("level", [0.75, 0.95, 0.999, "95%", "0.9"])
def test_confidence_levels_that_are_taken(level: Any) -> None:
    assert 0.75 <= plan_from_mapping({"name": "x", "confidence_level": level}).confidence_level < 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", ""),
        ("name", 1),
        ("confidence_level", 0.7499),
        ("confidence_level", 1),
        ("confidence_level", 95),
        ("confidence_level", True),
        ("bound", "largest"),
        ("max_unscored", 1),
        ("max_unscored", -0.1),
        ("on_inconclusive", "pass"),
        ("identical_outputs", True),
        ("tasks", {}),
        ("tasks", {"file": ""}),
        ("repeats", {"default": 0}),
        ("repeats", {"default": 2.0}),
        ("repeats", {"by_tag": {"a": True}}),
        ("repeats", {"by_tags": {}}),
        ("sha256", "0"),
        ("source", "x"),
        ("checks", []),
        ("factor", [{"name": "a"}]),
    ],
)
def test_what_a_plan_refuses(key: str, value: Any) -> None:
    with pytest.raises(PlanError) as refused:
        plan_from_mapping({"name": "x", key: value})
    assert all(mistake.field.startswith(key) for mistake in refused.value.mistakes)


def test_a_gate_on_unscored_trials_may_allow_none() -> None:
    assert plan_from_mapping({"name": "x", "max_unscored": 0}).max_unscored == 0
    assert plan_from_mapping({"name": "x"}).max_unscored is None
