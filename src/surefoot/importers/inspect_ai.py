"""Inspect AI: ``.eval`` archives and ``.json`` logs; one row a sample and epoch."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from surefoot.errors import DataError, SurefootError, UnreadableLogError, UsageError
from surefoot.importers.inspect_header import RunHeader
from surefoot.importers.inspect_samples import (
    HEADER,
    START,
    archive_header,
    archive_samples,
    json_header,
    json_samples,
)
from surefoot.importers.inspect_tally import InspectTally, cause_of_error
from surefoot.importers.inspect_values import (
    Asked,
    SeenValues,
    asked_for,
    flat_values,
    kind_of,
    number_of,
    scores_of,
    value_columns,
)
from surefoot.importers.json_stream import refusing_deep_nesting
from surefoot.importers.row_values import (
    canonical_json,
    finite,
    is_trial_index,
    mapping,
    metadata_columns,
    plain_text,
    sha256_of,
    task_id,
)
from surefoot.importers.safe_zip import SafeArchive
from surefoot.trials.source import ImportedLog, ReadOptions, RowScan, TrialRow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from surefoot.trials.findings import Finding

_FIRST_KEY = re.compile(
    rb'\A(?:\xef\xbb\xbf)?\s*\{\s*"(?:version|status|eval|plan|results|stats|samples)"\s*:'
)
_OF_A_HEADER = (b'"eval"', b'"task"')
_OF_AN_EVAL = (b'"eval_id"', b'"run_id"', b'"created"', b'"dataset"', b'"model"')
"""Any of these: behind a long list of sample ids the others may be out of sight."""
_OF_A_SAMPLE = (b'"samples"', b'"id"', b'"epoch"')
_PROVENANCE = ("eval_task",)
_OWN_COLUMNS = frozenset(("eval_task",))


class InspectEvalImporter:
    """Reads Inspect's ``.eval`` archives, finished or not."""

    name = "inspect-eval"
    priority = 10

    def recognizes(self, path: Path, head: bytes) -> bool:
        """Named ``.eval``, or a zip archive with an Inspect header."""
        if path.suffix.lower() == ".eval":
            return True
        if not head.startswith(b"PK"):
            return False
        try:
            with SafeArchive(path) as archive:
                return HEADER in archive or START in archive
        except (SurefootError, OSError):
            return False

    def read(self, path: Path, options: ReadOptions) -> ImportedLog:
        """The log as rows, from its summaries where they say enough."""
        with SafeArchive(path) as archive:
            header = archive_header(archive)

        def rows() -> Iterator[TrialRow | Finding]:
            with SafeArchive(path) as archive, refusing_deep_nesting(path):
                yield from _Reading(path, header, options.score).rows(archive_samples(archive))

        return ImportedLog("Inspect log", RowScan(rows), path=path, provenance_columns=_PROVENANCE)


class InspectJsonImporter:
    """Reads Inspect's ``.json`` logs, one sample at a time."""

    name = "inspect-json"
    priority = 10

    def recognizes(self, path: Path, head: bytes) -> bool:
        """An object that begins like an Inspect log and names an evaluation, or holds samples with epochs."""
        if not _FIRST_KEY.match(head):
            return False
        is_header = all(key in head for key in _OF_A_HEADER) and any(key in head for key in _OF_AN_EVAL)
        return is_header or all(key in head for key in _OF_A_SAMPLE)

    def read(self, path: Path, options: ReadOptions) -> ImportedLog:
        """The log as rows; the samples may come before or after the header."""
        header = json_header(path)

        def rows() -> Iterator[TrialRow | Finding]:
            fields = dict(header.fields)
            # Fields after the samples arrive in the same object while the samples are read.
            with refusing_deep_nesting(path):
                yield from _Reading(path, RunHeader(fields), options.score).rows(json_samples(path, fields))

        return ImportedLog("Inspect log", RowScan(rows), path=path, provenance_columns=_PROVENANCE)


NO_SCORER = "none"
"""As --score: no scorer says what passed means; checks count the score_ columns."""


@dataclass
class _Reading:
    """One pass over the samples of one log."""

    path: Path
    header: RunHeader
    score: str | None
    asked: Asked | None = None
    seen: SeenValues = field(default_factory=SeenValues)
    tally: InspectTally = field(default_factory=InspectTally)

    def rows(self, samples: Iterator[dict[str, object]]) -> Iterator[TrialRow | Finding]:
        common = self.header.provenance()
        nameless = self.header.nameless_scorer()
        for sample in samples:
            scores = scores_of(sample, nameless)
            self.seen.add(scores)
            if self._must_choose():
                for rest in samples:
                    self.seen.add(scores_of(rest, nameless))
                raise self._choose_one()
            self.asked = self._asked(scores) or self.asked
            yield self._row(sample, scores, common)
        self._settle()
        yield from self.tally.findings(self.header, self.asked)

    def _asked(self, scores: dict[str, object]) -> Asked | None:
        if self.score == NO_SCORER:
            return None
        if self.score is not None:
            return asked_for(self.score, scores)
        return Asked(next(iter(scores))) if scores else None

    def _must_choose(self) -> bool:
        """Is it open which value says what passed means?"""
        if self.score == NO_SCORER:
            return False
        if self.score is None:
            return len(self.seen.by_scorer) > 1 or bool(self.seen.keys)
        return self.score in self.seen.keys

    def _settle(self) -> None:
        """Refuse a --score that names nothing in this log; one that is listed but gave nothing is kept."""
        if self.score is None or self.score == NO_SCORER:
            return
        listed = self.header.scorer_names()
        self.asked = self.asked or asked_for(self.score, dict.fromkeys(listed))
        known = bool(self.seen.by_scorer or listed)
        if (self.asked is None and known) or (self.asked is not None and not self._may_have(self.asked)):
            raise self._no_such_scorer()

    def _may_have(self, asked: Asked) -> bool:
        """Did the scorer give a value of this key (or none at all, so that nothing speaks against it)?"""
        if asked.key is None or asked.scorer not in self.seen.by_scorer:
            return True
        return asked.key in self.seen.keys.get(asked.scorer, {})

    def _row(
        self, sample: dict[str, object], scores: dict[str, object], common: dict[str, object]
    ) -> TrialRow:
        task, epoch = self._identity(sample)
        place = f"{str(task)[:60]}/{epoch}"
        error = _message(sample.get("error"))
        row: dict[str, object] = {
            "task": task,
            "trial_index": epoch,
            "passed": None,
            "unscored_cause": None,
            "error": error,
            "duration_s": finite(sample.get("total_time")),
            "started_at": plain_text(sample["started_at"]) if sample.get("started_at") else None,
            "output_hash": _output_hash(mapping(sample.get("output"))),
            **common,
        }
        self._judge(row, sample, scores, place)
        if self.score == NO_SCORER:
            del row["passed"]
        self._add_columns(row, mapping(sample.get("metadata")), scores, place)
        return row

    def _identity(self, sample: dict[str, object]) -> tuple[int | str, int]:
        self.tally.trials += 1
        identity, epoch = task_id(sample.get("id")), sample.get("epoch")
        place = f"sample {self.tally.trials:,}"
        if identity is None:
            raise UnreadableLogError(
                self.path, f"{place}: id should be a number or text, got {sample.get('id')!r:.80}"
            )
        if not is_trial_index(epoch):
            raise UnreadableLogError(
                self.path, f"{place}: epoch should be a whole number >= 0, got {epoch!r:.80}"
            )
        return identity, epoch

    def _judge(
        self, row: dict[str, object], sample: dict[str, object], scores: dict[str, object], place: str
    ) -> None:
        """Fill in the verdict, or the cause where no scorer gave anything that could be one."""
        error = row["error"]
        limit = _limit(sample.get("limit"))
        if limit:
            self.tally.limits[limit] += 1
        value = self.asked.value(scores) if self.asked else None
        kind = kind_of(value)
        row["passed"] = {"passed": True, "failed": False}.get(kind)
        if any(number_of(single) is not None for _, single in flat_values(scores)):
            self.tally.scored_after_error += error is not None
            self.tally.add_value(kind, value)
        elif isinstance(error, str):
            row["unscored_cause"] = cause_of_error(error)
            self.tally.add_error(str(row["unscored_cause"]), place, error)
        else:
            self.tally.add_value(kind, value)
            row["unscored_cause"] = "unknown" if kind == "unknown word" else "agent" if limit else "scorer"

    def _add_columns(
        self, row: dict[str, object], metadata: dict[str, object], scores: dict[str, object], place: str
    ) -> None:
        tags = metadata.get("tags")
        if isinstance(tags, list):
            metadata = {key: value for key, value in metadata.items() if key != "tags"}
            row["tags"] = canonical_json(tags)
        fields = metadata_columns(metadata, path=self.path, place=f"sample {place}", own=_OWN_COLUMNS)
        self.tally.renamed |= {key: None for key in metadata if key not in fields}
        taken = {name.lower() for name in row}
        for name, value in [*value_columns(scores), *fields.items()]:
            if name.lower() in taken:
                raise DataError(
                    f"{self.path}: sample {place}: two fields would be the column {name!r} (names are compared "
                    "without case); rename the scorer or the metadata field and log again"
                )
            taken.add(name.lower())
            row[name] = value

    def _choose_one(self) -> UsageError:
        names = self.header.scorer_names()
        count = len({*self.seen.by_scorer, *names})
        listed = self.seen.lines(names)
        what = f"{count:,} scorers" if count > 1 else "one scorer that gives several values"
        example = self.seen.example()
        if self.score is not None:
            what = f"the scorer {self.score!r} gives several values"
            example = f"{self.score}.{next(iter(self.seen.keys[self.score]), 'KEY')}"
        return UsageError(
            f"{self.path}: {what}, and one value must say what passed means. Name it with --score:\n{listed}\n"
            f"For example: surefoot grade {shlex.quote(str(self.path))} --score {shlex.quote(example)}\n"
            f"Or name none and say what counts yourself: --score {NO_SCORER} --success 'score_NAME >= 0.5' --at-least 70%"
        )

    def _no_such_scorer(self) -> UsageError:
        listed = self.seen.lines(self.header.scorer_names())
        return UsageError(
            f"{self.path}: no scorer is named {self.score!r}. The scorers of this log:\n{listed}"
        )


def _message(error: object) -> str | None:
    text = mapping(error).get("message") if isinstance(error, dict) else error
    if error is None:
        return None
    return plain_text(text if text not in (None, "") else "error without a message")


def _limit(limit: object) -> str | None:
    text = mapping(limit).get("type") if isinstance(limit, dict) else limit
    return plain_text(text)[:40] if text else None


def _output_hash(output: dict[str, object]) -> str | None:
    if output.get("completion"):
        return sha256_of(output["completion"])
    choices = output.get("choices")
    messages = [
        mapping(mapping(choice).get("message")) for choice in (choices if isinstance(choices, list) else [])
    ]
    return sha256_of([message["content"] for message in messages if message.get("content")])
