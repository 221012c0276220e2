"""The README's picture shows what the command prints today."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_picture_is_up_to_date(monkeypatch):
    spec = importlib.util.spec_from_file_location("make_picture", ROOT / "docs" / "make_picture.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("NO_COLOR", raising=False)
    drawn = module.PICTURE.read_text(encoding="utf-8")
    assert module.picture() == drawn, "run: python docs/make_picture.py"
