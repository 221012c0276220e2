"""The system a plan runs: what all adapters share, and the keys of each adapter."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator, ConfigDict, Field, field_validator

from surefoot.plan.check_base import Strict, Text

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_DURATION: Final = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|s|min|m|h)\s*", re.ASCII)


def parse_duration(value: object) -> float:
    """How many seconds are ``"60s"``, ``"5m"`` or ``"1.5h"``?

    Raises
    ------
    ValueError
        Not a number above 0 with a unit.
    """
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not 0 < seconds < 1e9:
        raise ValueError(f'expected a time with its unit, such as "60s", "5m" or "1h", got {value!r}')
    return seconds


Seconds = Annotated[float, BeforeValidator(parse_duration)]
Words = Annotated[tuple[Text, ...], Field(min_length=1, strict=False)]
Answer = Literal["text", "json", "last-json-line"]


class System(Strict):
    """What all adapters share.

    Parameters
    ----------
    adapter
        How the system is reached.
    version
        Provenance: literal text, ``"git"``, or a fingerprint of files, ``"files:src/**"``.
    settings
        Passed to the system and recorded with every trial.
    concurrency
        Trials in flight at once.
    time_limit
        Seconds one trial may take (``"60s"`` in the file); None for no limit.
    infra_retries
        Further attempts after a failure of the infrastructure, whatever the outcome would have been.
    price_per_trial
        Money; sums and plans then show it.
    """

    needs: ClassVar[str] = ""

    adapter: Text
    version: Text | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    concurrency: Annotated[int, Field(ge=1, le=10_000)] = 1
    time_limit: Seconds | None = None
    infra_retries: Annotated[int, Field(ge=0, le=100)] = 2
    price_per_trial: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


class PythonSystem(System):
    """A Python function, called with the input, or with the input and the trial."""

    function: Text

    @field_validator("function")
    @classmethod
    def _module_and_name(cls, function: str) -> str:
        module, colon, name = function.partition(":")
        parts = [*module.split("."), *name.split(".")]
        if not colon or not all(part.isidentifier() for part in parts):
            raise ValueError(f'expected "module:function", such as "oncall:answer", got {function!r}')
        return function


class CommandSystem(System):
    """A command, started once a trial: input as JSON on its standard input, its output is the answer."""

    command: Words
    answer: Answer = "text"


class WorkerSystem(System):
    """A command that is kept alive: one JSON line in, one JSON line out."""

    command: Words


class HttpSystem(System):
    """An HTTP service: `body` is sent with ``{input}`` filled in, `answer` is a path into the reply."""

    url: Text
    body: Any = None
    answer: Text = "$"
    headers: dict[str, str] = Field(default_factory=dict)

    @field_validator("url")
    @classmethod
    def _http(cls, url: str) -> str:
        return _web_address(url)


class OpenAiChatSystem(System):
    """A chat service that speaks the OpenAI protocol."""

    base_url: Text
    model: Text
    api_key_env: Text | None = None
    system_prompt: str | None = None
    tools: Annotated[tuple[dict[str, Any], ...], Field(strict=False)] = ()

    @field_validator("base_url")
    @classmethod
    def _http(cls, base_url: str) -> str:
        return _web_address(base_url)


class PluginSystem(System):
    """An adapter of another package: its own keys are for the adapter to check."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    @property
    def options(self) -> dict[str, Any]:
        """The keys that only the adapter knows."""
        return dict(self.model_extra or {})


ADAPTERS: Final[dict[str, type[System]]] = {
    "python": PythonSystem,
    "command": CommandSystem,
    "worker": WorkerSystem,
    "http": HttpSystem,
    "openai-chat": OpenAiChatSystem,
}


def _web_address(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"expected an address that begins with http:// or https://, got {url!r}")
    return url
