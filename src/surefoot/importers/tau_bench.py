"""tau-bench: a JSON list with one object a trial (task_id, trial, reward, info, traj)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from surefoot.errors import UnreadableLogError
from surefoot.importers.json_stream import opened_json, refusing_deep_nesting
from surefoot.importers.row_values import (
    finite,
    is_trial_index,
    mapping,
    metadata_columns,
    microunits,
    plain_text,
    sha256_of,
    task_id,
)
from surefoot.trials.findings import Finding
from surefoot.trials.source import ImportedLog, ReadOptions, RowScan, TrialRow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FIRST_KEY = re.compile(rb'\A(?:\xef\xbb\xbf)?\s*\[\s*\{\s*"(?:task_id|reward|info|traj|trial)"\s*:')
_REWARD_TOLERANCE = 1e-6
_SHOWN = 10


class TauBenchImporter:
    """Reads the result files of tau-bench."""

    name = "tau-bench"
    priority = 10

    def recognizes(self, path: Path, head: bytes) -> bool:
        """A list whose first item begins like a tau-bench trial and names its task and reward."""
        return (
            bool(_FIRST_KEY.match(head))
            and b'"task_id"' in head
            and b'"reward"' in head
            and b'"info"' in head
        )

    def read(self, path: Path, options: ReadOptions) -> ImportedLog:
        """The log as rows; trajectories are read one at a time and only fingerprinted."""
        with opened_json(path) as cursor:
            if cursor.peek() != "[":
                raise cursor.error("expected a JSON list of trials")
        return ImportedLog(format="tau-bench log", scan=RowScan(lambda: _rows(path)), path=path)


@dataclass
class _Tally:
    """What the rows seen so far say together."""

    trials: int = 0
    scored: int = 0
    passed: int = 0
    without_cost: int = 0
    without_reward_info: list[tuple[str, object, float]] = field(default_factory=list)
    with_error: int = 0
    unread_rewards: list[str] = field(default_factory=list)


def _rows(path: Path) -> Iterator[TrialRow | Finding]:
    tally = _Tally()
    with opened_json(path) as cursor, refusing_deep_nesting(path):
        for index in cursor.items():
            item = cursor.value()
            if not isinstance(item, dict):
                raise cursor.error(f"item {index + 1:,} of the list is not an object")
            yield _row(item, path=path, number=index + 1, tally=tally)
        cursor.finish()
    yield from _findings(tally)


def _row(item: dict[str, object], *, path: Path, number: int, tally: _Tally) -> TrialRow:
    identity = task_id(item.get("task_id"))
    if identity is None:
        raise UnreadableLogError(
            path,
            f"item {number:,} of the list: task_id should be a number or text, got {item.get('task_id')!r:.80}",
        )
    info = mapping(item.get("info"))
    reward = finite(item.get("reward"))
    row: dict[str, object] = {
        "task": identity,
        "passed": None if reward is None else abs(reward - 1.0) <= _REWARD_TOLERANCE,
        "unscored_cause": "unknown" if reward is None else None,
        "score_reward": reward,
        "error": plain_text(info["error"]) if info.get("error") else None,
        "cost_microunits": microunits(info.get("user_cost")),
        "output_hash": sha256_of(item.get("traj")),
        "run": str(path),
    }
    trial = _trial(item, path, number)
    if trial is not None:
        row["trial_index"] = trial
    row |= metadata_columns(_scalars(mapping(info.get("task"))), path=path, place=f"item {number:,}")
    _count(tally, row, info, trial)
    return row


def _trial(item: dict[str, object], path: Path, number: int) -> int | None:
    trial = item.get("trial")
    if trial is None:
        return None
    if not is_trial_index(trial):
        raise UnreadableLogError(
            path, f"item {number:,} of the list: trial should be a whole number >= 0, got {trial!r:.80}"
        )
    return trial


def _scalars(task: dict[str, object]) -> dict[str, object]:
    """The task's own fields without its long lists (the expected actions and outputs)."""
    return {key: value for key, value in task.items() if not isinstance(value, dict | list)}


def _count(tally: _Tally, row: dict[str, object], info: dict[str, object], trial: int | None) -> None:
    tally.trials += 1
    tally.scored += row["passed"] is not None
    tally.passed += row["passed"] is True
    tally.without_cost += row["cost_microunits"] is None
    reward = row["score_reward"]
    if not isinstance(reward, float):
        tally.unread_rewards.append(_place(row["task"], trial))
    elif not info.get("reward_info") and row["passed"] is False:
        tally.without_reward_info.append((str(row["task"]), trial, reward))
        tally.with_error += row["error"] is not None


def _findings(tally: _Tally) -> Iterator[Finding]:
    if tally.without_reward_info:
        yield _no_reward_info(tally)
    if tally.unread_rewards:
        count = len(tally.unread_rewards)
        yield Finding(
            "reward-missing",
            "warning",
            f"{count:,} {_trials(count)} {_carry(count)} no reward that is a number "
            f"({_listed(tally.unread_rewards)}: task/trial). Unscored.",
            "Score them again: unscored trials count at the bad end of every bound.",
        )
    yield Finding(
        "no-model-or-version", "note", "No model or version in this file. With a second file use --by file."
    )
    if tally.trials:
        missing = (
            f"; missing in {tally.without_cost:,} of {tally.trials:,} trials" if tally.without_cost else ""
        )
        yield Finding("cost-of-user-side-only", "note", f"Cost is the simulated user's side only{missing}.")


def _no_reward_info(tally: _Tally) -> Finding:
    count = len(tally.without_reward_info)
    places = [_place(task, trial) for task, trial, _ in sorted(tally.without_reward_info, key=_order)]
    all_zero = all(reward == 0 for _, _, reward in tally.without_reward_info)
    reward = "reward 0.0" if all_zero else "a reward other than 1"
    crashed = (
        f" {tally.with_error:,} of them {_carry(tally.with_error)} an error text." if tally.with_error else ""
    )
    as_recorded, had_they_passed = tally.passed / tally.scored, (tally.passed + count) / tally.scored
    return Finding(
        "no-reward-info",
        "warning",
        f"{count:,} {_trials(count)} {_carry(count)} no reward_info ({_listed(places)}: task/trial) and {reward}. "
        f"Counted as failed. {tally.passed:,}/{tally.scored:,} = {_percent(as_recorded)}; "
        f"had they passed, {_percent(had_they_passed)}.{crashed}",
    )


def _order(entry: tuple[str, object, float]) -> tuple[bool, int, str, int]:
    task, trial, _ = entry
    digits = task.isascii() and task.isdigit()
    return (
        not digits,
        int(task) if digits and len(task) < 20 else 0,
        task,
        trial if isinstance(trial, int) else -1,
    )


def _place(task: object, trial: object) -> str:
    return f"{str(task)[:40]}/{'?' if trial is None else trial}"


def _listed(places: list[str]) -> str:
    more = len(places) - _SHOWN
    return " ".join(places[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _trials(count: int) -> str:
    return "trial" if count == 1 else "trials"


def _carry(count: int) -> str:
    return "carries" if count == 1 else "carry"
