"""surefoot tells whether an AI system can be relied on, and how far the evidence goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from surefoot.api import (
        bound,
        event_rate_lower_bound,
        event_rate_upper_bound,
        flakiness,
        grade,
        pass_at_k,
        pass_hat_k,
        read,
        reliability_gate,
        required_trials,
    )
    from surefoot.errors import DataError, PlanError, SurefootError, UsageError

__all__ = [
    "DataError",
    "PlanError",
    "SurefootError",
    "UsageError",
    "__version__",
    "bound",
    "event_rate_lower_bound",
    "event_rate_upper_bound",
    "flakiness",
    "grade",
    "pass_at_k",
    "pass_hat_k",
    "read",
    "reliability_gate",
    "required_trials",
]


def __getattr__(name: str) -> object:
    # Lazy (PEP 562): this file runs before every command, and numpy and the engine take a second to import.
    if name not in __all__:
        raise AttributeError(f"module 'surefoot' has no attribute {name!r}")
    from importlib import import_module

    home = "surefoot.errors" if name.endswith("Error") else "surefoot.api"
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
