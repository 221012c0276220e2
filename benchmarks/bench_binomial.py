"""Clopper-Pearson intervals of a million tasks against look-ups in ready tables and statsmodels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from statsmodels.stats.proportion import proportion_confint

from benchmarks.measure import medians, report
from surefoot.stats.binomial import two_sided_intervals

TASKS = 1_000_000


def main() -> None:
    rng = np.random.default_rng(20240607)
    against_look_ups(rng.integers(0, 11, TASKS))
    trials = rng.integers(1, 201, TASKS)
    against_statsmodels(rng.binomial(trials, rng.random(TASKS)), trials)


def against_look_ups(passed: NDArray[np.int64]) -> None:
    low, high = two_sided_intervals(np.arange(11), 10)
    found = medians(
        {
            "surefoot": lambda: two_sided_intervals(passed, 10),
            "numpy": lambda: (low[passed], high[passed]),
        }
    )
    what = "intervals of 1M tasks of 10 trials / two numpy look-ups in ready tables"
    report(what, found["surefoot"], found["numpy"], limit=2)


def against_statsmodels(passed: NDArray[np.int64], trials: NDArray[np.int64]) -> None:
    found = medians(
        {
            "surefoot": lambda: two_sided_intervals(passed, trials),
            "statsmodels": lambda: proportion_confint(passed, trials, method="beta"),
        }
    )
    what = (
        "intervals of 1M tasks of 1 to 200 trials, statsmodels proportion_confint(method='beta') / surefoot"
    )
    report(what, found["surefoot"], found["statsmodels"], limit=20, at_least=True)


if __name__ == "__main__":
    main()
