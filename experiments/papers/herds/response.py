"""Herds: how each kind of robot answers a change of its command, identified by watching it (Brogan & Hodgins, Fig. 6)."""

import numpy as np

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Curves, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.motion import Motion, gains, response
from swarm_control.core.robot import ROBOTS as MODELS
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.scenario.bodies import Bodies
from swarm_control.sim.mujoco.herd import HerdEngine
from swarm_control.sim.mujoco.response import Response, respond
from swarm_control.sim.planar import PlanarEngine

from . import PAGE

ROBOTS = 12
APART = np.column_stack((np.zeros(ROBOTS), 12.0 * np.arange(ROBOTS), np.zeros(ROBOTS)))
DT = 0.01
STEPS = {
    "point mass, 2 to 2.5 m/s": ("point_mass", "speed", 2.0, 2.5, 4.0),
    "hopper, 1 to 2 m/s": ("hopper", "speed", 1.0, 2.0, 6.0),
    "hopper, 2 to 1 m/s": ("hopper", "speed", 2.0, 1.0, 6.0),
    "hopper at 1.5 m/s, sideways 0 to 0.5 m/s": ("hopper", "sideways", 0.0, 0.5, 6.0),
    "bicycle, 7 to 8 m/s": ("bicycle", "speed", 7.0, 8.0, 8.0),
    "bicycle at 7.5 m/s, turning 0 to 0.15 rad/s": ("bicycle", "turn", 0.0, 0.15, 6.0),
}
"""What is plotted: kind, axis, command before and after, and for how long it is watched (s)."""
BASE = {("hopper", "sideways"): 1.5, ("bicycle", "turn"): 7.5}
"""Speed (m/s) at which another axis is stepped."""
SIZES = {"point_mass": 0.25, "hopper": 0.25, "bicycle": 0.9}


@experiment("herd_response", "how each kind answers a change of command (Fig. 6)", PAGE, reported_on=range(100, 101))
@each_seed
def responses(lab: Lab, seed: Seed) -> Finding:
    """Step the commands of each kind and fit what it does."""
    found = {name: identified(*step, seed) for name, step in STEPS.items()}
    rows = tuple(_row(name, answer) for name, answer in found.items())
    hop = [answer for name, answer in found.items() if name.startswith("hopper")]
    used = {kind: _used(kind) for kind in ("hopper", "bicycle")}
    lean = found["bicycle at 7.5 m/s, turning 0 to 0.15 rad/s"]
    return Finding(
        "Answers to a change of command (Fig. 6)",
        "A one-legged robot can change its velocity only while it stands, and needs some steps; a bicyclist must first steer the other way "
        "and answers a command to turn after about 0.5 s.",
        ("kind and step", "delay (s)", "rise (s)", "reached", "overshoot (%)", "steepest (m/s² or rad/s²)", "falls"),
        rows,
        {
            "nobody falls": not any(answer.falls for answer in found.values()),
            "a hopper's delay and half its rise are on average, within a quarter, the time that its model looks ahead": (
                abs(float(np.mean([a.delay + 0.5 * a.rise for a in hop])) - used["hopper"]) < 0.25 * used["hopper"]),
            "a bicycle turns after 0.3 to 0.7 s": 0.3 <= lean.delay <= 0.7,
            "a bicycle steers the other way first": float(lean.answer[lean.time < lean.delay].min()) < -0.005,
        },
        (
            Curves("speed along the course", "time since the step (s)", "share of the step", {
                name: (a.time, (a.answer - a.from_) / (a.to - a.from_), None) for name, a in found.items() if "turning" not in name}),
            Curves("a bicycle's turn rate", "time since the step (s)", "turn rate (rad/s)", {
                "0 to 0.15 rad/s": (lean.time, lean.answer, None)}),
        ),
        {f"{name}: {key}": value for name, a in found.items() for key, value in (("delay", a.delay), ("rise", a.rise))},
        f"{ROBOTS} robots of each kind, stepped at times spread over half a second, so that the rhythm of steps and pedals falls out of "
        "the mean. Delay: until a tenth of the way is made for good; rise: from there to nine tenths. The motion models decide for "
        + " and ".join(f"{time:.2f} s ({kind})" for kind, time in used.items()) + ".",
    )  # fmt: skip


def identified(kind: str, axis: str, before: float, after: float, duration: float, seed: Seed) -> Response:
    """The answer of ``ROBOTS`` robots of a ``kind``, far apart on level ground."""
    fast = max(before, after) if axis == "speed" else BASE[kind, axis]
    first = before if axis == "speed" else fast
    start = SwarmState.of(0.0, APART, np.tile([first, 0.0, 0.0], (ROBOTS, 1)))
    engine = make(kind, 2.0 * fast, start, seed)
    return respond(engine, axis, before, after, duration, np.array([fast if axis != "speed" else 0.0, 0.0, 0.0]))


def make(kind: str, fastest: float, start: SwarmState, seed: Seed) -> PlanarEngine | HerdEngine:
    """An engine with robots of a ``kind``, up to ``fastest`` m/s; a point mass answers by its own bounds."""
    fleet = fleet_of(kind, len(start), fastest)
    if MODELS[kind].body is None:
        return PlanarEngine(fleet, start, None, DT)
    return HerdEngine(fleet, start, None, DT, Bodies(), seed)


def fleet_of(kind: str, n: int, fastest: float) -> Fleet:
    """``n`` robots of a ``kind``."""
    radius, top, push, turn, base = (np.full(n, value) for value in (SIZES[kind], fastest, 100.0, 10.0, 0.5))
    return Fleet(tuple(f"robot_{k}" for k in range(n)), (kind,) * n, radius, top, push, turn, base)


def _used(kind: str) -> float:
    """For how long ahead the motion model decides, s."""
    fleet, motion = fleet_of(kind, 1, 1.0), Motion()
    return float(max(gains(fleet, motion, 0.05)[0, 2], response(fleet, motion, 0.05)[0]))


def _row(name: str, a: Response) -> tuple[str, ...]:
    return (
        name, f"{a.delay:.2f}", f"{a.rise:.2f}", f"{a.final:.2f}", f"{100 * a.overshoot:.0f}", f"{a.steepest:.1f}", str(a.falls),
    )  # fmt: skip
