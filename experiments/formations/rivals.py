"""A virtual structure beside what others do: trajectories of single robots without a structure, and consensus on a formation."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import swarm_control as sc
from swarm_control.analysis.experiments.finding import Curves, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.analysis.simulation import Simulation
from swarm_control.core.geometry import Array, norm
from swarm_control.formation.fit import Fit, fit
from swarm_control.formation.shapes import SHAPES, shape
from swarm_control.runtime.external_request import ExternalRequest
from swarm_control.sim.planar import PlanarEngine

from . import PAGE, SEEN

SPEED, FASTEST, WAY, SECONDS = 0.2, 0.4, 6.0, 50.0
"""The formation goes at SPEED (m/s), robots at most at FASTEST, for WAY (m); a run lasts SECONDS."""

GAIN = 1.0
"""Of a robot's own error, and of its error to a neighbour, 1/s."""

EVENT, FAILS, PUSHED = 10.0, 6.0, 0.2
"""At EVENT (s) one robot fails for FAILS (s), or is pushed aside by PUSHED (m)."""

DISTURBANCES = ("none", "fails", "pushed")

NOISE = 0.002
"""Positions are measured with this standard deviation, m, by all methods."""


@dataclass(frozen=True)
class LawInput:
    """What a law reads at ``time`` (s): ``position`` (N, 2) m as measured, ``velocity`` (N, 2) m/s, the structure's ``points`` (N, 2) m."""

    time: float
    position: Array
    velocity: Array
    points: Array


Law = Callable[[LawInput], Array]
"""From what is seen to the velocities (N, 2) m/s that the robots are to have."""


def reference(time: float) -> Array:
    """Where the formation's middle belongs by now, (2,) m, and how fast it goes there (2,) m/s: rows of one array."""
    way = min(SPEED * time, WAY)
    return np.array([[way, 0.0], [SPEED if way < WAY else 0.0, 0.0]])


def independent(seen: LawInput) -> Array:
    """Every robot follows its own trajectory and minds nobody: ``ṙ_i + k·(r_i − x_i)``. As Crazyswarm2 flies its polynomials."""
    place, speed = reference(seen.time)
    return np.asarray(speed + GAIN * (place + seen.points - seen.position))


def consensus(seen: LawInput) -> Array:
    """Consensus with a reference that one robot knows, over a ring (Ren & Beard 2008, consensus tracking with z = x − δ).

    ``ẋ_i = (Σ_j (ẋ_j − γ(z_i − z_j)) + a_i0·(ẋ_r − γ(z_i − x_r))) / (Σ_j 1 + a_i0)``, j the neighbours of i on the ring.
    """
    place, speed = reference(seen.time)
    z, v = seen.position - seen.points, seen.velocity
    total, count = np.zeros_like(z), np.full((len(z), 1), 2.0)
    for k in (1, -1):
        total += np.roll(v, k, axis=0) - GAIN * (z - np.roll(z, k, axis=0))
    total[0] += speed - GAIN * (z[0] - place)
    count[0] += 1.0
    return total / count


METHODS: dict[str, Law | None] = {"virtual structure": None, "independent trajectories": independent, "consensus": consensus}


@dataclass(frozen=True)
class Disturbed:
    """A random formation, by its ``seed``, kept by one of ``METHODS`` under one of ``DISTURBANCES``."""

    seed: Seed
    method: str
    disturbance: str


@dataclass(frozen=True)
class Shape:
    """Mean and greatest distance (T,) m of robots from the structure fitted to them, at ``time`` (T,) s; when it has arrived (s)."""

    time: Array
    mean: Array
    most: Array
    arrived: float | None


def made(draw: Disturbed, points: Array, robot: int) -> Simulation:
    """Omnidirectional robots in formation on open floor, seen with 2 mm of noise, 20 ms late."""
    poses = tuple((float(x), float(y), 0.0) for x, y in points)
    body = sc.RobotGroup(
        count=len(points), radius=0.05, max_speed=FASTEST, max_acceleration=1.0, max_turn_rate=3.0,
        start=sc.Start(pattern="poses", poses=poses),
    )  # fmt: skip
    fails = [{"robot": f"robot_{robot}", "start": EVENT, "end": EVENT + FAILS}] if draw.disturbance == "fails" else []
    return sc.Simulation(sc.Scenario(robots=(body,), goals=(sc.Goal(position=(WAY, 0.0)),), duration=SECONDS), seed=draw.seed, set={
        "formation.enabled": METHODS[draw.method] is None, "formation.shape": "start", "formation.drive.max_speed": SPEED,
        "simulator.noise_position": NOISE, "simulator.delay": 0.02, "simulator.failures": fails,
    })  # fmt: skip


def run(draw: Disturbed) -> Shape:
    """Make the run; the same robots, places, noise and disturbance for every method of a seed."""
    rng = np.random.default_rng([draw.seed, 53])
    count, name = int(rng.integers(3, 13)), str(rng.choice(list(SHAPES)))
    points = shape(name, count, float(rng.uniform(0.25, 0.5)))
    points = points - points.mean(axis=0)
    robot, angle, law = int(rng.integers(count)), float(rng.uniform(-np.pi, np.pi)), METHODS[draw.method]
    simulation = made(draw, points, robot)
    aside = PUSHED * np.array([np.cos(angle), np.sin(angle), 0.0])
    times, means, mosts, arrived = [], [], [], None
    while simulation.time < SECONDS - 1e-6:
        if draw.disturbance == "pushed" and abs(simulation.time - EVENT) < 0.5 * simulation.scenario.control.period:
            assert isinstance(simulation.plant.engine, PlanarEngine)
            simulation.plant.engine.place(robot, simulation.state.pose[robot] + aside)
        state = simulation.state
        seen = LawInput(simulation.time, state.position + rng.normal(0.0, NOISE, (count, 2)), state.velocity[:, :2], points)
        simulation.step(None if law is None else ExternalRequest(law(seen)))
        position = simulation.state.position
        distance = fit(points, position, np.ones(count), np.zeros(3), Fit()).distance
        times.append(simulation.time)
        means.append(float(distance.mean()))
        mosts.append(float(distance.max()))
        there = float(norm(position - points - (WAY, 0.0)).max()) < 0.02
        arrived = (arrived or simulation.time) if there else None
    return Shape(np.array(times), np.array(means), np.array(mosts), arrived)


@experiment("formation_rivals", "a virtual structure beside other ways", PAGE, chosen_on=SEEN, reported_on=range(1000, 1020))
def formation_rivals(lab: Lab) -> Finding:
    """For each seed the same formation and disturbance, by every method."""
    seeds = lab.seeds(quick=2)
    cases = [(disturbance, method) for disturbance in DISTURBANCES for method in METHODS]
    found = iter(lab.map(run, [Disturbed(seed, method, disturbance) for disturbance, method in cases for seed in seeds]))
    runs = {case: [next(found) for _ in seeds] for case in cases}
    mean = {case: 1e3 * float(np.mean([one.mean for one in ns])) for case, ns in runs.items()}
    most = {case: 1e3 * float(np.mean([one.most.max() for one in ns])) for case, ns in runs.items()}
    others = [method for method, law in METHODS.items() if law is not None]
    claims = {
        f"{what}: {kind} is less with the structure than with {other}": found["fails", "virtual structure"] < found["fails", other]
        for what, kind, found in (("one robot fails", "the mean error", mean), ("one robot fails", "the greatest error", most))
        for other in others
    } | {
        f"one robot is pushed: the mean error is less with the structure than with {other}": mean["pushed", "virtual structure"]
        < mean["pushed", other] for other in others
    } | {"all arrive, by every method": all(one.arrived is not None for ns in runs.values() for one in ns)}  # fmt: skip
    rows = tuple(
        (what, method, f"{mean[what, method]:.1f}", f"{most[what, method]:.0f}", _time(runs[what, method])) for what, method in cases
    )
    return Finding(
        "A virtual structure beside other ways to keep a formation",
        "The paper compares with none. A failed robot holds the structure up; others leave it, or are drawn back by it.",
        ("one robot", "method", "mean error (mm)", "greatest error (mm)", "arrived after (s)"), rows, claims,
        tuple(
            Curves(f"one robot {what}, seed {seeds[0]}", "time (s)", "formation error (mm)", {
                method: (one.time, 1e3 * one.mean, None) for method in METHODS for one in runs[what, method][:1]
            }) for what in ("fails", "pushed")
        ),
        {f"{what}_{method}": mean[what, method] for what, method in cases},
        f"{len(seeds)} formations of 3 to 12 omnidirectional robots in eight shapes go {WAY:g} m at {SPEED} m/s. One fails for "
        f"{FAILS:g} s, or is put {PUSHED:g} m aside. The error is the distance from the fitted shape, over the whole run; "
        "the greatest is of the robot that is farthest off, averaged over runs.",
    )  # fmt: skip


def _time(runs: list[Shape]) -> str:
    there = [one.arrived for one in runs if one.arrived is not None]
    return f"{np.mean(there):.1f}" if there else "–"
