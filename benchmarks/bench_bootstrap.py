"""The computed percentile bootstrap of pass^k against 10,000 resamples drawn with numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import medians, report
from surefoot.stats.pass_k import bootstrap_interval, bootstrap_intervals, pass_hat_k_values

RESAMPLES = 10_000
K = 5


def main() -> None:
    rng = np.random.default_rng(20240607)
    passed = rng.binomial(12, 0.9, 1000)
    found = medians(
        {
            "computed": lambda: bootstrap_intervals(passed, 12, K),
            "drawn": lambda: [drawn_interval(int(c), 12, rng) for c in passed[:20]],
        }
    )
    what = "bootstrap of 1000 tasks of 12 trials, 10,000 resamples with numpy / surefoot"
    report(what, found["computed"], found["drawn"] * len(passed) / 20, limit=1000, at_least=True)
    for trials, limit in ((12, 10), (1000, 200)):
        most = trials * 9 // 10
        found = medians(
            {
                "computed": lambda c=most, n=trials: bootstrap_interval(c, n, K),
                "drawn": lambda c=most, n=trials: drawn_interval(c, n, rng),
            }
        )
        what = f"bootstrap of one task of {trials} trials, 10,000 resamples with numpy / surefoot"
        report(what, found["computed"], found["drawn"], limit=limit, at_least=True)


def drawn_interval(passed: int, trials: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """What people write: draw trials with replacement, estimate, take percentiles."""
    outcomes = np.arange(trials) < passed
    counts = outcomes[rng.integers(0, trials, (RESAMPLES, trials))].sum(axis=1)
    return np.quantile(pass_hat_k_values(counts, trials, K), [0.025, 0.975], method="inverted_cdf")


if __name__ == "__main__":
    main()
