"""Importers, adapters and scorers by name, ours and other people's, through entry points.

surefoot's own register through the same entry-point groups as outsiders' (``surefoot.importers``, ...).
A name registered twice is an error, and only the one asked for is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from surefoot.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def names(group: str) -> tuple[str, ...]:
    """The registered names of a group, such as ``"surefoot.importers"``, in alphabetical order."""
    return tuple(sorted(_entry_points(group)))


def load(group: str, name: str) -> object:
    """The object registered as `name` in `group`.

    Raises
    ------
    UsageError
        No such name, two packages that register the same name, or a plug-in that cannot be imported.
    """
    found = _entry_points(group)
    if name not in found:
        known = ", ".join(sorted(found)) or "none"
        raise UsageError(f"no plug-in named {name!r} in {group}; known: {known}")
    return _loaded(found[name])


def load_all(group: str) -> dict[str, object]:
    """Every object registered in `group`, by name: for what must ask each of them.

    Raises
    ------
    UsageError
        Two packages that register the same name, or a plug-in that cannot be imported.
    """
    return {name: _loaded(entry_point) for name, entry_point in sorted(_entry_points(group).items())}


def _loaded(entry_point: EntryPoint) -> object:
    try:
        return entry_point.load()
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"the plug-in {entry_point.name!r} ({entry_point.value}) cannot be loaded: {error}"
        ) from error


def _entry_points(group: str) -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint] = {}
    for entry_point in entry_points(group=group):
        other = found.get(entry_point.name)
        if other is not None and other.value != entry_point.value:
            raise UsageError(
                f"two plug-ins register the name {entry_point.name!r} in {group}: "
                f"{other.value} and {entry_point.value}; uninstall one of them"
            )
        found[entry_point.name] = entry_point
    return found
