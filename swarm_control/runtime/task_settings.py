"""Parameters that a task sets: whether robots can be given them on their way, and what they are then."""

from collections.abc import Mapping, Sequence
from typing import Any

from swarm_control.core.state import Fleet
from swarm_control.scenario.checks import check_live
from swarm_control.scenario.groups import Controls, Flock, Squad
from swarm_control.scenario.schema import Scenario

WHERE = "task.settings"


def set_by_task(
    changes: Mapping[str, Any], controls: Controls, scenario: Scenario, fleet: Fleet, squads: Sequence[Squad], flocks: Sequence[Flock]
) -> tuple[Controls, dict[str, Any]]:  # fmt: skip
    """``controls`` with ``changes`` (dotted name → value), and these as they then are. ``InputError`` for what makes no sense."""
    made = controls.change(dict(changes), WHERE)
    check_live(scenario, fleet, squads, made, WHERE)
    for flock in flocks:
        formation = made.of(flock.name).formation
        if formation.enabled:
            from swarm_control.formation.design import designs  # slow to load, and few swarms keep a formation

            designs(formation, fleet.names, f"{WHERE}: formation", tuple(fleet.names[robot] for robot in flock.robots))
    return made, as_read(changes, made)


def as_read(changes: Mapping[str, Any], controls: Controls) -> dict[str, Any]:
    """The values of ``changes`` (dotted name → plain data) as the tree has them: 1 as 1.0, lists as tuples."""
    values = {name: value for name, _, value in controls.change(dict(changes), WHERE).flatten()}
    return {name: values.get(name, value) for name, value in changes.items()}
