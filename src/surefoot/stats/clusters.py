"""Bounds on a rate when tasks come in clusters that share a cause: four numbers, each with what it bounds."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from numpy.typing import ArrayLike

from surefoot.errors import ArgumentError
from surefoot.stats.binomial import (
    clopper_pearson_lower,
    clopper_pearson_upper,
    pooled_lower,
    pooled_upper,
)
from surefoot.stats.cluster_rows import ClusterRows
from surefoot.stats.design_effect import design_effect
from surefoot.stats.dual_chernoff import weighted_lower, weighted_upper
from surefoot.stats.hinge import hinge_lower, hinge_upper
from surefoot.stats.results import Side, confidence_text, error_budget, rounded_outward

Weighting = Literal["question", "cluster"]

_OUTWARD = 4 * 2.0**-53


@dataclass(frozen=True)
class ClusterBounds:
    """The four bounds of one rate, on one side; each is a bound on another thing.

    Parameters
    ----------
    question
        The rate, if the questions (tasks) were independent of each other.
    cluster
        Upper: the share of clusters with an event. Lower: the share of clusters that are wholly good.
    design_effect
        The rate, corrected for clustering by Korn and Graubard; None for fewer than two clusters.
    guaranteed
        The rate, whatever the dependence inside clusters and however unequal the rates are.
    guaranteed_method
        What gave the guaranteed bound.
    clusters, questions
        How many there are.
    clusters_with_event
        Upper: clusters with any event at all. Lower: clusters that are *not wholly good*, that is with an
        event of the complement.
    deff, effective_sample_size
        The design effect (at least 1) and the number of independent questions it leaves.
    """

    side: Side
    confidence_level: float
    question: float
    cluster: float
    design_effect: float | None
    guaranteed: float
    guaranteed_method: str
    clusters: int
    clusters_with_event: int
    questions: int
    deff: float | None
    effective_sample_size: float | None

    @property
    def largest_of_three(self) -> float:
        """The published rule: the most cautious of question, cluster and design effect.

        The largest of them for an upper bound, the least for a lower one. Proved for clusters of equal
        size only, and not monotone in the events: at 80 clusters of one question and 20 of two it covers
        87.35 % at its worst rate, where it claims 95 %.
        """
        three = [self.question, self.cluster]
        if self.design_effect is not None:
            three.append(self.design_effect)
        return max(three) if self.side == "upper" else min(three)

    def __str__(self) -> str:
        words = "at most" if self.side == "upper" else "at least"
        return (
            f"{words} {rounded_outward(self.guaranteed, self.side)} with "
            f"{confidence_text(self.confidence_level)} confidence "
            f"({self.guaranteed_method}; {self.questions} questions in {self.clusters} clusters)"
        )

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "largest_of_three": self.largest_of_three}


def upper_bounds(
    sizes: ArrayLike,
    events: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    confidence_level: float = 0.95,
    weighting: Weighting = "question",
    repeated: bool = False,
) -> ClusterBounds:
    """How high may the event rate still be, when tasks of one cluster share a cause?

    Say: "the worst rate the evidence still allows is 1.3 %, with 95 % confidence."

    Parameters
    ----------
    sizes
        Tasks (questions) in each cluster, whole numbers >= 1, one-dimensional.
    events
        Sum of the values of the cluster's tasks, in [0, size]: whole for tasks tried once, any number
        where a value is an average of trials or a score.
    clusters
        How many clusters share each row, whole numbers >= 0; one each where left out.
    confidence_level
        In [0.75, 1), one-sided.
    weighting
        ``"question"``: the rate of these questions, for these sizes. ``"cluster"``: the mean of the
        cluster rates, each cluster counting once; the one to use when a cluster's size may go with
        its rate and the claim is about other clusters. It changes the guaranteed bound only.
    repeated
        True when a task's value may be fractional *by plan*: some task has several planned trials, or
        the value is a score in [0, 1]. Then no bound relies on values being 0 or 1.

    Returns
    -------
    ClusterBounds
        No clusters at all: every bound is 1.

    Raises
    ------
    ArgumentError
        Counts that are not whole, negative, NaN, more events than questions, columns of unequal length.

    **Assumes** of the guaranteed bound: clusters are independent of each other; sizes and weighting were
    fixed before the outcome. Inside a cluster anything goes. The three others assume more: see their names.

    **Errs towards** a higher bound: exact for clusters of one question, some per cent wide with events in
    equal clusters, more where sizes are very unequal (the bound names its method).

    Notes
    -----
    Clusters of one question tried once: Clopper-Pearson, repaired for unequal rates. Equal sizes, or each
    cluster once: the hinge bound on the cluster means. Else the least of the dual Chernoff bound, the hinge
    bound scaled to the largest weight, and its mirror: all three bound the same tail, the probability of a
    weighted total as small as the one seen, so taking the least costs nothing.

    Totals are never rounded. The hinge and dual bounds are continuous in them, so a sum such as 0.1 + 0.2
    that misses a whole number by a rounding error moves the bound by a rounding error. Where a rule jumps,
    the cautious side is taken: values that are not exactly whole are not taken for yes-or-no trials,
    anything but exactly 0 is an event, and only exactly `size` is wholly good.
    Rows are gathered first, so neither their order nor their grouping changes a digit.

    References
    ----------
    Hoeffding (1956); Korn and Graubard (1998), Confidence intervals for proportions with small expected
    number of positive counts estimated from survey data.

    Examples
    --------
    >>> bounds = upper_bounds([4], [0], clusters=[388])
    >>> round(bounds.guaranteed, 9), round(bounds.question, 9)
    (0.007691229, 0.001928378)
    >>> round(upper_bounds([1, 2], [0, 0], clusters=[80, 20]).guaranteed, 9)
    0.046369447
    """
    rows = ClusterRows.of(sizes, events, clusters)
    return _bounds("upper", rows, confidence_level, _is_cluster(weighting), rows.yes_or_no and not repeated)


def lower_bounds(
    sizes: ArrayLike,
    events: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    confidence_level: float = 0.95,
    weighting: Weighting = "question",
    repeated: bool = False,
) -> ClusterBounds:
    """How low may the rate still be, when tasks of one cluster share a cause?

    Say: "the rate is at least 83.9 %, with 95 % confidence."

    The bounds of :func:`upper_bounds` on the complements, each subtracted from 1; the parameters, errors
    and assumptions are the same. A cluster is good only if all its questions are, so
    ``clusters_with_event`` counts the clusters that are not wholly good.

    **Errs towards** a lower bound.

    Examples
    --------
    >>> round(lower_bounds([1, 2], [0, 2], clusters=[80, 20]).guaranteed, 9) < 40 / 120
    True
    >>> round(lower_bounds([3], [3], clusters=[60]).guaranteed, 9)
    0.951297087
    """
    rows = ClusterRows.of(sizes, events, clusters)
    return _bounds("lower", rows, confidence_level, _is_cluster(weighting), rows.yes_or_no and not repeated)


def _bounds(
    side: Side, rows: ClusterRows, confidence_level: float, each_cluster_once: bool, yes_or_no: bool
) -> ClusterBounds:
    budget = error_budget(confidence_level)
    guaranteed, method = _guaranteed(side, rows, budget, each_cluster_once, yes_or_no)
    effect = design_effect(side, rows.sizes, rows.events, rows.counts, budget)
    return ClusterBounds(
        side=side,
        confidence_level=confidence_level,
        question=_question(side, rows, budget, yes_or_no),
        cluster=_cluster(side, rows, budget),
        guaranteed=guaranteed,
        guaranteed_method=method,
        clusters=rows.clusters,
        clusters_with_event=rows.with_event if side == "upper" else rows.not_wholly_good,
        questions=rows.questions,
        design_effect=effect.bound,
        deff=effect.deff,
        effective_sample_size=effect.effective_sample_size,
    )


def _question(side: Side, rows: ClusterRows, budget: float, yes_or_no: bool) -> float:
    if yes_or_no:
        exact = clopper_pearson_upper if side == "upper" else clopper_pearson_lower
        return exact(int(rows.total), rows.questions, budget)
    hinge = hinge_upper if side == "upper" else hinge_lower
    return hinge(rows.total, rows.questions, budget)


def _cluster(side: Side, rows: ClusterRows, budget: float) -> float:
    if side == "upper":
        return pooled_upper(rows.with_event, rows.clusters, budget)
    return pooled_lower(rows.clusters - rows.not_wholly_good, rows.clusters, budget)


def _guaranteed(
    side: Side, rows: ClusterRows, budget: float, each_cluster_once: bool, yes_or_no: bool
) -> tuple[float, str]:
    upper = side == "upper"
    if not rows.clusters:
        return (1.0 if upper else 0.0), "no clusters"
    if rows.largest == 1 and yes_or_no:
        pooled = pooled_upper if upper else pooled_lower
        return pooled(int(rows.total), rows.clusters, budget), "Clopper-Pearson for unequal rates"
    if rows.equal or each_cluster_once:
        means = math.fsum((rows.events / rows.sizes * rows.counts).tolist())
        total = rows.total / rows.largest if rows.equal else min(means, float(rows.clusters))
        return (hinge_upper if upper else hinge_lower)(total, rows.clusters, budget), "hinge over clusters"
    return _unequal_upper(rows, budget) if upper else _unequal_lower(rows, budget)


def _unequal_upper(rows: ClusterRows, budget: float) -> tuple[float, str]:
    units, largest, questions = rows.clusters, rows.largest, rows.questions
    scale = largest * units / questions
    scaled = scale * hinge_upper(rows.total / largest, units, budget) * (1 + _OUTWARD)
    mirror = 1 - scale * hinge_lower((questions - rows.total) / largest, units, budget) * (1 - _OUTWARD)
    dual = weighted_upper(rows.sizes, rows.total, budget, rows.counts)
    least = min((dual, "dual Chernoff"), (scaled, "scaled hinge"), (mirror, "mirrored scaled hinge"))
    return min(1.0, least[0]), least[1]


def _unequal_lower(rows: ClusterRows, budget: float) -> tuple[float, str]:
    units, largest, questions = rows.clusters, rows.largest, rows.questions
    scale = largest * units / questions
    scaled = scale * hinge_lower(rows.total / largest, units, budget) * (1 - _OUTWARD)
    mirror = 1 - scale * hinge_upper((questions - rows.total) / largest, units, budget) * (1 + _OUTWARD)
    dual = weighted_lower(rows.sizes, rows.total, budget, rows.counts)
    most = max((dual, "dual Chernoff"), (scaled, "scaled hinge"), (mirror, "mirrored scaled hinge"))
    return max(0.0, most[0]), most[1]


def _is_cluster(weighting: Weighting) -> bool:
    if weighting not in ("question", "cluster"):
        raise ArgumentError("weighting", expected='"question" or "cluster"', got=weighting)
    return weighting == "cluster"
