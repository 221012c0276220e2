"""The system of a plan: the keys of each adapter."""

from __future__ import annotations

from typing import Any

import pytest

from surefoot import plugins
from surefoot.errors import PlanError
from surefoot.plan.load import plan_from_mapping
from surefoot.plan.system import (
    CommandSystem,
    HttpSystem,
    OpenAiChatSystem,
    PluginSystem,
    PythonSystem,
    System,
    WorkerSystem,
    parse_duration,
)


def system_of(**keys: Any) -> System:
    system = plan_from_mapping({"name": "x", "system": keys, "tasks": {"file": "t.jsonl"}}).system
    assert system is not None
    return system


@pytest.mark.parametrize(
    ("keys", "model"),
    [
        ({"adapter": "python", "function": "oncall:answer"}, PythonSystem),
        ({"adapter": "python", "function": "a.b.c:d.e"}, PythonSystem),
        ({"adapter": "command", "command": ["node", "agent.js"], "answer": "last-json-line"}, CommandSystem),
        ({"adapter": "worker", "command": ["python", "agent.py"]}, WorkerSystem),
        (
            {
                "adapter": "http",
                "url": "http://127.0.0.1:8000/ask",
                "body": {"question": "{input}"},
                "answer": "$.answer",
                "headers": {"Authorization": "env:KEY"},
            },
            HttpSystem,
        ),
        (
            {"adapter": "openai-chat", "base_url": "https://x/v1", "model": "m", "tools": [{"a": 1}]},
            OpenAiChatSystem,
        ),
    ],
)
def test_each_adapter_takes_its_own_keys(keys: dict[str, Any], model: type[System]) -> None:
    system = system_of(**keys)
    assert type(system) is model
    assert (system.concurrency, system.infra_retries, system.time_limit, system.settings) == (1, 2, None, {})


@pytest.mark.parametrize(
    ("keys", "field", "words"),
    [
        ({}, "system.adapter", "missing"),
        ({"adapter": 1}, "system.adapter", "expected text"),
        ({"adapter": "rest"}, "system.adapter", "expected one of"),
        ({"adapter": "python"}, "system.function", "missing"),
        ({"adapter": "python", "function": "answer"}, "system.function", "module:function"),
        ({"adapter": "python", "function": "a b:c"}, "system.function", "module:function"),
        ({"adapter": "python", "function": "a:b", "command": ["x"]}, "system.command", "unknown key"),
        ({"adapter": "command", "command": "node agent.js"}, "system.command", "a list"),
        ({"adapter": "command", "command": []}, "system.command", "at least one entry"),
        ({"adapter": "command", "command": ["a"], "answer": "yaml"}, "system.answer", '"last-json-line"'),
        ({"adapter": "http", "url": "127.0.0.1"}, "system.url", "http://"),
        ({"adapter": "http", "url": "file:///etc/passwd"}, "system.url", "http://"),
        ({"adapter": "http", "url": "http://x", "headers": {"A": 1}}, "system.headers.A", "text in quotes"),
        ({"adapter": "openai-chat", "base_url": "https://x"}, "system.model", "missing"),
        ({"adapter": "python", "function": "a:b", "concurrency": 0}, "system.concurrency", "at least 1"),
        ({"adapter": "python", "function": "a:b", "concurrency": True}, "system.concurrency", "whole number"),
        ({"adapter": "python", "function": "a:b", "infra_retries": -1}, "system.infra_retries", "at least 0"),
        (
            {"adapter": "python", "function": "a:b", "price_per_trial": -1},
            "system.price_per_trial",
            "at least 0",
        ),
        (
            {"adapter": "python", "function": "a:b", "price_per_trial": float("nan")},
            "system.price_per_trial",
            "finite",
        ),
        ({"adapter": "python", "function": "a:b", "settings": 1}, "system.settings", "table of keys"),
        ({"adapter": "python", "function": "a:b", "time_limit": 60}, "system.time_limit", '"60s"'),
    ],
)
def test_what_a_system_refuses(keys: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(PlanError) as refused:
        system_of(**keys)
    assert {m.field: m.message for m in refused.value.mistakes}.keys() == {field}
    assert words in refused.value.mistakes[0].message


def test_an_adapter_of_another_package_takes_any_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "names", lambda group: ("mine",) if group == "surefoot.adapters" else ())
    system = system_of(adapter="mine", channel=7, concurrency=2)
    assert isinstance(system, PluginSystem)
    assert (system.options, system.concurrency) == ({"channel": 7}, 2)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("60s", 60), ("5m", 300), ("5 min", 300), ("1h", 3600), ("250ms", 0.25), ("1.5s", 1.5)],
)
def test_times_carry_their_unit(written: str, seconds: float) -> None:
    assert parse_duration(written) == seconds


@pytest.mark.parametrize(
    "written", ["60", 60, "", "s", "0s", "-1s", "1d", "1e3s", "1s 2s", "1" * 20 + "h", "\u0663s", True, None]
)
def test_what_is_no_time(written: object) -> None:
    with pytest.raises(ValueError, match="expected a time with its unit"):
        parse_duration(written)
