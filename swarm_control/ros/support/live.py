"""Live tuning by file: the scenario's YAML is read again when it changes on disk."""

from collections.abc import Callable, Sequence
from typing import Any

from swarm_control.errors import InputError
from swarm_control.scenario.groups import controls_of
from swarm_control.scenario.loader import Loaded, load, version
from swarm_control.scenario.schema import Scenario


class LiveFile:
    """Watches a scenario's file. :meth:`poll` costs one ``stat`` when nothing has changed."""

    def __init__(self, loaded: Loaded, overrides: Sequence[str], log: Any) -> None:
        self._loaded = loaded
        self._overrides = overrides
        self._log = log
        self._seen = loaded.version

    def poll(self, apply: Callable[[dict[str, Any]], str]) -> None:
        """Read the file if it has changed and ``apply`` the parameters that differ from before; a broken file changes nothing.

        ``apply`` gets dotted names of the ``control`` tree and returns what was wrong with them, or nothing.
        """
        now = version(self._loaded.source)
        if now == self._seen:
            return
        self._seen = now
        try:
            fresh = load(str(self._loaded.source), self._overrides)
        except InputError as error:
            self._log.error(f"{error}; nothing has been changed")
            return
        where = str(self._loaded.source)
        refused = apply(controls_of(fresh.scenario, where).differences(controls_of(self._loaded.scenario, where)))
        if refused:
            self._log.error(f"{self._loaded.source}: {refused}; nothing has been changed")
            return
        parts = other_parts(self._loaded.scenario, fresh.scenario)
        if parts:
            self._log.warning(f"{self._loaded.source}: {', '.join(parts)} changed; that takes effect at the next start")
        self._loaded = fresh


def other_parts(old: Scenario, new: Scenario) -> list[str]:
    """Names of the parts that differ and that a running node cannot change."""
    parts = [name for name in vars(new) if name not in ("control", "groups") and getattr(new, name) != getattr(old, name)]
    goals = [{name: group.goals for name, group in one.groups.items()} for one in (old, new)]
    parts += ["groups"] if goals[0] != goals[1] else []
    return parts + (["control.period"] if new.control.period != old.control.period else [])
