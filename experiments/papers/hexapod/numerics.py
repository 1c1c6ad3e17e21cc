"""Can the insects' numbers be believed: time steps, the balance of energy, and what a step costs by the number of legs."""

import time
from dataclasses import dataclass

import numpy as np

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Curves, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array
from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.terrain import Terrain
from swarm_control.sim.mujoco.hexapod_walk import Insects, with_hexapod

from . import PAGE

STEPS = (0.001, 0.0005, 0.00025, 0.000125)
"""Time steps to compare, s."""
LEGS = (4, 6, 8, 12, 20, 30, 40)
TWIST = np.array([[0.055, 0.0, 0.0]])
ERG = 1e-7
"""J."""


def level() -> Bodies:
    """The paper's level ground."""
    return Bodies(terrain=Terrain(friction=0.7))


@dataclass(frozen=True)
class Balance:
    """Where energy went in a walk, J: ``work`` of the springs' torques, ``damped`` in joints, ``contact``: done on the ground by the feet,
    ``change`` of kinetic and potential energy; ``turnover``: all that the springs gave or took. ``speed`` (m/s) forward.
    """

    work: float
    damped: float
    contact: float
    change: float
    turnover: float
    speed: float

    @property
    def residual(self) -> float:
        """What is unaccounted for, as a share of the turnover."""
        return abs(self.work - self.damped - self.contact - self.change) / self.turnover


def balance(case: tuple[float, Seed], duration: float = 1.0) -> Balance:
    """Let an insect walk for ``duration`` (s), after as long; sum up all powers. ``case``: time step (s), seed."""
    step, seed = case
    import mujoco

    insects = Insects(with_hexapod(level(), time_step=step), 1, seed, tick=step)
    model, data, kind = insects.model, insects.data, insects.kind
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    sums, first, begun = np.zeros(4), 0.0, 0.0
    for k in range(round(2.0 * duration / step)):
        kind.control(data, TWIST)
        before = data.qvel.copy()
        mujoco.mj_step(model, data)
        if k * step < duration:
            first, begun = float(data.energy.sum()), float(data.qpos[kind.roots[0]])
            continue
        moved = 0.5 * step * (before + data.qvel)
        springs = data.qfrc_applied * moved
        damped = model.dof_damping.reshape(model.nv, -1)[:, 0] * data.qvel * moved
        sums += springs.sum(), damped.sum(), -(data.qfrc_constraint @ moved), np.abs(springs).sum()
    mujoco.mj_forward(model, data)
    work, damped, contact, turnover = (float(s) * ERG for s in sums)
    speed = (float(data.qpos[kind.roots[0]]) - begun) * kind.unit / duration
    return Balance(work, damped, contact, (float(data.energy.sum()) - first) * ERG, turnover, speed)


def cost(legs: int, seed: Seed, steps: int = 400) -> tuple[float, float]:
    """Processor time (s) of a time step of MuJoCo and of the control, for a body with so many ``legs`` that walks a slow wave."""
    import mujoco

    insects = Insects(with_hexapod(level(), legs__count=legs), 1, seed, tick=0.01)
    insects.walk((0.01, 0.0, 0.0), 0.2)
    twist, spent = 0.2 * TWIST, np.full((steps, 2), np.inf)
    for row in spent:
        begun = time.process_time_ns()
        insects.kind.control(insects.data, twist)
        between = time.process_time_ns()
        mujoco.mj_step(insects.model, insects.data)
        row[:] = time.process_time_ns() - between, between - begun
    stepped, controlled = 1e-9 * np.median(spent, axis=0)
    return float(stepped), float(controlled)


def straightness(x: Array, y: Array) -> float:
    """R² of a straight line through ``y`` over ``x``."""
    fitted = np.polyval(np.polyfit(x, y, 1), x)
    return float(1.0 - ((y - fitted) ** 2).sum() / ((y - y.mean()) ** 2).sum())


@experiment("hexapod_numerics", "time steps, balance of energy, cost by the number of legs", PAGE, reported_on=range(100, 101))
@each_seed
def numerics(lab: Lab, seed: Seed) -> Finding:
    """Step halving, energy balance, cost from 4 to 40 legs."""
    steps, legs = (STEPS[1:3], LEGS[:3]) if lab.quick else (STEPS, LEGS)
    found = lab.map(balance, [(step, seed) for step in steps])
    spent = np.array([cost(count, seed) for count in legs])
    rows: list[tuple[str, ...]] = [
        (f"{1e3 * step:g} ms", f"{100 * b.speed:.2f}", f"{1e3 * b.work:.2f}", f"{1e3 * b.damped:.2f}", f"{1e3 * b.contact:.2f}",
         f"{1e3 * b.change:.3f}", f"{100 * b.residual:.4f}")
        for step, b in zip(steps, found)
    ]  # fmt: skip
    speed = np.array([b.speed for b in found])
    residual = np.array([b.residual for b in found])
    good = np.array(steps) <= 0.0005
    total, linear = spent.sum(axis=1), np.array(legs, float)
    rows += [(f"{n} legs: {1e6 * a:.0f} µs a step, control {1e6 * c:.0f} µs", *["–"] * 6) for n, (a, c) in zip(legs, spent)]
    return Finding(
        "Numbers to believe (section 3.1)",
        "The articulated-body method's cost is linear in the number of joints; a frame of 1/1200 s took about 4 minutes in 1990.",
        ("time step", "speed (cm/s)", "work of springs (mJ)", "damped (mJ)", "into the ground (mJ)", "gained (mJ)", "unaccounted for (%)"),
        tuple(rows),
        {
            "time steps below 0.5 ms change the speed by less than 1 %": bool(np.abs(speed[good] / speed[-1] - 1.0).max() < 0.01),
            "energy is accounted for to 0.1 % of the springs' turnover at 0.5 ms and below": bool((residual[good] < 0.001).all()),
            "the cost is linear in the number of legs (R² above 0.97)": straightness(linear, total) > 0.97,
            "one insect takes less than a third of real time of one core": bool(total[1] / 0.0005 < 1.0 / 3.0),
        },
        (
            Curves("unaccounted for", "time step (ms)", "% of turnover", {"walk": (1e3 * np.array(steps), 100 * residual, None)}),
            Curves("cost of a time step", "legs", "processor time (µs)", {
                "MuJoCo": (linear, 1e6 * spent[:, 0], None), "control": (linear, 1e6 * spent[:, 1], None)}),
        ),
        {"speed_change": float(np.abs(speed[good] / speed[-1] - 1.0).max()), "residual": float(residual[good].max()),
         "per_leg": float(np.polyfit(linear, total, 1)[0]), "real_time_share": float(total[1] / 0.0005),
         "linear": straightness(linear, total)},
        "A second of walking at 5.5 cm/s after one of getting there. Accelerations are compared with Pinocchio's articulated-body "
        "algorithm in test/robots/test_hexapod.py: they agree to 1e-8. With 1 ms the joints swing up under their springs. "
        "Cost is the median processor time of 400 time steps of 0.5 ms in a "
        "slow wave gait.",
    )  # fmt: skip
