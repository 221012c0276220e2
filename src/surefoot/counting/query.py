"""The text of the counting query: one scan of the trials for all measures. Never learns kinds of checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.trials.sql import quote_identifier

AGGREGATED = "surefoot_aggregated"
"""The table that the one scan makes: one row per (by, provenance, task, clusters), with what had to be aggregated."""

COUNTED = "surefoot_counted"
"""The table of counts: the same rows with trials, events, unscored, unknown and outside of each measure."""

FIXED_POINT = 2**52
"""Values of a mean check are summed as whole multiples of 2^-52, so that the order of threads cannot show.

The table of counts holds the multiples; `events_sql` gives the numbers.
"""

MASKED_SLOTS = 63
"""Trial indexes 0..62 are marked as bits of one number: as many bits as rows proves that no slot is taken twice."""


@dataclass(frozen=True)
class Measure:
    """What is counted per task: rows where `where` holds, and among them those where `value` holds.

    Parameters
    ----------
    where
        SQL condition, or None for all rows.
    value
        SQL of type BOOLEAN (an event or not; NULL is no verdict) or, if `is_number`, DOUBLE in [0, 1].
    never_null
        The value is known to be there in every row, so that nothing has to be counted to find it missing.
    """

    where: str | None
    value: str
    is_number: bool = False
    never_null: bool = False


def counting_sql(
    source: str,
    *,
    keys: Sequence[str],
    measures: Sequence[Measure],
    has_trial_index: bool,
    has_output_hash: bool,
    has_cause: bool,
) -> str:
    """The SELECT that counts `source` (a relation's name or a sub-select in brackets) by `keys` in one scan."""
    key_list = ", ".join(quote_identifier(key) for key in keys)
    judged = [key_list]
    counted = [key_list, "COUNT(*) AS row_count"]
    if has_cause:
        judged.append("unscored_cause")
        counted.append("COUNT(unscored_cause) AS cause_count")
    if has_trial_index:
        judged.append("trial_index")
        counted.append(
            f"BIT_OR(CASE WHEN trial_index BETWEEN 0 AND {MASKED_SLOTS - 1} "
            "THEN 1::BIGINT << trial_index END) AS slots"
        )
    if has_output_hash:
        judged.append("output_hash")
        counted.append(
            "(COUNT(*) > 1 AND COUNT(output_hash) = COUNT(*) AND MIN(output_hash) = MAX(output_hash)) AS same_output"
        )
    for number, measure in enumerate(measures):
        judged += _judged(measure, number, has_cause=has_cause)
        counted += _counted(measure, number, has_cause=has_cause)
    return (
        f"WITH judged AS (SELECT {', '.join(judged)} FROM {source}) "
        f"SELECT {', '.join(counted)} FROM judged GROUP BY {key_list}"
    )


def _judged(measure: Measure, number: int, *, has_cause: bool) -> list[str]:
    """Per row: is it selected (in), its verdict (y) where it is, and its score (z) where that lies in [0, 1]."""
    value = f"CAST(({measure.value}) AS DOUBLE)" if measure.is_number else f"({measure.value})"
    columns, conditions = [], []
    if measure.where is not None:
        columns.append(f"({measure.where}) AS in_{number}")
        conditions.append(f"({measure.where})")
    if has_cause:
        conditions.append("unscored_cause IS NULL")
    y = f"CASE WHEN {' AND '.join(conditions)} THEN {value} END" if conditions else value
    columns.append(f"{y} AS y_{number}")
    if measure.is_number:
        columns.append(f"CASE WHEN y_{number} BETWEEN 0 AND 1 THEN y_{number} END AS z_{number}")
    return columns


def _counted(measure: Measure, number: int, *, has_cause: bool) -> list[str]:
    """What must be aggregated; `derived_sql` works the rest out of it, a few rows instead of all."""
    items = []
    if measure.where is not None:
        items.append(f"{_count_if(f'in_{number}')} AS selected_{number}")
        items.append(f"COUNT(in_{number}) AS where_known_{number}")
    if not _always_there(measure, has_cause=has_cause):
        items.append(f"COUNT(y_{number}) AS scored_{number}")
    if measure.is_number:
        whole = f"SUM(CAST(ROUND(z_{number} * {float(FIXED_POINT)}::DOUBLE) AS BIGINT))"
        items.append(f"COALESCE({whole}, 0) AS events_{number}")
        items.append(f"COUNT(z_{number}) AS inside_{number}")
    else:
        items.append(f"{_count_if(f'y_{number}')} AS events_{number}")
    return items


def _count_if(condition: str) -> str:
    # Cheaper than COUNT(*) FILTER, but NULL where every row is unknown.
    return f"CAST(COALESCE(COUNT_IF({condition}), 0) AS BIGINT)"


def derived_sql(table: str, measures: Sequence[Measure], *, has_cause: bool) -> str:
    """The SELECT over the aggregated table that names, for each measure, trials, unscored, unknown and outside."""
    items = ["*"]
    for number, measure in enumerate(measures):
        trials, unknown, outside = "row_count", "0::BIGINT", "0::BIGINT"
        if measure.where is not None:
            trials, unknown = f"selected_{number}", f"row_count - where_known_{number}"
        if measure.is_number:
            outside = f"scored_{number} - inside_{number}"
        there = _always_there(measure, has_cause=has_cause)
        items += [
            f"{trials} AS trials_{number}",
            f"{'0::BIGINT' if there else f'{trials} - scored_{number}'} AS unscored_{number}",
            f"{unknown} AS unknown_{number}",
            f"{outside} AS outside_{number}",
        ]
    return f"SELECT {', '.join(items)} FROM {table}"


def _always_there(measure: Measure, *, has_cause: bool) -> bool:
    return measure.never_null and not has_cause and not measure.is_number


def events_sql(measure: Measure, number: int, *, summed: bool = False) -> str:
    """The events of a row of counts (or, if `summed`, of many) as a number: whole multiples until here."""
    events = f"SUM(events_{number})" if summed else f"events_{number}"
    return f"({events}::DOUBLE / {float(FIXED_POINT)}::DOUBLE)" if measure.is_number else events


def merged_sql(table: str, *, keys: Sequence[str], measures: int) -> str:
    """The same counts with the rows of one task put together, where other keys had split it."""
    key_list = ", ".join(quote_identifier(key) for key in keys)
    sums = [
        f"SUM({name}_{number}) AS {name}_{number}"
        for number in range(measures)
        for name in ("trials", "events", "unscored", "unknown", "outside")
    ]
    return f"(SELECT {key_list}, SUM(row_count) AS row_count, {', '.join(sums)} FROM {table} GROUP BY {key_list})"
