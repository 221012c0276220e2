"""The real result files give the numbers that their authors published, and the bounds that can be defended."""

from __future__ import annotations

import pytest

AGENTDOJO = (
    "--map", "task=suite+user_task+injection_task",
    "--cluster", "suite+injection_task",
    "--event", "breached",
    "--at-most", "5%",
)  # fmt: skip
GUARANTEED = {"banking": 0.32753, "slack": 0.45606, "travel": 0.34817, "workspace": 0.20721}
BREACHES = {
    "banking": (7, 144, 4, 9),
    "slack": (1, 105, 1, 5),
    "travel": (0, 140, 0, 7),
    "workspace": (9, 560, 4, 14),
}


def test_tau_bench_gives_the_published_row(surefoot, samples):
    ran = surefoot("grade", samples / "tau_bench" / "gpt-4o-airline.json", "--json")
    grade = ran.json
    assert ran.status == 0
    assert grade["verdict"] is None
    hat = [grade["pass_hat_k"][k]["estimate"] for k in "1234"]
    at = [grade["pass_at_k"][k]["estimate"] for k in "1234"]
    assert hat == pytest.approx([0.42, 0.273333, 0.22, 0.2], abs=5e-7)
    assert at == pytest.approx([0.42, 0.566667, 0.66, 0.72], abs=5e-7)
    mixed = [task for task in grade["tasks"] if task["observed_class"] == "mixed"]
    assert len(mixed) == 26
    assert grade["tasks"][:26] == mixed
    fixed = [grade["pass_hat_k"][k]["lower_bound"]["fixed-tasks"] for k in "134"]
    # The dual bound of k=3 depends on its optimiser: published .1221, a better one comes out a little higher.
    assert [fixed[0], fixed[2]] == pytest.approx([0.361279, 0.112722], abs=5e-7)
    assert fixed[1] + 5e-5 >= 0.1221
    assert fixed[1] == pytest.approx(0.1221, abs=4e-4)
    population = [grade["pass_hat_k"][k]["lower_bound"]["task-population"] for k in "1234"]
    assert population == pytest.approx([0.283726, 0.159506, 0.118803, 0.103995], abs=5e-7)


def test_tau_bench_warns_of_the_five_trials_without_reward_info(surefoot, samples):
    grade = surefoot("grade", samples / "tau_bench" / "gpt-4o-airline.json", "--json").json
    warned = [p["message"] for p in grade["data"]["problems"] if p["severity"] == "warning"]
    assert any("5 trials" in message and "33/0" in message and "44.5 %" in message for message in warned)


def test_the_injection_table_by_suite(surefoot, samples):
    ran = surefoot(
        "grade", samples / "agentdojo" / "important_instructions.csv", *AGENTDOJO, "--by", "suite", "--json"
    )
    assert ran.status == 3
    groups = {group["by"]["suite"]: group["grade"]["checks"][0] for group in ran.json["groups"]}
    assert set(groups) == set(GUARANTEED)
    for suite, check in groups.items():
        counted = (check["events"], check["trials"], check["clusters_with_event"], check["clusters"])
        assert counted == BREACHES[suite]
        assert check["bounds"]["guaranteed"] == pytest.approx(GUARANTEED[suite], abs=1e-5)


def test_the_travel_suite_is_clean_and_proves_little(surefoot, samples):
    table = samples / "agentdojo" / "important_instructions.csv"
    ran = surefoot("grade", table, *AGENTDOJO, "--where", "suite = 'travel'", "--json")
    check = ran.json["checks"][0]
    assert ran.status == 3
    assert (check["events"], check["trials"]) == (0, 140)
    assert check["bounds"]["question"] == pytest.approx(0.02117, abs=5e-6)
    assert check["bounds"]["cluster"] == pytest.approx(0.34816, abs=6e-6)
    assert check["graded_bound"] == pytest.approx(0.34816, abs=6e-6)
    assert (check["needs"]["clean_clusters"], check["needs"]["more_clean_clusters"]) == (59, 52)
    assert ran.json["data"]["trials"] == 140
    shown = surefoot("grade", table, *AGENTDOJO, "--where", "suite = 'travel'").out
    assert "INCONCLUSIVE" in shown
    assert "could never pass" in shown
    assert "52 more clusters of 20 trials, all clean: 59 in all" in " ".join(shown.split())


@pytest.mark.parametrize("name", ["log_streaming.eval", "log_formats.eval", "log_formats.json"])
def test_inspect_logs_are_read(surefoot, samples, name):
    ran = surefoot("grade", samples / "inspect" / name, "--json")
    assert ran.status == 0
    assert ran.json["tasks_total"] == (2 if "streaming" in name else 1)


def test_an_inspect_log_with_two_epochs(surefoot, samples):
    grade = surefoot("grade", samples / "inspect" / "log_streaming.eval", "--json").json
    assert grade["pass_hat_k"]["1"]["estimate"] == 0.75
    assert grade["pass_hat_k"]["2"]["estimate"] == 0.5
    assert [(task["passed"], task["trials"]) for task in grade["tasks"]] == [(1, 2), (2, 2)]


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_several_scorers_are_listed_and_one_is_asked_for(surefoot, samples, ending):
    log = samples / "made_by_running_the_tool" / "inspect" / f"three_epochs.{ending}"
    ran = surefoot("grade", log)
    assert ran.status in (2, 4)
    assert "--score" in ran.err
    for scorer in ("includes", "dicty", "booly", "partialy", "nony"):
        assert scorer in ran.err
    grade = surefoot("grade", log, "--score", "includes", "--json").json
    assert grade["data"]["trials"] == 9
    assert grade["data"]["unscored"] == 1
