"""How often a check is wrong, by exact enumeration: false PASS and false FAIL at rate = limit, in whole verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import comb, prod

import numpy as np
import pytest

from surefoot.grading import pass_hat_check
from surefoot.grading.counts import CheckCounts, Profile
from surefoot.grading.flakiness_check import grade_flakiness
from surefoot.grading.pass_hat_check import grade_pass_hat
from surefoot.grading.rate_check import grade_rate
from surefoot.grading.verdict import Verdict
from surefoot.plan.checks import FlakinessCheck, PassHatCheck, RateCheck

BUDGET = 0.05
# Sums of up to a million probabilities.
ROUNDING = 1e-9


def binomial(x: int, n: int, p: float) -> float:
    return comb(n, x) * p**x * (1 - p) ** (n - x)


def counted(rows: list[tuple[int, float, int]], clusters: list[int] | None = None) -> CheckCounts:
    """Rows (trials, events, tasks)."""
    columns = np.array(rows, dtype=np.float64).T
    profile = Profile(
        trials=columns[0].astype(np.int64),
        events=columns[1],
        unscored=np.zeros(len(rows), dtype=np.int64),
        tasks=columns[2].astype(np.int64),
        cluster=None if clusters is None else np.array(clusters, dtype=np.int64),
    )
    groups = profile.task_count if clusters is None else len(set(clusters))
    return CheckCounts(profile, groups, profile.trial_count)


def at_most(limit: float, **more: str) -> RateCheck:
    return RateCheck(name="harm", event="y", at_most=limit, **more)


def at_least(limit: float, **more: str) -> RateCheck:
    return RateCheck(name="success", success="y", at_least=limit, **more)


def verdict_of(check: RateCheck, counts: CheckCounts) -> Verdict:
    return grade_rate(check, counts, confidence_level=0.95, bound="guaranteed").verdict


def independent(check: RateCheck, n: int) -> list[Verdict]:
    """The verdict for each number of events in n tasks tried once."""
    return [
        verdict_of(check, counted([row for row in [(1, 0, n - x), (1, 1, x)] if row[2]]))
        for x in range(n + 1)
    ]


def chances(verdicts: list[Verdict], n: int, rate: float) -> dict[Verdict, float]:
    found = dict.fromkeys(Verdict, 0.0)
    for x, verdict in enumerate(verdicts):
        found[verdict] += binomial(x, n, rate)
    return found


def test_four_such_checks_of_one_percent_at_299_trials():
    """The published numbers: P(PASS) 4.95 %, P(FAIL) 3.22545 % at rate = limit; one FAIL of four in 12.29 %."""
    check = at_most(0.01)
    verdicts = [
        verdict_of(check, counted([row for row in [(1, 0, 299 - x), (1, 1, x)] if row[2]])) for x in range(12)
    ]
    # The verdict is FAIL from 7 events on: what is beyond 11 events has the rest of the probability.
    assert verdicts == [Verdict.PASS] + [Verdict.INCONCLUSIVE] * 6 + [Verdict.FAIL] * 5
    false_pass = binomial(0, 299, 0.01)
    false_fail = 1 - sum(binomial(x, 299, 0.01) for x in range(7))
    assert false_pass == pytest.approx(0.0495, abs=5e-5)
    assert false_fail == pytest.approx(0.0322545, abs=5e-8)
    assert 1 - (1 - false_fail) ** 4 == pytest.approx(0.1229, abs=5e-5)


@pytest.mark.parametrize("n", [1, 2, 5, 30, 93])
@pytest.mark.parametrize("limit", [0.05, 0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("check_of", [at_most, at_least])
def test_independent_tasks_at_rate_equal_to_the_limit(
    n: int, limit: float, check_of: Callable[..., RateCheck]
):
    check = check_of(limit)
    found = chances(independent(check, n), n, limit)
    assert found[Verdict.PASS] <= BUDGET + ROUNDING
    assert found[Verdict.FAIL] <= BUDGET + ROUNDING


def test_a_larger_design_uses_up_its_budget_and_does_not_exceed_it():
    """59 trials at 5 %: 4.8 % false PASS; a rule that never passed would keep the law and be of no use."""
    found = chances(independent(at_most(0.05), 59), 59, 0.05)
    assert 0.04 < found[Verdict.PASS] <= BUDGET


def all_or_nothing(sizes: list[int]) -> Iterator[tuple[tuple[int, ...], CheckCounts]]:
    """Every way in which whole clusters fail together: which do, and what is counted."""
    for hits in product((0, 1), repeat=len(sizes)):
        rows = [(1, hit, size) for hit, size in zip(hits, sizes, strict=True)]
        yield hits, counted(rows, clusters=list(range(len(sizes))))


DESIGNS = {
    "six of four": [4] * 6,
    "mixed": [1, 1, 2, 2, 3, 6],
    "one large": [8, 1, 1, 1, 1, 1],
    "two sizes": [1, 1, 1, 1, 3, 3, 3],
}


@pytest.mark.parametrize("sizes", DESIGNS.values(), ids=DESIGNS.keys())
@pytest.mark.parametrize("weighting", ["question", "cluster"])
@pytest.mark.parametrize("check_of", [at_most, at_least])
def test_clusters_that_fail_as_one_at_rate_equal_to_the_limit(
    sizes: list[int], weighting: str, check_of: Callable[..., RateCheck]
):
    """Each cluster fails as a whole, with one chance for all, or only the large or only the small ones do."""
    weights = np.array(sizes, dtype=float) if weighting == "question" else np.ones(len(sizes))
    weights /= weights.sum()
    outcomes = list(all_or_nothing(sizes))
    middle = sorted(sizes)[len(sizes) // 2]
    shapes = [
        np.ones(len(sizes)),
        np.array([s >= middle for s in sizes]),
        np.array([s < middle for s in sizes]),
    ]
    judged = 0
    for limit in (0.3, 0.45, 0.6, 0.7):
        check = check_of(limit, weighting=weighting)
        known: dict[tuple[tuple[int, int], ...], Verdict] = {}
        for hits, counts in outcomes:
            alike = tuple(sorted(zip(sizes, hits, strict=True)))
            if alike not in known:
                known[alike] = verdict_of(check, counts)
        verdicts = [known[tuple(sorted(zip(sizes, hits, strict=True)))] for hits, _ in outcomes]
        for shape in shapes:
            share = float((weights * shape).sum())
            if share < limit:
                continue
            judged += 1
            p = shape * limit / share
            found = dict.fromkeys(Verdict, 0.0)
            for (hits, _), verdict in zip(outcomes, verdicts, strict=True):
                found[verdict] += prod(q if hit else 1 - q for hit, q in zip(hits, p, strict=True))
            assert found[Verdict.PASS] <= BUDGET + ROUNDING
            assert found[Verdict.FAIL] <= BUDGET + ROUNDING
    assert judged >= 4


@pytest.mark.parametrize("trials", [[4, 4, 4], [2, 3, 6]])
@pytest.mark.parametrize("check_of", [at_most, at_least])
def test_a_claim_about_these_tasks_at_rate_equal_to_the_limit(
    trials: list[int], check_of: Callable[..., RateCheck]
):
    """Trials are independent and each task has a rate of its own, whose mean is the limit."""
    outcomes = list(product(*(range(n + 1) for n in trials)))
    for limit, spread in (
        (0.2, (1, 1, 1)),
        (0.2, (3, 0, 0)),
        (0.5, (1, 1, 1)),
        (0.5, (2, 1, 0)),
        (0.7, (1, 1, 1)),
    ):
        check = check_of(limit, target="fixed-tasks")
        rates = [limit * share for share in spread]
        found = dict.fromkeys(Verdict, 0.0)
        for events in outcomes:
            counts = counted([(n, x, 1) for n, x in zip(trials, events, strict=True)])
            chance = prod(binomial(x, n, p) for x, n, p in zip(events, trials, rates, strict=True))
            found[verdict_of(check, counts)] += chance
        assert found[Verdict.PASS] <= BUDGET + ROUNDING
        assert found[Verdict.FAIL] <= BUDGET + ROUNDING


PASS_HAT_DESIGNS = [([3, 3], 2), ([3, 3, 3], 3), ([4, 1, 3], 2), ([6, 6], 1), ([5], 3)]


@pytest.fixture
def verdicts_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """What else a grade tells (numbers shown, next steps) is left out: it takes most of the time."""
    monkeypatch.setattr(pass_hat_check, "_details", lambda *_: {})
    monkeypatch.setattr(pass_hat_check, "_next_steps", lambda *_: ())


@pytest.mark.usefixtures("verdicts_only")
@pytest.mark.parametrize(("trials", "k"), PASS_HAT_DESIGNS)
def test_pass_hat_by_bound_at_a_mean_equal_to_the_threshold(trials: list[int], k: int):
    """Fixed tasks, each with its own pass rate; the threshold is the true mean of p^k."""
    outcomes = list(product(*(range(n + 1) for n in trials)))
    for rates in ((0.55, 0.55, 0.55), (0.95, 0.5, 0.2), (0.3, 0.96, 0.96)):
        p = rates[: len(trials)]
        check = PassHatCheck(name="r", pass_hat=k, at_least=sum(q**k for q in p) / len(p))
        found = dict.fromkeys(Verdict, 0.0)
        known: dict[tuple[tuple[int, int], ...], Verdict] = {}
        for passed in outcomes:
            tasks = tuple(sorted(zip(trials, passed, strict=True)))
            if tasks not in known:
                counts = counted([(n, c, 1) for n, c in tasks])
                known[tasks] = grade_pass_hat(check, counts, confidence_level=0.95).verdict
            found[known[tasks]] += prod(binomial(c, n, q) for c, n, q in zip(passed, trials, p, strict=True))
        assert found[Verdict.PASS] <= BUDGET + ROUNDING
        assert found[Verdict.FAIL] <= BUDGET + ROUNDING


@pytest.mark.parametrize(
    ("cap", "n"), [(0.3, 40), (0.5, 40), (0.8, 40), (0.9905, 5), (0.97, 6), (0.999999, 30)]
)
@pytest.mark.parametrize("tasks", [1, 3])
def test_flakiness_by_bound_with_tasks_at_the_cap(cap: float, n: int, tasks: int):
    """All tasks at the cap exactly, on either side: neither PASS nor FAIL is earned."""
    check = FlakinessCheck(name="f", flakiness_at_most=cap, basis="bound")
    edge = (1 - (1 - cap) ** 0.5) / 2
    verdicts = {}
    # What decides is whether each task is proved: the tasks' classes are found from one task in a set of equals.
    for c in range(n + 1):
        verdicts[c] = grade_flakiness(check, counted([(n, c, tasks)]), confidence_level=0.95).verdict
    for p in (edge, 1 - edge):
        passed_one = sum(binomial(c, n, p) for c in range(n + 1) if verdicts[c] is Verdict.PASS)
        flaky_one = sum(binomial(c, n, p) for c in range(n + 1) if verdicts[c] is Verdict.FAIL)
        assert passed_one <= BUDGET + ROUNDING
        assert 1 - (1 - flaky_one) ** tasks <= BUDGET + ROUNDING
    assert cap > 0.8 or Verdict.FAIL in verdicts.values()
