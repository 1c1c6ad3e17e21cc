"""Formations with places nearer to each other than robots are kept: a line for the user, before they try."""

from collections.abc import Sequence

import numpy as np

from swarm_control.core.geometry import Array, norm
from swarm_control.core.state import Fleet
from swarm_control.formation.design import designs
from swarm_control.formation.structure import members
from swarm_control.safety.separation_filter import SIGMAS, SeparationFilter
from swarm_control.scenario.groups import Flock, in_formation, stages
from swarm_control.scenario.safeguards import noise_left, wary_filter
from swarm_control.scenario.schema import Scenario


def close_formations(scenario: Scenario, flocks: Sequence[Flock], fleet: Fleet, source: str) -> tuple[str, ...]:
    """One line for each formation that at any time has places nearer to each other than the separation filter keeps robots that stand, also
    for noise, and for commands that are obeyed late.
    """
    found = []
    for controls, _ in stages(scenario, source):
        for flock in (flocks[number] for number in in_formation(flocks, controls)):
            filter = wary_filter(controls.of(flock.name), scenario.simulator)
            where = f"groups.{flock.name}.control.formation" if flock.name else "control.formation"
            own = tuple(fleet.names[k] for k in flock.robots)
            for design in designs(controls.of(flock.name).formation, fleet.names, f"{source}: {where}", own) if filter.enabled else ():
                robots = members(design.names, fleet.names)
                noise = SIGMAS * noise_left(controls, flock.name, scenario.simulator, fleet)[robots]
                line = "" if design.points is None else _too_close(design.points, fleet.take(robots), noise, filter)
                found += [f"{where}: {line}"] if line else []
    return tuple(dict.fromkeys(found))


def _too_close(points: Array, fleet: Fleet, noise: Array, filter: SeparationFilter) -> str:
    """What is wrong with the ``points`` (N, 2) m that are the places of a ``fleet`` with so much ``noise`` (N,) m, or nothing."""
    if len(points) < 2:
        return ""
    late = 0.5 * filter.latency**2 * fleet.max_acceleration
    i, j = np.triu_indices(len(points), 1)
    apart, kept = norm(points[i] - points[j]), fleet.radius + noise + late
    kept = kept[i] + kept[j] + filter.margin
    worst = int((apart - kept).argmin())
    if apart[worst] >= kept[worst]:
        return ""
    spent = [f"{part[i[worst]] + part[j[worst]]:.3g} m of it for {what}" for part, what in (
        (noise, "noise"), (late, "commands that are obeyed late")) if part.any()]  # fmt: skip
    why = f", {' and '.join(spent)}" if spent else ""
    return f"two places are {apart[worst]:.3g} m apart; separation_filter keeps robots {kept[worst]:.3g} m apart{why}, and may hold them up"
