"""From counts and a plan to the grade: data problems first, then every check, then the worst verdict."""

from __future__ import annotations

from surefoot.errors import DataError
from surefoot.grading import wording
from surefoot.grading.counts import CheckCounts, Counts
from surefoot.grading.flakiness_check import grade_flakiness
from surefoot.grading.forbid_check import grade_forbid
from surefoot.grading.grade import DataSummary, Grade
from surefoot.grading.pass_hat_check import grade_pass_hat
from surefoot.grading.problems import data_problems
from surefoot.grading.rate_check import grade_rate
from surefoot.grading.verdict import CheckGrade, ReasonCode, Verdict, worst
from surefoot.plan.checks import (
    Check,
    FlakinessCheck,
    ForbidCheck,
    MeanCheck,
    PassHatCheck,
    RateCheck,
)
from surefoot.plan.plan import Plan
from surefoot.plan.shares import share_text
from surefoot.trials.findings import Finding

_NO_VERDICT = "unknown"


def grade_counts(
    counts: Counts,
    plan: Plan,
    *,
    format_name: str,
    sources: tuple[str, ...],
    findings: tuple[Finding, ...],
    surefoot_version: str,
) -> Grade:
    """Grade one group of trials by a plan. Pure: the same counts and plan give the same grade.

    Raises
    ------
    DataError
        The data cannot be graded as they stand (mixed provenance, missing ids, conflicting records,
        nothing scored where nothing was asked).
    """
    problems = _sorted(
        (
            *_still_worth_saying(findings, plan),
            *data_problems(counts, plan.checks),
            *_refused_outputs(counts, plan),
        )
    )
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise DataError(_refusal(errors, counts))
    checks = tuple(
        _grade_check(check, check_counts, plan)
        for check, check_counts in zip(plan.checks, counts.checks, strict=True)
    )
    checks += _unscored_gate(counts, plan)
    if not checks:
        _refuse_nothing_scored(counts)
    verdict = worst(check.verdict for check in checks)
    return Grade(
        verdict=verdict,
        reason=_reason(verdict, checks),
        data=DataSummary(
            format=format_name,
            trials=counts.rows,
            unscored_by_cause=_unscored_by_cause(counts, described=not checks),
            tasks=counts.tasks,
            clusters=_clusters(counts),
            sources=sources,
            problems=problems,
        ),
        checks=checks,
        counts=counts,
        plan=plan,
        surefoot_version=surefoot_version,
        by=counts.by,
    )


def _grade_check(check: Check, counts: CheckCounts, plan: Plan) -> CheckGrade:
    level = plan.confidence_level_of(check)
    if isinstance(check, (RateCheck, MeanCheck)):
        return grade_rate(check, counts, confidence_level=level, bound=plan.bound_of(check))
    if isinstance(check, PassHatCheck):
        return grade_pass_hat(check, counts, confidence_level=level)
    if isinstance(check, FlakinessCheck):
        return grade_flakiness(check, counts, confidence_level=level)
    if isinstance(check, ForbidCheck):
        return grade_forbid(check, counts, confidence_level=level)
    raise TypeError(f"no grading for {type(check).__name__}")


def _unscored_gate(counts: Counts, plan: Plan) -> tuple[CheckGrade, ...]:
    """The plan's extra gate on the share of unscored trials: over it, the run is no evidence either way.

    A check whose expression gives no verdict has unscored trials of its own: the worst share counts.
    """
    if plan.max_unscored is None or counts.rows == 0:
        return ()
    profiles = [check.profile for check in counts.checks]
    trials, unscored = max(
        [
            (counts.rows, counts.unscored),
            *((p.trial_count, p.unscored_count) for p in profiles if p.trial_count),
        ],
        key=lambda pair: pair[1] / pair[0],
    )
    seen = unscored / trials
    over = seen > plan.max_unscored
    limit, shown = share_text(plan.max_unscored), wording.percent(seen)
    return (
        CheckGrade(
            name=f"unscored trials at most {limit}",
            kind="max_unscored",
            side="at_most",
            limit=plan.max_unscored,
            confidence_level=plan.confidence_level,
            verdict=Verdict.INCONCLUSIVE if over else Verdict.PASS,
            reason_code=ReasonCode.UNSCORED_DECIDE if over else ReasonCode.PROVED,
            reason=f"{shown} of {wording.count(trials, 'trial')} without a verdict; the plan allows {limit}",
            next_steps=("score or run the unscored trials again",) if over else (),
            trials=trials,
            scored=trials - unscored,
            unscored=unscored,
            details={"estimate": seen},
        ),
    )


def _still_worth_saying(findings: tuple[Finding, ...], plan: Plan) -> tuple[Finding, ...]:
    """What reading found, without the hint at a cluster where the plan names one."""
    named = any(check.cluster_parts for check in plan.checks)
    return tuple(finding for finding in findings if not (named and finding.code == "possible-cluster"))


def _refused_outputs(counts: Counts, plan: Plan) -> tuple[Finding, ...]:
    asked = {plan.identical_outputs_of(check) for check in plan.checks} or {plan.identical_outputs}
    if "refuse" not in asked or not counts.identical_output_tasks:
        return ()
    tasks = wording.count(counts.identical_output_tasks, "task")
    return (
        Finding(
            "identical-outputs-refused",
            "error",
            f"{tasks} gave the same output every time, and the plan refuses identical outputs",
            "find out whether a cache answered",
        ),
    )


def _refusal(errors: list[Finding], counts: Counts) -> str:
    group = ", ".join(f"{name} = {value}" for name, value in counts.by.items())
    lines = [
        f"{f'[{group}] ' if group else ''}{problem.message}"
        + (f"\n  what to do: {problem.what_to_do}" if problem.what_to_do else "")
        for problem in errors
    ]
    return "\n".join(lines)


def _refuse_nothing_scored(counts: Counts) -> None:
    if counts.passes is None:
        raise DataError(
            "nothing to describe: this log has no success column\n"
            "  what to do: name one with --map success=COLUMN, or ask for a check, such as "
            "--event COLUMN --at-most 1%"
        )
    if counts.rows == 0:
        raise DataError(
            "no trial is left: the where condition selects none\n  what to do: check its values' spelling"
        )
    if counts.passes.trial_count == counts.passes.unscored_count:
        causes = ", ".join(f"{cause} {trials:,}" for cause, trials in counts.unscored_by_cause.items())
        raise DataError(
            f"none of {wording.count(counts.rows, 'trial')} has a verdict"
            + (f" (unscored: {causes})" if causes else "")
            + "\n  what to do: check which column says success (--map success=COLUMN)"
        )


def _unscored_by_cause(counts: Counts, *, described: bool) -> dict[str, int]:
    """Causes as recorded; where success is described, trials without a verdict and without a cause are told too."""
    causes = dict(counts.unscored_by_cause)
    passes = counts.passes
    if described and passes is not None and passes.unscored_count > counts.unscored:
        causes[_NO_VERDICT] = causes.get(_NO_VERDICT, 0) + passes.unscored_count - counts.unscored
    return causes


def _clusters(counts: Counts) -> int | None:
    named = [check.clusters for check in counts.checks if check.profile.cluster is not None]
    return max(named) if named else None


def _reason(verdict: Verdict | None, checks: tuple[CheckGrade, ...]) -> str:
    if verdict is None:
        return "no check was asked, so there is no verdict"
    if verdict is Verdict.PASS:
        return f"{wording.count(len(checks), 'check')} passed" if len(checks) > 1 else checks[0].reason
    deciding = [check for check in checks if check.verdict is verdict]
    if len(checks) == 1:
        return checks[0].reason
    names = ", ".join(repr(check.name) for check in deciding[:3]) + (", ..." if len(deciding) > 3 else "")
    what = "broken" if verdict is Verdict.FAIL else "not decided"
    return f"{len(deciding)} of {wording.count(len(checks), 'check')} {what}: {names}"


def _sorted(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    order = {"error": 0, "warning": 1, "note": 2}
    return tuple(sorted(dict.fromkeys(findings), key=lambda finding: order[finding.severity]))
