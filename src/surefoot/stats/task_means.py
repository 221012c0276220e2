"""Bounds on the mean of a score in [0, 1] over exactly these tasks: trials are independent, values need not be 0 or 1."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.errors import ArgumentError
from surefoot.stats.arguments import whole_column
from surefoot.stats.dual_chernoff import weighted_lower, weighted_upper
from surefoot.stats.hinge import hinge_lower, hinge_upper
from surefoot.stats.results import Bound, Side, error_budget


def fixed_tasks_mean_upper_bound(
    totals: ArrayLike, trials: ArrayLike, *, tasks: ArrayLike | None = None, confidence_level: float = 0.95
) -> Bound:
    """How high may the mean score of exactly these tasks still be?

    Say: "on these tasks the mean harm is at most 0.02 with 95 % confidence, each task counting once".

    Parameters
    ----------
    totals
        Sum of the scores of each task's trials, shape (tasks,), in [0, trials].
    trials
        Planned trials of each task, whole numbers >= 1, same shape.
    tasks
        How many tasks have that pair; one each by default.
    confidence_level
        In [0.75, 1), one-sided.

    Returns
    -------
    Bound
        On the mean of the tasks' own means. No tasks: 1.

    Raises
    ------
    ArgumentError
        Totals outside [0, trials], trials that are no whole numbers >= 1, columns of unequal length.

    **Assumes** trials are independent of each other, each with any law of its own on [0, 1]; the numbers
    of trials were planned beforehand.

    **Errs towards** a higher bound.

    Notes
    -----
    Equal numbers of trials: the hinge bound over all trials. Unequal ones: the dual Chernoff bound with
    each trial of a task weighted 1 / its task's trials. Neither needs values to be 0 or 1.

    Examples
    --------
    >>> round(fixed_tasks_mean_upper_bound([0.0], [4], tasks=[30]).value, 7)
    0.0246554
    """
    return _bound("upper", totals, trials, tasks, confidence_level)


def fixed_tasks_mean_lower_bound(
    totals: ArrayLike, trials: ArrayLike, *, tasks: ArrayLike | None = None, confidence_level: float = 0.95
) -> Bound:
    """How low may the mean score of exactly these tasks still be?

    Parameters, errors, assumptions and method are those of :func:`fixed_tasks_mean_upper_bound`. No tasks: 0.

    **Assumes** as :func:`fixed_tasks_mean_upper_bound`.

    **Errs towards** a lower bound.
    """
    return _bound("lower", totals, trials, tasks, confidence_level)


def _bound(
    side: Side, totals: ArrayLike, trials: ArrayLike, tasks: ArrayLike | None, confidence_level: float
) -> Bound:
    budget = error_budget(confidence_level)
    sums, planned, many = _columns(totals, trials, tasks)
    inputs = {"tasks": int(many.sum()), "trials": int((planned * many).sum())}
    if inputs["tasks"] == 0:
        return Bound(1.0 if side == "upper" else 0.0, side, confidence_level, "no tasks", inputs)
    lengths = np.unique(planned)
    if len(lengths) == 1:
        total = min(math.fsum((sums * many).tolist()), float(inputs["trials"]))
        hinge = hinge_upper if side == "upper" else hinge_lower
        value, method = hinge(total, inputs["trials"], budget), "hinge over trials"
    else:
        total = min(math.fsum((sums / planned * many).tolist()), float(inputs["tasks"]))
        units = [int((planned * many)[planned == length].sum()) for length in lengths]
        weighted = weighted_upper if side == "upper" else weighted_lower
        value, method = weighted(1.0 / lengths, total, budget, units), "dual Chernoff over weighted trials"
    return Bound(value, side, confidence_level, method, inputs)


def _columns(
    totals: ArrayLike, trials: ArrayLike, tasks: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    planned = whole_column("trials", trials).astype(np.int64)
    many = whole_column("tasks", np.ones_like(planned) if tasks is None else tasks).astype(np.int64)
    sums = np.asarray(totals, dtype=np.float64)
    if sums.shape != planned.shape or many.shape != planned.shape:
        raise ArgumentError("totals", expected=f"as many as trials, shape {planned.shape}", got=sums.shape)
    if (planned < 1).any():
        raise ArgumentError("trials", expected="whole numbers >= 1", got=int(planned.min()))
    if not ((sums >= 0) & (sums <= planned)).all():
        raise ArgumentError("totals", expected="sums in [0, trials]", got=sums.tolist())
    return sums, planned, many
