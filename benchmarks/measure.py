"""Interleaved timing: A B A B ..., and the median of each, so that a machine that slows down slows both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping


def medians(calls: Mapping[str, Callable[[], object]], *, rounds: int = 5, warm: int = 1) -> dict[str, float]:
    """Median seconds of each call over `rounds` interleaved rounds, after `warm` rounds that do not count."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(warm + rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            if number >= warm:
                seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(found) for name, found in seconds.items()}


def report(what: str, ours: float, peer: float, *, limit: float, at_least: bool = False) -> None:
    """Print one ratio with its target. `at_least` targets are peer / ours, the others ours / peer."""
    ratio = peer / ours if at_least else ours / peer
    met = ratio >= limit if at_least else ratio <= limit
    words = "times faster, target >=" if at_least else "times the peer, target <="
    print(
        f"{'met   ' if met else 'MISSED'}  {what}: {ratio:.3g} {words} {limit:g}  ({ours:.4g} s against {peer:.4g} s)"
    )
