"""One row a slot: rows that share (run, task, trial_index) are found, and equal ones counted once."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.counting.engines import DuckDbEngine
from surefoot.counting.query import COUNTED
from surefoot.grading.counts import Duplicates
from surefoot.trials.columns import PROVENANCE_COLUMNS
from surefoot.trials.relation import TrialRelation
from surefoot.trials.sql import quote_identifier

CIRCUMSTANCE = frozenset({"file", "duration_s", "cost_microunits", "started_at", "attempts", "error"})
"""Columns in which two records of the same trial may differ and still be the same trial."""

EXAMPLES = 5


def collapses(relation: TrialRelation, identical_outputs: str) -> bool:
    """Do repeats of an output lose their verdict? Only where the plan says so and the log tells outputs apart."""
    return identical_outputs == "collapse" and "output_hash" in relation.columns


def source_sql(relation: TrialRelation, identical_outputs: str, by: Sequence[str]) -> str:
    """What is counted: the relation itself or, where the plan collapses identical outputs, with repeats of an output unscored.

    Only trials of one task, system and group repeat each other; copies of one slot share a rank, so that they
    still collapse as equal duplicates.
    """
    name = quote_identifier(relation.name)
    if not collapses(relation, identical_outputs):
        return name
    same = ", ".join(quote_identifier(key) for key in dict.fromkeys(["task", *PROVENANCE_COLUMNS, *by]))
    order = "run, trial_index" if relation.has_trial_index else '"_row"'
    rows = name if relation.has_trial_index else f'(SELECT *, row_number() OVER () AS "_row" FROM {name})'
    rank = f"dense_rank() OVER (PARTITION BY {same}, output_hash ORDER BY {order})"
    repeated = f"output_hash IS NOT NULL AND {rank} > 1"
    left_out = "" if relation.has_trial_index else 'EXCLUDE ("_row") '
    cause = f"COALESCE(unscored_cause, CASE WHEN {repeated} THEN 'cached' END) AS unscored_cause"
    return f"(SELECT * {left_out}REPLACE ({cause}) FROM {rows})"


def tasks_are_split(engine: DuckDbEngine, by: Sequence[str], keys: Sequence[str]) -> bool:
    """Does the table of counts hold some task of a group in several rows, for the sake of other `keys`?"""
    own = list(dict.fromkeys([*by, "task"]))
    if set(keys) == set(own):
        return False
    names = ", ".join(quote_identifier(name) for name in own)
    # Two tasks of one hash only look like one that is split: then the slower way is taken, and it is as right.
    rows, tasks = engine.row(
        f"SELECT COUNT(*), COUNT(DISTINCT hash({names})) FROM {COUNTED} WHERE task IS NOT NULL"
    )
    return int(rows) != int(tasks)


def duplicates(
    engine: DuckDbEngine,
    relation: TrialRelation,
    source: str,
    by: Sequence[str],
    *,
    split: bool,
) -> dict[tuple[str | None, ...], Duplicates]:
    """Slots taken more than once, by group. `split` says that some task lies in several rows of the table of counts.

    The counting query proved most tasks free of them (as many marked bits as rows); only the others are read again.
    """
    if split:
        # A slot may lie in several rows of the table of counts: the bits are compared over the whole task.
        groups = ", ".join(quote_identifier(name) for name in dict.fromkeys([*by, "task"]))
        suspects = (
            f"SELECT task FROM {COUNTED} GROUP BY {groups} "
            "HAVING SUM(row_count) > 1 AND COALESCE(bit_count(BIT_OR(slots)), 0) <> SUM(row_count)"
        )
    else:
        suspects = (
            f"SELECT task FROM {COUNTED} WHERE row_count > 1 AND COALESCE(bit_count(slots), 0) <> row_count"
        )
    if not engine.rows(f"{suspects} LIMIT 1"):
        return {}
    slot = _slot_columns(relation, by)
    named = ", ".join(
        f"CAST({quote_identifier(name)} AS VARCHAR) AS {quote_identifier(name)}"
        if name in by
        else quote_identifier(name)
        for name in slot
    )
    outcome = ", ".join(
        quote_identifier(name)
        for name in relation.columns
        if name not in CIRCUMSTANCE and name not in slot and not name.startswith("_")
    )
    taken = engine.rows(
        f"SELECT {named}, COUNT(*) AS copies, COUNT(DISTINCT ROW({outcome})) AS versions FROM {source} "
        f"WHERE trial_index IS NOT NULL AND task IN ({suspects}) GROUP BY ALL HAVING COUNT(*) > 1 ORDER BY ALL"
    )
    found: dict[tuple[str | None, ...], Duplicates] = {}
    for *names, copies, versions in taken:
        group = tuple(names[: len(by)])
        before = found.get(group, Duplicates())
        task, trial_index = (names[slot.index(name)] for name in ("task", "trial_index"))
        example = (f"task {task} trial {trial_index}",)
        conflicting = versions > 1
        found[group] = Duplicates(
            equal=before.equal + (0 if conflicting else copies - 1),
            conflicting=before.conflicting + (1 if conflicting else 0),
            examples=before.examples + (example if conflicting and len(before.examples) < EXAMPLES else ()),
        )
    return found


def without_duplicates(relation: TrialRelation, source: str, by: Sequence[str]) -> str:
    """The source with one row a slot; rows without an index are all kept."""
    keys = ", ".join(quote_identifier(name) for name in _slot_columns(relation, by))
    return (
        f"(SELECT * FROM {source} QUALIFY trial_index IS NULL OR row_number() OVER (PARTITION BY {keys}) = 1)"
    )


def _slot_columns(relation: TrialRelation, by: Sequence[str]) -> list[str]:
    run = ["run"] if "run" in relation.columns else []
    return list(dict.fromkeys([*by, *run, "task", "trial_index"]))
