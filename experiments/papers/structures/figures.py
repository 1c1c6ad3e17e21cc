"""What the paper draws: reachable positions, cost surfaces, a formation that turns though one robot fails, docking (Figs 7, 10, 14, 16)."""

from dataclasses import dataclass

import numpy as np

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Curves, Finding, Surface, Tracks
from swarm_control.analysis.experiments.flight import Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core import targets
from swarm_control.core.geometry import Array, norm
from swarm_control.formation.problem import DisplacementProblem
from swarm_control.formation.robots import Robots

from . import PAGE
from .drill import Drill, drill
from .search import BIAS, HORIZON, PERIOD, r3

SECONDS, SPEED, WHEELS = 1.0, 0.15, 0.14
"""The robot of Fig. 7 goes at SPEED (m/s); its wheels change their speeds by up to WHEELS (m/s), which they keep for so many SECONDS."""

LINES = 15
"""Lines each way of the map of reachable positions."""

CELLS, SIDE = 161, 0.06
"""Points along a side of a cost surface, and half of that side, m."""


def by_wheels(left: Array, right: Array, base: float, seconds: float) -> Array:
    """Positions (..., 2) m, robot's frame, after ``seconds`` at these wheel speeds (m/s): Lewis & Tan eqs 7, 8, 13, 14.

    ``θ = (v_r − v_l)·T/(2r)``, ``R = (v_l + v_r)·T/(2θ)``, ``Δx = R sin θ``, ``Δy = R (1 − cos θ)``; r is half the wheels' ``base`` (m).
    """
    theta = (right - left) * seconds / base
    straight = np.abs(theta) < 1e-9
    radius = (left + right) * seconds / (2.0 * np.where(straight, 1.0, theta))
    ahead = np.where(straight, 0.5 * (left + right) * seconds, radius * np.sin(theta))
    return np.stack((ahead, np.where(straight, 0.0, radius * (1.0 - np.cos(theta)))), axis=-1)


def reachable() -> tuple[Array, float]:
    """The map (L, L, 2) m of Fig. 7, and how far (m) robots that are sent to its positions end from them."""
    robot = r3(1)
    change = np.linspace(-WHEELS, WHEELS, LINES)
    left, right = np.meshgrid(SPEED + change, SPEED + change, indexing="ij")
    place = by_wheels(left, right, float(robot.wheel_base[0]), SECONDS)
    at_rest, going = np.zeros((1, 3)), np.array([[SPEED, 0.0, 0.0]])
    end = targets.reach(at_rest, place.reshape(-1, 1, 2), going, robot, SECONDS, SECONDS)
    return place, float(norm(end.reshape(-1, 2) - place.reshape(-1, 2)).max())


@dataclass(frozen=True)
class Cost:
    """A cost surface: ``value`` (H, W) mm², place of the ``least`` (1, 2) m, and on which share of rays from there it ``falls`` again."""

    value: Array
    least: Array
    falls: float


def surface(headings: tuple[float, ...], bias: float) -> Cost:
    """Cost of moving a structure that does not turn, of robots at rest, 0.6 m apart, with these ``headings`` (rad)."""
    n = len(headings)
    points = 0.6 * np.column_stack((np.arange(n) - 0.5 * (n - 1), np.zeros(n)))
    robots = Robots(np.column_stack((points, headings)), np.zeros((n, 3)), r3(n), targets, PERIOD, HORIZON)
    problem = DisplacementProblem(points, np.ones(n), np.zeros(3), np.array([0.03, 0.03, 0.0]), robots, bias)

    def cost(x: Array, y: Array) -> Array:
        return 1e6 * problem.cost(np.column_stack((x.ravel(), y.ravel(), np.zeros(x.size)))).reshape(x.shape)

    axis = np.linspace(-SIDE, SIDE, CELLS)
    value = cost(*np.meshgrid(axis, axis))
    i, j = np.unravel_index(int(value.argmin()), value.shape)
    angle, far = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 180, endpoint=False), np.linspace(0.0, SIDE, 240), indexing="ij")
    rays = cost(axis[j] + far * np.cos(angle), axis[i] + far * np.sin(angle))
    return Cost(value, np.array([[axis[j], axis[i]]]), float((np.diff(rays, axis=1) < -1e-3 * value.max()).any(axis=1).mean()))


SURFACES = {
    "Fig. 10a: one robot": ((0.0,), 0.0), "10b: with a bias": ((0.0,), BIAS), "10c: two robots": ((0.2, 0.5 * np.pi), BIAS / 10.0),
}  # fmt: skip
"""Headings (rad) and bias; the wish is to go 4 cm aslant."""

TRACKER = ("simulator.noise_position=0.002", "simulator.noise_heading=1", "simulator.delay=0.02")
BROKEN = ("simulator.failures=[{robot: robot_1, start: 5}]", "goals=[{position: [2, 0], heading: 90}]", "duration=60", *TRACKER)
ALIGNED = (
    "robots.0.start.poses=[[0.3464, 0, 0], [-0.1732, 0.3, 0], [0.8268, -0.3, 0]]", "phases.0.start=18", "duration=70",
    "goals=[{position: [1.0866, 0.15]}, {position: [2.5, 1], heading: 90}]",
)  # fmt: skip
"""The two come to where the third one is in its place, and take it in then (at 18 s); all go on and turn."""
MOVING = (
    "robots.0.start.poses=[[0.3464, 0, 0], [-0.1732, 0.3, 0], [-0.5, -0.7, 20]]", "formation.members=[robot_0, robot_1, robot_2]",
    "formation.points=[0.3464, 0, -0.1732, 0.3, -0.1732, -0.3]", "formation.split=[2, 1]", "duration=60",
    "goals=[{position: [3.2, 0.15], part: 1}, {position: [3.2, -0.6], part: 2}, {position: [3.5, 0.5], heading: 45}]",
    "phases=[{name: docking, start: 10, set: {formation.split: []}}]",
)  # fmt: skip
"""The third one goes its own way; both are under way when they become one structure (at 10 s)."""

RUNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "fails": ("formation_failure", BROKEN),
    "fails, with a leader": ("formation_failure", (*BROKEN, "formation.leader=robot_0")),
    "docks aligned": ("formation_docking", ALIGNED),
    "docks at once": ("formation_docking", MOVING),
    "docks in 6 s": ("formation_docking", (*MOVING, "formation.morph_time=6")),
}
WHEN = {name: 5.0 if "fails" in name else 18.0 if "aligned" in name else 10.0 for name in RUNS}
"""When (s) the robot fails, or is taken in."""


@experiment("structures_figures", "pictures: reach, cost, failure, docking (Figs 7, 10, 14, 16)", PAGE, reported_on=range(100, 101))
@each_seed
def figures(lab: Lab, seed: Seed) -> Finding:
    """The maps are exact; the runs are seen by the tracker with its noise."""
    reach, missed = reachable()
    surfaces = {name: surface(*asked) for name, asked in SURFACES.items()}
    simple, biased, double = surfaces.values()
    runs = dict(zip(RUNS, lab.map(drill, [Trial(scenario, changes, seed) for scenario, changes in RUNS.values()])))
    late = {name: float(one.error[one.after(one.time[-1] - 10.0)].mean()) for name, one in runs.items()}
    peak = {name: float(one.error[one.after(WHEN[name])].max()) for name, one in runs.items()}
    led = "fails, with a leader"
    turned = {name: float(np.rad2deg(runs[name].pose[-1, 2])) for name in RUNS if "fails" in name}
    ahead, aside = (float(np.ptp(reach[..., k])) for k in (0, 1))
    claims: dict[str, bool] = {
        "Fig. 7: robots that are sent to a reachable position get there, to the micrometre": missed < 1e-6,
        "Fig. 7: they reach farther along their axis than sideways": ahead > aside,
        "Fig. 10: the surface of two robots is rougher: it falls again in twice as many directions": double.falls
        > 2.0 * max(simple.falls, biased.falls),
        "Fig. 14: the structure keeps together when a robot fails: below 5 cm": peak["fails"] < 0.05,
        "Fig. 14: it turns as told though a robot has failed, by 90° within 5": abs(turned["fails"] - 90.0) < 5.0,
        "with a leader it does not keep together: more than three times that error in the end": late[led] > 3.0 * late["fails"],
        "Fig. 16: taken in when it is aligned, a robot disturbs the formation by less than 2 cm": peak["docks aligned"] < 0.02,
        "taken in on the move, the error falls below 2 mm": all(late[name] < 0.002 for name in ("docks at once", "docks in 6 s")),
        "nobody collides": not any(one.summary["collisions"] for one in runs.values()),
    }
    axis = np.linspace(-SIDE, SIDE, CELLS)
    return Finding(
        "Reach, cost, a failure and docking (Figs 7, 10, 14, 16)",
        "A robot reaches farther along its axis than sideways. The cost of displacing one robot is simple, that of two is not. A robot "
        "that fails does not break the formation, which turns as told; after a leader it would fall apart. Docking, aligned or not.",
        ("run", "largest error from then on (cm)", "mean of the last 10 s (cm)", "turned (°)"),
        tuple(
            (name, f"{100 * peak[name]:.2f}", f"{100 * late[name]:.3f}", f"{turned[name]:.0f}" if name in turned else "") for name in RUNS
        ),
        claims,
        (
            Tracks("Fig. 7: reachable positions", {}, tuple(reach) + tuple(reach.transpose(1, 0, 2))),
            *(Surface(f"{name}, mm²", "x (m)", "y (m)", axis, axis, one.value, one.least) for name, one in surfaces.items()),
            _tracks("Fig. 14: robot_1 fails", runs["fails"]), _tracks("the same after a leader", runs[led]),
            _tracks("Fig. 16: docking when aligned", runs["docks aligned"]),
            Curves("formation error", "time (s)", "error (cm)", {name: (one.time, 100 * one.error, None) for name, one in runs.items()}),
        ),
        {"reach": missed, "failure": peak["fails"], "leader": late[led], "aligned": peak["docks aligned"]},
        "Docking at once and in 6 s is on the move. Crosses mark the least cost. It falls again, by more than a thousandth of the most, in "
        + ", ".join(f"{100 * one.falls:.0f} % ({name})" for name, one in surfaces.items()) + " of the directions from there. The lines of "
        "Fig. 7 go through positions at even steps of one wheel's speed; the paper's figures have no numbers.",
    )  # fmt: skip


def _tracks(title: str, one: Drill) -> Tracks:
    steps = np.linspace(0, len(one.time) - 1, 5).astype(int)
    robots = {f"robot_{k}": one.position[:, k] for k in range(one.position.shape[1])}
    return Tracks(title, robots, tuple(one.position[k] for k in steps))
