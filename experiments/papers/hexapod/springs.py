"""What holds a walking insect up, and how it obeys: laws of springs, commands (McKenna & Zeltzer, section 4.2)."""

import numpy as np

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Curves, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array
from swarm_control.sim.mujoco.hexapod_walk import Insects, with_hexapod

from . import PAGE
from .numerics import level


def drop(case: tuple[str, float, Seed]) -> tuple[float, bool, float]:
    """Height (cm) in which an insect dropped on springs of a law, so many times as strong, comes to rest, whether it touches the ground
    with more than its feet; its speed (m/s) when then told to walk at 5.5 cm/s.
    """
    law, times, seed = case
    p = level().hexapod.springs
    changes = {"springs__law": law, "springs__strength": tuple(times * s for s in p.strength)}
    insects = Insects(with_hexapod(level(), **changes), 1, seed)
    height = insects.walk((0.0, 0.0, 0.0), 0.8).height[-1, 0]
    feet = {"ground", *(f"insect_0/{leg}" for leg in insects.kind.anatomy.names)}
    touching = {insects.model.geom(int(g)).name for g in insects.data.contact.geom.ravel()}
    insects.walk((0.055, 0.0, 0.0), 0.5)
    return float(height), not touching <= feet, float(insects.walk((0.055, 0.0, 0.0), 1.0).speed[0])


@experiment("hexapod_springs", "linear against exponential springs (§4.2)", PAGE, reported_on=range(100, 101))
@each_seed
def springs(lab: Lab, seed: Seed) -> Finding:
    """Linear springs against exponential ones."""
    factors = (1.0, 5.0) if lab.quick else (1.0, 2.0, 3.0, 5.0, 10.0)
    cases = [("exponential", 1.0), *(("linear", k) for k in factors)]
    found = lab.map(drop, [(*case, seed) for case in cases])
    p = level().hexapod.springs
    rest = p.strength[2] * p.rise[2]
    return Finding(
        "Linear and exponential springs (section 4.2)",
        "Dropped on linear springs the insect collapsed on every attempt, and stronger ones only made a very stiff system; exponential "
        "springs hold it, and are soft where little is asked of them.",
        ("springs", "stiffness at rest (dyn cm/rad)", "rests at (cm)", "trunk or legs on the ground", "told 5.5 cm/s it makes (cm/s)"),
        tuple((f"{law}, × {k:g}", f"{rest * k:.0f}", f"{h:.3f}", "yes" if down else "no", f"{100 * v:.2f}")
              for (law, k), (h, down, v) in zip(cases, found)),
        {
            "exponential springs hold the body": not found[0][1],
            "linear springs as stiff at rest let it collapse": found[1][1],
            "linear springs never hold it, whatever their strength": all(down for _, down, _ in found[1:]),
        },
        (Curves("height at rest", "stiffness at rest, of the exponential springs'", "cm", {
            "linear": (np.array(factors), np.array([h for h, _, _ in found[1:]]), None),
            "exponential": (np.array([1.0]), np.array([found[0][0]]), None)}),),
        {"exponential": found[0][0], "linear": found[1][0], "linear_strongest": found[-1][0]},
        "Where the statement does not hold: without limits to stiffness linear springs hold the body as well, then as stiff in the air as "
        "under load. Exponential ones are that stiff only under load.",
    )  # fmt: skip


def told(case: tuple[tuple[float, float, float], Seed]) -> tuple[float, float, float]:
    """Speed ahead, to the left (m/s) and turn rate (rad/s) that come of a command, from a seed."""
    twist, seed = case
    insects = Insects(level(), 1, seed)
    insects.walk(twist, 1.0)
    walk = insects.walk(twist, 2.0)
    yaw, velocity = walk.pose[:, 0, 2], walk.velocity[:, 0]
    ahead = (np.cos(yaw) * velocity[:, 0] + np.sin(yaw) * velocity[:, 1]).mean()
    return float(ahead), float((np.cos(yaw) * velocity[:, 1] - np.sin(yaw) * velocity[:, 0]).mean()), float(walk.turn_rate[0])


def answer(change: tuple[tuple[float, float, float], tuple[float, float, float], int, Seed]) -> Array:
    """Velocity along one of the axes (T,) after a change of command, mean of 8 insects at different phases, every 2 ms from it on."""
    before, after, axis, seed = change
    insects = Insects(level(), 8, seed)
    insects.walk(before, 1.0)
    return np.asarray(insects.walk(after, 0.8).velocity[:, :, axis].mean(axis=1))


@experiment("hexapod_command", "speeds and turn rates as commanded", PAGE, reported_on=range(100, 101))
@each_seed
def command(lab: Lab, seed: Seed) -> Finding:
    """Commanded and executed velocities, and how fast a change is taken up."""
    twists = [(0.01, 0.0, 0.0), (0.055, 0.0, 0.0), (0.03, 0.0, 0.8), (0.0, 0.0, 1.5), (-0.03, 0.0, 0.0), (0.0, 0.02, 0.0)]
    got = lab.map(told, [(twist, seed) for twist in twists])
    steps = {
        "speed, 2 to 5 cm/s": ((0.02, 0.0, 0.0), (0.05, 0.0, 0.0), 0),
        "turn rate, 0 to 1 rad/s": ((0.03, 0.0, 0.0), (0.03, 0.0, 1.0), 2),
    }
    answers = lab.map(answer, [(*step, seed) for step in steps.values()])
    shares = []
    for (before, after, axis), made in zip(steps.values(), answers):
        smooth = np.convolve(np.pad(made, (25, 24), mode="edge"), np.ones(50) / 50, mode="valid")
        shares.append(np.maximum((smooth - before[axis]) / (after[axis] - before[axis]), 0.0))
    time = np.asarray(0.002 * (1.0 + np.arange(len(shares[0]))), np.float64)
    taken = [float(np.append(time[share >= 1.0 - np.exp(-1.0)], np.nan)[0]) for share in shares]
    off = [np.abs(np.array(g) - t) for g, t in zip(got, twists)]
    return Finding(
        "Commands (closed loop)",
        "Not in the paper, which walks straight at one command at a time.",
        ("command: ahead (cm/s), left (cm/s), turn (rad/s)", "made", "answer: 63 % after (ms)"),
        (*((f"{100 * t[0]:g}, {100 * t[1]:g}, {t[2]:g}", f"{100 * g[0]:.2f}, {100 * g[1]:.2f}, {g[2]:.2f}", "–")
           for t, g in zip(twists, got)),
         *((name, "–", f"{1e3 * t:.0f}") for name, t in zip(steps, taken))),
        {
            "speeds are as commanded within 0.25 cm/s": max(float(o[:2].max()) for o in off) < 0.0025,
            "turn rates within 0.05 rad/s": max(float(o[2]) for o in off) < 0.05,
            "a change is taken up within 0.2 s": bool(np.max(taken) < 0.2),
        },
        (Curves("answers, means over 0.1 s", "time (s)", "share of the change", {n: (time, s, None) for n, s in zip(steps, shares)}),),
        {"speed": taken[0], "turn": taken[1]},
        "Steps: mean of 8 insects at different phases of their gait.",
    )  # fmt: skip
