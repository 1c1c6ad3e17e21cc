"""Who races: ours and the rivals, by name; whose library is not installed is left out."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.simulation import Simulation
from swarm_control.core.geometry import Array

from .by_jupedsim import jupedsim_force, jupedsim_speed
from .by_navground import navground_force, navground_hl, navground_orca
from .by_pyrvo import PyrvoOrca
from .course import Course, course_of
from .measure import Outrun, outrun
from .rival import Rival, race, run

OURS = {"ours, omni": "omni", "ours, differential": "differential"}
"""Our robots by name, with their models."""

RIVALS: dict[str, tuple[str, Callable[[Course], Rival]]] = {
    "pyrvo ORCA": ("pyrvo", PyrvoOrca),
    "navground ORCA": ("navground", navground_orca),
    "navground HL": ("navground", navground_hl),
    "navground Social Force": ("navground", navground_force),
    "JuPedSim speed": ("jupedsim", jupedsim_speed),
    "JuPedSim Social Force": ("jupedsim", jupedsim_force),
}
"""The rivals by name: the module of their library, and what makes one for a course."""


MOST = {"navground Social Force": 50}
"""Greatest number of robots of those that take too long: this one is in Python, and a step of 50 takes up to 80 ms."""


@dataclass(frozen=True)
class Race:
    """A run of ``robots`` of one of :data:`OURS` or :data:`RIVALS` in a ``scenario``, for at most ``limit`` (s)."""

    who: str
    scenario: str
    robots: int
    seed: Seed
    limit: float


def installed() -> tuple[str, ...]:
    """The rivals whose libraries are here."""
    return tuple(name for name, (module, _) in RIVALS.items() if find_spec(module) is not None)


def missing() -> tuple[str, ...]:
    """The libraries that are not here."""
    return tuple(sorted({module for module, _ in RIVALS.values() if find_spec(module) is None}))


def result(one: Race) -> Outrun:
    """Run a race and measure it. Of ours, a step is all of a tick: perception, control, filter, engine, and taking note."""
    model = OURS.get(one.who, "omni")
    simulation = Simulation(one.scenario, robots=one.robots, seed=one.seed, duration=one.limit, set={"robots.0.model": model})
    course = course_of(simulation)
    if one.who in OURS:
        return outrun(course, *run(course, lambda: _timed(simulation.step), lambda: _places(simulation), one.limit))
    return outrun(course, *race(course, RIVALS[one.who][1](course), one.limit))


def _timed(step: Callable[[], object]) -> float:
    began = time.perf_counter()
    step()
    return time.perf_counter() - began


def _places(simulation: Simulation) -> Array:
    return simulation.state.position.copy()


def whole(runs: Sequence[Outrun]) -> bool:
    """Whether all arrived in all runs."""
    return all(one.time is not None for one in runs)
