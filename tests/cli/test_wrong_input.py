"""Wrong input, as the command meets it: one clear line, exit 4 or 2, never a traceback."""

from __future__ import annotations

import json
import zipfile

import pytest


@pytest.fixture
def refused(surefoot):
    """Runs ``grade`` on a file that cannot be graded and gives its one message."""

    def ran(*arguments, status=4):
        result = surefoot("grade", *arguments)
        assert result.status == status, result.err
        assert result.out == ""
        message = result.err.strip()
        assert message.startswith(("surefoot:", "Usage:", "Error:"))
        assert len(message.splitlines()) <= 4
        return message

    return ran


def test_an_empty_file(refused, tmp_path):
    path = tmp_path / "empty.csv"
    path.touch()
    assert "empty" in refused(path)


def test_a_file_that_does_not_exist(refused, tmp_path):
    assert "no such file" in refused(tmp_path / "nowhere.csv")


def test_a_table_without_a_task_column(refused, tmp_path):
    path = tmp_path / "wrong.csv"
    path.write_text("alpha,beta\n1,2\n")
    message = refused(path)
    assert "alpha" in message
    assert "--map task=" in message


def test_a_folder_without_a_known_log(refused, tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    assert "no known log" in refused(tmp_path)


def test_a_truncated_zip(refused, tmp_path):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}" * 4000)
        archive.writestr("summaries.json", "[]")
    path.write_bytes(path.read_bytes()[:-40])
    assert "log.eval" in refused(path)


def test_a_member_that_declares_a_gigabyte(refused, tmp_path):
    path = tmp_path / "bomb.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": {}}))
        archive.writestr("summaries.json", "[]")
    data = bytearray(path.read_bytes())
    # The sizes that the directory declares: 20 bytes into each of its entries.
    at = data.find(b"PK\x01\x02", data.find(b"summaries.json", data.find(b"PK\x01\x02")) - 60)
    data[at + 24 : at + 28] = (2**30).to_bytes(4, "little")
    path.write_bytes(bytes(data))
    message = refused(path)
    assert "bomb.eval" in message


def test_text_that_is_not_utf_8(refused, tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes("task,passed\ncafé,true\n".encode("latin-1"))
    assert "UTF-8" in refused(path)


@pytest.mark.parametrize(
    "text",
    [
        "\ufefftask,passed\na,true\nb,false\n",
        "task;passed\na;true\nb;false\n",
        "task\tpassed\na\ttrue\nb\tfalse\n",
    ],
)
def test_a_byte_order_mark_and_other_separators_are_read(surefoot, tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    grade = surefoot("grade", path, "--json")
    assert grade.status == 0
    assert grade.json["pass_hat_k"]["1"]["estimate"] == 0.5


def test_one_unreadable_file_stops_and_may_be_skipped(surefoot, refused, tmp_path):
    good, bad = tmp_path / "a.csv", tmp_path / "b.csv"
    good.write_text("task,passed\na,true\n")
    bad.write_bytes(b"task,passed\n\xff\xfe,true\n")
    assert "b.csv" in refused(good, bad)
    ran = surefoot("grade", good, bad, "--skip-unreadable", "--json")
    assert ran.status == 0
    assert any("b.csv" in problem["message"] for problem in ran.json["data"]["problems"])


@pytest.mark.parametrize("where", ["a in (select 1)", "read_csv('x')", "passed", "error is null"])
def test_a_where_that_is_not_allowed(refused, tmp_path, where):
    path = tmp_path / "log.csv"
    path.write_text("task,passed\na,true\n")
    refused(path, "--success", "passed", "--at-least", "50%", "--where", where, status=2)


def test_every_mistake_of_a_plan_is_told_with_its_line(surefoot, tmp_path):
    log, plan = tmp_path / "log.csv", tmp_path / "surefoot.toml"
    log.write_text("task,passed\na,true\n")
    plan.write_text(
        'name = "x"\nconfidence_level = 0.3\n\n[[check]]\nevent = "leaked"\nat_most = 7\nclutser = "f"\n'
    )
    ran = surefoot("grade", log, "--plan", plan)
    assert ran.status == 2
    for line in ("line 2", "line 6", "line 7"):
        assert line in ran.err
    assert "cluster" in ran.err


def test_a_check_on_a_column_the_log_does_not_have(surefoot, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("task,leaked\na,true\n")
    ran = surefoot("grade", path, "--event", "leakd", "--at-most", "1%")
    assert ran.status == 2
    assert "leaked" in ran.err


def test_interrupting_exits_130(monkeypatch, surefoot):
    import surefoot as sf

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(
        sf.api if hasattr(sf, "api") else __import__("surefoot.api", fromlist=["read"]), "read", interrupt
    )
    ran = surefoot("grade", "x.csv")
    assert ran.status == 130
    assert "interrupted" in ran.err
