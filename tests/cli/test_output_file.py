"""A grade is never written over a log that it grades."""

from __future__ import annotations

import pytest

LOG = '[{"task": "a", "trial": 0, "passed": true}, {"task": "a", "trial": 1, "passed": false}]'


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "runs.json"
    path.write_text(LOG)
    return path


@pytest.mark.parametrize("name", ["runs.json", "folder/../runs.json", "link.json"])
def test_a_log_is_not_overwritten(surefoot, log, tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.json").symlink_to(log)
    ran = surefoot("grade", log, "-o", tmp_path / name)
    assert ran.status == 2
    assert "is a log that is graded" in ran.err
    assert log.read_text() == LOG


def test_an_earlier_grade_is_overwritten(surefoot, log, tmp_path):
    for _ in range(2):
        assert surefoot("grade", log, "-o", tmp_path / "grade.json").status == 0
    assert log.read_text() == LOG
