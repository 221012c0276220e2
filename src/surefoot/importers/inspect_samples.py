"""Where the samples of an Inspect log are, in an archive or a JSON file, and how to read them one at a time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from surefoot.errors import UnreadableLogError
from surefoot.importers.inspect_header import RunHeader, checked_header
from surefoot.importers.json_stream import JsonCursor, opened_json
from surefoot.importers.row_values import mapping

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from surefoot.importers.safe_zip import SafeArchive

HEADER = "header.json"
START = "_journal/start.json"
_SUMMARIES = "summaries.json"
_JOURNAL_SUMMARY = re.compile(r"_journal/summaries/(\d{1,9})\.json\Z")
_SAMPLE = re.compile(r"samples/.+_epoch_\d+(?:\.json|/sample\.json)\Z", re.DOTALL)
_HEADER_KEYS = frozenset(("version", "status", "eval", "plan", "results", "error", "invalidated"))
_SAMPLE_KEYS = frozenset(
    [
        "id",
        "epoch",
        "scores",
        "score",
        "metadata",
        "error",
        "total_time",
        "started_at",
        "limit",
        "output",
        "completed",
        "model_usage",
    ]
)
_OF_FULL_SUMMARIES = ("metadata", "model_usage", "completed")
"""Summaries of early logs hold none of these: there, errors and metadata are in the samples only."""


def json_header(path: Path) -> RunHeader:
    """The header of a JSON log; reading stops at the samples where all that is needed came before them."""
    fields: dict[str, object] = {}
    with opened_json(path) as cursor:
        for key in cursor.members():
            if key in _HEADER_KEYS:
                fields[key] = cursor.value()
            elif key == "samples" and "eval" in fields and "status" in fields:
                break
            else:
                cursor.skip()
    return checked_header(fields, path)


def json_samples(path: Path, fields: dict[str, object]) -> Iterator[dict[str, object]]:
    """The samples of a JSON log; header fields that come after them are added to `fields` on the way."""
    seen: set[str] = set()
    with opened_json(path) as cursor:
        for key in cursor.members():
            if key in seen:
                raise cursor.error(f"the key {key!r} comes twice, so which one holds cannot be told")
            seen.add(key)
            if key == "samples" and cursor.peek() == "[":
                for _ in cursor.items():
                    yield _sample(cursor)
            elif key in _HEADER_KEYS:
                fields[key] = cursor.value()
            else:
                cursor.skip()
        cursor.finish()


def archive_header(archive: SafeArchive) -> RunHeader:
    """The header of an archive, or of an unfinished one what was written when it began."""
    name = next((name for name in (HEADER, START) if name in archive), None)
    if name is None:
        raise UnreadableLogError(archive.path, f"not an Inspect log: it holds neither {HEADER} nor {START}")
    return checked_header(mapping(_member_value(archive, name)), archive.path)


def archive_samples(archive: SafeArchive) -> Iterator[dict[str, object]]:
    """The samples of an archive: from the summaries where they suffice, else each from its own member."""
    left = dict.fromkeys(name for name in archive.names if _SAMPLE.match(name))
    for name in _summary_names(archive):
        cursor = _member_cursor(archive, name)
        for _ in cursor.items():
            summary = _sample(cursor)
            member = _member_of(summary, archive)
            left.pop(member or "", None)
            if member is None or any(key in summary for key in _OF_FULL_SUMMARIES):
                yield summary
            else:
                yield _member_sample(archive, member)
        cursor.finish()
    for name in left:
        yield _member_sample(archive, name)


def _sample(cursor: JsonCursor) -> dict[str, object]:
    if cursor.peek() != "{":
        raise cursor.error("expected a sample (an object)")
    sample: dict[str, object] = {}
    for key in cursor.members():
        if key in _SAMPLE_KEYS:
            sample[key] = cursor.value()
        else:
            cursor.skip()
    return sample


def _summary_names(archive: SafeArchive) -> list[str]:
    if _SUMMARIES in archive:
        return [_SUMMARIES]
    numbered = [(int(match[1]), name) for name in archive.names if (match := _JOURNAL_SUMMARY.match(name))]
    return [name for _, name in sorted(numbered)]


def _member_of(summary: dict[str, object], archive: SafeArchive) -> str | None:
    stem = f"samples/{summary.get('id')}_epoch_{summary.get('epoch')}"
    return next((name for name in (f"{stem}.json", f"{stem}/sample.json") if name in archive), None)


def _member_sample(archive: SafeArchive, name: str) -> dict[str, object]:
    cursor = _member_cursor(archive, name)
    sample = _sample(cursor)
    cursor.finish()
    # Samples stored in pieces keep their metadata in a member of its own.
    apart = name.removesuffix("sample.json") + "metadata.json"
    if apart in archive and "metadata" not in sample:
        sample["metadata"] = _member_value(archive, apart)
    return sample


def _member_value(archive: SafeArchive, name: str) -> object:
    cursor = _member_cursor(archive, name)
    value = cursor.value()
    cursor.finish()
    return value


def _member_cursor(archive: SafeArchive, name: str) -> JsonCursor:
    return JsonCursor(archive.open(name), path=archive.path, member=name)
