"""Counts written by hand: ``profile((4, 3, 1), (4, 4, 0), clusters=[0, 1])``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from surefoot.grading.counts import CheckCounts, Counts, Profile


@pytest.fixture
def profile() -> Callable[..., Profile]:
    """One row a task: (trials, events, unscored), with the code of its cluster if clusters are given."""

    def made(
        *rows: tuple[int, float, int],
        clusters: Sequence[int] | None = None,
        tasks: Sequence[int] | None = None,
    ) -> Profile:
        columns = np.array(rows, dtype=np.float64).reshape(-1, 3).T
        return Profile(
            trials=columns[0].astype(np.int64),
            events=columns[1],
            unscored=columns[2].astype(np.int64),
            tasks=np.ones(len(rows), dtype=np.int64) if tasks is None else np.array(tasks, dtype=np.int64),
            cluster=None if clusters is None else np.array(clusters, dtype=np.int64),
        )

    return made


@pytest.fixture
def check_counts() -> Callable[..., CheckCounts]:
    """What a check counts, of a profile."""

    def made(profile: Profile, **more: object) -> CheckCounts:
        clusters = profile.task_count if profile.cluster is None else len(np.unique(profile.cluster))
        given = {"clusters": clusters, "rows_selected": profile.trial_count, **more}
        return CheckCounts(profile=profile, **given)

    return made


@pytest.fixture
def counts(profile: Callable[..., Profile]) -> Callable[..., Counts]:
    """Counts of a whole log: ten clean tasks of four trials, changed as asked."""

    def made(**changed: object) -> Counts:
        passes = profile(*[(4, 4, 0)] * 10)
        given = {
            "by": {},
            "rows": 40,
            "tasks": 10,
            "unscored_by_cause": {},
            "passes": passes,
            "task_rows": (),
            "checks": (),
            **changed,
        }
        return Counts(**given)

    return made
