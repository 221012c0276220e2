"""Which columns of a table are the task, the trial index and the verdict: what was said, then what names suggest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from surefoot.errors import DataError, UsageError
from surefoot.trials.columns import CANONICAL_TYPES, HIDDEN_COLUMNS, OUTCOMES
from surefoot.trials.findings import Finding
from surefoot.trials.ids import find_column, joined_parts

TASK_NAMES = (
    "task",
    "task_id",
    "id",
    "item_id",
    "item",
    "question_id",
    "question",
    "prompt_id",
    "doc_id",
    "name",
)
INDEX_NAMES = ("trial_index", "trial", "epoch", "attempt", "repeat", "sample_index", "run")
PASSED_NAMES = ("passed", "success", "correct", "is_correct", "score", "reward")
CLUSTER_NAMES = ("cluster", "group", "template", "fact")

MAP_EXAMPLE = "--map task=item_id success=passed"
_MAPPED = tuple(name for name in CANONICAL_TYPES if name != "file")


@dataclass(frozen=True)
class ColumnChoice:
    """The columns of one log that are canonical ones.

    Parameters
    ----------
    task
        The columns that make the task's id: one, or several to join.
    trial_index
        The column with the trial index, or None.
    passed
        The column with the verdict, or None.
    passed_expression
        What counts as success, where it was said as an expression.
    others
        Any other canonical name -> column.
    guessed
        Canonical names whose column was guessed.
    whole_index
        Every value of the trial index is known to be a whole number, so that it is read as it stands.
    all_judged
        Every verdict is known to be true or false, so that none has to be looked at for a reason.
    """

    task: tuple[str, ...]
    trial_index: str | None = None
    passed: str | None = None
    passed_expression: str | None = None
    others: Mapping[str, str] = field(default_factory=dict)
    guessed: tuple[str, ...] = ()
    whole_index: bool = False
    all_judged: bool = False

    @property
    def asks_success(self) -> bool:
        return self.passed is not None or self.passed_expression is not None

    @property
    def outcome_columns(self) -> frozenset[str]:
        """The columns of the log, in small letters, that are read as what happened."""
        said = {column for name, column in self.others.items() if name in OUTCOMES}
        if self.passed is not None:
            said.add(self.passed)
        return frozenset(column.lower() for column in said)

    def without_index(self) -> ColumnChoice:
        """The same choice where the index turned out to be none: a column ``run`` then says the run, as its name does."""
        others = dict(self.others)
        if self.trial_index is not None and self.trial_index.lower() == "run":
            others.setdefault("run", self.trial_index)
        guessed = tuple(name for name in self.guessed if name != "trial_index")
        return replace(self, trial_index=None, others=others, guessed=guessed)

    def without_passed(self) -> ColumnChoice:
        return replace(self, passed=None, guessed=tuple(n for n in self.guessed if n != "passed"))


def checked_mapping(mapping: Mapping[str, str]) -> dict[str, str]:
    """What ``--map`` says, with canonical names as keys.

    Raises
    ------
    UsageError
        A name that is no canonical column, one said twice, or an empty column.
    """
    checked: dict[str, str] = {}
    for key, value in mapping.items():
        name = "passed" if key.strip().lower() == "success" else key.strip().lower()
        if name not in _MAPPED:
            raise UsageError(
                f"--map {key}={value}: {key!r} is not a column of a trial; known: success, {', '.join(_MAPPED)}"
            )
        if name in checked:
            raise UsageError(f"--map names the column for {name!r} twice: {checked[name]!r} and {value!r}")
        if not value.strip():
            raise UsageError(f"--map {key}=: name a column after the equals sign, as in {MAP_EXAMPLE}")
        checked[name] = value.strip()
    return checked


def check_names(columns: Iterable[str], where: str) -> None:
    """Refuse names that differ only in case, and names the relation keeps for itself.

    Raises
    ------
    DataError
        Two columns with one name, such as ``Id`` and ``id``.
    """
    seen: dict[str, str] = {}
    for column in columns:
        other = seen.setdefault(column.lower(), column)
        if other != column:
            raise DataError(
                f"{where}: the columns {other!r} and {column!r} have one name (case does not count); rename one"
            )
        if column.lower() in HIDDEN_COLUMNS or column.startswith("_type:"):
            raise DataError(f"{where}: a column may not be named {column!r}; rename it")


def choose_columns(
    columns: Iterable[str],
    mapping: Mapping[str, str],
    *,
    where: str,
    is_table: bool,
    takes_expressions: bool = False,
) -> ColumnChoice:
    """Which columns are canonical: said ones first, then equal names, then (in tables) guesses.

    Parameters
    ----------
    columns
        Names as the log spells them, checked by `check_names`.
    mapping
        Canonical name -> column, from `checked_mapping`.
    where
        The log, for messages.
    is_table
        Whether names are of the user's choosing, so that guesses apply and a column said must exist.
    takes_expressions
        Whether a success that is no column may be an SQL expression.

    Raises
    ------
    UsageError
        A column said that does not exist.
    DataError
        No column for the task, or one named like a canonical column that is not the one said.
    """
    known = tuple(columns)
    said, expression = _said(
        known, mapping, where=where, strict=is_table, takes_expressions=takes_expressions
    )
    _check_shadowed(known, said, where)
    used = {part.lower() for parts in said.values() for part in parts}
    chosen = dict(said)
    for name in CANONICAL_TYPES:
        column = find_column(name, known)
        if name not in chosen and column is not None and not (name == "passed" and expression):
            chosen[name] = (column,)
    guessed = _guess(known, chosen, used, expression) if is_table else ()
    if "task" not in chosen:
        raise DataError(
            f"{where}: no column for the task; columns found: {', '.join(known) or 'none'}. "
            f"Say which one it is, for example --map task={_likely_task(known)}"
        )
    return _choice(chosen, expression, guessed)


def guess_findings(choice: ColumnChoice) -> tuple[Finding, ...]:
    """One note per guess, with the way to say otherwise."""
    column_of = {"task": "+".join(choice.task), "trial_index": choice.trial_index, "passed": choice.passed}
    meaning = {"task": "the task", "trial_index": "the trial index", "passed": "success"}
    return tuple(
        Finding(
            "guessed-column",
            "note",
            f"Column {column_of[name]!r} is read as {meaning[name]}: a guess from its name.",
            f"To say otherwise: --map {'success' if name == 'passed' else name}=COLUMN",
        )
        for name in choice.guessed
    )


def cluster_findings(columns: Iterable[str]) -> tuple[Finding, ...]:
    """A note where a column looks like a cluster: said, never guessed."""
    found = [column for column in columns if column.lower() in CLUSTER_NAMES]
    if not found:
        return ()
    names = " and ".join(repr(column) for column in found)
    return (
        Finding(
            "possible-cluster",
            "note",
            f"{names} may group tasks that fail together. No cluster is used unless you name it.",
            f"To use it: --cluster {found[0]}",
        ),
    )


def _likely_task(known: tuple[str, ...]) -> str:
    likely = [
        column for column in known if "task" in column.lower() or column.lower().endswith(("id", "suite"))
    ]
    return "+".join(likely or known[:1]) or "item_id"


def _said(
    known: tuple[str, ...], mapping: Mapping[str, str], *, where: str, strict: bool, takes_expressions: bool
) -> tuple[dict[str, tuple[str, ...]], str | None]:
    said: dict[str, tuple[str, ...]] = {}
    expression = None
    for name, value in mapping.items():
        parts = joined_parts(value, known) if name == "task" else _one(value, known)
        if parts is not None:
            said[name] = parts
        elif name == "passed" and takes_expressions:
            expression = value
        elif strict:
            raise UsageError(
                f"--map {name}={value}: {where} has no column {value!r}; columns: {', '.join(known) or 'none'}"
            )
    return said, expression


def _one(value: str, known: tuple[str, ...]) -> tuple[str, ...] | None:
    column = find_column(value, known)
    return None if column is None else (column,)


def _check_shadowed(known: tuple[str, ...], said: Mapping[str, tuple[str, ...]], where: str) -> None:
    for name, parts in said.items():
        shadow = find_column(name, known)
        if shadow is not None and shadow not in parts:
            raise DataError(
                f"{where}: --map says that {'+'.join(parts)!r} is the {name}, but there is a column {shadow!r} too; "
                "rename one of them, or leave the --map out"
            )


def _guess(
    known: tuple[str, ...], chosen: dict[str, tuple[str, ...]], used: set[str], expression: str | None
) -> tuple[str, ...]:
    guessed: list[str] = []
    for name, candidates in (("task", TASK_NAMES), ("trial_index", INDEX_NAMES), ("passed", PASSED_NAMES)):
        if name in chosen or (name == "passed" and expression is not None):
            continue
        free = (find_column(candidate, known) for candidate in candidates if candidate not in used)
        column = next((found for found in free if found is not None), None)
        if column is not None:
            chosen[name] = (column,)
            used.add(column.lower())
            guessed.append(name)
    return tuple(guessed)


def _choice(
    chosen: Mapping[str, tuple[str, ...]], expression: str | None, guessed: tuple[str, ...]
) -> ColumnChoice:
    single = {name: parts[0] for name, parts in chosen.items() if name != "task"}
    index, passed = single.pop("trial_index", None), single.pop("passed", None)
    if index is not None and single.get("run") == index:
        del single["run"]
    return ColumnChoice(
        task=chosen["task"],
        trial_index=index,
        passed=None if expression is not None else passed,
        passed_expression=expression,
        others=single,
        guessed=guessed,
    )
