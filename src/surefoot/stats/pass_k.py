"""pass^k (k tries in a row all succeed) and pass@k (one of k succeeds): values, estimates and bounds for one task."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.stats import binomial
from surefoot.stats.arguments import Integers, count_columns, events_and_trials, share, whole_number
from surefoot.stats.bootstrap import bootstrap_interval, bootstrap_intervals
from surefoot.stats.deduplicate import for_each_pair
from surefoot.stats.results import Bound, Estimate, Interval
from surefoot.stats.subsets import share_all_passed, share_any_passed

__all__ = [
    "analytic_pass_at_k",
    "analytic_pass_hat_k",
    "bootstrap_interval",
    "bootstrap_intervals",
    "pass_at_k",
    "pass_at_k_interval",
    "pass_at_k_lower_bound",
    "pass_at_k_upper_bound",
    "pass_at_k_values",
    "pass_hat_k",
    "pass_hat_k_interval",
    "pass_hat_k_lower_bound",
    "pass_hat_k_upper_bound",
    "pass_hat_k_values",
]

Floats = NDArray[np.float64]


def analytic_pass_hat_k(pass_rate: float, k: int) -> float:
    """How likely do k tries in a row all succeed, if each does with `pass_rate`?

    Say: "at a pass rate of 90 %, five tries in a row all succeed in 59 % of cases."

    Parameters
    ----------
    pass_rate
        Chance that one try succeeds, in [0, 1].
    k
        Tries in a row, a whole number >= 1.

    Returns
    -------
    float
        ``pass_rate^k``.

    Raises
    ------
    ArgumentError
        A rate outside [0, 1] or a k that is not a whole number >= 1.

    **Assumes** independent tries.

    **Errs towards** neither side.

    Examples
    --------
    >>> round(analytic_pass_hat_k(0.9, 5), 12)
    0.59049
    """
    return float(share("pass_rate", pass_rate) ** whole_number("k", k, least=1))


def analytic_pass_at_k(pass_rate: float, k: int) -> float:
    """How likely does at least one of k tries succeed, if each does with `pass_rate`?

    Say: "at a pass rate of 10 %, one of five tries succeeds in 41 % of cases."

    Parameters and errors are those of :func:`analytic_pass_hat_k`.

    Returns
    -------
    float
        ``1 - (1 - pass_rate)^k``, to all digits also where it is small.

    **Assumes** independent tries.

    **Errs towards** neither side.

    Examples
    --------
    >>> round(analytic_pass_at_k(0.1, 5), 12)
    0.40951
    """
    rate, tries = share("pass_rate", pass_rate), whole_number("k", k, least=1)
    return 1.0 if rate == 1 else -math.expm1(tries * math.log1p(-rate))


def pass_hat_k(passed: int, trials: int, k: int) -> Estimate:
    """How likely do k tries in a row all succeed? The unbiased estimate.

    Say: "10 of 12 trials passed: five in a row succeed in an estimated 32 % of cases."

    Parameters
    ----------
    passed
        Trials that passed, a whole number in [0, trials].
    trials
        Scored trials of the task, a whole number >= 0.
    k
        Tries in a row, a whole number >= 1.

    Returns
    -------
    Estimate
        None where k is more than the trials: no estimate exists, and neither 0 nor 1 stands in for one.

    Raises
    ------
    ArgumentError
        A count that is not a whole number, more passes than trials, or k < 1.

    **Assumes** independent trials with one pass rate.

    **Errs towards** neither side: its mean is pass^k. Its scatter is large; :func:`pass_hat_k_lower_bound`
    says what is sure.

    Notes
    -----
    ``C(passed, k) / C(trials, k)``, the share of k-subsets of the trials that all passed, as a product.

    References
    ----------
    Yao et al. (2024), tau-bench, arXiv:2406.12045.

    Examples
    --------
    >>> round(pass_hat_k(10, 12, 5).value, 9)
    0.318181818
    >>> print(pass_hat_k(3, 3, 5))
    not measured (unbiased pass^k)
    """
    return _estimate(share_all_passed, passed, trials, k, "unbiased pass^k")


def pass_at_k(passed: int, trials: int, k: int) -> Estimate:
    """How likely does at least one of k tries succeed? The unbiased estimate.

    Say: "2 of 12 trials passed: one of five succeeds in an estimated 68 % of cases."

    Parameters, returns, errors and assumptions are those of :func:`pass_hat_k`.

    **Assumes** independent trials with one pass rate.

    **Errs towards** neither side: its mean is pass@k.

    Notes
    -----
    ``1 - C(trials - passed, k) / C(trials, k)``, added up from terms of one sign.

    References
    ----------
    Chen et al. (2021), Evaluating large language models trained on code, arXiv:2107.03374.

    Examples
    --------
    >>> round(pass_at_k(2, 12, 5).value, 9)
    0.681818182
    """
    return _estimate(share_any_passed, passed, trials, k, "unbiased pass@k")


def pass_hat_k_values(passed: ArrayLike, trials: ArrayLike, k: int) -> Floats:
    """:func:`pass_hat_k` for arrays of counts; NaN where k is more than the trials.

    Meant for displays and means, which must leave the NaN out and say how many they were. No verdict may
    rest on these values as they are.

    Examples
    --------
    >>> pass_hat_k_values([4, 0, 2], [4, 4, 3], 4)
    array([ 1.,  0., nan])
    """
    return _values(share_all_passed, passed, trials, k)


def pass_at_k_values(passed: ArrayLike, trials: ArrayLike, k: int) -> Floats:
    """:func:`pass_at_k` for arrays of counts; NaN where k is more than the trials, as in :func:`pass_hat_k_values`.

    Examples
    --------
    >>> pass_at_k_values([4, 0, 2], [4, 4, 3], 4)
    array([ 1.,  0., nan])
    """
    return _values(share_any_passed, passed, trials, k)


def pass_hat_k_lower_bound(passed: int, trials: int, k: int, *, confidence_level: float = 0.95) -> Bound:
    """How low may the chance that k tries in a row all succeed still be?

    Say: "12 of 12 passed: with 95 % confidence five in a row succeed in at least 29 % of cases."

    Parameters
    ----------
    passed, trials, k
        As in :func:`pass_hat_k`. The bound stays valid where k is more than the trials.
    confidence_level
        In [0.75, 1), one-sided.

    Returns
    -------
    Bound
        On pass^k of this task, in [0, 1]; 0 without trials.

    Raises
    ------
    ArgumentError
        As :func:`pass_hat_k`; also a confidence level out of range.

    **Assumes** independent trials with one pass rate.

    **Errs towards** a lower bound, as Clopper-Pearson does.

    Notes
    -----
    The k-th power of the Clopper-Pearson bound of the pass rate: x^k rises with x, so it holds whenever
    that bound holds.

    Examples
    --------
    >>> round(pass_hat_k_lower_bound(12, 12, 5).value, 9)
    0.287014718
    """
    return _bound(binomial.lower_bound, analytic_pass_hat_k, passed, trials, k, confidence_level)


def pass_hat_k_upper_bound(passed: int, trials: int, k: int, *, confidence_level: float = 0.95) -> Bound:
    """How high may the chance that k tries in a row all succeed still be?

    Say: "10 of 12 passed: with 95 % confidence five in a row succeed in at most 86 % of cases."

    Parameters, returns, errors and assumptions are those of :func:`pass_hat_k_lower_bound`; 1 without trials.

    **Assumes** independent trials with one pass rate.

    **Errs towards** a higher bound.

    Examples
    --------
    >>> round(pass_hat_k_upper_bound(10, 12, 5).value, 6)
    0.856699
    """
    return _bound(binomial.upper_bound, analytic_pass_hat_k, passed, trials, k, confidence_level)


def pass_hat_k_interval(passed: int, trials: int, k: int, *, confidence_level: float = 0.95) -> Interval:
    """Between which values may the chance that k tries in a row all succeed lie?

    Say: "12 of 12 passed: with 95 % confidence five in a row succeed in 22 % to 100 % of cases."

    Parameters, errors and assumptions are those of :func:`pass_hat_k_lower_bound`; each end has half the budget.

    **Assumes** independent trials with one pass rate.

    **Errs towards** a wider interval.

    Examples
    --------
    >>> round(pass_hat_k_interval(12, 12, 5).low, 9)
    0.215018092
    """
    return _interval(analytic_pass_hat_k, passed, trials, k, confidence_level)


def pass_at_k_lower_bound(passed: int, trials: int, k: int, *, confidence_level: float = 0.95) -> Bound:
    """How low may the chance that at least one of k tries succeeds still be?

    Say: "2 of 12 passed: with 95 % confidence one of five succeeds in at least 14 % of cases."

    Parameters, returns, errors and assumptions are those of :func:`pass_hat_k_lower_bound`.

    **Assumes** independent trials with one pass rate.

    **Errs towards** a lower bound.

    Examples
    --------
    >>> round(pass_at_k_lower_bound(2, 12, 5).value, 6)
    0.143301
    """
    return _bound(binomial.lower_bound, analytic_pass_at_k, passed, trials, k, confidence_level)


def pass_at_k_upper_bound(passed: int, trials: int, k: int, *, confidence_level: float = 0.95) -> Bound:
    """How high may the chance that at least one of k tries succeeds still be?

    Say: "0 of 12 passed: with 95 % confidence one of five succeeds in at most 71 % of cases."

    Parameters, returns, errors and assumptions are those of :func:`pass_hat_k_lower_bound`; 1 without trials.

    **Assumes** independent trials with one pass rate.

    **Errs towards** a higher bound.

    Examples
    --------
    >>> round(pass_at_k_upper_bound(0, 12, 5).value, 9)
    0.712985282
    """
    return _bound(binomial.upper_bound, analytic_pass_at_k, passed, trials, k, confidence_level)


def pass_at_k_interval(passed: int, trials: int, k: int, *, confidence_level: float = 0.95) -> Interval:
    """Between which values may the chance that at least one of k tries succeeds lie?

    Say: "0 of 12 passed: with 95 % confidence one of five succeeds in 0 % to 78 % of cases."

    Parameters, errors and assumptions are those of :func:`pass_hat_k_interval`.

    **Assumes** independent trials with one pass rate.

    **Errs towards** a wider interval.

    Examples
    --------
    >>> round(pass_at_k_interval(0, 12, 5).high, 9)
    0.784981908
    """
    return _interval(analytic_pass_at_k, passed, trials, k, confidence_level)


def _estimate(
    compute: Callable[[int, int, int], float], passed: int, trials: int, k: int, method: str
) -> Estimate:
    passed, trials = events_and_trials(passed, trials, name="passed")
    tries = whole_number("k", k, least=1)
    value = compute(passed, trials, tries) if tries <= trials else None
    return Estimate(value, method, {"passed": passed, "trials": trials, "k": tries})


def _values(
    compute: Callable[[int, int, int], float], passed: ArrayLike, trials: ArrayLike, k: int
) -> Floats:
    tries = whole_number("k", k, least=1)

    def column(c: Integers, n: Integers) -> tuple[Floats, ...]:
        pairs = zip(c.tolist(), n.tolist(), strict=True)
        return (
            np.array([compute(x, m, tries) if tries <= m else math.nan for x, m in pairs], dtype=np.float64),
        )

    return for_each_pair(*count_columns(passed, trials, name="passed"), column)[0]


def _bound(
    bound_of_rate: Callable[..., Bound],
    transform: Callable[[float, int], float],
    passed: int,
    trials: int,
    k: int,
    confidence_level: float,
) -> Bound:
    passed, trials = events_and_trials(passed, trials, name="passed")
    rate = bound_of_rate(passed, trials, confidence_level=confidence_level)
    inputs = {"passed": passed, "trials": trials, "k": whole_number("k", k, least=1)}
    return Bound(transform(rate.value, k), rate.side, confidence_level, rate.method, inputs)


def _interval(
    transform: Callable[[float, int], float], passed: int, trials: int, k: int, confidence_level: float
) -> Interval:
    passed, trials = events_and_trials(passed, trials, name="passed")
    rate = binomial.two_sided_interval(passed, trials, confidence_level=confidence_level)
    inputs = {"passed": passed, "trials": trials, "k": whole_number("k", k, least=1)}
    return Interval(transform(rate.low, k), transform(rate.high, k), confidence_level, rate.method, inputs)
