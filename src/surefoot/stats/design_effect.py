"""The design-effect bound of survey statistics (Korn and Graubard): shown beside the guaranteed bound."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from surefoot.stats.binomial import clopper_pearson_lower, clopper_pearson_upper
from surefoot.stats.results import Side

# A total this near to none or all of the questions is taken for none or all: the formula degenerates there.
_EDGE = 1e-9


@dataclass(frozen=True)
class DesignEffect:
    """The bound, the design effect and the independent questions it leaves; all None where there are none."""

    bound: float | None
    deff: float | None
    effective_sample_size: float | None


def design_effect(
    side: Side,
    sizes: NDArray[np.int64],
    events: NDArray[np.float64],
    counts: NDArray[np.int64],
    budget: float,
) -> DesignEffect:
    """What does the usual correction for clustering make of the rate?

    Parameters
    ----------
    side
        ``"upper"`` or ``"lower"``.
    sizes, events, counts
        Questions of each kind of cluster, the sum of their values, and how many clusters are of that kind.
    budget
        Allowed error, in (0, 0.25].

    Returns
    -------
    DesignEffect
        None of it for fewer than two clusters: one cluster shows no variance.

    **Assumes** many clusters of similar size and rate; nothing is proved for few or unequal ones, and the
    bound is not monotone in the events.

    **Errs towards** neither side for sure: it covers less than it claims when sizes are unequal.

    Notes
    -----
    With p the rate, ``v = M/(M-1) sum (e_i - p m_i)^2 / n^2``, ``deff = v / (p (1-p) / n)``, at least 1;
    ``n_eff = n / deff (t_{n-1} / t_{M-1})^2``, at most n; then Clopper-Pearson at n_eff. No event, or
    nothing but events: ``deff = sum m^2 / sum m``, the most that clustering can do, and no t factor.

    References
    ----------
    Korn and Graubard (1998), Survey Methodology 24, 193-201.
    """
    clusters, questions = int(counts.sum()), int((sizes * counts).sum())
    if clusters < 2:
        return DesignEffect(None, None, None)
    total = math.fsum((events * counts).tolist())
    rate = min(1.0, total / questions)
    if min(total, questions - total) <= _EDGE:
        deff = math.fsum((sizes.astype(float) ** 2 * counts).tolist()) / questions
        size = questions / deff
    else:
        residuals = (events - rate * sizes) ** 2 * counts
        variance = clusters / (clusters - 1) * math.fsum(residuals.tolist()) / questions**2
        deff = max(1.0, variance / (rate * (1 - rate) / questions))
        narrowing = float(stdtrit(questions - 1, budget) / stdtrit(clusters - 1, budget)) ** 2
        size = min(float(questions), questions / deff * narrowing)
    exact = clopper_pearson_upper if side == "upper" else clopper_pearson_lower
    return DesignEffect(exact(size * rate, size, budget), deff, size)
