"""Read, grade and bound in a few lines: the public face of surefoot in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot import __version__
from surefoot.errors import ArgumentError, DataError, UsageError

if TYPE_CHECKING:
    from surefoot.grading.answers import PassHatAnswer, RateAnswer
    from surefoot.grading.grade import Grade, GroupedGrade
    from surefoot.plan.plan import Plan
    from surefoot.stats.results import Bound
    from surefoot.trials.findings import Finding
    from surefoot.trials.relation import TrialRelation


_PLAN_KEYS = ("confidence_level", "bound", "identical_outputs")


def read(
    source: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    score: str | None = None,
    label: str | None = None,
    skip_unreadable: bool = False,
) -> TrialRelation:
    """Which trials does a log hold? Files, globs and folders, or data that is already in Python.

    Parameters
    ----------
    source
        A path, glob or folder, several of them, a DataFrame, an Arrow table, a DuckDB relation, or a list
        of dicts.
    mapping
        Canonical column -> column of the log, such as ``{"task": "suite+user_task", "success": "ok"}``.
    score
        Which scorer of an Inspect log says passed: ``"scorer"``, or ``"scorer.key"`` for one of several values.
    label
        Names the system of logs that name none.
    skip_unreadable
        Read the rest where a log cannot be read, and list it.

    Raises
    ------
    DataError
        A log that cannot be read, or that holds no task column.
    UsageError
        A mapping that names a column the log does not have.
    """
    from surefoot.importers.importer import read_logs
    from surefoot.plan.expressions import compile_expression
    from surefoot.trials.connection import open_connection
    from surefoot.trials.python_rows import from_python
    from surefoot.trials.relation import build_relation
    from surefoot.trials.source import ReadOptions
    from surefoot.trials.truth_table import truth_sql

    def passed_sql(text: str, columns: Mapping[str, Any]) -> str:
        return compile_expression(text, columns, as_="condition", truth_sql=truth_sql).sql

    if not isinstance(label, str | None):
        raise ArgumentError("label", expected="the name of a system as text", got=label)
    findings: list[Finding] = []
    engine = None
    if _is_paths(source):
        engine = open_connection()
        paths = [source] if isinstance(source, (str, Path)) else list(source)
        options = ReadOptions(score=score, engine=engine)
        logs, findings = read_logs(paths, options, skip_unreadable=skip_unreadable)
    else:
        logs = [from_python(source)]
    relation = build_relation(
        logs,
        mapping=mapping,
        label=label,
        passed_sql=passed_sql,
        skip_unreadable=skip_unreadable,
        engine=engine,
    )
    return replace(relation, findings=(*findings, *relation.findings)) if findings else relation


def grade(
    trials: Any,
    plan: str | Path | Plan | Mapping[str, Any] | None = None,
    *,
    by: str | Sequence[str] = (),
    where: str | None = None,
    all_tasks: bool = False,
    **check: Any,
) -> Grade | GroupedGrade:
    """Does the evidence keep what the plan promised? Without a plan or check, what do the trials show?

    Parameters
    ----------
    trials
        What `read` gives, or anything that `read` takes.
    plan
        A plan file, a loaded plan, or a mapping shaped like one.
    by
        Columns whose values are graded apart; gives a GroupedGrade.
    where
        SQL condition that selects trials by what was so before they ran.
    all_tasks
        List every task; otherwise at most 10,000, the flaky ones first.
    check
        One check instead of a plan: ``event="leaked", at_most=0.01, cluster="fact"``.

    Raises
    ------
    PlanError
        Mistakes in the plan, all of them, each with its line.
    UsageError
        An expression or column that the log does not have.
    DataError
        Trials that cannot be graded as they stand.
    """
    from surefoot.counting.count import TASKS_LISTED, CountRequest, count
    from surefoot.grading.grade import GroupedGrade
    from surefoot.grading.grade_counts import grade_counts
    from surefoot.trials.relation import TrialRelation

    if not isinstance(by, (str, Sequence)) or not all(isinstance(name, str) for name in by):
        raise ArgumentError("by", expected="the name of a column, or several", got=by)
    chosen = _plan(plan, check, where)
    if isinstance(plan, (str, Path, Mapping)) and not chosen.checks:
        raise UsageError(
            f"{chosen.source}: a plan without a check grades nothing; add a [[check]], or leave the plan out"
        )
    relation = trials if isinstance(trials, TrialRelation) else read(trials)
    names = (by,) if isinstance(by, str) else tuple(by)
    request = CountRequest(
        checks=chosen.checks,
        by=names,
        where=where,
        identical_outputs=_identical_outputs(chosen),
        tasks_listed=None if all_tasks else TASKS_LISTED,
    )
    grades = tuple(
        grade_counts(
            counts,
            chosen,
            format_name=relation.format,
            sources=tuple(str(source) for source in relation.sources),
            findings=relation.findings,
            surefoot_version=__version__,
        )
        for counts in count(relation, request)
    )
    if names:
        return GroupedGrade(grades)
    return grades[0]


def reliability_gate(
    tasks: Mapping[str, tuple[int, int]],
    *,
    k: int = 5,
    pass_hat_at_least: float = 0.7,
    flakiness_at_most: float = 0.2,
    basis: str = "estimate",
) -> Grade:
    """May these tasks ship? The dual gate: mean pass^k over a threshold, and no task flakier than the cap.

    Parameters
    ----------
    tasks
        Task -> (passed, trials).
    k
        How many tries in a row must all succeed.
    pass_hat_at_least, flakiness_at_most
        The two limits, in (0, 1).
    basis
        ``"estimate"`` is the textbook gate, ``"bound"`` asks both for proof.

    Examples
    --------
    >>> gate = reliability_gate({"searchRunbook": (10, 12), "queryLogs": (12, 12), "queryMetrics": (12, 12)})
    >>> str(gate.verdict), round(gate.checks[0].details["estimate"], 6)
    ('FAIL', 0.772727)
    """
    from surefoot.grading.given import counts_of_tasks
    from surefoot.grading.grade_counts import grade_counts
    from surefoot.plan.load import plan_from_mapping

    plan = plan_from_mapping(
        {
            "name": "reliability gate",
            "check": [
                {"name": "reliable", "pass_hat": k, "at_least": pass_hat_at_least, "basis": basis},
                {"name": "no time bombs", "flakiness_at_most": flakiness_at_most, "basis": basis},
            ],
        },
        source="reliability_gate",
    )
    return grade_counts(
        counts_of_tasks(tasks, plan.checks),
        plan,
        format_name="tasks given",
        sources=(),
        findings=(),
        surefoot_version=__version__,
    )


def event_rate_upper_bound(*, events: int, trials: int, confidence_level: float = 0.95) -> Bound:
    """What is the worst event rate the evidence still allows, if trials are independent?

    Examples
    --------
    >>> round(event_rate_upper_bound(events=0, trials=120).value, 7)
    0.0246554
    """
    from surefoot.stats import binomial

    return binomial.upper_bound(events, trials, confidence_level=confidence_level)


def event_rate_lower_bound(*, events: int, trials: int, confidence_level: float = 0.95) -> Bound:
    """What event rate does the evidence prove at least, if trials are independent?"""
    from surefoot.stats import binomial

    return binomial.lower_bound(events, trials, confidence_level=confidence_level)


def required_trials(*, at_most: float, events: int = 0, confidence_level: float = 0.95) -> int:
    """How many independent trials prove a limit, if `events` of them are events?

    Examples
    --------
    >>> required_trials(at_most=0.01)
    299
    """
    from surefoot.stats import planning

    return planning.required_trials(at_most=at_most, events=events, confidence_level=confidence_level)


def pass_hat_k(*, passed: int, trials: int, k: int) -> float | None:
    """How likely do k tries in a row all succeed? The unbiased estimate; None where k is more than the trials.

    Examples
    --------
    >>> round(pass_hat_k(passed=10, trials=12, k=5), 6)
    0.318182
    """
    from surefoot.stats import pass_k

    return pass_k.pass_hat_k(passed, trials, k).value


def pass_at_k(*, passed: int, trials: int, k: int) -> float | None:
    """How likely does at least one of k tries succeed? The unbiased estimate; None where k is more than the trials."""
    from surefoot.stats import pass_k

    return pass_k.pass_at_k(passed, trials, k).value


def flakiness(*, passed: int, trials: int) -> float | None:
    """How much does a task go both ways? 0 always the same, 1 half and half; None where it was run less than twice."""
    from surefoot.stats import flakiness as flakiness_stats

    return flakiness_stats.flakiness(passed, trials).value


def bound(
    count: int,
    trials: int,
    *,
    clusters: int | None = None,
    pass_hat: int | None = None,
    at_most: float | None = None,
    at_least: float | None = None,
    confidence_level: float = 0.95,
) -> RateAnswer | PassHatAnswer:
    """What do `count` events in `trials` prove? With `pass_hat`, what do `count` passes of one task prove of pass^k?

    Raises
    ------
    ArgumentError
        Counts that are none, limits that do not go together, or trials that do not split evenly into clusters.
    """
    from surefoot.grading.answers import answer_pass_hat, answer_rate

    if pass_hat is None:
        return answer_rate(
            count,
            trials,
            clusters=clusters,
            at_most=at_most,
            at_least=at_least,
            confidence_level=confidence_level,
        )
    if at_most is not None or clusters is not None:
        raise UsageError(
            "pass_hat is about one task, and goes with at_least only: at_most and clusters belong to a rate"
        )
    return answer_pass_hat(count, trials, pass_hat, at_least=at_least, confidence_level=confidence_level)


def plan_of_check(check: Mapping[str, Any], *, where: str | None = None, **header: Any) -> Plan:
    """A plan of one check (or of none), as the flags of the command give it.

    `where` is checked with the check, and left to `grade`, which selects the trials by it.
    """
    from surefoot.plan.load import plan_from_check, plan_from_mapping

    if not check:
        plan = plan_from_mapping({"name": "no check asked", **header}, source="command line")
        return plan.model_copy(update={"sha256": ""})
    asked = check if where is None else {**check, "where": where}
    plan = plan_from_check(asked, **header)
    alone = tuple(one.model_copy(update={"where": None}) for one in plan.checks)
    return plan.model_copy(update={"checks": alone})


def _plan(
    plan: str | Path | Plan | Mapping[str, Any] | None, check: Mapping[str, Any], where: str | None
) -> Plan:
    from surefoot.plan.load import load_plan, plan_from_mapping
    from surefoot.plan.plan import Plan

    if check and plan is not None:
        raise UsageError("a plan and a check of its own were both given; put the check into the plan")
    if plan is None:
        header = {key: value for key, value in check.items() if key in _PLAN_KEYS}
        own = {key: value for key, value in check.items() if key not in _PLAN_KEYS}
        return plan_of_check(own, where=where, **header)
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, Mapping):
        return plan_from_mapping(plan)
    if isinstance(plan, (str, Path)):
        return load_plan(plan)
    raise ArgumentError("plan", expected="a file, a Plan or a mapping", got=plan)


def _identical_outputs(plan: Plan) -> str:
    """How identical outputs are counted: the plan's word, or that of all its checks."""
    asked = {plan.identical_outputs_of(check) for check in plan.checks} or {plan.identical_outputs}
    if "collapse" in asked and len(asked) > 1:
        raise UsageError(
            'identical_outputs = "collapse" changes what every check counts, and the checks of this plan do not '
            "agree on it; write it once, at the top of the plan"
        )
    return asked.pop() if len(asked) == 1 else "keep"


def _is_paths(source: Any) -> bool:
    if isinstance(source, (str, Path)):
        return True
    if isinstance(source, (list, tuple)):
        if not source:
            raise DataError("no logs and no rows were given")
        return all(isinstance(item, (str, Path)) for item in source)
    return False


__all__ = [
    "bound",
    "event_rate_lower_bound",
    "event_rate_upper_bound",
    "flakiness",
    "grade",
    "pass_at_k",
    "pass_hat_k",
    "plan_of_check",
    "read",
    "reliability_gate",
    "required_trials",
]
