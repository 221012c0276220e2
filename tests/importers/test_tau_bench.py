"""tau-bench logs: rows as the file has them, and what must be said about them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from surefoot.errors import DataError, UnreadableLogError
from surefoot.importers.tau_bench import TauBenchImporter
from surefoot.trials.findings import Finding
from surefoot.trials.source import Importer, ReadOptions, RowScan

SAMPLE = Path(__file__).parents[3] / "shared" / "samples" / "tau_bench" / "gpt-4o-airline.json"
Row = dict[str, Any]


def read(path: Path) -> tuple[list[Row], dict[str, Finding]]:
    log = TauBenchImporter().read(path, ReadOptions())
    assert isinstance(log.scan, RowScan)
    assert log.format == "tau-bench log"
    found = list(log.scan.rows())
    rows = [dict(row) for row in found if not isinstance(row, Finding)]
    findings = [item for item in found if isinstance(item, Finding)]
    assert len({finding.code for finding in findings}) == len(findings)
    return rows, {finding.code: finding for finding in findings}


def trial(task_id: object = 0, trial: object = 0, reward: object = 1.0, **more: object) -> Row:
    info = {"task": {"user_id": "u1", "instruction": "Do it.", "actions": [{"name": "x"}]}, "source": "user",
            "user_cost": 0.0035475, "reward_info": {"reward": reward}}  # fmt: skip
    return {"task_id": task_id, "reward": reward, "info": info, "traj": [], "trial": trial, **more}


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(items: object) -> Path:
        path = tmp_path / "model-x.json"
        path.write_text(items if isinstance(items, str) else json.dumps(items), encoding="utf-8")
        return path

    return write


def test_it_is_an_importer() -> None:
    assert isinstance(TauBenchImporter(), Importer)
    assert (TauBenchImporter.name, TauBenchImporter.priority) == ("tau-bench", 10)


def test_a_row_holds_what_the_item_says(written: Any) -> None:
    path = written([trial(7, 2, traj=[{"role": "user", "content": "hi"}])])
    rows, _ = read(path)
    (row,) = rows
    assert len(row.pop("output_hash")) == 64
    assert row == {
        "task": 7, "trial_index": 2, "passed": True, "unscored_cause": None,
        "score_reward": 1.0, "error": None, "cost_microunits": 3548, "run": str(path),
        "user_id": "u1", "instruction": "Do it.",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("reward", "passed"),
    [
        (1.0, True),
        (1, True),
        (1 - 9e-7, True),
        (1 + 9e-7, True),
        (1 - 2e-6, False),
        (0.0, False),
        (0.5, False),
    ],
)
def test_success_is_a_reward_of_one(written: Any, reward: float, passed: bool) -> None:
    (row,), _ = read(written([trial(reward=reward)]))
    assert row["passed"] is passed
    assert row["unscored_cause"] is None


@pytest.mark.parametrize("reward", ["NaN", "null", '"1"', "Infinity"])
def test_a_reward_that_is_no_number_is_unscored_and_said(written: Any, reward: str) -> None:
    text = json.dumps([trial(3, 1, reward="@")]).replace('"@"', reward)
    (row,), findings = read(written(text))
    assert (row["passed"], row["unscored_cause"], row["score_reward"]) == (None, "unknown", None)
    assert (
        "1 trial carries no reward that is a number (3/1: task/trial)" in findings["reward-missing"].message
    )


def test_a_missing_reward_is_unscored(written: Any) -> None:
    item = trial()
    del item["reward"]
    (row,), _ = read(written([item]))
    assert (row["passed"], row["unscored_cause"]) == (None, "unknown")


def test_failures_without_reward_info_are_listed_in_order_with_the_rate_had_they_passed(written: Any) -> None:
    items = [trial(10, 0, 0.0), trial(9, 1, 0.0), trial(2, 0), trial(3, 0)]
    items[0]["info"]["reward_info"] = None
    items[1]["info"] = {"error": "RateLimitError: 429", "traceback": "..."}
    items[2]["info"]["reward_info"] = None
    rows, findings = read(written(items))
    assert [row["passed"] for row in rows] == [False, False, True, True]
    assert [row["error"] for row in rows] == [None, "RateLimitError: 429", None, None]
    assert findings["no-reward-info"].severity == "warning"
    assert findings["no-reward-info"].message == (
        "2 trials carry no reward_info (9/1 10/0: task/trial) and reward 0.0. Counted as failed. "
        "2/4 = 50.0 %; had they passed, 100.0 %. 1 of them carries an error text."
    )


def test_a_log_in_order_says_only_what_it_lacks(written: Any) -> None:
    _, findings = read(written([trial(), trial(trial=1)]))
    assert set(findings) == {"no-model-or-version", "cost-of-user-side-only"}
    assert findings["no-model-or-version"].message.endswith("With a second file use --by file.")
    assert "user's side only" in findings["cost-of-user-side-only"].message


def test_an_item_without_a_trial_leaves_the_number_to_the_file_order(written: Any) -> None:
    item = trial()
    del item["trial"]
    (row,), _ = read(written([item]))
    assert "trial_index" not in row


@pytest.mark.parametrize("cost", [None, -0.5, "1"])
def test_a_cost_that_is_none_stays_none(written: Any, cost: object) -> None:
    item = trial()
    item["info"]["user_cost"] = cost
    (row,), findings = read(written([item]))
    assert row["cost_microunits"] is None
    assert "missing in 1 of 1 trials" in findings["cost-of-user-side-only"].message


@pytest.mark.parametrize(
    ("item", "said"),
    [
        (trial(task_id=None), "item 2 of the list: task_id should be a number or text, got None"),
        (trial(task_id=True), "task_id should be"),
        (trial(task_id=1.5), "task_id should be"),
        (trial(trial=-1), "trial should be a whole number >= 0, got -1"),
        (trial(trial="0"), "trial should be"),
        (trial(trial=10**30), "trial should be"),
        ([1], "item 2 of the list is not an object"),
    ],
)
def test_an_item_that_is_no_trial_is_named(written: Any, item: object, said: str) -> None:
    path = written([trial(), item])
    with pytest.raises(UnreadableLogError) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


def test_a_task_field_named_like_a_verdict_is_a_data_error(written: Any) -> None:
    item = trial()
    item["info"]["task"]["passed"] = True
    with pytest.raises(DataError, match="'passed'"):
        read(written([item]))


def test_a_file_cut_anywhere_is_refused(written: Any) -> None:
    whole = json.dumps([trial(), trial(1)])
    for cut in range(0, len(whole), 7):
        with pytest.raises(UnreadableLogError):
            read(written(whole[:cut]))


def test_text_after_the_list_is_refused(written: Any) -> None:
    with pytest.raises(UnreadableLogError, match="expected the end of the file"):
        read(written(json.dumps([trial()]) + "[]"))


def test_a_trajectory_that_can_be_read_but_not_written_again_is_refused(written: Any) -> None:
    said = set()
    for depth in range(300, 1100, 25):
        text = json.dumps([trial(traj=["@"])]).replace('"@"', "[" * depth + "]" * depth)
        try:
            read(written(text))
        except UnreadableLogError as error:
            said.add(error.reason.split(": ")[-1])
    assert said == {"values are nested too deeply to be a log"}


def test_no_list_and_no_file_are_refused(written: Any, tmp_path: Path) -> None:
    with pytest.raises(UnreadableLogError, match="expected a JSON list of trials"):
        TauBenchImporter().read(written({"a": 1}), ReadOptions())
    with pytest.raises(UnreadableLogError, match="cannot be opened"):
        TauBenchImporter().read(tmp_path / "absent.json", ReadOptions())


def test_an_empty_list_has_no_rows(written: Any) -> None:
    rows, findings = read(written([]))
    assert rows == []
    assert set(findings) == {"no-model-or-version"}


@pytest.mark.parametrize(
    ("head", "mine"),
    [
        (json.dumps([trial()]).encode(), True),
        (b"\xef\xbb\xbf" + json.dumps([trial()], indent=2).encode(), True),
        (json.dumps([trial(traj=[{"content": "x" * 90_000}])]).encode()[:65536], True),
        (json.dumps([{"task_id": 1, "passed": True}]).encode(), False),
        (json.dumps({"simulations": [], "task_id": 1, "reward": 1, "info": {}}).encode(), False),
        (b"[]", False),
        (b"", False),
        (b"\xff\xfe\x00", False),
        (b"PK\x03\x04", False),
    ],
)
def test_it_recognizes_its_own(head: bytes, mine: bool) -> None:
    assert TauBenchImporter().recognizes(Path("x.json"), head) is mine


@pytest.mark.skipif(not SAMPLE.exists(), reason=f"the sample log is not there: {SAMPLE}")
def test_the_published_log_gives_the_published_counts() -> None:
    assert TauBenchImporter().recognizes(SAMPLE, SAMPLE.read_bytes()[:65536])
    rows, findings = read(SAMPLE)
    passed: dict[int, int] = {}
    for row in rows:
        passed[row["task"]] = passed.get(row["task"], 0) + bool(row["passed"])
    assert len(rows) == 200
    assert [list(passed.values()).count(k) for k in range(5)] == [14, 12, 10, 4, 10]
    assert {row["trial_index"] for row in rows} == {0, 1, 2, 3}
    assert findings["no-reward-info"].message == (
        "5 trials carry no reward_info (2/1 9/2 9/3 33/0 46/3: task/trial) and reward 0.0. "
        "Counted as failed. 84/200 = 42.0 %; had they passed, 44.5 %."
    )
