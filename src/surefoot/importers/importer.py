"""Which files are logs, and which importer reads each: by what is in them, never by name alone."""

from __future__ import annotations

import glob
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from surefoot import plugins
from surefoot.errors import DataError, UnreadableLogError, UsageError
from surefoot.importers.csv_table import named_as
from surefoot.importers.text_files import HEAD_BYTES, compression_of, raw_head, text_head
from surefoot.trials.findings import Finding, skipped_finding
from surefoot.trials.source import ImportedLog, Importer, ReadOptions

GROUP = "surefoot.importers"
_TABLE_SUFFIXES = (".csv", ".tsv", ".psv", ".jsonl", ".ndjson", ".json", ".parquet", ".pq")
_SHOWN = 5


def importers() -> tuple[Importer, ...]:
    """All registered importers, those of one tool before those of any table.

    Raises
    ------
    UsageError
        A plug-in that is no importer.
    """
    loaded = [_instance(name, plugin) for name, plugin in plugins.load_all(GROUP).items()]
    return tuple(sorted(loaded, key=lambda importer: (-importer.priority, importer.name)))


def find_logs(paths: Iterable[str | Path]) -> list[Path]:
    """The files that these paths, patterns and folders name, each once.

    A folder stands for the logs in it and below it; files in it that no importer knows are passed over.

    Raises
    ------
    UnreadableLogError
        A path that does not exist.
    DataError
        A pattern that matches nothing, or a folder without any known log.
    """
    return _found(paths, importers())[0]


def detect(path: Path, known: Sequence[Importer] | None = None) -> Importer:
    """The importer that reads this file: of several that recognise it, the one of the highest priority.

    Raises
    ------
    UnreadableLogError
        The file is empty or cannot be opened, or no importer recognises it.
    """
    available = importers() if known is None else known
    head = _checked_head(path)
    found = _recognized(path, head, available)
    if found is None:
        names = ", ".join(importer.name for importer in available)
        raise UnreadableLogError(path, f"not a log of a known kind; known kinds: {names}")
    return found


def read_logs(
    paths: Iterable[str | Path], options: ReadOptions | None = None, *, skip_unreadable: bool = False
) -> tuple[list[ImportedLog], list[Finding]]:
    """Open every log that these paths, patterns and folders name.

    Parameters
    ----------
    paths
        Files, patterns such as ``"logs/*.eval"``, or folders.
    options
        What the readers are told.
    skip_unreadable
        Leave out files that cannot be read, each with a finding, instead of stopping at the first.

    Raises
    ------
    UnreadableLogError
        The first file that cannot be read.
    DataError
        No file is left to read.
    """
    known = importers()
    logs: list[ImportedLog] = []
    files, passed_over = _found(paths, known)
    findings = [_passed_over_finding(passed_over)] if passed_over else []
    files, copies = without_copies(files)
    findings += [_copy_finding(copy, original) for copy, original in copies]
    for path in files:
        try:
            logs.append(detect(path, known).read(path, options or ReadOptions()))
        except UnreadableLogError as error:
            if not skip_unreadable:
                raise
            findings.append(skipped_finding(error))
    if not logs:
        raise DataError(
            "none of the files can be read:\n"
            + "\n".join(f"  {finding.message}" for finding in findings if finding.code == "skipped-file")
        )
    return logs, findings


def without_copies(files: Sequence[Path]) -> tuple[list[Path], list[tuple[Path, Path]]]:
    """Files whose bytes differ, and (copy, original) for those that equal an earlier one.

    A copied log would count every trial twice. Only files of equal size are read to compare them.
    """
    sizes = Counter(file.stat().st_size for file in files if file.is_file())
    originals: dict[bytes, Path] = {}
    kept, copies = [], []
    for file in files:
        if not file.is_file() or sizes[file.stat().st_size] == 1:
            kept.append(file)
            continue
        with file.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").digest()
        original = originals.setdefault(digest, file)
        if original is file:
            kept.append(file)
        else:
            copies.append((file, original))
    return kept, copies


def _copy_finding(copy: Path, original: Path) -> Finding:
    return Finding(
        "same-file-twice",
        "warning",
        f"The file {copy} is the same as {original}, byte for byte: its trials were read once.",
        "Give each log once; runs that happen to be equal need a column that tells them apart.",
    )


def _found(paths: Iterable[str | Path], known: Sequence[Importer]) -> tuple[list[Path], list[Path]]:
    """The logs, each once, and the files of folders that were passed over."""
    logs: dict[Path, Path] = {}
    passed_over: list[Path] = []
    for path in paths:
        for match in _matches(path):
            if match.is_dir():
                found, others = _logs_in(match, known)
                passed_over += others
            else:
                found = [match]
            for file in found:
                logs.setdefault(file.resolve(), file)
    return list(logs.values()), passed_over


def _matches(path: str | Path) -> list[Path]:
    if not str(path):
        raise UsageError("an empty path was given as a log; is a variable not set?")
    given = Path(path)
    try:
        if given.exists():
            return [given]
    except OSError as error:
        raise UnreadableLogError(path, error.strerror or str(error)) from error
    if not glob.has_magic(str(path)):
        raise UnreadableLogError(path, "no such file or folder")
    matches = sorted(Path(match) for match in glob.glob(str(path), recursive=True))
    if not matches:
        raise DataError(f"the pattern {str(path)!r} matches no file; quote it, and check the folder's name")
    return matches


def _logs_in(folder: Path, known: Sequence[Importer]) -> tuple[list[Path], list[Path]]:
    candidates = sorted(
        file
        for file in folder.rglob("*")
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )
    logs = [file for file in candidates if _is_log(file, known)]
    if not logs:
        names = ", ".join(importer.name for importer in known)
        raise DataError(
            f"{folder}: no known log in this folder; looked for {names}; found {_some(candidates, folder)}"
        )
    kept = set(logs)
    return logs, [file for file in candidates if file not in kept]


def _some(files: Sequence[Path], folder: Path | None = None) -> str:
    shown = [str(file.relative_to(folder) if folder else file) for file in files[:_SHOWN]]
    more = f" and {len(files) - _SHOWN:,} more" if len(files) > _SHOWN else ""
    return (", ".join(shown) or "no file") + more


def _passed_over_finding(files: Sequence[Path]) -> Finding:
    count = f"{len(files):,} file{'s' if len(files) != 1 else ''}"
    return Finding(
        "passed-over",
        "note",
        f"{count} in the folders are no known logs and were passed over: {_some(files)}.",
        "If one of them is a log, name it by its path to see why it is not read.",
    )


def _is_log(path: Path, known: Sequence[Importer]) -> bool:
    """A table of no tool's own counts in a folder only by its name: notes and settings are text too."""
    try:
        head = raw_head(path)
    except UnreadableLogError:
        return named_as(path, _TABLE_SUFFIXES)
    if not head:
        return named_as(path, _TABLE_SUFFIXES)
    found = _recognized(path, head, known)
    return found is not None and (found.priority > 0 or named_as(path, _TABLE_SUFFIXES))


def _checked_head(path: Path) -> bytes:
    if path.is_dir():
        raise UnreadableLogError(path, "is a folder")
    if not path.exists():
        raise UnreadableLogError(path, "no such file")
    if not path.is_file():
        raise UnreadableLogError(path, "is not a regular file")
    head = raw_head(path)
    if not head:
        raise UnreadableLogError(path, "is empty")
    return head


def _recognized(path: Path, head: bytes, known: Sequence[Importer]) -> Importer | None:
    packed = compression_of(head) != "none"
    text = text_head(path, HEAD_BYTES) if packed else head
    for importer in known:
        if packed and getattr(importer, "reads_compressed", False):
            if importer.recognizes(path, text):
                return importer
        elif importer.recognizes(path, head):
            return importer
    return None


def _instance(name: str, loaded: object) -> Importer:
    importer = loaded() if isinstance(loaded, type) else loaded
    if not isinstance(importer, Importer):
        raise UsageError(
            f"the plug-in {name!r} is no importer: expected name, priority, recognizes(path, head) and "
            f"read(path, options), got {type(importer).__name__}"
        )
    return importer
