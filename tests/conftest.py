"""What all tests share: the samples beside the checkout (never copied), and small logs written on the spot."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A busy machine must not make a law fail: time is measured in benchmarks, never in tests.
settings.register_profile("surefoot", deadline=None)
settings.load_profile("surefoot")

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT.parent / "shared" / "samples"


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of real result files; tests that need it are skipped where it is not beside the checkout."""
    if not SAMPLES.is_dir():
        pytest.skip("the real sample files are not beside this checkout (../shared/samples)")
    return SAMPLES


@pytest.fixture(scope="session")
def golden() -> dict[str, float]:
    """Golden numbers, computed with 40 digits."""
    text = (ROOT / "tests" / "golden" / "golden.json").read_text(encoding="utf-8")
    return {name: float(value) for name, value in json.loads(text).items()}


@pytest.fixture
def write_rows(tmp_path: Path) -> Callable[..., Path]:
    """Write dicts as JSON lines and give the path."""

    def write(rows: Iterable[Mapping[str, Any]], name: str = "log.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(dict(row)) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


@pytest.fixture
def runs() -> Callable[..., list[dict[str, Any]]]:
    """Rows from runs in order: ``runs(a="..x", b="xxx")``; ``?`` is a trial without a verdict."""

    def rows(**tasks: str) -> list[dict[str, Any]]:
        return [
            {"task": task, "trial": index, "passed": {".": True, "x": False, "?": None}[letter]}
            for task, letters in tasks.items()
            for index, letter in enumerate(letters)
        ]

    return rows
