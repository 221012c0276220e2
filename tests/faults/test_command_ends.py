"""The command at its edges, each in a process of its own: Ctrl-C, no reader, a full disk, letters it cannot print.

Exit status 1 means FAIL, so no accident may end with it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-c", "from surefoot.cli.main import main; main()"]


def ended(arguments, *, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **environment):
    ran = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        stdout=stdout,
        stderr=stderr,
        text=True,
        encoding="utf-8",
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "80", **environment},
        timeout=60,
    )
    assert "Traceback" not in (ran.stderr or "")
    assert "Exception ignored" not in (ran.stderr or "")
    return ran


@pytest.fixture
def failing(tmp_path):
    """Arguments that end in FAIL: every task fails every time."""
    path = tmp_path / "runs.csv"
    path.write_text("task,passed\n" + "".join(f"t{i},false\n" for i in range(60)))
    return ["grade", path, "--success", "passed", "--at-least", "90%"]


@pytest.fixture
def undecided(tmp_path):
    """Arguments that end in INCONCLUSIVE, with a long report."""
    path = tmp_path / "runs.csv"
    path.write_text("task,passed\n" + "".join(f"t{i},{i % 2 == 0}\n" for i in range(10)))
    return ["grade", path, "--success", "passed", "--at-least", "50%"]


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_reader_that_has_gone_does_not_change_the_exit_status(failing, undecided, form):
    for arguments, status in ((failing, 1), (undecided, 3)):
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "w") as gone:
            assert ended([*arguments, *form], stdout=gone).returncode == status


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_closed_output_does_not_change_the_exit_status(undecided, form):
    shell = ["sh", "-c", '"$@" >&-', "sh", *COMMAND, *map(str, undecided), *form]
    ran = subprocess.run(shell, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (3, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("arguments", [["bound", "0/120"], ["bound", "0/120", "--json"], ["--help"]])
def test_a_full_disk_is_one_clear_line(arguments):
    with Path("/dev/full").open("w") as full:
        ran = ended(arguments, stdout=full)
    assert ran.returncode == 2
    assert "No space left" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_where_an_error_cannot_be_told_the_exit_status_still_says_it(tmp_path):
    with Path("/dev/full").open("w") as full:
        assert ended(["grade", tmp_path / "nowhere.csv"], stderr=full).returncode == 4


def test_a_letter_the_terminal_lacks_is_written_out(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("task,passed\nm\u00fcller,true\nm\u00fcller,false\n", encoding="utf-8")
    ran = ended(["grade", path], PYTHONIOENCODING="ascii")
    assert ran.returncode == 0
    assert "m\\xfcller" in ran.stdout


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process here")
def test_ctrl_c_while_the_engine_reads_exits_130(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text(
        "task,trial,passed\n" + "".join(f"t{i // 10},{i % 10},true\n" for i in range(20_000)) * 100
    )
    process = subprocess.Popen(
        [*COMMAND, "grade", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in error
    assert "interrupted" in error


def test_the_engine_s_own_word_for_ctrl_c_exits_130(tmp_path, monkeypatch, capsys):
    import surefoot.api
    from surefoot.cli.main import run

    def interrupted(*_, **__):
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr(surefoot.api, "read", interrupted)
    assert run(["grade", str(tmp_path)]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_without_a_command_the_help_is_shown_as_it_is(capsys):
    from surefoot.cli.main import run

    assert run([]) == 2
    assert capsys.readouterr().err.startswith("Usage: surefoot")


@pytest.mark.parametrize("level", ["95", "50%", "100%"])
def test_a_confidence_level_without_a_check_is_refused_in_the_words_of_its_flag(failing, capsys, level):
    from surefoot.cli.main import run

    assert run(["grade", str(failing[1]), "--confidence", level]) == 2
    assert capsys.readouterr().err.startswith("surefoot: --confidence: expected a confidence level")


def test_a_share_that_is_none_is_refused_with_its_flag_named_once(failing, capsys):
    from surefoot.cli.main import run

    assert run(["bound", "0/120", "--at-most", "1,5%"]) == 2
    assert capsys.readouterr().err.splitlines()[0].count("--at-most") == 1
