"""Under which settings the separation filter's proof does not hold: allowed, but the user is told."""

from collections.abc import Iterator, Sequence

import numpy as np

from swarm_control.core.estimation import MEMORY
from swarm_control.core.geometry import norm
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.safety.filters import stopping_known
from swarm_control.scenario.groups import PREFIX, Controls, Squad
from swarm_control.scenario.schema import Scenario

UNPROVEN = "contacts cannot be ruled out by the separation filter"


def unproven(scenario: Scenario, controls: Controls, fleet: Fleet, squads: Sequence[Squad], start: SwarmState) -> tuple[str, ...]:
    """One line for each assumption of ``docs/safety.md`` that the scenario, whose robots ``start`` like this, breaks; none where no robot's
    velocity is filtered.
    """
    filtered = [squad for squad in squads if controls.of(squad.name).separation_filter.enabled]
    if not filtered:
        return ()
    free = [squad for squad in squads if squad not in filtered]
    where = [f"{PREFIX}{squad.name}" if squad.name else "control" for squad in free]
    lines = [f"{place}.separation_filter.enabled: off, the others meet robots that do not heed them" for place in where]
    lines += [*_broken(scenario, controls, fleet), *_too_fast(start, fleet, controls, squads)]
    return tuple(f"{line}: {UNPROVEN}" for line in lines)


def _broken(scenario: Scenario, controls: Controls, fleet: Fleet) -> Iterator[str]:
    simulator, period = scenario.simulator, scenario.control.period
    late = simulator.delay >= period or simulator.loss > 0.0
    if late and not controls.common.estimation.enabled:
        yield "control.estimation.enabled: off, late odometry is taken for new"
    if simulator.delay > MEMORY:
        yield f"simulator.delay: {simulator.delay:g} s, longer than commands are remembered, {MEMORY:g} s"
    for key in ("noise_speed", "noise_turn"):
        if getattr(simulator, key) > 0.0:
            yield f"simulator.{key}: robots do not do what they are told"
    for model, robots in fleet.of_models:
        if model.stops and not stopping_known(fleet)[robots[0]]:
            yield f"{fleet.names[robots[0]]} is a {model.name}, which follows commands late"


def _too_fast(start: SwarmState, fleet: Fleet, controls: Controls, squads: Sequence[Squad]) -> Iterator[str]:
    """Who starts at such a speed that the ways on which two robots can stop bring their footprints together."""
    speed = norm(start.velocity)
    if not speed.any():
        return
    import shapely

    braking = np.full(len(fleet), controls.common.separation_filter.braking)
    for squad in squads:
        braking[squad.robots] = controls.of(squad.name).separation_filter.braking
    stop = start.velocity[:, :2] * (speed / (2.0 * braking * fleet.max_acceleration))[:, None]
    ways = shapely.linestrings(np.stack((start.position, start.position + stop), axis=1))
    i, j = shapely.STRtree(ways).query(ways, predicate="dwithin", distance=fleet.radius + fleet.radius.max())
    i, j = i[i < j], j[i < j]
    meeting = np.flatnonzero(shapely.distance(ways[i], ways[j]) < fleet.radius[i] + fleet.radius[j])
    if len(meeting):
        first = min(meeting, key=lambda k: (i[k], j[k]))
        more = f", and {len(meeting) - 1} more" if len(meeting) > 1 else ""
        pair = f"{fleet.names[i[first]]} and {fleet.names[j[first]]}"
        yield f"robots.start.speed: pairs of robots start so fast and near that they cannot stop in time: {pair}{more}"
