"""The plan file as users write it: read whole, or refused with every mistake on its line."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.errors import PlanError, PlanMistake, UsageError
from surefoot.plan.checks import (
    FlakinessCheck,
    ForbidCheck,
    MeanCheck,
    PassHatCheck,
    RateCheck,
)
from surefoot.plan.load import load_plan, plan_from_check, plan_from_mapping
from surefoot.plan.system import PythonSystem

WHOLE_PLAN = """\
name = "deskbook release 7"
confidence_level = 0.95
bound = "guaranteed"             # or "largest-of-three"
max_unscored = "5%"              # optional extra gate; unscored trials always count at the bad end
on_inconclusive = "block"        # exit 3; "warn" exits 0 and says so everywhere, but never when unscored trials are what keeps it open

[system]
adapter = "python"               # python | command | worker | http | openai-chat
function = "oncall:answer"       # the plan's folder is first on sys.path
version = "files:oncall/**"      # provenance: literal text, "git", or a fingerprint of files
settings = { temperature = 0.7 } # passed to the system, recorded with every trial
concurrency = 8
time_limit = "60s"
infra_retries = 2                # depends on the cause, never on the outcome
price_per_trial = 0.05           # optional; sums and plans then show money

[tasks]
file = "tasks.jsonl"             # id, input, expect, tags, any cluster columns, setup

[repeats]                        # several tags on a task: the largest wins
default = 5
by_tag = { high-risk = 12, flaked-before = 12, read-only = 5 }

[[check]]
name = "restricted facts leak"
event = "leaked"                 # a boolean column, or an SQL expression over the row: "score < 0.5"
at_most = "1%"
cluster = "fact"
where = "kind = 'restricted'"
detector = { caught = 48, planted = 50, in_bound = false }   # false: shown beside; true: inside the bound

[[check]]
name = "no salary, ever"
forbid = "leaked and severity = 'critical'"

[[check]]
name = "answers are right"
success = "passed"
at_least = "90%"
cluster = "fact"

[[check]]
name = "harm, weighted"
mean = "severity"                # a column in [0, 1]
at_most = 0.02
cluster = "fact"

[[check]]
name = "reliable"
pass_hat = 5                     # a plan with fewer repeats of a selected task is refused
at_least = 0.70
target = "fixed-tasks"           # or "task-population"
basis = "bound"                  # or "estimate"

[[check]]
name = "no time bombs"
flakiness_at_most = 0.2
basis = "estimate"               # the default here; "bound" asks for proof

[[factor]]                       # for contrast
name = "recall order"
setting = "recall_order"
off = "unsorted"
on = "score-then-id"
source = "tool"                  # sampling | tool | concurrency | environment
"""


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def to_file(text: str, name: str = "surefoot.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return to_file


def mistakes_of(path: Path) -> tuple[PlanMistake, ...]:
    with pytest.raises(PlanError) as refused:
        load_plan(path)
    return refused.value.mistakes


def test_a_plan_with_every_key_is_read_whole(write: Any) -> None:
    path = write(WHOLE_PLAN)
    plan = load_plan(path)
    assert (plan.name, plan.confidence_level, plan.bound) == ("deskbook release 7", 0.95, "guaranteed")
    assert (plan.max_unscored, plan.on_inconclusive, plan.identical_outputs) == (0.05, "block", "keep")
    assert plan.system == PythonSystem(
        adapter="python",
        function="oncall:answer",
        version="files:oncall/**",
        settings={"temperature": 0.7},
        concurrency=8,
        time_limit="60s",
        infra_retries=2,
        price_per_trial=0.05,
    )
    assert plan.system.time_limit == 60
    assert plan.tasks is not None
    assert plan.tasks.file == "tasks.jsonl"
    assert plan.repeats is not None
    assert plan.repeats.of(["read-only", "high-risk"]) == 12
    assert [type(check) for check in plan.checks] == [
        RateCheck,
        ForbidCheck,
        RateCheck,
        MeanCheck,
        PassHatCheck,
        FlakinessCheck,
    ]
    assert [check.limit for check in plan.checks] == [0.01, None, 0.9, 0.02, 0.7, 0.2]
    assert plan.checks[0].where == "kind = 'restricted'"
    assert [factor.on for factor in plan.factors] == ["score-then-id"]
    assert plan.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert plan.source == str(path)


def test_a_plan_that_grades_logs_needs_no_system(write: Any) -> None:
    plan = load_plan(write('name = "x"\n[[check]]\npass_hat = 5\nat_least = "70%"\n'))
    assert (plan.system, plan.tasks, plan.repeats) == (None, None, None)
    assert plan.checks[0].name == "pass^5 at least 70 %"


def test_a_plan_inside_pyproject(write: Any) -> None:
    head = '[project]\nname = "p"\nversion = "1"\n\n'
    body = '[tool.surefoot]\nname = "x"\n\n[[tool.surefoot.check]]\nforbid = "leaked"\n'
    plan = load_plan(write(head + body, "pyproject.toml"))
    assert (plan.name, plan.checks[0].value) == ("x", "leaked")
    wrong = write(head + body.replace("forbid", "forbids"), "pyproject.toml")
    assert [(m.line, m.field) for m in mistakes_of(wrong)] == [(8, "check 1"), (9, "check 1, forbids")]


def test_a_pyproject_without_a_plan(write: Any) -> None:
    path = write('[project]\nname = "p"\n[tool]\nsurefoot = 1\n', "pyproject.toml")
    with pytest.raises(UsageError, match=r"no table \[tool\.surefoot\]"):
        load_plan(path)


def test_a_byte_order_mark_and_line_ends_of_windows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "surefoot.toml"
    path.write_bytes(b'\xef\xbb\xbfname = "x"\r\n\r\n[[check]]\r\nforbid = "a b"\r\n')
    assert [(m.line, m.field) for m in mistakes_of(path)] == [(4, "check 1, forbid")]


def test_a_file_that_cannot_be_read_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nothing\.toml: no such file"):
        load_plan(tmp_path / "nothing.toml")
    with pytest.raises(UsageError, match="is a folder; expected a plan such as"):
        load_plan(tmp_path)
    with pytest.raises(UsageError, match="cannot be read"):
        load_plan("a\0b")
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'name = "x"\nsystem = "caf\xe9"\n')
    with pytest.raises(UsageError, match="line 2 is not text in UTF-8"):
        load_plan(latin)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("name = ", 1),
        ('name = "x"\n\nbound = [1,\n2\n', 4),
        ("a = 1\na = 2\n", 2),
        ('name = "x"\nb = """\nnever closed', 3),
        ("name = 'x'\n[[check]]\n[check]\n", 3),
        ("name = 'x'\n[[check]\n", 2),
        ("a = 1979-99-99\n", 1),
        ("a = " + "9" * 5_000, None),
        ("a = " + "[" * 5_000, None),
    ],
)
def test_what_is_no_toml_is_one_mistake_with_its_line(text: str, line: int | None, write: Any) -> None:
    (mistake,) = mistakes_of(write(text))
    assert (mistake.line, mistake.field) == (line, "TOML")
    assert "(at " not in mistake.message.replace("(at the end of the file)", "")


FAULTY_PLAN = """\
nam = "x"
confidence_level = 0.5
bound = "guarantied"
max_unscored = "120%"
[system]
adapter = "pyton"
concurrency = 2.5
[repeats]
default = 3
[[check]]
event = "leaked"
at_mst = "1%"
where = '''
passed
'''
[[check]]
name = "b"
event = "leaked"
forbid = "x"
[[check]]
name = "b"
event = "leaked"
at_most = 7
detector = { caught = 3, planted = 2, inbound = true }
[[check]]
success = "leaked"
at_most = "1%"
[[check]]
pass_hat = 5
at_least = 0.7
[[check]]
forbid = "(select 1)"
at_most = 0.1
[[check]]
evnt = "x"
[[check]]
flakiness_at_most = true
cluster = "a+"
[[check]]
name = "last"
event = "leaked"
at_most = nan
where = "leaked is not null"
detector = { caught = 1, planted = 2, in_bound = true }
[[factor]]
name = "x"
setting = "s"
off = 1
on = 1
source = "tools"
"""


def test_all_mistakes_are_told_at_once_each_with_its_line(write: Any) -> None:
    found = [(m.line, m.field, m.message) for m in mistakes_of(write(FAULTY_PLAN))]
    expected = [
        (None, "name", "missing"),
        (1, "nam", "did you mean name?"),
        (2, "confidence_level", "from 0.75 up to but not 1"),
        (3, "bound", 'did you mean "guaranteed"?'),
        (4, "max_unscored", "up to but not 1"),
        (5, "system", "needs its tasks"),
        (6, "system.adapter", 'expected one of "python", "command"'),
        (7, "system.concurrency", "expected a whole number, got 2.5"),
        (12, "check 1, at_mst", "did you mean at_most?"),
        (13, "check 1, where", "known only after a trial"),
        (19, "check 2, forbid", "two kinds in one check: event and forbid"),
        (21, "check 3, name", "also the name of check 2"),
        (23, "check 3, at_most", "between 0 and 1"),
        (24, "check 3, detector.inbound", "did you mean in_bound?"),
        (27, "check 4, at_most", "success goes with at_least"),
        (29, "check 5, pass_hat", "needs 5 repeats of each task, and [repeats] plans 3 by default"),
        (32, "check 6, forbid", "uses a query"),
        (33, "check 6, at_most", "unknown key"),
        (34, "check 7", "needs one of event, success"),
        (35, "check 7, evnt", "did you mean event?"),
        (37, "check 8, flakiness_at_most", "such as"),
        (38, "check 8, cluster", "joined by +"),
        (42, "check 9, at_most", "got NaN"),
        (43, "check 9, where", "selecting by what happened"),
        (44, "check 9, detector.in_bound", "beside the verdict only"),
        (50, "factor 1, source", 'did you mean "tool"?'),
    ]
    assert [(line, field) for line, field, _ in found] == [(line, field) for line, field, _ in expected]
    for (_, field, message), (_, _, words) in zip(found, expected, strict=True):
        assert words in message, field


def test_the_error_lists_the_mistakes_under_the_name_of_the_file(write: Any) -> None:
    path = write('name = "x"\n[[check]]\nforbid = "leaked"\nat_most = 1\n')
    with pytest.raises(PlanError) as refused:
        load_plan(path)
    head, line = str(refused.value).splitlines()
    assert head == f"{path}: 1 mistake"
    assert line.startswith("  line 4: check 1, at_most: unknown key; known here: bound, cluster")
    assert refused.value.exit_status == 2


def test_a_mapping_of_the_same_shape_is_the_same_plan(write: Any) -> None:
    data = {"name": "x", "check": [{"event": "leaked", "at_most": 0.01}], "max_unscored": 0.05}
    from_file = load_plan(
        write('name = "x"\nmax_unscored = "5%"\n[[check]]\nevent = "leaked"\nat_most = "1%"\n')
    )
    from_python = plan_from_mapping(data)
    assert from_python.checks == from_file.checks
    assert from_python.max_unscored == from_file.max_unscored
    assert from_python.source == "plan"
    assert from_python.sha256 == plan_from_mapping(dict(reversed(data.items()))).sha256
    assert from_python.sha256 != plan_from_mapping({**data, "name": "y"}).sha256


def test_a_mapping_may_hold_checks_already_made() -> None:
    check = ForbidCheck(forbid="leaked")
    assert plan_from_mapping({"name": "x", "check": [check]}).checks == (check,)
    with pytest.raises(PlanError, match="also the name of check 1"):
        plan_from_mapping({"name": "x", "check": [check, {"forbid": "leaked"}]})


@pytest.mark.parametrize("data", [None, 1, "surefoot", [1]])
def test_what_is_no_mapping_is_no_plan(data: Any) -> None:
    with pytest.raises(UsageError, match="expected a plan as a mapping"):
        plan_from_mapping(data)


def test_flags_make_a_plan_of_one_check() -> None:
    plan = plan_from_check({"event": "breached", "at_most": "5%", "cluster": "a+b"}, confidence_level="99%")
    assert (plan.name, plan.confidence_level, plan.source) == ("breached at most 5 %", 0.99, "command line")
    assert plan.checks[0].cluster_parts == ("a", "b")


def test_mistakes_of_flags_are_named_as_the_flags_are() -> None:
    with pytest.raises(PlanError) as refused:
        plan_from_check({"event": "a", "at_most": 2, "where": "passed"}, bound="none")
    assert [(m.line, m.field) for m in refused.value.mistakes] == [
        (None, "at_most"),
        (None, "bound"),
        (None, "where"),
    ]
    with pytest.raises(PlanError, match="two kinds in one check: event and pass_hat"):
        plan_from_check({"event": "a", "pass_hat": 2, "at_least": 0.5})


ODD_VALUES = st.sampled_from(
    [
        1,
        0,
        -1,
        2.5,
        0.5,
        True,
        "",
        "x",
        "1%",
        "guaranteed",
        [],
        [1],
        {},
        {"a": 1},
        {1: 2, "a": 3},
        [{}],
        float("nan"),
        None,
        "\ud800",
    ]
)
ODD_KEYS = st.sampled_from(
    [
        "name",
        "confidence_level",
        "bound",
        "max_unscored",
        "system",
        "tasks",
        "repeats",
        "check",
        "factor",
        "event",
        "success",
        "at_most",
        "at_least",
        "forbid",
        "pass_hat",
        "mean",
        "where",
        "cluster",
        "detector",
        "flakiness_at_most",
        "adapter",
        "function",
        "default",
        "by_tag",
        "odd",
        1,
        None,
        ("a", "b"),
        "\ud800",
    ]
)
TABLES = st.dictionaries(ODD_KEYS, ODD_VALUES, max_size=5)


@settings(max_examples=200, deadline=None)
@given(header=TABLES, checks=st.lists(TABLES, max_size=2), system=TABLES, repeats=TABLES)
def test_no_shape_of_data_ends_in_anything_but_a_plan_or_its_mistakes(
    header: dict[str, Any], checks: list[Any], system: dict[str, Any], repeats: dict[str, Any]
) -> None:
    data = {**header, "check": checks, "system": system, "repeats": repeats}
    with pytest.raises(PlanError) as refused:
        plan_from_mapping(data)
    assert all(mistake.message and mistake.field for mistake in refused.value.mistakes)


def test_any_two_mistakes_are_both_told(write: Any) -> None:
    spoiled = {
        "bound": 'bound = "no"',
        "odd": "odd = 1",
        "check 1, at_most": '[[check]]\nevent = "leaked"\nat_most = 2',
        "check 1, where": '[[check]]\nforbid = "leaked"\nwhere = "error is null"',
        "check 1, odd": '[[check]]\nforbid = "leaked"\nodd = 1',
        "tasks.file": "[tasks]\nfile = 1",
    }
    for one, two in itertools.combinations(spoiled, 2):
        text = 'name = "x"\n' + "\n".join(
            sorted((spoiled[one], spoiled[two]), key=lambda part: part.startswith("["))
        )
        fields = {mistake.field for mistake in mistakes_of(write(text))}
        wanted = {one, two} if not (one.startswith("check") and two.startswith("check")) else set()
        assert wanted <= fields
        assert len(fields) == 2
