"""Shared by the tests of plans: a small truth table, and expressions run by the engine itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import duckdb
import pytest


@pytest.fixture(scope="session")
def truth_sql() -> Callable[[str, str], str]:
    def table(sql: str, kind: str) -> str:
        if kind == "number":
            return f"(CASE WHEN {sql} = 1 THEN TRUE WHEN {sql} = 0 THEN FALSE END)"
        return f"(CASE WHEN lower({sql}) IN ('true', 'pass', '1') THEN TRUE WHEN lower({sql}) IN ('false', 'fail', '0') THEN FALSE END)"

    return table


@pytest.fixture(scope="session")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"enable_external_access": "false"}) as connection:
        connection.execute(
            "CREATE TABLE rows_of_test (leaked VARCHAR, kind VARCHAR, amount VARCHAR, score DOUBLE, flag INTEGER, passed BOOLEAN)"
        )
        yield connection
