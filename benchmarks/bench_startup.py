"""``surefoot --help`` against ``python -c pass``: whole processes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.measure import medians, report


def main() -> None:
    beside = Path(sys.executable).with_name("surefoot")
    command = str(beside) if beside.exists() else shutil.which("surefoot")
    if command is None:
        raise SystemExit("install surefoot first: make test does")
    found = medians(
        {
            "help": lambda: subprocess.run([command, "--help"], capture_output=True, check=True),
            "pass": lambda: subprocess.run([sys.executable, "-c", "pass"], capture_output=True, check=True),
        },
        rounds=15,
    )
    report("surefoot --help / python -c pass", found["help"], found["pass"], limit=8)


if __name__ == "__main__":
    main()
