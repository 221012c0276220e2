"""A set of tasks as a profile: the distinct pairs of counts, and how many tasks have each.

Equal pairs are merged and sorted first, so neither the order of the tasks nor the way they are grouped can
change one bit of an answer, and a million tasks cost as much as their few distinct pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.errors import ArgumentError
from surefoot.stats.arguments import count_columns, whole_column

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Whole = NDArray[np.int64]
    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TaskProfile:
    """Columns of equal length, sorted by trials, then passed: so many tasks passed so many of their trials."""

    passed: Whole
    trials: Whole
    tasks: Whole

    @classmethod
    def of(
        cls, passed: ArrayLike, trials: ArrayLike, tasks: ArrayLike | None = None, *, name: str = "passed"
    ) -> TaskProfile:
        """The profile of these tasks; `name` is what the caller calls the passes.

        Raises
        ------
        ArgumentError
            A count that is not a whole number, more passes than trials, or shapes that do not fit.
        """
        counts, planned = np.broadcast_arrays(*count_columns(passed, trials, name=name))
        many = whole_column("tasks", 1 if tasks is None else tasks)
        try:
            columns = np.broadcast_arrays(counts, planned, many)
        except ValueError:
            expected = f"as many numbers as there are counts, shape {planned.shape}"
            raise ArgumentError("tasks", expected=expected, got=many.shape) from None
        counts, planned, many = (column.ravel() for column in columns)
        return cls._merged(counts[many > 0], planned[many > 0], many[many > 0])

    @classmethod
    def _merged(cls, passed: Any, trials: Any, tasks: Any) -> TaskProfile:
        order = np.lexsort((passed, trials))
        passed, trials, tasks = (column[order].astype(np.int64) for column in (passed, trials, tasks))
        new = np.append(True, (np.diff(passed) != 0) | (np.diff(trials) != 0))[: len(passed)]
        starts = np.flatnonzero(new)
        merged = np.add.reduceat(tasks, starts) if len(starts) else tasks
        return cls(passed[starts], trials[starts], merged)

    @property
    def task_count(self) -> int:
        return int(self.tasks.sum())

    @property
    def all_passed(self) -> int:
        """How many tasks passed every trial."""
        return int(self.tasks[self.passed == self.trials].sum())

    def where(self, chosen: NDArray[np.bool_]) -> TaskProfile:
        return TaskProfile(self.passed[chosen], self.trials[chosen], self.tasks[chosen])

    def total(self, values: Floats) -> float:
        """The sum over all tasks of one value for each row."""
        return math.fsum((self.tasks * values).tolist())

    def sizes(self) -> tuple[Whole, Whole]:
        """The distinct numbers of trials, and how many tasks have each."""
        trials, starts = np.unique(self.trials, return_index=True)
        return trials, np.add.reduceat(self.tasks, starts) if len(starts) else self.tasks

    def sums(self) -> dict[str, int]:
        """The counts a bound repeats among its inputs."""
        return {
            "tasks": self.task_count,
            "trials": int((self.tasks * self.trials).sum()),
            "passed": int((self.tasks * self.passed).sum()),
        }
