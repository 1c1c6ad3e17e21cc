"""Settings that contradict each other: allowed, but somebody should be told."""

from collections.abc import Iterator

from swarm_control.behaviours import BEHAVIOURS, active
from swarm_control.core.parameters import specs
from swarm_control.scenario.groups import PREFIX, Controls
from swarm_control.scenario.schema import Control

IDLE = "no behaviour has a weight: robots keep their velocity"


def contradictions_of(controls: Controls) -> list[str]:
    """The contradictions of what is common to all robots, then those that groups have of their own, with the group's name."""
    common = [line for line in contradictions(controls.common) if line != IDLE or not controls.own]
    own = [f"{PREFIX}{name}: {line}" for name in controls.own for line in contradictions(controls.of(name)) if line not in common]
    return common + own


class KnownContradictions:
    """The contradictions of the newest controls. To find them takes half a megabyte for a while: it is done once for each."""

    def __init__(self) -> None:
        self._controls: Controls | None = None
        self._found: list[str] = []

    def of(self, controls: Controls) -> list[str]:
        """As :func:`contradictions_of`."""
        if controls is not self._controls:
            self._controls, self._found = controls, contradictions_of(controls)
        return self._found


def contradictions(control: Control) -> list[str]:
    """One line for each pair of settings in ``control`` that cannot both have their effect."""
    return list(_find(control))


def _find(c: Control) -> Iterator[str]:
    for name in active(c):
        yield from BEHAVIOURS[name].check(c)
    if c.safety.command_timeout <= c.period:
        late = f"safety.command_timeout ({c.safety.command_timeout:g} s) is not longer than period ({c.period:g} s)"
        yield f"{late}: robots stop between ticks"
    if not (active(c) or c.formation.enabled):
        yield IDLE
    yield from _unused(c)
    if c.formation.enabled and c.formation.estimate.timeout < c.period:
        yield f"formation.estimate.timeout ({c.formation.estimate.timeout:g} s) is less than period ({c.period:g} s): nobody counts"


def _unused(control: Control) -> Iterator[str]:
    """Lists, empty by default, that are given for a behaviour without a weight: numbers may be set in advance, a list is meant to act."""
    on = active(control)
    for name, behaviour in BEHAVIOURS.items():
        for spec in specs(behaviour.params) if name not in on else ():
            if spec.type is tuple and spec.default == () and getattr(getattr(control, name), spec.name):
                yield f"{name}.{spec.name} are given, but {name}.weight is 0"
