"""Run all benchmarks, or those named: ``python -m benchmarks binomial grade``."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

ALL = tuple(sorted(file.stem.removeprefix("bench_") for file in Path(__file__).parent.glob("bench_*.py")))


def main(names: list[str]) -> None:
    for name in names or ALL:
        if name not in ALL:
            raise SystemExit(f"no benchmark {name!r}; there are: {', '.join(ALL)}")
        print(f"-- {name}")
        importlib.import_module(f"benchmarks.bench_{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
