"""Logs made of plain rows, and relations over them."""

from __future__ import annotations

from pathlib import Path

import pytest

from surefoot.trials.relation import build_relation
from surefoot.trials.source import ImportedLog, RowScan


@pytest.fixture
def tool_log():
    """A log of some tool: canonical columns by name, read by Python."""

    def make(rows, path="run.log", **options):
        return ImportedLog("tool log", RowScan(lambda: iter(rows)), Path(path), **options)

    return make


@pytest.fixture
def table():
    """A table whose columns have names of the user's choosing."""

    def make(rows):
        return ImportedLog("list of dicts", RowScan(lambda: iter(rows)), is_table=True)

    return make


@pytest.fixture
def select():
    """Build a relation of logs and select from it: ``select(logs, "task, passed")``."""

    def run(logs, columns="*", **options):
        relation = build_relation(logs, **options)
        return relation.query(f"SELECT {columns} FROM {relation.name}")

    return run
