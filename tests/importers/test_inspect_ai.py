"""Inspect logs, archive and JSON: the same rows from both, and what must be said about them."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from surefoot.errors import DataError, UnreadableLogError, UsageError
from surefoot.importers.inspect_ai import InspectEvalImporter, InspectJsonImporter
from surefoot.trials.findings import Finding
from surefoot.trials.source import Importer, ReadOptions, RowScan

if sys.version_info >= (3, 14):
    from zipfile import ZipFile
else:
    from backports.zstd.zipfile import ZipFile

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
needs_samples = pytest.mark.skipif(not SAMPLES.exists(), reason=f"the sample logs are not there: {SAMPLES}")
Json = dict[str, Any]
Write = Callable[..., Path]


def spec(ids: list[object], epochs: int | None = 2, **more: object) -> Json:
    config = {"message_limit": 30, "max_samples": 4} | ({} if epochs is None else {"epochs": epochs})
    return {"eval_id": "run-1", "run_id": "r", "task_id": "t", "created": "2026-01-01T00:00:00+00:00",
            "task": "popularity", "model": "openai/x", "dataset": {"sample_ids": ids}, "config": config,
            "revision": {"type": "git", "commit": "4f2c1ab"}, "task_args": {"level": 2}, **more}  # fmt: skip


def sample(id: object = "q1", epoch: int = 1, value: object = "C", **more: object) -> Json:  # noqa: A002
    return {"id": id, "epoch": epoch, "input": "?", "target": "!", "metadata": {}, "model_usage": {},
            "scores": {"match": {"value": value}}, "completed": True, **more}  # fmt: skip


def four() -> list[Json]:
    return [sample("q2", 2), sample("q1", 1), sample("q1", 2, "I"), sample("q2", 1)]


def header_of(samples: list[Json], **more: object) -> Json:
    ids = list(dict.fromkeys(item["id"] for item in samples))
    return {"version": 2, "status": "success", "eval": spec(ids), **more}


def member(item: Json) -> str:
    return f"samples/{item['id']}_epoch_{item['epoch']}.json"


@pytest.fixture
def write_eval(tmp_path: Path) -> Write:
    def write(members: dict[str, object], method: int = 93) -> Path:
        path = tmp_path / "log.eval"
        with ZipFile(path, "w", compression=method) as archive:
            for name, value in members.items():
                archive.writestr(name, json.dumps(value))
        return path

    return write


@pytest.fixture
def write_json(tmp_path: Path) -> Write:
    def write(log: Json) -> Path:
        path = tmp_path / "log.json"
        path.write_text(json.dumps(log), encoding="utf-8")
        return path

    return write


def read(path: Path, score: str | None = None) -> tuple[list[Json], dict[str, Finding]]:
    importers = [InspectEvalImporter(), InspectJsonImporter()]
    (importer,) = (found for found in importers if found.recognizes(path, path.read_bytes()[:65536]))
    log = importer.read(path, ReadOptions(score=score))
    assert isinstance(log.scan, RowScan)
    assert (log.format, log.path, log.provenance_columns) == ("Inspect log", path, ("eval_task",))
    found = list(log.scan.rows())
    findings = [item for item in found if isinstance(item, Finding)]
    assert len({finding.code for finding in findings}) == len(findings)
    return [dict(row) for row in found if not isinstance(row, Finding)], {
        item.code: item for item in findings
    }


def slots(rows: list[Json]) -> list[tuple[int | str, int, bool | None]]:
    return [(row["task"], row["trial_index"], row["passed"]) for row in rows]


def test_they_are_importers() -> None:
    for importer, name in ((InspectEvalImporter(), "inspect-eval"), (InspectJsonImporter(), "inspect-json")):
        assert isinstance(importer, Importer)
        assert (importer.name, importer.priority) == (name, 10)


def test_archive_and_json_give_the_same_rows(write_eval: Write, write_json: Write) -> None:
    items = four()
    items[0] |= {
        "total_time": 1.5,
        "started_at": "2026-01-01T00:00:01+00:00",
        "metadata": {"kind": "a", "n": 3},
    }
    archive = write_eval({"header.json": header_of(items), "summaries.json": items})
    rows, findings = read(archive)
    assert findings == {}
    assert slots(rows) == [("q2", 2, True), ("q1", 1, True), ("q1", 2, False), ("q2", 1, True)]
    assert rows[0] == {
        "task": "q2", "trial_index": 2, "passed": True, "unscored_cause": None, "error": None,
        "duration_s": 1.5, "started_at": "2026-01-01T00:00:01+00:00", "output_hash": None, "run": "run-1",
        "model": "openai/x", "version": "4f2c1ab", "eval_task": "popularity",
        "settings": '{"message_limit":30,"task_args":{"level":2}}',
        "score_match": 1.0, "value_match": "C", "kind": "a", "n": 3,
    }  # fmt: skip
    assert read(write_json({**header_of(items), "samples": items})) == (rows, {})


@pytest.mark.parametrize("order", ["first", "last", "status last"])
def test_the_samples_may_come_anywhere_in_a_json_log(write_json: Write, order: str) -> None:
    items = four()
    results = {"scores": [{"name": "match", "scorer": "match", "metrics": {"accuracy": {"value": 0.5}}}]}
    header = header_of(items, results=results)
    log = {"samples": items, **header} if order == "first" else {**header, "samples": items}
    if order == "status last":
        log["status"] = log.pop("status")
    rows, findings = read(write_json(log))
    assert len(rows) == 4
    assert set(findings) == {"headline-differs"}
    assert "accuracy 0.5. Counted from its trials: 3 of 4 = 0.75" in findings["headline-differs"].message


def test_numbers_and_texts_as_ids_are_told_apart(write_json: Write) -> None:
    items = [sample(1), sample("1")]
    rows, _ = read(write_json({**header_of(items), "samples": items}))
    assert [row["task"] for row in rows] == [1, "1"]


def test_epochs_that_are_not_set_are_one(write_json: Write) -> None:
    log = {"version": 2, "status": "success", "eval": spec(["q1"], epochs=None), "samples": [sample()]}
    assert read(write_json(log))[1] == {}
    log["eval"]["config"]["epochs"] = None
    assert read(write_json(log))[1] == {}


class TestWhereTheSamplesAre:
    """Summaries where they suffice; members where they do not; nothing twice and nothing lost."""

    def test_an_unfinished_run_is_read_from_its_journal(self, write_eval: Write) -> None:
        items = four()
        start = {"version": 2, "eval": spec(["q1", "q2", "q3"])}
        rows, findings = read(write_eval({
            "_journal/start.json": start,
            "_journal/summaries/10.json": items[3:],
            "_journal/summaries/2.json": items[1:3],
            "_journal/summaries/1.json": items[:1],
        }))  # fmt: skip
        assert slots(rows) == [("q2", 2, True), ("q1", 1, True), ("q1", 2, False), ("q2", 1, True)]
        assert findings["run-not-complete"].message == (
            "The run ended with status started; 4 of 6 planned trials are in the log (3 samples x 2 epochs)."
        )

    def test_without_summaries_each_member_is_read(self, write_eval: Write) -> None:
        items = four()
        rows, findings = read(
            write_eval({"header.json": header_of(items)} | {member(item): item for item in items})
        )
        assert len(slots(rows)) == 4
        assert findings == {}

    def test_members_that_the_summaries_lack_are_added(self, write_eval: Write) -> None:
        items = four()
        archive = {"header.json": header_of(items)} | {member(item): item for item in items}
        rows, findings = read(write_eval({**archive, "summaries.json": items[:1]}))
        assert sorted(slots(rows)) == sorted(
            (i["id"], i["epoch"], i["scores"]["match"]["value"] == "C") for i in items
        )
        assert findings == {}

    def test_the_id_inside_counts_and_not_the_name_of_the_member(self, write_eval: Write) -> None:
        items = [sample("a/b", 1)]
        rows, _ = read(write_eval({"header.json": header_of(items), "samples/other_epoch_7.json": items[0]}))
        assert slots(rows) == [("a/b", 1, True)]

    def test_summaries_of_early_logs_are_completed_from_the_members(self, write_eval: Write) -> None:
        items = [
            sample("q1", 1, metadata={"kind": "a"}),
            sample("q1", 2, scores={}, error={"message": "Boom()"}),
        ]
        early = [{key: item[key] for key in ("id", "epoch", "input", "target", "scores")} for item in items]
        archive = {"header.json": header_of(items), "summaries.json": early}
        rows, _ = read(write_eval(archive | {member(item): item for item in items}))
        assert [row.get("kind") for row in rows] == ["a", None]
        assert [row["error"] for row in rows] == [None, "Boom()"]
        rows, _ = read(write_eval(archive))
        assert slots(rows) == [("q1", 1, True), ("q1", 2, None)]

    def test_full_summaries_spare_the_members(self, write_eval: Write) -> None:
        items = four()
        archive = {"header.json": header_of(items), "summaries.json": items}
        assert len(read(write_eval(archive | {member(item): "not read" for item in items}))[0]) == 4

    def test_samples_stored_in_pieces_are_read(self, write_eval: Write) -> None:
        item = sample("q1", 1)
        del item["metadata"]
        rows, _ = read(write_eval({
            "header.json": {"version": 3, "status": "success", "eval": spec(["q1"], epochs=1)},
            "samples/q1_epoch_1/sample.json": item,
            "samples/q1_epoch_1/metadata.json": {"kind": "a"},
            "samples/q1_epoch_1/events/0.json": [1, 2],
        }))  # fmt: skip
        assert slots(rows) == [("q1", 1, True)]
        assert rows[0]["kind"] == "a"

    def test_an_archive_without_a_header_is_refused(self, write_eval: Write) -> None:
        with pytest.raises(UnreadableLogError, match=r"holds neither header\.json nor _journal/start\.json"):
            read(write_eval({"summaries.json": []}))

    def test_a_log_without_samples_says_so(self, write_json: Write, write_eval: Write) -> None:
        header = {"version": 2, "status": "success", "eval": spec(["q1"], epochs=1)}
        for path in (
            write_json(header),
            write_json({**header, "samples": None}),
            write_eval({"header.json": header}),
        ):
            rows, findings = read(path)
            assert rows == []
            assert set(findings) == {"no-samples", "run-not-complete"}


class TestProvenance:
    def rows(self, write_json: Write, **changed: object) -> Json:
        log = {
            "version": 2,
            "status": "success",
            "eval": {**spec(["q1"], epochs=1), **changed},
            "samples": [sample()],
        }
        return read(write_json(log))[0][0]

    def test_logs_before_eval_id_get_a_run_of_three_parts(self, write_json: Write) -> None:
        assert self.rows(write_json, eval_id=None)["run"] == "r/t/2026-01-01T00:00:00+00:00"
        assert self.rows(write_json, eval_id="", created="later")["run"] == "r/t/later"

    def test_a_dirty_tree_is_another_version(self, write_json: Write) -> None:
        assert self.rows(write_json, revision={"commit": "abc", "dirty": True})["version"] == "abc+dirty"
        assert self.rows(write_json, revision={"commit": "abc", "dirty": False})["version"] == "abc"
        assert self.rows(write_json, revision=None)["version"] is None

    @pytest.mark.parametrize(
        "changed",
        [
            {"model_generate_config": {"temperature": 0.7}},
            {"model_args": {"a": 1}},
            {"model_base_url": "http://x"},
            {"task_args": {"level": 3}},
            {"solver": "other"},
            {"task_version": 2},
            {"config": {"token_limit": 9}},
        ],
    )
    def test_what_changes_the_answers_changes_the_settings(self, write_json: Write, changed: Json) -> None:
        assert self.rows(write_json)["settings"] != self.rows(write_json, **changed)["settings"]

    @pytest.mark.parametrize(
        "changed",
        [{"config": {"max_samples": 9, "message_limit": 30}}, {"tags": ["x"]}, {"packages": {"a": "1"}}],
    )
    def test_speed_and_bookkeeping_do_not(self, write_json: Write, changed: Json) -> None:
        assert self.rows(write_json)["settings"] == self.rows(write_json, **changed)["settings"]


class TestValues:
    def one(self, write_json: Write, item: Json, **header: object) -> tuple[Json, dict[str, Finding]]:
        log = {
            "version": 2,
            "status": "success",
            "eval": spec([item["id"]], epochs=1),
            **header,
            "samples": [item],
        }
        rows, findings = read(write_json(log))
        return rows[0], findings

    @pytest.mark.parametrize(
        ("value", "passed"), [("C", True), ("I", False), ("N", False), (True, True), (0, False), (1.0, True), ("no", False)]
    )  # fmt: skip
    def test_pass_and_fail(self, write_json: Write, value: object, passed: bool) -> None:
        row, findings = self.one(write_json, sample(value=value))
        assert (row["passed"], row["unscored_cause"], row["score_match"]) == (passed, None, float(passed))
        assert findings == {}

    @pytest.mark.parametrize(("value", "number"), [("P", 0.5), (0.3, 0.3), ("7", 7.0)])
    def test_values_between_need_a_threshold_and_stay_usable(
        self, write_json: Write, value: object, number: float
    ) -> None:
        row, findings = self.one(write_json, sample(value=value))
        # No cause: a check on score_match >= 0.5 must find this trial scored.
        assert (row["passed"], row["unscored_cause"], row["score_match"]) == (None, None, number)
        assert (
            findings["needs-threshold"].what_to_do
            == "Declare one, for example: --success 'score_match >= 0.5'"
        )
        assert f"({value} 1)" in findings["needs-threshold"].message

    @pytest.mark.parametrize("value", [math.nan, None])
    def test_no_value_is_unscored_by_the_scorer(self, write_json: Write, value: object) -> None:
        row, findings = self.one(write_json, sample(value=value))
        assert (row["passed"], row["unscored_cause"], row["score_match"]) == (None, "scorer", None)
        assert "1 trial without an error has no value from match" in findings["no-score"].message

    def test_no_scores_at_all_are_unscored_by_the_scorer(self, write_json: Write) -> None:
        for scores in ({}, None):
            row, _ = self.one(write_json, sample(scores=scores))
            assert (row["passed"], row["unscored_cause"]) == (None, "scorer")

    def test_unknown_words_are_unscored_and_named(self, write_json: Write) -> None:
        row, findings = self.one(write_json, sample(value="maybe"))
        assert (row["passed"], row["unscored_cause"], row["value_match"]) == (None, "unknown", "maybe")
        assert "(maybe 1)" in findings["unknown-values"].message

    def test_the_old_nameless_score_takes_the_name_of_the_scorer(self, write_json: Write) -> None:
        item = sample()
        item["score"] = item.pop("scores")["match"]
        results = {"scorer": {"name": "includes"}, "metrics": {"accuracy": {"value": 1.0}}}
        row, findings = self.one(write_json, item, results=results)
        assert (row["passed"], row["score_includes"]) == (True, 1.0)
        assert findings == {}

    @pytest.mark.parametrize(
        ("message", "cause"),
        [
            ("RuntimeError('boom')", "unknown"),
            ("RateLimitError('429')", "infra"),
            ("APIConnectionError('x')", "infra"),
            ("LimitExceededError('time')", "agent"),
            ("CancelledError()", "interrupted"),
            ("ValueError('RateLimitError(')", "unknown"),
            ("", "unknown"),
        ],
    )
    def test_an_error_without_scores_is_unscored_by_its_cause(
        self, write_json: Write, message: str, cause: str
    ) -> None:
        row, findings = self.one(
            write_json, sample(scores={}, error={"message": message, "traceback": "..."})
        )
        assert (row["passed"], row["unscored_cause"]) == (None, cause)
        assert row["error"] == (message or "error without a message")
        assert f"Unscored, by cause: {cause} 1." in findings["errored-samples"].message
        assert "q1/1" in findings["errored-samples"].message

    def test_a_score_after_an_error_is_kept(self, write_json: Write) -> None:
        row, findings = self.one(write_json, sample(value="I", error="Boom()"))
        assert (row["passed"], row["unscored_cause"], row["error"]) == (False, None, "Boom()")
        assert set(findings) == {"scored-after-error"}

    @pytest.mark.parametrize("limit", ["token", {"type": "token", "limit": 100}])
    def test_a_limit_keeps_its_score_and_is_the_agents_where_there_is_none(
        self, write_json: Write, limit: object
    ) -> None:
        row, findings = self.one(write_json, sample(value="I", limit=limit))
        assert (row["passed"], row["unscored_cause"]) == (False, None)
        assert "(token 1)" in findings["stopped-by-limit"].message
        row, _ = self.one(write_json, sample(scores={}, limit=limit))
        assert (row["passed"], row["unscored_cause"]) == (None, "agent")

    def test_outputs_of_samples_are_fingerprinted(self, write_json: Write) -> None:
        def fingerprint(output: object) -> object:
            return self.one(write_json, sample(output=output))[0]["output_hash"]

        choices = [{"message": {"content": "Yes"}}]
        assert fingerprint({"completion": "Yes"}) == fingerprint({"completion": "Yes", "choices": choices})
        assert fingerprint({"completion": "Yes"}) != fingerprint({"completion": "No"})
        assert fingerprint({"choices": choices}) not in (
            None,
            fingerprint({"choices": [{"message": {"content": "No"}}]}),
        )
        assert fingerprint({"choices": [], "completion": ""}) is None

    def test_metadata_named_like_a_verdict_or_a_score_is_a_data_error(self, write_json: Write) -> None:
        for name in ("task", "Passed", "score_match", "value_match"):
            with pytest.raises(DataError, match=name):
                self.one(write_json, sample(metadata={name: 1}))

    def test_other_taken_names_are_renamed_and_said(self, write_json: Write) -> None:
        row, findings = self.one(write_json, sample(metadata={"version": "2.0", "tags": ["a", "b"]}))
        assert (row["version"], row["metadata_version"], row["tags"]) == ("4f2c1ab", "2.0", '["a","b"]')
        assert "version is metadata_version" in findings["metadata-renamed"].message

    def test_a_newer_version_and_invalid_samples_are_said(self, write_json: Write) -> None:
        _, findings = self.one(write_json, sample(), version=4, invalidated=True)
        assert set(findings) == {"newer-log-version", "samples-invalidated"}

    @pytest.mark.parametrize("status", ["cancelled", "error", "started"])
    def test_a_run_that_did_not_end_well_is_said_with_its_reason(
        self, write_json: Write, status: str
    ) -> None:
        _, findings = self.one(write_json, sample(), status=status, error={"message": "Out of money\nmore"})
        assert findings["run-not-complete"].severity == "warning"
        assert (
            f"status {status} (Out of money); 1 of 1 planned trials" in findings["run-not-complete"].message
        )


class TestTheChoiceOfAScorer:
    @pytest.fixture
    def path(self, write_json: Write) -> Path:
        scores = {
            "match": {"value": "C"},
            "graded": {"value": {"a": 1.0, "b": 0.2}},
            "listed": {"value": [0, 1]},
        }
        items = [
            sample("q1", 1, scores={"match": {"value": "I"}}),
            sample("q1", 2, scores=scores),
            sample("q2", 1, scores={**scores, "match": {"value": math.nan}}),
            sample("q2", 2, scores={}, error="Boom()"),
        ]
        return write_json({**header_of(items), "samples": items})

    def test_several_scorers_and_none_asked_list_what_each_gave(self, path: Path) -> None:
        with pytest.raises(UsageError) as caught:
            read(path)
        lines = str(caught.value).splitlines()
        assert (
            lines[0] == f"{path}: 3 scorers, and one value must say what passed means. Name it with --score:"
        )
        assert [line.split(maxsplit=1) for line in lines[1:4]] == [
            ["match", "I 1, C 1, NaN 1"],
            ["graded", "several values: graded.a, graded.b"],
            ["listed", "several values: listed.0, listed.1"],
        ]
        assert lines[4] == f"For example: surefoot grade {path} --score match"

    @pytest.mark.parametrize(
        ("score", "passed"),
        [
            ("match", [False, True, None, None]),
            ("graded.a", [None, True, True, None]),
            ("graded.b", [None, None, None, None]),
            ("listed.0", [None, False, False, None]),
            ("listed.1", [None, True, True, None]),
        ],
    )
    def test_the_one_asked_for_is_passed(self, path: Path, score: str, passed: list[bool | None]) -> None:
        rows, _ = read(path, score)
        assert [row["passed"] for row in rows] == passed
        assert [row["unscored_cause"] for row in rows] == [None, None, None, "unknown"]
        assert rows[1]["score_graded_b"] == 0.2

    def test_a_scorer_of_several_values_asks_for_the_key(self, path: Path) -> None:
        with pytest.raises(UsageError, match=r"'graded' gives several values(.|\n)*--score graded\.a"):
            read(path, "graded")

    @pytest.mark.parametrize("score", ["absent", "match.a", "graded.z", ""])
    def test_a_name_that_is_none_is_refused_with_those_that_are(self, path: Path, score: str) -> None:
        with pytest.raises(UsageError, match=rf"no scorer is named '{score}'(.|\n)*graded\.a"):
            read(path, score)

    def test_one_scorer_of_several_values_asks_for_the_key_too(self, write_json: Write) -> None:
        items = [sample(value={"a": 1, "b": 0})]
        with pytest.raises(UsageError, match=r"one scorer that gives several values(.|\n)*--score match\.a"):
            read(write_json({**header_of(items), "samples": items}))

    def test_a_scorer_that_is_listed_and_gave_nothing_leaves_all_unscored(self, write_json: Write) -> None:
        items = [sample(), sample("q2")]
        log = {"version": 2, "status": "success", "samples": items}
        log["eval"] = spec(["q1", "q2"], epochs=1, scorers=[{"name": "match"}, {"name": "quiet"}])
        rows, findings = read(write_json(log), "quiet")
        assert [row["passed"] for row in rows] == [None, None]
        assert "2 trials without an error have no value from quiet" in findings["no-score"].message

    def test_the_headline_of_a_key_is_compared_with_that_key(self, write_json: Write) -> None:
        items = [sample(value={"a": 1, "b": 0})]
        scores = [
            {"name": key, "scorer": scorer, "metrics": {"mean": {"value": mean}}}
            for key, scorer, mean in (("b", "other", 0.5), ("a", "match", 1.0), ("b", "match", 0.25))
        ]
        header = {"version": 2, "status": "success", "results": {"scores": scores}, "eval": spec(["q1"], 1)}
        path = write_json({**header, "samples": items})
        assert read(path, "match.a")[1] == {}
        said = read(path, "match.b")[1]["headline-differs"].message
        assert "mean 0.25. Counted from its trials: 0 of 1 = 0." in said


@pytest.mark.parametrize(
    ("name", "head", "mine"),
    [
        ("x.json", json.dumps({**header_of([sample()]), "samples": []}, indent=2).encode(), True),
        ("x.json", b"\xef\xbb\xbf" + json.dumps(header_of([sample()])).encode(), True),
        ("x.json", json.dumps(header_of([sample(f"q{i}") for i in range(20_000)])).encode()[:65536], True),
        ("x.json", json.dumps({"samples": [sample()], "version": 2}).encode(), True),
        ("x.json", b'{"evalId": "e", "results": {"version": 3, "eval": 1, "task": 2, "model": 3, "dataset": 4}}', False),
        ("x.json", b'{"version": 1, "tests": []}', False),
        ("x.json", b'[{"task_id": 1}]', False),
        ("x.json", b"", False),
    ],
)  # fmt: skip
def test_json_logs_are_recognized_by_what_they_hold(name: str, head: bytes, mine: bool) -> None:
    assert InspectJsonImporter().recognizes(Path(name), head) is mine


def test_archives_are_recognized_by_name_or_by_what_they_hold(write_eval: Write, tmp_path: Path) -> None:
    path = write_eval({"header.json": header_of([sample()]), "summaries.json": [sample()]})
    renamed = path.rename(tmp_path / "log.zip")
    assert InspectEvalImporter().recognizes(renamed, renamed.read_bytes()[:65536])
    other = write_eval({"x.json": {}}).rename(tmp_path / "other.zip")
    assert not InspectEvalImporter().recognizes(other, other.read_bytes()[:65536])
    assert not InspectEvalImporter().recognizes(tmp_path / "absent.zip", b"PK\x03\x04")


@needs_samples
class TestRealLogs:
    def test_streaming(self) -> None:
        rows, findings = read(SAMPLES / "inspect" / "log_streaming.eval")
        assert sorted(slots(rows)) == [(1, 1, False), (1, 2, True), (2, 1, True), (2, 2, True)]
        # Early summaries hold no metadata: it comes from the samples. The headline 0.75 agrees.
        assert all(isinstance(row["label_confidence"], float) for row in rows)
        assert findings == {}

    def test_one_log_in_both_formats_gives_one_row(self) -> None:
        folder = SAMPLES / "inspect"
        assert read(folder / "log_formats.eval") == read(folder / "log_formats.json")
        assert slots(read(folder / "log_formats.json")[0]) == [(1, 1, False)]

    @pytest.mark.parametrize("suffix", ["eval", "json"])
    def test_three_epochs(self, suffix: str) -> None:
        path = SAMPLES / "made_by_running_the_tool" / "inspect" / f"three_epochs.{suffix}"
        with pytest.raises(
            UsageError, match=r"5 scorers(.|\n)*C 5, I 3(.|\n)*dicty\.a, dicty\.b(.|\n)*P 3, NaN 3, N 2"
        ):
            read(path)
        rows, findings = read(path, "includes")
        by_task = {
            task: [row["passed"] for row in rows if row["task"] == task] for task in ("q1", "q2", "q3")
        }
        assert by_task == {"q1": [True] * 3, "q2": [False, None, False], "q3": [False, True, True]}
        assert set(findings) == {"errored-samples", "headline-differs"}
        assert (
            "accuracy 0.5556. Counted from its trials: 5 of 8 = 0.625" in findings["headline-differs"].message
        )
        _, findings = read(path, "partialy")
        assert "3 values of partialy are neither pass nor fail (P 3)" in findings["needs-threshold"].message
        assert "3 trials without an error have no value" in findings["no-score"].message


def test_no_scorer_may_be_named_and_the_check_says_what_counts(tmp_path: Path) -> None:
    import surefoot as sf

    samples = [
        {"id": f"q{i}", "epoch": 1, "scores": {"a": {"value": i / 4}, "b": {"value": "C"}}} for i in range(5)
    ]
    path = tmp_path / "log.json"
    path.write_text(
        json.dumps(
            {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": samples}
        )
    )
    with pytest.raises(UsageError, match="--score none"):
        sf.grade(sf.read(path))
    trials = sf.read(path, score="none")
    assert "passed" not in trials.columns
    check = sf.grade(trials, success="score_a >= 0.5", at_least=0.1).checks[0]
    assert (check.details["events"], check.trials) == (3, 5)
