"""Data problems, each one pure function from Counts to a finding with what to do."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.grading import wording
from surefoot.grading.counts import CheckCounts, Counts
from surefoot.plan.checks import Check
from surefoot.trials.findings import Finding

_PEOPLE_WORDS = ("role", "user", "persona", "customer", "caller", "asker")


def data_problems(counts: Counts, checks: tuple[Check, ...]) -> tuple[Finding, ...]:
    """All that a reader of the numbers must know about the data, errors first."""
    found = [
        *mixed_provenance(counts),
        *unknown_provenance(counts),
        *missing_task(counts),
        *mixed_id_types(counts),
        *conflicting_duplicates(counts),
        *equal_duplicates(counts),
        *unscored_by_cause(counts),
        *identical_outputs(counts),
        *single_runs(counts),
        *uneven_trials(counts),
    ]
    for check, check_counts in zip(checks, counts.checks, strict=True):
        found += [
            *missing_cluster(check, check_counts),
            *split_tasks(check, check_counts),
            *unknown_where(check, check_counts),
            *out_of_range(check, check_counts),
            *nothing_selected(check, check_counts),
            *people_as_cluster(check),
            *one_cluster(check, check_counts),
            *too_few_for_k(check, check_counts),
        ]
    order = {"error": 0, "warning": 1, "note": 2}
    return tuple(sorted(dict.fromkeys(found), key=lambda finding: order[finding.severity]))


def mixed_provenance(counts: Counts) -> Iterator[Finding]:
    mixed = {name: values for name, values in counts.provenance.items() if len(values) > 1}
    if not mixed:
        return
    told = "; ".join(
        f"{name}: {', '.join('(none)' if value is None else _short(value) for value in values[:4])}"
        f"{', ...' if len(values) > 4 else ''}"
        for name, values in mixed.items()
    )
    # Whom people compare first; the file tells apart what no one column does.
    by = next((name for name in ("model", "system", "version") if name in mixed), next(iter(mixed)))
    also = "" if len(mixed) == 1 else ", or --by file"
    yield Finding(
        "mixed-provenance",
        "error",
        f"these trials do not come from one system ({told}). Pooled, they would describe none",
        f"grade each apart: --by {by}{also}",
    )


def unknown_provenance(counts: Counts) -> Iterator[Finding]:
    known = any(value is not None for values in counts.provenance.values() for value in values)
    if counts.runs > 1 and not known and "run" not in counts.by and "file" not in counts.by:
        yield Finding(
            "unknown-provenance",
            "error",
            f"{wording.count(counts.runs, 'run')} that name no system, model or version: nothing shows that they "
            "are runs of one system",
            "grade each apart: --by file; or, if they are one system, say so: --label NAME",
        )
    elif counts.runs > 1 and "run" not in counts.by:
        yield Finding(
            "runs-pooled",
            "note",
            f"{wording.count(counts.runs, 'run')} of the same system, model and version are counted together",
            "to see each apart: --by run",
        )


def missing_task(counts: Counts) -> Iterator[Finding]:
    if counts.missing_task:
        yield Finding(
            "missing-task",
            "error",
            f"{wording.count(counts.missing_task, 'row')} of {counts.rows:,} without a task id",
            "give each row its task, or leave the rows out with --where",
        )


def mixed_id_types(counts: Counts) -> Iterator[Finding]:
    if counts.mixed_id_types:
        yield Finding(
            "mixed-id-types",
            "error",
            f"task ids are both numbers and text that look the same: {', '.join(counts.mixed_id_types)} "
            '(1 and "1" may be one task or two)',
            "write the ids of one task in one way",
        )


def conflicting_duplicates(counts: Counts) -> Iterator[Finding]:
    if counts.duplicates.conflicting:
        yield Finding(
            "conflicting-duplicates",
            "error",
            f"{wording.count(counts.duplicates.conflicting, 'trial')} recorded more than once with different "
            f"results, such as {'; '.join(counts.duplicates.examples[:3])}",
            "if the files are of different systems or runs, grade each apart: --by file; else remove the wrong record",
        )


def equal_duplicates(counts: Counts) -> Iterator[Finding]:
    if counts.duplicates.equal:
        yield Finding(
            "equal-duplicates",
            "note",
            f"{wording.count(counts.duplicates.equal, 'row')} repeated a trial already counted "
            "(same task, index and result): counted once",
        )


def unscored_by_cause(counts: Counts) -> Iterator[Finding]:
    if counts.unscored:
        causes = ", ".join(f"{cause} {trials:,}" for cause, trials in counts.unscored_by_cause.items())
        yield Finding(
            "unscored",
            "warning",
            f"{wording.count(counts.unscored, 'trial')} of {counts.rows:,} without a verdict ({causes}). "
            "They count at the bad end for PASS and at the good end for FAIL",
            "score or run them again; leaving them out would hide them",
        )


def identical_outputs(counts: Counts) -> Iterator[Finding]:
    if counts.identical_output_tasks:
        yield Finding(
            "identical-outputs",
            "warning",
            f"{wording.count(counts.identical_output_tasks, 'task')} of {counts.repeated_tasks:,} repeated ones gave "
            "the same output every time: a deterministic system and a cache look alike here. From a cache, "
            "repeats prove nothing",
            'make sure no cache answers; in a plan, identical_outputs = "collapse" or "refuse" is stricter',
        )


def single_runs(counts: Counts) -> Iterator[Finding]:
    passes = counts.passes
    if passes is None or passes.task_count == 0:
        return
    once = int(passes.tasks[passes.trials == 1].sum())
    if once == passes.task_count:
        yield Finding(
            "single-runs",
            "warning",
            f"{'the one task' if once == 1 else f'each of the {once:,} tasks'} was run once: flakiness is not measured, and a task that fails one "
            "run in six shows green five times in six",
            "repeat the tasks: 17 runs show such a failure with 95 %",
        )
    elif once:
        yield Finding(
            "single-runs",
            "note",
            f"{wording.count(once, 'task')} of {passes.task_count:,} run only once: not measured for flakiness",
        )


def uneven_trials(counts: Counts) -> Iterator[Finding]:
    passes = counts.passes
    if passes is None or passes.task_count == 0:
        return
    fewest, most = int(passes.trials.min()), int(passes.trials.max())
    if fewest != most:
        yield Finding(
            "uneven-trials",
            "note",
            f"tasks have between {fewest:,} and {most:,} trials. Each task counts once, whatever its number of trials",
        )


def missing_cluster(check: Check, counts: CheckCounts) -> Iterator[Finding]:
    if counts.missing_cluster:
        yield Finding(
            "missing-cluster",
            "error",
            f"check {check.name!r}: {wording.count(counts.missing_cluster, 'row')} without a cluster id "
            f"({check.cluster}). They are neither one cluster nor each its own",
            "fill in the cluster, or select the rows that have one with --where",
        )


def split_tasks(check: Check, counts: CheckCounts) -> Iterator[Finding]:
    if counts.split_tasks:
        yield Finding(
            "task-in-several-clusters",
            "error",
            f"check {check.name!r}: trials of one task lie in several clusters ({check.cluster}), such as task "
            f"{', '.join(counts.split_tasks[:3])}",
            f"make the cluster part of the task: --map task=TASK_COLUMN+{check.cluster}; or choose a cluster that "
            "holds whole tasks",
        )


def unknown_where(check: Check, counts: CheckCounts) -> Iterator[Finding]:
    if counts.where_unknown:
        yield Finding(
            "where-unknown",
            "error",
            f"check {check.name!r}: the where condition ({check.where}) is unknown for "
            f"{wording.count(counts.where_unknown, 'row')}, so nothing says whether they belong",
            "fill in the column, or say what an empty one means: coalesce(COLUMN, 'none') = ...",
        )


def out_of_range(check: Check, counts: CheckCounts) -> Iterator[Finding]:
    if counts.out_of_range:
        yield Finding(
            "out-of-range",
            "error",
            f"check {check.name!r}: {wording.count(counts.out_of_range, 'value')} outside [0, 1]; the bound of a "
            "mean holds only for values in [0, 1]",
            'scale the column in the check, for example mean = "severity / 10"',
        )


def nothing_selected(check: Check, counts: CheckCounts) -> Iterator[Finding]:
    if counts.rows_selected == 0 and not counts.where_unknown:
        yield Finding(
            "nothing-selected",
            "warning",
            f"check {check.name!r} selects no trial"
            + (f": no row satisfies {check.where}" if check.where else ""),
            "check the where condition and the spelling of its values",
        )


def people_as_cluster(check: Check) -> Iterator[Finding]:
    for part in check.cluster_parts:
        if any(word in part.lower() for word in _PEOPLE_WORDS):
            yield Finding(
                "people-as-cluster",
                "warning",
                f"check {check.name!r}: the cluster {part!r} says who asks. A cluster is what tasks share as a "
                "cause (the fact asked about, the template, the planted injection)",
                "name the column of the cause instead, if there is one",
            )


def one_cluster(check: Check, counts: CheckCounts) -> Iterator[Finding]:
    if counts.profile.cluster is not None and counts.clusters == 1:
        yield Finding(
            "one-cluster",
            "warning",
            f"check {check.name!r}: all trials lie in one cluster; one cluster shows no variance, and even when "
            "clean it proves almost nothing",
            "add clusters, not trials",
        )


def too_few_for_k(check: Check, counts: CheckCounts) -> Iterator[Finding]:
    k = getattr(check, "pass_hat", None)
    if k is None:
        return
    profile = counts.profile
    short = int(profile.tasks[profile.trials < k].sum())
    if short:
        yield Finding(
            "too-few-trials-for-k",
            "warning",
            f"check {check.name!r}: {wording.count(short, 'task')} of {profile.task_count:,} with fewer than {k} "
            f"trials: pass^{k} of them is not measured",
            f"repeat them until each has {k} trials",
        )


def _short(value: str) -> str:
    return value if len(value) <= 48 else value[:45] + "..."
