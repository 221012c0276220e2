"""Beta quantiles against 50 digits, and what happens when the inverses of scipy are wrong or NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from surefoot.stats import beta_quantiles
from surefoot.stats.beta_quantiles import Tail, beta_lower, beta_quantile, beta_upper

BUDGETS = [0.25, 0.05, 0.025, 1e-6, 1e-12]
LARGE = 10**9
PARAMETERS = [
    (1, 12), (11, 2), (3, 10), (12, 1), (2, 1), (6, 6), (2, 2), (101, 199), (301, 1), (1, LARGE), (2, LARGE - 1),
    (6, LARGE - 5), (LARGE, 1), (LARGE - 1, 2), (LARGE - 999, 1000), (1000, LARGE - 999), (0.3, 4.7), (5.2, 0.8),
    (1.5, 998.25), (37.125, 2.875),
]  # fmt: skip


def exact_tail(tail: Tail, a: float, b: float, value: float, rest: float) -> float:
    """The tail beyond the value; whichever of the value and one minus it is small is taken as exact."""
    with mpmath.workdps(50):
        low = mpmath.mpf(value) if value < 0.5 else 1 - mpmath.mpf(rest)
        high = 1 - low if value < 0.5 else mpmath.mpf(rest)
        below = mpmath.mpf(a), mpmath.mpf(b), low
        above = mpmath.mpf(b), mpmath.mpf(a), high
        first, second, end = below if tail == "below" else above
        return float(mpmath.betainc(first, second, 0, end, regularized=True))


@pytest.mark.parametrize("tail", ["above", "below"])
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize(("a", "b"), PARAMETERS)
def test_put_back_into_the_tail_it_gives_the_budget(tail: Tail, a: float, b: float, budget: float) -> None:
    value, rest = beta_quantile(tail, a, b, budget)
    assert exact_tail(tail, a, b, float(value), float(rest)) == pytest.approx(budget, rel=1e-9, abs=0)


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize(("a", "b"), PARAMETERS)
def test_value_and_rest_add_up_to_one(a: float, b: float, budget: float) -> None:
    for tail, alone in (("above", beta_upper), ("below", beta_lower)):
        value, rest = beta_quantile(tail, a, b, budget)  # type: ignore[arg-type]
        assert value + rest == pytest.approx(1, abs=2e-16)
        assert alone(a, b, budget) == value


def broken(kind: str, inverse: Callable[..., Any]) -> Callable[..., NDArray[np.float64]]:
    def nan(a: Any, b: Any, budget: float) -> NDArray[np.float64]:
        return np.full(np.shape(a), np.nan)

    def one(a: Any, b: Any, budget: float) -> NDArray[np.float64]:
        return np.ones(np.shape(a))

    def zero(a: Any, b: Any, budget: float) -> NDArray[np.float64]:
        return np.zeros(np.shape(a))

    def wrong(a: Any, b: Any, budget: float) -> NDArray[np.float64]:
        return np.asarray(inverse(a, b, budget)) * 0.9

    def alternating(a: Any, b: Any, budget: float) -> NDArray[np.float64]:
        found = np.array(inverse(a, b, budget))
        found[::2] = np.nan
        return found

    return {"nan": nan, "one": one, "zero": zero, "wrong": wrong, "alternating": alternating}[kind]


@pytest.mark.parametrize("kind", ["nan", "one", "zero", "wrong", "alternating"])
def test_answers_survive_broken_inverses(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    a, b = (np.array(column, dtype=float) for column in zip(*PARAMETERS, strict=True))
    sound = {
        (tail, budget): beta_quantile(tail, a, b, budget) for tail in ("above", "below") for budget in BUDGETS
    }
    for name in ("betaincinv", "betainccinv"):
        monkeypatch.setattr(beta_quantiles, name, broken(kind, getattr(special, name)))
    for (tail, budget), (value, rest) in sound.items():
        found, left = beta_quantile(tail, a, b, budget)
        np.testing.assert_allclose(found, value, rtol=1e-10)
        np.testing.assert_allclose(left, rest, rtol=1e-10)


def test_sound_inverses_need_no_halving(monkeypatch: pytest.MonkeyPatch) -> None:
    halved: list[int] = []
    halve = beta_quantiles._bisected

    def counting(tail: Tail, a: Any, b: Any, budget: float) -> Any:
        halved.append(a.size)
        return halve(tail, a, b, budget)

    monkeypatch.setattr(beta_quantiles, "_bisected", counting)
    trials = np.geomspace(2, LARGE, 4000).astype(np.int64)
    events = np.random.default_rng(2).integers(1, trials)
    for budget in BUDGETS:
        beta_upper(events + 1, trials - events, budget)
        beta_lower(events, trials - events + 1, budget)
    assert sum(halved) < 40


def test_where_even_the_tail_fails_the_bound_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("betaincinv", "betainccinv", "betainc", "betaincc"):
        monkeypatch.setattr(beta_quantiles, name, lambda a, b, x: np.full(np.shape(a), np.nan))
    assert beta_upper([3, 30], [10, 1], 0.05).tolist() == [1, 1]
    assert beta_lower([3, 30], [10, 1], 0.05).tolist() == [0, 0]


def test_shapes_broadcast() -> None:
    found = beta_upper(np.array([[1.0], [2.0]]), np.array([3.0, 4.0, 5.0]), 0.05)
    assert found.shape == (2, 3)
    assert found[1, 2] == beta_upper(2, 5, 0.05)


def test_nothing_in_nothing_out() -> None:
    assert beta_lower([], [], 0.05).shape == (0,)


def test_a_vanishing_quantile_is_zero_and_not_nan() -> None:
    assert beta_lower(0.001, 5.0, 0.05) == pytest.approx(0, abs=1e-300)
