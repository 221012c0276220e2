"""The grade: the one object that text, JSON, pages and the exit status come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

from surefoot.grading.counts import Counts
from surefoot.grading.describe import FLAKINESS_CAP, Description, describe
from surefoot.grading.notebook import grade_html
from surefoot.grading.verdict import CheckGrade, Verdict, exit_status, worst
from surefoot.plan.checks import FlakinessCheck, PassHatCheck
from surefoot.plan.plan import Plan
from surefoot.trials.findings import Finding

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class DataSummary:
    """What was read: started, scored and unscored trials stand beside every rate."""

    format: str
    trials: int
    unscored_by_cause: Mapping[str, int]
    tasks: int
    clusters: int | None
    sources: tuple[str, ...]
    problems: tuple[Finding, ...]
    planned: int | None = None

    @property
    def unscored(self) -> int:
        return sum(self.unscored_by_cause.values())

    @property
    def scored(self) -> int:
        return self.trials - self.unscored

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": self.format,
            "planned": self.planned,
            "trials": self.trials,
            "scored": self.scored,
            "unscored": self.unscored,
            "unscored_by_cause": dict(self.unscored_by_cause),
            "tasks": self.tasks,
            "clusters": self.clusters,
            "sources": list(self.sources),
            "problems": [problem.to_dict() for problem in self.problems],
        }


@dataclass(frozen=True)
class Grade:
    """One group of trials, graded. ``verdict`` is None where no check was asked: a description."""

    verdict: Verdict | None
    reason: str
    data: DataSummary
    checks: tuple[CheckGrade, ...]
    counts: Counts = field(repr=False)
    plan: Plan
    surefoot_version: str
    by: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def confidence_level(self) -> float:
        return self.plan.confidence_level

    @cached_property
    def description(self) -> Description | None:
        """pass@k, pass^k and the tasks; None where the log was not asked about success. Worked out when asked for."""
        passes = self.counts.passes
        if passes is None or passes.task_count == 0:
            return None
        caps = [check.limit for check in self.plan.checks if isinstance(check, FlakinessCheck)]
        return describe(
            passes,
            self.counts.task_rows,
            confidence_level=self.confidence_level,
            cap=caps[0] if caps else FLAKINESS_CAP,
            asked_ks=tuple(check.k for check in self.plan.checks if isinstance(check, PassHatCheck)),
        )

    @property
    def trials_per_task(self) -> tuple[int, int] | None:
        """Fewest and most trials of a task; None where the log was not asked about success."""
        passes = self.counts.passes
        if passes is None or passes.task_count == 0:
            return None
        return int(passes.trials.min()), int(passes.trials.max())

    @property
    def exit_status(self) -> int:
        """0 PASS or a description, 1 FAIL, 3 INCONCLUSIVE (0 where the plan only warns of it)."""
        if self.verdict is Verdict.INCONCLUSIVE and self.only_warns:
            return 0
        return exit_status(self.verdict)

    @property
    def only_warns(self) -> bool:
        """May an INCONCLUSIVE go through? Never when unscored trials are what keeps a check open."""
        if self.plan.on_inconclusive != "warn":
            return False
        return not any(check.unscored_keep_it_open for check in self.checks)

    @property
    def tasks(self) -> tuple[Any, ...]:
        return () if self.description is None else self.description.tasks

    def __str__(self) -> str:
        return f"{self.verdict or 'no verdict'}: {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """The grade as plain data, strict JSON (None, never NaN)."""
        table = self.description.table if self.description is not None else ()
        return {
            "surefoot_version": self.surefoot_version,
            "schema_version": SCHEMA_VERSION,
            "plan": {"name": self.plan.name, "sha256": self.plan.sha256, "committed": None},
            "verdict": None if self.verdict is None else str(self.verdict),
            "reason": self.reason,
            "on_inconclusive": self.plan.on_inconclusive,
            "confidence_level": self.confidence_level,
            "data": self.data.to_dict(),
            "pass_at_k": {str(row.k): {"estimate": row.pass_at} for row in table},
            "pass_hat_k": {
                str(row.k): {
                    "estimate": row.pass_hat,
                    "lower_bound": dict(row.lower_bounds),
                    "tasks_left_out": row.tasks_left_out,
                }
                for row in table
            },
            "tasks_total": self.data.tasks,
            "tasks": [task.to_dict() for task in self.tasks],
            "checks": [check.to_dict() for check in self.checks],
        }

    def _repr_html_(self) -> str:
        return grade_html(self)

    def to_frame(self) -> Any:
        """One row per task, as a pandas DataFrame (pandas must be installed)."""
        import pandas

        return pandas.DataFrame([task.to_dict() for task in self.tasks])


@dataclass(frozen=True)
class GroupedGrade:
    """Each value of ``--by`` graded apart; the worst verdict wins."""

    groups: tuple[Grade, ...]

    @property
    def verdict(self) -> Verdict | None:
        return worst(grade.verdict for grade in self.groups)

    @property
    def exit_status(self) -> int:
        return max(
            (grade.exit_status for grade in self.groups),
            key=lambda status: {0: 0, 3: 1, 1: 2}[status],
            default=0,
        )

    def _repr_html_(self) -> str:
        return "".join(
            f"<p>{escape(', '.join(f'{name} = {value}' for name, value in grade.by.items()))}</p>{grade_html(grade)}"
            for grade in self.groups
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "groups": [{"by": dict(grade.by), "grade": grade.to_dict()} for grade in self.groups],
            "verdict": None if self.verdict is None else str(self.verdict),
        }
