"""A formation in closed loop with robots that follow exact arcs: what the tests measure with."""

from dataclasses import dataclass, field, replace

import numpy as np

from swarm_control.core import targets
from swarm_control.core.geometry import Array, rotate, wrap
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.formation.drive import Order
from swarm_control.formation.fit import Fit, fit
from swarm_control.formation.memory import FormationMemory, StructureParameters, StructureStep
from swarm_control.formation.step import step
from swarm_control.formation.structure import Structure, members

PERIOD = 0.1


def fleet(count: int, model: str = "differential", speed: float = 0.3, acceleration: float = 0.6, base: float = 0.25) -> Fleet:
    """Robots like the R3: wheels 25 cm apart, 0.3 m/s, 0.6 m/s²."""
    one = np.ones(count)
    names = tuple(f"robot_{k}" for k in range(count))
    return Fleet(names, (model,) * count, 0.15 * one, speed * one, acceleration * one, 4.0 * one, base * one)


@dataclass
class Loop:
    """Robots at ``pose`` (N, 3), the odometry that a controller gets of them, and the controller. ``factor`` (N,) is the part of its
    command that a robot obeys: 0 has failed.
    """

    pose: Array
    structure: Structure
    fleet: Fleet
    params: StructureParameters = field(default_factory=StructureParameters)
    noise: float = 0.0
    noise_heading: float = 0.0
    delay: float = 0.0
    loss: float = 0.0
    seed: int = 0
    onboard: bool = False
    period: float = PERIOD

    def __post_init__(self) -> None:
        n = len(self.fleet)
        self.factor = np.ones(n)
        self.rng = np.random.default_rng(self.seed)
        self.time = 0.0
        self.truth = [self.pose.copy()]
        self.obeyed: list[Array] = []
        controllers = n if self.onboard else 1
        self.memories = [FormationMemory.start(n, self.period, self.params) for _ in range(controllers)]
        self.structures = [self.structure] * controllers
        self.heard = [(np.full((n, 6), np.nan), np.full(n, -np.inf)) for _ in range(controllers)]

    def order(self) -> None:
        self.memories = [memory.order() for memory in self.memories]

    def impose(self, structure: Structure) -> None:
        self.structures = [structure] * len(self.structures)

    def past(self) -> tuple[Array, Array, float]:
        """True poses and twists one delay ago, and their time; the first poses as long as nothing older is there."""
        back = min(int(np.ceil(self.delay / self.period - 1e-9)), len(self.obeyed))
        rest = max(back * self.period - self.delay, 0.0)
        pose = self.truth[-1 - back]
        twist = self.obeyed[-max(back, 1)] if self.obeyed else np.zeros(pose.shape)
        if back:
            pose = targets.predict(pose, twist, np.full(len(pose), rest))
        return pose, twist, self.time - back * self.period + rest

    def tick(self, order: Order, deviation: Array | None = None, heading: Array | None = None) -> list[StructureStep]:
        n, steps = len(self.fleet), []
        pose, twist, stamp = self.past()
        scale = np.array([self.noise, self.noise, self.noise_heading])
        odometry = pose + scale * self.rng.normal(size=(n, 3))
        odometry[:, 2] = wrap(odometry[:, 2])
        odometry = np.column_stack((odometry, rotate(twist[:, :2], pose[:, 2]), twist[:, 2]))
        command = np.zeros((n, 3))
        for k, memory in enumerate(self.memories):
            last, when = self.heard[k]
            news = self.rng.random(n) >= self.loss
            if self.onboard:
                news[k] = True
            last, when = np.where(news[:, None], odometry, last), np.where(news, stamp, when)
            self.heard[k] = last, when
            state = SwarmState.of(self.time, last[:, :3], last[:, 3:])
            made = step(
                state, when, self.structures[k], order, self.fleet, targets, memory, self.params, self.period, deviation, heading,
                k if self.onboard else None,
            )
            self.memories[k], self.structures[k] = made.memory, made.structure
            steps.append(made)
            if self.onboard:
                command[k] = made.command[k]
            else:
                command = made.command
        self.obeyed.append(command * self.factor[:, None])
        self.truth.append(targets.predict(self.truth[-1], self.obeyed[-1], np.full(n, self.period)))
        self.time += self.period
        return steps

    def error(self, structure: Structure | None = None) -> float:
        """True formation error now, m: mean distance of the robots from the structure fitted to them."""
        structure = self.structures[0] if structure is None else structure
        position = self.truth[-1][members(structure.names, self.fleet.names), :2]
        return fit(structure.points, position, np.ones(len(position)), structure.pose, Fit()).error

    def run(self, order: Order, duration: float, until_rest: bool = False, heading: Array | None = None) -> Array:
        """Errors (K,) m after each period of an order."""
        self.order()
        errors = []
        for _ in range(round(duration / self.period)):
            made = self.tick(order, heading=heading)
            errors.append(self.error())
            if until_rest and all(s.memory.rest for s in made):
                break
        return np.array(errors)


def formed(points: Array, fleet: Fleet, yaw: Array | float = 0.0, **options: object) -> Loop:
    """A loop whose robots stand on their points, with these headings."""
    structure = Structure(points, fleet.names, np.zeros(3))
    pose = np.column_stack((points, np.zeros(len(points)))).astype(float)
    pose[:, 2] = yaw
    return Loop(pose, structure, fleet, **options)  # type: ignore[arg-type]


def with_method(params: StructureParameters, method: str) -> StructureParameters:
    return replace(params, displace=replace(params.displace, method=method))
