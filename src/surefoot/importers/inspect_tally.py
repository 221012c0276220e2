"""What the samples of an Inspect log say together: findings that a reader of the numbers must know."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from surefoot.importers.inspect_header import NEWEST_VERSION
from surefoot.trials.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from surefoot.importers.inspect_header import RunHeader
    from surefoot.importers.inspect_values import Asked, ReadingKind

_SHOWN = 5
_HEADLINE_TOLERANCE = 1e-6
_INFRA = re.compile(
    r"(?:RateLimitError|APIConnectionError|APITimeoutError|InternalServerError|ServiceUnavailableError"
    r"|OverloadedError|ConnectError|ConnectTimeout|ReadTimeout|RemoteProtocolError)\("
)
_INTERRUPTED = re.compile(r"(?:CancelledError|KeyboardInterrupt)\(")
_OWN_LIMIT = re.compile(r"LimitExceededError\(")


def cause_of_error(message: str) -> str:
    """Why has an errored sample no score? Only names of exceptions that leave no doubt are sorted."""
    if _INFRA.match(message):
        return "infra"
    if _INTERRUPTED.match(message):
        return "interrupted"
    return "agent" if _OWN_LIMIT.match(message) else "unknown"


@dataclass
class InspectTally:
    """Counts over the samples seen so far."""

    trials: int = 0
    kinds: Counter[ReadingKind] = field(default_factory=Counter)
    between: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    error_examples: list[str] = field(default_factory=list)
    limits: Counter[str] = field(default_factory=Counter)
    scored_after_error: int = 0
    renamed: dict[str, None] = field(default_factory=dict)

    def add_value(self, kind: ReadingKind, value: object) -> None:
        """Count how the asked scorer's value reads."""
        self.kinds[kind] += 1
        if kind == "between":
            self.between[str(value)[:24]] += 1
        elif kind == "unknown word":
            self.words[str(value)[:24]] += 1

    def add_error(self, cause: str, place: str, message: str) -> None:
        """Count a sample without a score because of an error."""
        self.errors[cause] += 1
        if len(self.error_examples) < _SHOWN:
            first_line = message.splitlines()[0] if message.strip() else "no message"
            self.error_examples.append(f"{place}: {first_line[:80]}")

    def findings(self, header: RunHeader, asked: Asked | None) -> Iterator[Finding]:
        """All that is worth saying about this log, once every sample was read."""
        yield from self._about_the_run(header)
        yield from self._about_errors()
        if asked is not None:
            yield from self._about_values(asked)
            yield from self._about_the_headline(header, asked)
        if self.limits:
            listed = _listed(self.limits)
            yield Finding(
                "stopped-by-limit",
                "note",
                f"{sum(self.limits.values()):,} trials were stopped by a limit ({listed}); scores they have are kept.",
            )
        if self.renamed:
            pairs = ", ".join(f"{name} is metadata_{name}" for name in list(self.renamed)[:_SHOWN])
            yield Finding(
                "metadata-renamed", "note", f"Metadata fields with the name of a column of surefoot: {pairs}."
            )

    def _about_the_run(self, header: RunHeader) -> Iterator[Finding]:
        if not self.trials:
            yield Finding(
                "no-samples",
                "warning",
                f"No sample is in this log (status {header.status}).",
                "Log the samples too: run Inspect without --no-log-samples.",
            )
        planned = header.planned_samples
        expected = None if planned is None else planned * header.epochs
        unfinished = header.status != "success"
        if unfinished or (expected is not None and expected != self.trials):
            yield Finding("run-not-complete", "warning", self._completeness(header, planned), _FINISH)
        version = header.fields.get("version")
        if isinstance(version, int) and version > NEWEST_VERSION:
            yield Finding(
                "newer-log-version",
                "warning",
                f"Log version {version}; versions up to {NEWEST_VERSION} are known. Fields may have changed.",
            )
        if header.fields.get("invalidated") is True:
            yield Finding(
                "samples-invalidated",
                "warning",
                "Someone marked samples of this log as invalid. They are counted as they were recorded.",
            )

    def _completeness(self, header: RunHeader, planned: int | None) -> str:
        ended = f"The run ended with status {header.status}" + (f" ({header.error})" if header.error else "")
        if planned is None:
            return (
                f"{ended}; {self.trials:,} trials are in the log, and how many were planned it does not say."
            )
        return (
            f"{ended}; {self.trials:,} of {planned * header.epochs:,} planned trials are in the log "
            f"({planned:,} samples x {header.epochs:,} epochs)."
        )

    def _about_errors(self) -> Iterator[Finding]:
        count = sum(self.errors.values())
        if count:
            yield Finding(
                "errored-samples",
                "warning",
                f"{count:,} {_trials(count)} ended in an error and {_have(count)} no score "
                f"({'; '.join(self.error_examples)}{'; ...' if count > _SHOWN else ''}). "
                f"Unscored, by cause: {_listed(self.errors)}. Inspect leaves them out of its accuracy.",
                "Unscored trials count at the bad end of every bound; run them again where the cause was outside.",
            )
        if self.scored_after_error:
            yield Finding(
                "scored-after-error",
                "note",
                f"{self.scored_after_error:,} trials ended in an error and have a score all the same; it is kept.",
            )

    def _about_values(self, asked: Asked) -> Iterator[Finding]:
        between, words, absent = (self.kinds[kind] for kind in ("between", "unknown word", "absent"))
        if between:
            yield Finding(
                "needs-threshold",
                "warning",
                f"{between:,} values of {asked} are neither pass nor fail ({_listed(self.between)}). "
                "Without a declared threshold these trials are unscored. Inspect counts P as 0.5.",
                f"Declare one, for example: --success '{asked.column} >= 0.5'",
            )
        if words:
            yield Finding(
                "unknown-values",
                "warning",
                f"{words:,} values of {asked} are words that are not in the truth table ({_listed(self.words)}): "
                "unscored.",
            )
        if absent:
            yield Finding(
                "no-score",
                "warning",
                f"{absent:,} {_trials(absent)} without an error {_have(absent)} no value from {asked} "
                "(none, or NaN): unscored.",
            )

    def _about_the_headline(self, header: RunHeader, asked: Asked) -> Iterator[Finding]:
        headline = header.headline(asked)
        passed, failed = self.kinds["passed"], self.kinds["failed"]
        if headline is None or passed + failed == 0:
            return
        counted = passed / (passed + failed)
        if abs(counted - headline.value) <= _HEADLINE_TOLERANCE:
            return
        yield Finding(
            "headline-differs",
            "note",
            f"The log's own headline for {asked}: {headline.metric} {headline.value:.4g}. Counted from its trials: "
            f"{passed:,} of {passed + failed:,} = {counted:.4g}. Inspect first reduces the epochs of each sample "
            f"({headline.reducer}), and leaves out trials without a score.",
        )


_FINISH = "Finish it with `inspect eval-retry`; trials that were never made may differ from those that were."


def _listed(counts: Counter[str]) -> str:
    more = ", ..." if len(counts) > _SHOWN else ""
    return ", ".join(f"{name} {count:,}" for name, count in counts.most_common(_SHOWN)) + more


def _trials(count: int) -> str:
    return "trial" if count == 1 else "trials"


def _have(count: int) -> str:
    return "has" if count == 1 else "have"
