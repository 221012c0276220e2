"""Clusters as they are counted: checked, and gathered so that order and grouping leave no trace."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.errors import ArgumentError

# Sums of task values may leave [0, size] by their own rounding, never by more than this.
_SUM_ERROR = 1e-9


@dataclass(frozen=True)
class ClusterRows:
    """Distinct clusters in one order, with how many there are of each."""

    sizes: NDArray[np.int64]
    events: NDArray[np.float64]
    counts: NDArray[np.int64]
    yes_or_no: bool
    with_event: int
    not_wholly_good: int

    @classmethod
    def of(cls, sizes: ArrayLike, events: ArrayLike, clusters: ArrayLike | None) -> ClusterRows:
        m = _whole("sizes", sizes, least=1)
        counts = np.ones_like(m) if clusters is None else _whole("clusters", clusters, least=0)
        e = _sums(events, m)
        if counts.shape != m.shape:
            raise ArgumentError("clusters", expected=f"one number per row, {m.size} rows", got=counts.size)
        order = np.lexsort((e, m))
        order = order[counts[order] > 0]
        m, e, counts = m[order], e[order], counts[order]
        starts = np.flatnonzero(np.diff(m, prepend=0).astype(bool) | (np.diff(e, prepend=-1.0) != 0))
        if starts.size:
            m, e, counts = m[starts], e[starts], np.add.reduceat(counts, starts)
        return cls(
            sizes=m,
            events=np.clip(e, 0.0, m),
            counts=counts,
            yes_or_no=bool((e == np.floor(e)).all()),
            with_event=int(counts[e != 0].sum()),
            not_wholly_good=int(counts[e != m].sum()),
        )

    @property
    def clusters(self) -> int:
        return int(self.counts.sum())

    @property
    def questions(self) -> int:
        return int((self.sizes * self.counts).sum())

    @property
    def total(self) -> float:
        return min(math.fsum((self.events * self.counts).tolist()), float(self.questions))

    @property
    def largest(self) -> int:
        return int(self.sizes[-1])

    @property
    def equal(self) -> bool:
        return bool(self.sizes[0] == self.sizes[-1])


def _whole(name: str, values: ArrayLike, *, least: int) -> NDArray[np.int64]:
    given = np.asarray(values)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ArgumentError(
            name, expected=f"a one-dimensional column of whole numbers >= {least}", got=values
        )
    column = given.astype(np.int64)
    if (column < least).any():
        raise ArgumentError(name, expected=f"whole numbers >= {least}", got=int(column.min()))
    return column


def _sums(events: ArrayLike, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    given = np.asarray(events)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iuf"):
        raise ArgumentError("events", expected="a one-dimensional column of numbers", got=events)
    if given.shape != sizes.shape:
        raise ArgumentError("events", expected=f"one number per row, {sizes.size} rows", got=given.size)
    column = given.astype(np.float64)
    wrong = ~((column >= -_SUM_ERROR) & (column <= sizes + _SUM_ERROR))
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise ArgumentError(
            "events", expected=f"a number in [0, {sizes[at]}] in row {at}", got=float(column[at])
        )
    return column
