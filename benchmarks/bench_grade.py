"""Grading ten million rows against the bare GROUP BY of the engine: time and peak memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import medians, report

ROWS = 10_000_000
TASKS = 200_000
MIB = 2**20

_ONE = {"event": "leaked", "at_most": 0.01, "cluster": "fact"}
_FOUR = [
    {"name": "leaks", **_ONE},
    {
        "name": "leaks of the restricted",
        "event": "leaked",
        "at_most": 0.01,
        "cluster": "fact",
        "where": "kind = 'restricted'",
    },
    {"name": "right", "success": "passed", "at_least": 0.5, "cluster": "fact"},
    {"name": "harm", "mean": "severity", "at_most": 0.9, "cluster": "fact"},
]
_BARE = "SELECT task, fact, COUNT(*), COUNT(*) FILTER (WHERE leaked) FROM read_parquet('{path}') GROUP BY task, fact"


def generate(path: Path) -> None:
    """200,000 tasks x 50 trials in 5,000 clusters."""
    import duckdb

    duckdb.connect().execute(
        f"COPY (SELECT 'task-' || lpad((i // 50)::VARCHAR, 6, '0') AS task, (i % 50)::INTEGER AS trial_index, "
        f"hash(i) % 1000 >= 100 AS passed, hash(i + 7777777777) % 1000 = 0 AS leaked, "
        f"'fact-' || lpad(((i // 50) // 40)::VARCHAR, 5, '0') AS fact, (hash(i * 3 + 1) % 1000) / 1000.0::DOUBLE AS severity, "
        f"CASE WHEN (i // 50) % 3 = 0 THEN 'restricted' ELSE 'open' END AS kind "
        f"FROM range({ROWS}) rows(i)) TO '{path}' (FORMAT parquet)"
    )


def bare(path: Path) -> object:
    """What an analyst would type: the counts of one check by task and cluster, fetched."""
    import duckdb

    return duckdb.connect().execute(_BARE.format(path=path)).fetchall()


def one_check(path: Path) -> object:
    import surefoot as sf

    return sf.grade(sf.read(path), **_ONE)


def four_checks(path: Path) -> object:
    import surefoot as sf

    return sf.grade(sf.read(path), {"name": "four", "check": _FOUR})


def peak_memory(name: str, path: Path) -> float:
    """Peak resident memory of a fresh process that does one of the above once, in MiB.

    Read from the process's own status: what getrusage tells also counts the parent it was forked from.
    """
    code = (
        "import sys; from pathlib import Path; import benchmarks.bench_grade as b; "
        f"b.{name}(Path(sys.argv[1])); "
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    ran = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    return int(ran.stdout.split()[-1]) * 1024 / MIB


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trials.parquet"
        generate(path)
        calls = {f.__name__: (lambda f=f: f(path)) for f in (bare, one_check, four_checks)}
        found = medians(calls)
        report("10M rows, one check / bare GROUP BY task, fact", found["one_check"], found["bare"], limit=1.5)
        report("10M rows, four checks / bare GROUP BY", found["four_checks"], found["bare"], limit=3)
        memory = {name: peak_memory(name, path) for name in calls}
        for name in ("one_check", "four_checks"):
            more = memory[name] - memory["bare"]
            print(
                f"{'met   ' if more <= 200 else 'MISSED'}  peak memory of {name}: {more:+.0f} MiB, target <= +200 (bare {memory['bare']:.0f} MiB)"
            )


if __name__ == "__main__":
    main()
