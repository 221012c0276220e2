"""Selecting or grouping by what happened would hide it, under whatever name the log has it."""

from __future__ import annotations

import pytest

from surefoot.errors import ExpressionError


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("item,kind,ok,took\n" + "".join(f"t{i % 5},a,{i % 3 == 0},{i}\n" for i in range(30)))
    return path


@pytest.mark.parametrize(
    ("mapped", "named"),
    [
        (["success=ok"], "ok"),
        (["success=ok"], "OK = 'True'"),
        (["success=ok = 'True'"], "ok"),
        (["success=ok", "duration_s=took"], "took > 3"),
        (["success=ok", "error=took"], "took = '3'"),
    ],
)
def test_where_may_not_name_the_column_that_was_read_as_an_outcome(surefoot, log, tmp_path, mapped, named):
    arguments = ["grade", log, "--map", "task=item", *mapped]
    ran = surefoot(*arguments, "--where", named)
    assert ran.status == 2
    assert "known only after a trial" in ran.err
    plan = tmp_path / "surefoot.toml"
    plan.write_text(f'name = "p"\n[[check]]\npass_hat = 2\nat_least = 0.5\nwhere = "{named}"\n')
    assert surefoot(*arguments, "--plan", plan).status == 2


def test_where_may_not_name_a_column_that_was_guessed_to_be_success(surefoot, tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("task,correct\na,1\na,0\nb,1\nb,1\n")
    assert surefoot("grade", path).status == 0
    assert surefoot("grade", path, "--where", "correct = 1").status == 2


@pytest.mark.parametrize("mapped", ["success=ok", "success=ok = 'True'"])
def test_groups_may_not_be_told_apart_by_it_either(surefoot, log, mapped):
    ran = surefoot("grade", log, "--map", "task=item", mapped, "--by", "ok")
    assert ran.status == 2
    assert "says what happened" in ran.err


def test_other_columns_stay_free(surefoot, log):
    arguments = ["grade", log, "--map", "task=item", "success=ok = 'True' and item <> 'ok'"]
    assert surefoot(*arguments, "--where", "kind = 'a'", "--by", "kind").status == 0


def test_in_python_too():
    import surefoot as sf

    rows = [{"task": f"t{i % 5}", "ok": i % 3 == 0} for i in range(30)]
    trials = sf.read(rows, mapping={"success": "ok"})
    with pytest.raises(ExpressionError, match="known only after a trial"):
        sf.grade(trials, where="ok")
