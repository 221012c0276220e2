"""Plug-ins register by entry points: a name twice is an error, and only the one asked for is imported."""

from __future__ import annotations

import importlib.metadata
from importlib.metadata import EntryPoint

import pytest

from surefoot import plugins
from surefoot.errors import UsageError

GROUP = "surefoot.test"


@pytest.fixture
def registered(monkeypatch):
    def register(*points):
        entries = [EntryPoint(name, value, GROUP) for name, value in points]
        monkeypatch.setattr(
            importlib.metadata, "entry_points", lambda group: [e for e in entries if group == GROUP]
        )

    return register


def test_a_plugin_is_found_by_name(registered):
    registered(("b", "surefoot.errors:DataError"), ("a", "nowhere_at_all:thing"))
    assert plugins.names(GROUP) == ("a", "b")
    assert plugins.load(GROUP, "b").__name__ == "DataError"


def test_a_name_registered_twice_is_refused(registered):
    registered(("a", "one:thing"), ("a", "two:thing"))
    with pytest.raises(UsageError, match="one:thing and two:thing"):
        plugins.names(GROUP)


def test_an_unknown_name_lists_the_known_ones(registered):
    registered(("a", "one:thing"))
    with pytest.raises(UsageError, match="known: a"):
        plugins.load(GROUP, "z")


def test_a_plugin_that_cannot_be_imported_is_named(registered):
    registered(("a", "nowhere_at_all:thing"))
    with pytest.raises(UsageError, match="nowhere_at_all"):
        plugins.load(GROUP, "a")
    with pytest.raises(UsageError, match="nowhere_at_all"):
        plugins.load_all(GROUP)


def test_all_plugins_of_a_group_by_name(registered):
    registered(("b", "surefoot.errors:DataError"), ("a", "surefoot.errors:PlanError"))
    assert {name: loaded.__name__ for name, loaded in plugins.load_all(GROUP).items()} == {
        "a": "PlanError",
        "b": "DataError",
    }


def test_the_built_in_importers_are_registered_like_any_other():
    assert {"tau-bench", "inspect-eval", "inspect-json", "csv", "jsonl", "parquet"} <= set(
        plugins.names("surefoot.importers")
    )
