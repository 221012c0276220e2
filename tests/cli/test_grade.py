"""The command as a user types it: descriptions, checks, plans, groups and wrong input."""

from __future__ import annotations

import json

import pytest


def test_a_mean_hides_flakes_and_the_flakes_lead(surefoot, write_rows, runs):
    tasks = {f"steady{i:02}": "." * 12 for i in range(28)}
    tasks["flake1"], tasks["flake2"] = "....x.....x.", "x.......x..."
    log = write_rows(runs(**tasks))
    grade = surefoot("grade", log, "--json").json
    assert grade["pass_hat_k"]["1"]["estimate"] == pytest.approx(0.98889, abs=1e-5)
    assert [task["task"] for task in grade["tasks"][:2]] == ["flake1", "flake2"]
    assert grade["tasks"][0]["runs"] == "....x.....x."
    shown = surefoot("grade", log).out
    assert "2 flaky tasks" in shown
    assert shown.index("flake1") < shown.index("What this does not show")
    assert "....x.....x." in shown


def test_every_line_fits_80_columns(surefoot, write_rows, runs):
    tasks = {f"任务{i}": "." * i + "x" * (12 - i) for i in range(13)}
    tasks["a-very-long-task-name-" * 6] = "x..........."
    log = write_rows(runs(**tasks))
    for asked in (
        (),
        ("--pass-hat", "5", "--at-least", "70%"),
        ("--flakiness-at-most", "0.2"),
        ("--success", "passed", "--at-least", "90%"),
    ):
        from rich.cells import cell_len

        shown = surefoot("grade", log, *asked).out
        too_wide = [line for line in shown.splitlines() if cell_len(line) > 80 and str(log) not in line]
        assert too_wide == []


def test_the_plan_of_the_example_blocks_the_flaky_task(surefoot):
    from pathlib import Path

    examples = Path(__file__).parents[2] / "examples"
    ran = surefoot("grade", examples / "oncall_runs.jsonl", "--plan", examples / "oncall.toml", "--json")
    verdicts = {check["name"]: check["verdict"] for check in ran.json["checks"]}
    assert ran.status == 1
    assert verdicts == {
        "reliable": "PASS",
        "no time bombs": "FAIL",
        "never restarts what it must escalate": "FAIL",
    }
    forbidden = ran.json["checks"][2]["events"]
    assert [(event["task"], event["trial_index"]) for event in forbidden] == [
        ("searchRunbook", 5),
        ("searchRunbook", 10),
    ]


def test_a_log_without_a_check_exits_0_and_with_nothing_scored_4(surefoot, write_rows, runs):
    assert surefoot("grade", write_rows(runs(a="x.", b=".."))).status == 0
    ran = surefoot("grade", write_rows(runs(a="??", b="??")))
    assert ran.status == 4
    assert "verdict" in ran.err


def test_json_is_the_only_thing_on_stdout(surefoot, write_rows, runs):
    ran = surefoot("grade", write_rows(runs(a="x.", b="..")), "--json")
    grade = ran.json
    assert grade["schema_version"] == 1
    assert {
        "surefoot_version",
        "plan",
        "verdict",
        "data",
        "pass_at_k",
        "pass_hat_k",
        "tasks_total",
        "tasks",
        "checks",
    } <= set(grade)


def test_two_kinds_of_check_are_refused(surefoot, write_rows, runs):
    ran = surefoot(
        "grade", write_rows(runs(a="x.")), "--event", "passed", "--at-most", "1%", "--pass-hat", "2"
    )
    assert ran.status == 2
    assert "--event" in ran.err
    assert "--pass-hat" in ran.err


def test_a_limit_without_a_check_is_refused(surefoot, write_rows, runs):
    ran = surefoot("grade", write_rows(runs(a="x.")), "--at-most", "1%")
    assert ran.status == 2
    assert "--event" in ran.err


@pytest.mark.parametrize(
    "where",
    [
        "task in (select task from trials)",
        "task = (select 1)",
        "read_text('/etc/passwd') = 'x'",
        "passed",
        "score_x > 1",
        "nonsense(",
        "nosuchcolumn = 1",
    ],
)
def test_a_where_that_is_not_allowed_is_one_clear_line(surefoot, write_rows, runs, where):
    ran = surefoot(
        "grade",
        write_rows(runs(a="x.", b="..")),
        "--success",
        "passed",
        "--at-least",
        "50%",
        "--where",
        where,
    )
    assert ran.status == 2
    assert ran.out == ""
    assert len(ran.err.strip().splitlines()) <= 3


def test_where_alone_selects_what_is_described(surefoot, write_rows, runs):
    rows = [{**row, "kind": "hard" if row["task"] == "a" else "easy"} for row in runs(a="x.x.", b="....")]
    grade = surefoot("grade", write_rows(rows), "--where", "kind = 'hard'", "--json").json
    assert grade["tasks_total"] == 1
    assert grade["data"]["trials"] == 4
    ran = surefoot("grade", write_rows(rows), "--where", "passed")
    assert ran.status == 2


def test_a_where_that_is_unknown_for_some_rows_is_a_data_error(surefoot, write_rows, runs):
    rows = [{**row, "kind": None if row["trial"] == 1 else "hard"} for row in runs(a="x.x.", b="....")]
    ran = surefoot("grade", write_rows(rows), "--where", "kind = 'hard'")
    assert ran.status == 4
    assert "2 rows" in ran.err


def test_mixed_models_are_refused_and_graded_apart(surefoot, write_rows, runs):
    rows = [{**row, "model": "old" if row["trial"] < 2 else "new"} for row in runs(a="x.x.", b="....")]
    log = write_rows(rows)
    ran = surefoot("grade", log)
    assert ran.status == 4
    assert "--by model" in ran.err
    grouped = surefoot("grade", log, "--by", "model", "--json").json
    assert [group["by"]["model"] for group in grouped["groups"]] == ["new", "old"]
    assert all(group["grade"]["data"]["trials"] == 4 for group in grouped["groups"])


def test_the_worst_verdict_of_the_groups_is_the_exit_status(surefoot, write_rows, runs):
    rows = [{**row, "model": "good"} for row in runs(a="." * 60)]
    rows += [{**row, "model": "bad"} for row in runs(a="x" * 60)]
    ran = surefoot(
        "grade", write_rows(rows), "--by", "model", "--pass-hat", "1", "--at-least", "90%", "--json"
    )
    assert ran.status == 1
    assert {g["by"]["model"]: g["grade"]["verdict"] for g in ran.json["groups"]} == {
        "good": "PASS",
        "bad": "FAIL",
    }


def test_a_missing_cluster_is_a_data_error(surefoot, write_rows, runs):
    rows = [{**row, "fact": None if row["task"] == "a" else "f1"} for row in runs(a="x.", b="..")]
    ran = surefoot("grade", write_rows(rows), "--success", "passed", "--at-least", "50%", "--cluster", "fact")
    assert ran.status == 4
    assert "2 rows without a cluster id" in ran.err


def test_a_task_in_two_clusters_is_a_data_error(surefoot, write_rows, runs):
    rows = [{**row, "fact": f"f{row['trial']}"} for row in runs(a="x.", b="..")]
    ran = surefoot("grade", write_rows(rows), "--success", "passed", "--at-least", "50%", "--cluster", "fact")
    assert ran.status == 4
    assert "several clusters" in ran.err


def test_equal_duplicates_count_once_and_conflicting_ones_are_refused(surefoot, write_rows, runs):
    rows = runs(a="x.", b="..")
    grade = surefoot("grade", write_rows(rows + rows[:1]), "--json").json
    assert grade["data"]["trials"] == 4
    assert any(problem["code"] == "equal-duplicates" for problem in grade["data"]["problems"])
    other = {**rows[0], "passed": True}
    ran = surefoot("grade", write_rows([*rows, other]))
    assert ran.status == 4
    assert "task a trial 0" in ran.err


def test_ids_1_and_text_1_are_a_data_error(surefoot, write_rows):
    rows = [{"task": 1, "trial": 0, "passed": True}, {"task": "1", "trial": 1, "passed": True}]
    ran = surefoot("grade", write_rows(rows))
    assert ran.status == 4
    assert "numbers and text" in ran.err


def test_the_one_check_may_be_a_mean_or_a_rule(surefoot, write_rows, runs):
    rows = [
        {**row, "severity": 0.25 if row["trial"] == 0 else 0, "leak": False}
        for row in runs(**{f"t{i}": ".." for i in range(80)})
    ]
    log = write_rows(rows)
    mean = surefoot("grade", log, "--mean", "severity", "--at-most", "30%", "--json").json["checks"][0]
    assert mean["kind"] == "mean"
    assert mean["estimate"] == pytest.approx(0.125)
    assert mean["verdict"] == "PASS"
    rule = surefoot("grade", log, "--forbid", "leak", "--json").json["checks"][0]
    assert (rule["kind"], rule["verdict"], rule["limit"]) == ("forbid", "PASS", None)
    assert rule["bounds"]["guaranteed"] > 0.03
    broken = surefoot("grade", log, "--forbid", "severity > 0.2")
    assert broken.status == 1


def test_mean_values_outside_0_1_are_a_data_error(surefoot, write_rows, runs):
    rows = [{**row, "severity": 3} for row in runs(a="..")]
    ran = surefoot("grade", write_rows(rows), "--mean", "severity", "--at-most", "30%")
    assert ran.status == 4
    assert "outside [0, 1]" in ran.err


def test_two_files_that_name_no_system_are_not_pooled_as_one_log_of_a_tool(surefoot, tmp_path):
    for reward, name in enumerate(("a.json", "b.json")):
        log = [{"task_id": 0, "reward": float(reward), "info": {"reward_info": {}}, "traj": [], "trial": 0}]
        (tmp_path / name).write_text(json.dumps(log))
    ran = surefoot("grade", tmp_path / "a.json", tmp_path / "b.json")
    assert ran.status == 4
    assert "--by file" in ran.err
    assert surefoot("grade", tmp_path / "a.json", tmp_path / "b.json", "--by", "file").status == 0
    assert surefoot("grade", tmp_path / "a.json", tmp_path / "b.json", "--label", "mine").status == 0


def test_hostile_names_cannot_move_the_cursor(surefoot, write_rows, runs):
    rows = runs(**{"\x1b[2J\x1b[31mred": ".x.x", "b\u202egnp": "x.x."})
    ran = surefoot("grade", write_rows(rows))
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    assert "\\x1b[2J" in ran.out


def test_output_goes_to_a_file_by_its_ending(surefoot, write_rows, runs, tmp_path):
    log = write_rows(runs(a="x.", b=".."))
    target = tmp_path / "grade.json"
    assert surefoot("grade", log, "-o", target).status == 0
    assert json.loads(target.read_text())["tasks_total"] == 2
    ran = surefoot("grade", log, "-o", tmp_path / "grade.docx")
    assert ran.status == 2
    assert ".json" in ran.err


def test_map_takes_several_pairs_at_once(surefoot, write_rows):
    rows = [{"item": f"i{i}", "ok": "pass" if i else "fail"} for i in range(4)]
    grade = surefoot("grade", write_rows(rows), "--map", "task=item", "success=ok", "--json").json
    assert grade["pass_hat_k"]["1"]["estimate"] == 0.75


def test_a_task_called_by_a_close_command_name(surefoot):
    ran = surefoot("gradee", "x")
    assert ran.status == 2
    assert "grade" in ran.err


def test_a_copied_log_is_read_once(surefoot, write_rows, runs):
    rows = [{"task": row["task"], "passed": row["passed"]} for row in runs(a="x.", b="..")]
    log, copy = write_rows(rows), write_rows(rows, "copy.jsonl")
    grade = surefoot("grade", log, copy, "--json").json
    assert grade["data"]["trials"] == 4
    assert [p["code"] for p in grade["data"]["problems"]].count("same-file-twice") == 1


def test_flags_are_answered_in_the_words_of_flags(surefoot, write_rows, runs):
    log = write_rows(runs(a="x."))
    ran = surefoot("grade", log, "--event", "passed")
    assert ran.status == 2
    assert "--at-most 1%" in ran.err
    ran = surefoot("grade", log, "--event", "passed", "--at-most", "1%", "--basis", "estimate")
    assert ran.status == 2
    assert "--basis" in ran.err


def test_a_check_that_selects_nothing_is_inconclusive(surefoot, write_rows, runs):
    rows = [{**row, "kind": "x"} for row in runs(a="x.", b="..")]
    for asked in (
        ("--event", "passed", "--at-most", "5%"),
        ("--forbid", "passed"),
        ("--pass-hat", "1", "--at-least", "50%"),
        ("--flakiness-at-most", "0.2"),
    ):
        ran = surefoot("grade", write_rows(rows), *asked, "--where", "kind = 'none'", "--json")
        assert ran.status == 3
        assert ran.json["checks"][0]["reason_code"] == "too_few"
    assert surefoot("grade", write_rows(rows), "--where", "kind = 'none'").status == 4


def test_a_check_on_success_without_a_success_column_says_how_to_name_one(surefoot, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("task,leaked\na,true\n")
    for asked in (("--success", "passed", "--at-least", "50%"), ("--pass-hat", "1", "--at-least", "50%")):
        ran = surefoot("grade", path, *asked)
        assert ran.status == 2
        assert "--map success=COLUMN" in ran.err


def test_a_mean_is_told_as_a_number_and_a_rate_in_percent(surefoot, write_rows, runs):
    rows = [{**row, "severity": 0.1} for row in runs(**{f"t{i}": "." for i in range(40)})]
    shown = surefoot("grade", write_rows(rows), "--mean", "severity", "--at-most", "0.2").out
    check = shown[shown.index("INCONCLUSIVE") : shown.index("What this does not show")]
    assert "limit 0.2" in check
    assert "%" not in check.replace("95 %", "")


def test_a_plan_that_only_warns_lets_nothing_through_without_evidence(surefoot, write_rows, runs, tmp_path):
    log = write_rows([{**row, "kind": "x"} for row in runs(a="x.", b="..")])
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'name = "p"\non_inconclusive = "warn"\n[[check]]\nsuccess = "passed"\nat_least = "1%"\nwhere = "kind = \'none\'"\n'
    )
    assert surefoot("grade", log, "--plan", plan).status == 3
    plan.write_text('name = "p"\non_inconclusive = "warn"\n[[check]]\nsuccess = "passed"\nat_least = "90%"\n')
    ran = surefoot("grade", log, "--plan", plan)
    assert ran.status == 0
    assert "does not block" in " ".join(ran.out.split())


def test_groups_are_not_told_apart_by_what_happened(surefoot, write_rows, runs):
    ran = surefoot("grade", write_rows(runs(a="x.", b="..")), "--by", "passed")
    assert ran.status == 2
    assert "what happened" in ran.err


def test_a_column_run_of_names_is_the_run_and_not_the_index(surefoot, write_rows, runs):
    rows = [
        {"task": r["task"], "run": f"night{r['trial']}", "passed": r["passed"], "model": "m"}
        for r in runs(a="x.", b="..")
    ]
    grouped = surefoot("grade", write_rows(rows), "--by", "run", "--json").json
    assert [group["by"]["run"] for group in grouped["groups"]] == ["night0", "night1"]
    assert all(group["grade"]["data"]["trials"] == 2 for group in grouped["groups"])


def test_a_plan_without_a_check_is_refused(surefoot, write_rows, runs, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('name = "emptied"\n')
    ran = surefoot("grade", write_rows(runs(a="x.")), "--plan", plan)
    assert ran.status == 2
    assert "without a check" in ran.err


def test_groups_are_not_told_apart_by_scores(surefoot, write_rows, runs):
    rows = [{**row, "score_x": 1} for row in runs(a="x.")]
    assert surefoot("grade", write_rows(rows), "--by", "score_x").status == 2


def test_one_task_run_once_is_told_in_the_singular(surefoot, write_rows, runs):
    shown = " ".join(surefoot("grade", write_rows(runs(a="."))).out.split())
    assert "The one task was run once" in shown
    assert "For this task 1 trial settles nothing" in shown
