"""One bound at once: the answers to ``surefoot bound``, from two numbers and no log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from surefoot.errors import ArgumentError
from surefoot.grading.counts import CheckCounts
from surefoot.grading.ends import ClusterTable, cluster_table
from surefoot.grading.given import counts_of_events, counts_of_tasks
from surefoot.grading.pass_hat_check import grade_pass_hat
from surefoot.grading.provable import BoundRule
from surefoot.grading.rate_check import grade_rate
from surefoot.grading.verdict import CheckGrade, exit_status
from surefoot.plan.checks import PassHatCheck, RateCheck
from surefoot.stats import flakiness, pass_k


@dataclass(frozen=True)
class RateAnswer:
    """What `events` in `trials` prove of the rate behind them, in both directions."""

    events: int
    trials: int
    clusters: int | None
    confidence_level: float
    estimate: float
    upper_bounds: Mapping[str, float | None]
    lower_bounds: Mapping[str, float | None]
    check: CheckGrade | None

    @property
    def exit_status(self) -> int:
        return exit_status(None if self.check is None else self.check.verdict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "events": self.events,
            "trials": self.trials,
            "clusters": self.clusters,
            "confidence_level": self.confidence_level,
            "estimate": self.estimate,
            "upper_bounds": dict(self.upper_bounds),
            "lower_bounds": dict(self.lower_bounds),
            "verdict": None if self.check is None else str(self.check.verdict),
            "check": None if self.check is None else self.check.to_dict(),
        }


@dataclass(frozen=True)
class PassHatAnswer:
    """What `passed` of `trials` of one task prove of its chance to succeed k times in a row."""

    passed: int
    trials: int
    k: int
    confidence_level: float
    pass_hat: float | None
    pass_at: float | None
    lower_bound: float
    interval: tuple[float, float]
    flakiness: float | None
    flakiness_interval: tuple[float, float]
    check: CheckGrade | None

    @property
    def exit_status(self) -> int:
        return exit_status(None if self.check is None else self.check.verdict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "passed": self.passed,
            "trials": self.trials,
            "k": self.k,
            "confidence_level": self.confidence_level,
            "pass_hat_k": {
                "estimate": self.pass_hat,
                "lower_bound": self.lower_bound,
                "interval": list(self.interval),
            },
            "pass_at_k": {"estimate": self.pass_at},
            "flakiness": self.flakiness,
            "flakiness_interval": list(self.flakiness_interval),
            "verdict": None if self.check is None else str(self.check.verdict),
            "check": None if self.check is None else self.check.to_dict(),
        }


def answer_rate(
    events: int,
    trials: int,
    *,
    clusters: int | None,
    at_most: float | None,
    at_least: float | None,
    confidence_level: float,
) -> RateAnswer:
    """Bound the rate behind ``events / trials``, and grade it against a limit if one is given.

    Raises
    ------
    ArgumentError
        Counts that are none, two limits, or trials that do not split evenly into the clusters.
    """
    if at_most is not None and at_least is not None:
        raise ArgumentError(
            "at_least", expected="one limit", got=f"at_most {at_most} and at_least {at_least}"
        )
    counts = counts_of_events(events, trials, clusters)
    check = _rate_check(at_most, at_least)
    table = cluster_table(counts.profile, counts.profile.events)
    # In which clusters the events lie is not told, unless there are none, or nothing else, or clusters of one.
    told = clusters in (None, trials) or events in (0, trials)
    return RateAnswer(
        events=events,
        trials=trials,
        clusters=clusters,
        confidence_level=confidence_level,
        estimate=events / trials,
        upper_bounds=_bounds(BoundRule("at_most", 0.5, confidence_level), table, told=told),
        lower_bounds=_bounds(BoundRule("at_least", 0.5, confidence_level), table, told=told),
        check=None if check is None else _graded(check, counts, confidence_level, told=told),
    )


def answer_pass_hat(
    passed: int, trials: int, k: int, *, at_least: float | None, confidence_level: float
) -> PassHatAnswer:
    """Bound one task's chance to succeed k times in a row, and grade it against a threshold if one is given."""
    if k < 1:
        raise ArgumentError("pass_hat", expected="a whole number >= 1", got=k)
    check = None if at_least is None else PassHatCheck(pass_hat=k, at_least=_limit("at_least", at_least))
    counts = counts_of_tasks({"task": (passed, trials)}, (check,) if check is not None else ())
    two_sided = pass_k.pass_hat_k_interval(passed, trials, k, confidence_level=confidence_level)
    spread = flakiness.flakiness_interval(passed, trials, confidence_level=confidence_level)
    return PassHatAnswer(
        passed=passed,
        trials=trials,
        k=k,
        confidence_level=confidence_level,
        pass_hat=pass_k.pass_hat_k(passed, trials, k).value,
        pass_at=pass_k.pass_at_k(passed, trials, k).value,
        lower_bound=pass_k.pass_hat_k_lower_bound(passed, trials, k, confidence_level=confidence_level).value,
        interval=(two_sided.low, two_sided.high),
        flakiness=flakiness.flakiness(passed, trials).value,
        flakiness_interval=(spread.low, spread.high),
        check=None
        if check is None
        else grade_pass_hat(check, counts.checks[0], confidence_level=confidence_level),
    )


def _rate_check(at_most: float | None, at_least: float | None) -> RateCheck | None:
    if at_most is not None:
        return RateCheck(name="events", event="event", at_most=_limit("at_most", at_most))
    if at_least is not None:
        return RateCheck(name="successes", success="success", at_least=_limit("at_least", at_least))
    return None


def _limit(name: str, value: float) -> float:
    if not 0 < value < 1:
        raise ArgumentError(
            name, expected="a limit between 0 and 1, both excluded, such as 1% or 0.01", got=value
        )
    return value


def _graded(check: RateCheck, counts: CheckCounts, confidence_level: float, *, told: bool) -> CheckGrade:
    """The grade, without what it says of the clusters that the events lie in, where that was not told."""
    grade = grade_rate(check, counts, confidence_level=confidence_level, bound="guaranteed")
    if told:
        return grade
    unknown = {"clusters_with_event": None, "verdict_by_largest_of_three": None}
    bounds = {**grade.details["bounds"], "design_effect": None}
    return replace(grade, details={**grade.details, **unknown, "bounds": bounds})


def _bounds(rule: BoundRule, table: ClusterTable, *, told: bool) -> dict[str, float | None]:
    found = rule.bounds(table)
    return {
        "question": found.question,
        "cluster": found.cluster,
        "design_effect": found.design_effect if told else None,
        "guaranteed": found.guaranteed,
    }
