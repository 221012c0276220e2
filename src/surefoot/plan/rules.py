"""What must hold between the parts of a plan, and for its SQL, before any log is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from surefoot.errors import ExpressionError
from surefoot.plan.checks import Check
from surefoot.plan.expressions import columns_of
from surefoot.plan.mistakes import Fault
from surefoot.plan.plan import Repeats

OUTCOME_COLUMNS: Final = (
    "passed",
    "success",
    "score",
    "scores",
    "score_*",
    "error",
    "cause",
    "unscored_cause",
    "duration",
    "duration_s",
    "duration_ms",
    "cost",
    "cost_microunits",
    "output",
    "outputs",
    "output_hash",
    "attempts",
)
"""Columns that say what happened: `where` selects before anything happened and may not name them."""

_INPUT_COLUMNS: Final = frozenset(
    {"task", "trial_index", "tags", "seed", "system", "version", "model", "settings", "run", "file"}
)

_VALUE_KEYS: Final[Mapping[str, Literal["condition", "number"]]] = {
    "event": "condition",
    "success": "condition",
    "mean": "number",
    "forbid": "condition",
}


@dataclass(frozen=True)
class Draft:
    """What can be told of a check even where other parts of it are wrong."""

    index: int
    name: str | None
    where: str | None
    values: Mapping[str, str]
    cluster: str
    pass_hat: int
    in_bound: bool


def draft_of(index: int, raw: Mapping[str, Any] | Check, check: Check | None) -> Draft:
    """The draft of a check as given, and as read where that succeeded."""
    given = (
        dict(raw) if isinstance(raw, Mapping) else {key: getattr(raw, key) for key in type(raw).model_fields}
    )
    texts = {key: value for key, value in given.items() if isinstance(value, str) and value.strip()}
    pass_hat, detector = given.get("pass_hat"), given.get("detector")
    in_bound = (
        detector.get("in_bound") if isinstance(detector, Mapping) else getattr(detector, "in_bound", False)
    )
    return Draft(
        index,
        check.name if check is not None else texts.get("name"),
        texts.get("where"),
        {key: texts[key] for key in _VALUE_KEYS if key in texts},
        texts.get("cluster", ""),
        pass_hat if isinstance(pass_hat, int) else 0,
        in_bound is True,
    )


def rule_faults(drafts: Sequence[Draft], repeats: Repeats | None) -> Iterator[Fault]:
    """All mistakes that no single key holds alone."""
    yield from _same_names(drafts)
    yield from _expressions(drafts)
    for draft in drafts:
        if draft.in_bound:
            message = "this version shows the detector beside the verdict only; write in_bound = false"
            yield Fault(("check", draft.index, "detector", "in_bound"), message)
    if repeats is not None:
        yield from _too_few_repeats(drafts, repeats)


def _same_names(drafts: Sequence[Draft]) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for draft in drafts:
        if draft.name is None:
            continue
        earlier = first.setdefault(draft.name, draft.index)
        if earlier != draft.index:
            message = f'"{draft.name}" is also the name of check {earlier + 1}; give each check its own name'
            yield Fault(("check", draft.index, "name"), message)


def _expressions(drafts: Sequence[Draft]) -> Iterator[Fault]:
    counted: dict[int, tuple[str, ...]] = {}
    for draft in drafts:
        names: tuple[str, ...] = ()
        for key, text in draft.values.items():
            try:
                names += tuple(name.lower() for name in columns_of(text, as_=_VALUE_KEYS[key]))
            except ExpressionError as error:
                yield Fault(("check", draft.index, key), str(error))
        counted[draft.index] = names
    alone = {names[0] for names in counted.values() if len(names) == 1}
    for draft in drafts:
        if draft.where is not None:
            yield from _where(draft, draft.where, alone.union(counted[draft.index]))


def _where(draft: Draft, where: str, counted: set[str]) -> Iterator[Fault]:
    loc = ("check", draft.index, "where")
    try:
        named = columns_of(where, forbidden=OUTCOME_COLUMNS)
    except ExpressionError as error:
        yield Fault(loc, str(error))
        return
    before = _INPUT_COLUMNS.union(part.strip().lower() for part in draft.cluster.split("+"))
    for name in named:
        if name.lower() in counted and name.lower() not in before:
            yield Fault(
                loc,
                f"names {name!r}, which a check counts: selecting by what happened would hide it; "
                "select by what was so before the trial",
            )


def _too_few_repeats(drafts: Sequence[Draft], repeats: Repeats) -> Iterator[Fault]:
    planned: Sequence[tuple[str, int]] = [
        ("by default", repeats.default),
        *((f"with tag {tag!r}", count) for tag, count in repeats.by_tag.items()),
    ]
    for draft in drafts:
        # With a `where` the tasks are not known before the task file is read.
        short = [f"{count} {which}" for which, count in planned if count < draft.pass_hat]
        if short and draft.where is None:
            yield Fault(
                ("check", draft.index, "pass_hat"),
                f"needs {draft.pass_hat} repeats of each task, and [repeats] plans {', '.join(short)}; "
                "plan more repeats, or select the tasks that have them with where",
            )
