"""What an Inspect log says about the run as a whole: identity, settings, plan and its own headline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from surefoot.errors import UnreadableLogError
from surefoot.importers.row_values import canonical_json, finite, mapping, plain_text

if TYPE_CHECKING:
    from pathlib import Path

    from surefoot.importers.inspect_values import Asked

NEWEST_VERSION = 3
_LIMITS = ("message_limit", "token_limit", "time_limit", "working_limit", "cost_limit")
_MEANS = ("accuracy", "mean")


@dataclass(frozen=True)
class Headline:
    """One number the log itself gives for a scorer."""

    metric: str
    value: float
    reducer: str


@dataclass(frozen=True)
class RunHeader:
    """The top-level fields of a log, without its samples.

    Parameters
    ----------
    fields
        The object as read: version, status, eval, plan, results, error. Any but eval may be absent.
    """

    fields: dict[str, object]

    @property
    def spec(self) -> dict[str, object]:
        return mapping(self.fields.get("eval"))

    @property
    def status(self) -> str:
        return str(self.fields.get("status") or "started")

    @property
    def error(self) -> str:
        """The first line of what stopped the run, or an empty string."""
        message = plain_text(mapping(self.fields.get("error")).get("message") or "")
        return message.splitlines()[0][:160] if message.strip() else ""

    @property
    def epochs(self) -> int:
        epochs = mapping(self.spec.get("config")).get("epochs")
        return epochs if isinstance(epochs, int) and not isinstance(epochs, bool) and epochs > 0 else 1

    @property
    def planned_samples(self) -> int | None:
        """How many samples the run was to try, each once an epoch; None where the log does not say."""
        ids = mapping(self.spec.get("dataset")).get("sample_ids")
        if isinstance(ids, list):
            return len(ids)
        total = mapping(self.fields.get("results")).get("total_samples")
        return total // self.epochs if isinstance(total, int) and total > 0 else None

    def provenance(self) -> dict[str, object]:
        """The columns that are the same in every row of the log."""
        spec = self.spec
        return {
            "run": self._run(),
            "model": _text(spec.get("model")),
            "version": self._version(),
            "settings": canonical_json(self._settings()),
            "eval_task": _text(spec.get("task")),
        }

    def scorer_names(self) -> tuple[str, ...]:
        """The scorers that the log lists, in its order."""
        listed = self.spec.get("scorers")
        entries = listed if isinstance(listed, list) else self._results()
        names = (mapping(entry).get("scorer") or mapping(entry).get("name") for entry in entries)
        return tuple(dict.fromkeys(name for name in names if isinstance(name, str)))

    def nameless_scorer(self) -> str:
        """How to call the one score of a log that gives it no name."""
        return next(iter(self.scorer_names()), "score")

    def headline(self, asked: Asked) -> Headline | None:
        """The accuracy or mean that the log gives for a scorer."""
        for entry in self._results():
            names = (entry.get("name"), entry.get("scorer") or entry.get("name"))
            if asked.key is None and asked.scorer not in names:
                continue
            if asked.key is not None and names != (asked.key, asked.scorer):
                continue
            metrics = mapping(entry.get("metrics"))
            for metric in _MEANS:
                value = finite(mapping(metrics.get(metric)).get("value"))
                if value is not None:
                    return Headline(metric, value, plain_text(entry.get("reducer") or "mean"))
        return None

    def _results(self) -> list[dict[str, object]]:
        results = mapping(self.fields.get("results"))
        scores = results.get("scores")
        if isinstance(scores, list):
            return [mapping(score) for score in scores]
        old = mapping(results.get("scorer"))
        return [{**old, "metrics": results.get("metrics") or old.get("metrics")}] if old else []

    def _run(self) -> str | None:
        spec = self.spec
        if spec.get("eval_id"):
            return plain_text(spec["eval_id"])
        # Logs before eval_id: these three together are what Inspect itself derives the id from.
        parts = [plain_text(spec[key]) for key in ("run_id", "task_id", "created") if spec.get(key)]
        return "/".join(parts) or None

    def _version(self) -> str | None:
        revision = mapping(self.spec.get("revision"))
        commit = _text(revision.get("commit"))
        return f"{commit}+dirty" if commit and revision.get("dirty") else commit

    def _settings(self) -> dict[str, object]:
        """What changes how hard the tasks are or how the system answers; nothing about speed or logging."""
        spec, plan = self.spec, mapping(self.fields.get("plan"))
        config = mapping(spec.get("config"))
        names = (
            "model_generate_config",
            "model_args",
            "model_base_url",
            "model_roles",
            "task_args",
            "task_version",
            "solver",
            "solver_args",
        )
        found: dict[str, object] = {name: spec.get(name) for name in names}
        found["plan_config"] = plan.get("config")
        steps = plan.get("steps")
        found["plan_steps"] = [
            {key: value for key, value in mapping(step).items() if key in ("solver", "params") and value}
            for step in (steps if isinstance(steps, list) else [])
        ]
        found |= {name: config.get(name) for name in _LIMITS}
        return {key: value for key, value in found.items() if value not in (None, {}, [], "")}


def checked_header(fields: dict[str, object], path: Path) -> RunHeader:
    """The header, once it is clear that this is a log of an Inspect evaluation."""
    spec = fields.get("eval")
    if not isinstance(spec, dict) or not spec.get("task"):
        raise UnreadableLogError(
            path,
            'not an Inspect log: expected an object "eval" that names the evaluation\'s task, found none',
        )
    return RunHeader(fields)


def _text(value: object) -> str | None:
    return None if value is None or value == "" else plain_text(value)
