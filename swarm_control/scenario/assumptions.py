"""Under which settings the separation filter's proof does not hold: allowed, but the user is told."""

from collections.abc import Iterator, Sequence

from swarm_control.core.estimation import MEMORY
from swarm_control.core.state import Fleet
from swarm_control.safety.command import stopping_known
from swarm_control.scenario.groups import PREFIX, Controls, Squad
from swarm_control.scenario.schema import Scenario

UNPROVEN = "contacts cannot be ruled out by the separation filter"


def unproven(scenario: Scenario, controls: Controls, fleet: Fleet, squads: Sequence[Squad]) -> tuple[str, ...]:
    """One line for each assumption of ``docs/safety.md`` that the scenario breaks; none where no robot's velocity is filtered."""
    filtered = [squad for squad in squads if controls.of(squad.name).separation_filter.enabled]
    if not filtered:
        return ()
    free = [squad for squad in squads if squad not in filtered]
    where = [f"{PREFIX}{squad.name}" if squad.name else "control" for squad in free]
    lines = [f"{place}.separation_filter.enabled: off, the others meet robots that do not heed them" for place in where]
    return tuple(f"{line}: {UNPROVEN}" for line in (*lines, *_broken(scenario, controls, fleet)))


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
