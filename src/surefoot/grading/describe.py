"""What the runs show before any limit: pass@k and pass^k with bounds, tasks by class, and what the repeats can prove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefoot.grading.counts import FloatArray, IntArray, Profile, TaskRow
from surefoot.grading.pass_hat_check import pass_hat_bound
from surefoot.stats import binomial, task_sets
from surefoot.stats.flakiness import flakiness_intervals, flakiness_values
from surefoot.stats.flakiness_classes import observed_class, proved_classes, repeats_to_prove_stable
from surefoot.stats.pass_k import pass_hat_k_values

FLAKINESS_CAP = 0.2
"""The cap that proved classes are told for where no plan names another."""

_STEPS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
TARGETS = ("fixed-tasks", "task-population")


@dataclass(frozen=True)
class PassAtK:
    """Chance that some of k tries works, and that every one does; lower bounds of the latter by target.

    ``below_larger_k`` names the targets whose bound comes out under that of a larger k: both hold, and
    the larger of the two may not be taken afterwards.
    """

    k: int
    pass_at: float | None
    pass_hat: float | None
    lower_bounds: Mapping[str, float]
    tasks_left_out: int
    below_larger_k: tuple[str, ...] = ()


@dataclass(frozen=True)
class TaskGrade:
    """One task: what was seen, what is proved of it."""

    task: str
    trials: int
    passed: int
    unscored: int
    pass_rate: float | None
    flakiness: float | None
    flakiness_interval: tuple[float, float]
    observed_class: str
    proved_class: str
    pass_hat_k: Mapping[int, float | None]
    runs: str | None = None
    failed_at: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "task": self.task,
            "trials": self.trials,
            "passed": self.passed,
            "unscored": self.unscored,
            "pass_rate": self.pass_rate,
            "flakiness": self.flakiness,
            "flakiness_interval": list(self.flakiness_interval),
            "observed_class": self.observed_class,
            "class": self.proved_class,
            "pass_hat_k": {str(k): {"estimate": value} for k, value in self.pass_hat_k.items()},
        }
        if self.runs is not None:
            shown["runs"] = self.runs
            shown["failed_at"] = list(self.failed_at)
        return shown


@dataclass(frozen=True)
class Description:
    """The whole picture of one group of trials that were asked about success."""

    table: tuple[PassAtK, ...]
    tasks: tuple[TaskGrade, ...]
    observed: Mapping[str, int]
    proved: Mapping[str, int]
    tasks_by_passes: tuple[tuple[int, int], ...] | None
    usual_trials: int
    mean_pass_rate: float | None
    repeats_to_prove_stable: int
    wilson: tuple[float, float] | None
    flakiness_cap: float
    confidence_level: float


def describe(
    profile: Profile,
    task_rows: tuple[TaskRow, ...],
    *,
    confidence_level: float,
    cap: float = FLAKINESS_CAP,
    asked_ks: tuple[int, ...] = (),
) -> Description:
    """What do these runs show, and what can their number prove?"""
    scored = profile.trials - profile.unscored
    ks = shown_ks(profile)
    single = bool((profile.trials == 1).all()) and profile.task_count > 0
    trials = int((scored * profile.tasks).sum())
    wilson = None
    if single and trials:
        interval = binomial.wilson_interval(
            int(profile.event_total), trials, confidence_level=confidence_level
        )
        wilson = (interval.low, interval.high)
    return Description(
        table=_with_marks([_pass_at_k(profile, k, confidence_level) for k in ks]),
        tasks=_task_grades(task_rows, sorted({*ks, *asked_ks}), confidence_level, cap),
        observed=_counted(_observed(profile), profile.tasks),
        proved=_counted(
            _proved(profile.events, profile.trials, profile.unscored, cap, confidence_level),
            profile.tasks,
        ),
        tasks_by_passes=_tasks_by_passes(profile),
        usual_trials=int(np.bincount(profile.trials, weights=profile.tasks).argmax()) if ks else 0,
        mean_pass_rate=task_sets.mean_pass_hat_k(profile.events, scored, 1, tasks=profile.tasks).value,
        repeats_to_prove_stable=repeats_to_prove_stable(cap, confidence_level=confidence_level),
        wilson=wilson,
        flakiness_cap=cap,
        confidence_level=confidence_level,
    )


def shown_ks(profile: Profile) -> tuple[int, ...]:
    """1, 2, 3, ... up to the number of trials that at least half of the tasks have."""
    if profile.task_count == 0:
        return ()
    order = np.argsort(-profile.trials, kind="stable")
    reached = np.cumsum(profile.tasks[order])
    largest = int(profile.trials[order][np.searchsorted(reached, (profile.task_count + 1) // 2)])
    return tuple(sorted({k for k in _STEPS if k <= largest} | {largest}))


def _pass_at_k(profile: Profile, k: int, confidence_level: float) -> PassAtK:
    scored = profile.trials - profile.unscored
    return PassAtK(
        k=k,
        pass_at=task_sets.mean_pass_at_k(profile.events, scored, k, tasks=profile.tasks).value,
        pass_hat=task_sets.mean_pass_hat_k(profile.events, scored, k, tasks=profile.tasks).value,
        lower_bounds={
            target: pass_hat_bound(
                profile.events, profile, k, target=target, confidence_level=confidence_level, upper=False
            )
            for target in TARGETS
        },
        tasks_left_out=int(profile.tasks[scored < k].sum()),
    )


def _with_marks(rows: list[PassAtK]) -> tuple[PassAtK, ...]:
    marked = []
    for index, row in enumerate(rows):
        below = tuple(
            target
            for target in TARGETS
            if any(
                row.lower_bounds[target] < later.lower_bounds[target] - 1e-9 for later in rows[index + 1 :]
            )
        )
        marked.append(PassAtK(row.k, row.pass_at, row.pass_hat, row.lower_bounds, row.tasks_left_out, below))
    return tuple(marked)


def _task_grades(
    rows: tuple[TaskRow, ...], ks: Sequence[int], confidence_level: float, cap: float
) -> tuple[TaskGrade, ...]:
    if not rows:
        return ()
    passed = np.array([row.passed for row in rows], dtype=np.int64)
    trials = np.array([row.trials for row in rows], dtype=np.int64)
    unscored = np.array([row.unscored for row in rows], dtype=np.int64)
    scored = trials - unscored
    seen = flakiness_values(passed, scored)
    low, high = _flakiness_ranges(passed, trials, unscored, confidence_level)
    proved = _proved(passed, trials, unscored, cap, confidence_level)
    hat = {k: pass_hat_k_values(passed, scored, k) for k in ks if k > 1}
    return tuple(
        TaskGrade(
            task=row.task,
            trials=row.trials,
            passed=int(passed[i]),
            unscored=row.unscored,
            pass_rate=float(passed[i] / scored[i]) if scored[i] else None,
            flakiness=None if np.isnan(seen[i]) else float(seen[i]),
            flakiness_interval=(float(low[i]), float(high[i])),
            observed_class=observed_class(int(passed[i]), int(scored[i])),
            proved_class=str(proved[i]),
            pass_hat_k={k: None if np.isnan(values[i]) else float(values[i]) for k, values in hat.items()},
            runs=row.runs,
            failed_at=row.failed_at,
        )
        for i, row in enumerate(rows)
    )


def _flakiness_ranges(
    passed: IntArray, trials: IntArray, unscored: IntArray, confidence_level: float
) -> tuple[FloatArray, FloatArray]:
    """The range of each task's flakiness, wide enough for whatever its unscored trials would have been."""
    nearest_half = np.clip(trials // 2, passed, passed + unscored)
    ranges = [
        flakiness_intervals(completed, trials, confidence_level=confidence_level)
        for completed in (passed, nearest_half, passed + unscored)
    ]
    return np.min([low for low, _ in ranges], axis=0), np.max([high for _, high in ranges], axis=0)


def _proved(
    passed: IntArray | FloatArray, trials: IntArray, unscored: IntArray, cap: float, confidence_level: float
) -> np.ndarray[Any, np.dtype[np.str_]]:
    """A class is proved only if it holds whatever the unscored trials would have been."""
    at_bad = proved_classes(passed, trials, cap=cap, confidence_level=confidence_level)
    at_good = proved_classes(passed + unscored, trials, cap=cap, confidence_level=confidence_level)
    return np.where(at_bad == at_good, at_bad, "undetermined")


def _observed(profile: Profile) -> np.ndarray[Any, np.dtype[np.str_]]:
    scored = profile.trials - profile.unscored
    classes = np.full(profile.trials.shape, "mixed", dtype="<U12")
    classes[profile.events == scored] = "all pass"
    classes[profile.events == 0] = "all fail"
    classes[scored == 0] = "not measured"
    return classes


def _counted(classes: np.ndarray[Any, Any], tasks: np.ndarray[Any, Any]) -> dict[str, int]:
    return {str(name): int(tasks[classes == name].sum()) for name in np.unique(classes)}


def _tasks_by_passes(profile: Profile) -> tuple[tuple[int, int], ...] | None:
    """(passes, tasks) for the histogram; None where tasks have different numbers of scored trials."""
    scored = profile.trials - profile.unscored
    if profile.task_count == 0 or np.unique(scored).size != 1:
        return None
    totals = np.bincount(profile.events.astype(np.int64), weights=profile.tasks, minlength=int(scored[0]) + 1)
    return tuple((passes, int(tasks)) for passes, tasks in enumerate(totals))
