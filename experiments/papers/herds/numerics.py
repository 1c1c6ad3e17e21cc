"""Herds: what simulating them costs, and whether it is right: time steps, energy and momentum in flight."""

import time
from typing import Any

import numpy as np

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Curves, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array
from swarm_control.core.state import Commands, SwarmState
from swarm_control.scenario.bodies import Bodies
from swarm_control.sim.mujoco.herd import HerdEngine

from . import PAGE
from .response import fleet_of

SIZES = {"hopper": (1, 10, 50, 105), "bicycle": (1, 6, 18)}
SPEED = {"hopper": 2.0, "bicycle": 7.5}
TARGET = {"hopper": (105, 1.3), "bicycle": (18, 1.0)}
"""So many robots are to be simulated so many times as fast as real time."""
STEPS = (0.002, 0.001, 0.0005)
FLIGHT = 0.5
"""How long (s) a robot is thrown for."""


@experiment("herd_numerics", "cost by number of robots; time steps, energy and momentum", PAGE, reported_on=range(100, 101))
@each_seed
def numerics(lab: Lab, seed: Seed) -> Finding:
    """Cost by the number of robots, distance by the time step, and conservation in flight."""
    seconds, sizes = (2.0, {kind: ns[:2] for kind, ns in SIZES.items()}) if lab.quick else (8.0, SIZES)
    cost = {kind: [_cost(kind, n, seconds, seed) for n in ns] for kind, ns in sizes.items()}
    way = [_way(dt, 4.0 if lab.quick else 20.0, seed) for dt in STEPS]
    flights = {kind: _thrown(kind, seed) for kind in SIZES}
    rows = [
        (f"{n} {kind}s", f"{1e3 * clock:.0f}", f"{1.0 / clock:.1f}", f"{1.0 / alone:.1f}")
        for kind, costs in cost.items() for n, (clock, alone) in zip(sizes[kind], costs)
    ]  # fmt: skip
    rows += [(f"hopper, steps of {1e3 * dt:g} ms", f"distance: {x:.3f} m", "–", "–") for dt, x in zip(STEPS, way)]
    rows += [
        (f"{kind} thrown", f"height: {h:.1e} m", f"angular momentum: {a:.1e}", f"energy: {e:.1e}")
        for kind, (h, a, e) in flights.items()
    ]  # fmt: skip
    quickest = {kind: 1.0 / costs[-1][0] for kind, costs in cost.items()}
    claims = {
        f"{TARGET[kind][0]} {kind}s run at {TARGET[kind][1]:g} times real time or faster": quickest[kind] >= TARGET[kind][1]
        for kind in SIZES if not lab.quick
    }  # fmt: skip
    return Finding(
        "Cost and correctness", "Not in the paper.",
        ("what", "of a second, or found", "times real time, by the clock", "times real time, by processor time"), tuple(rows),
        {
            **claims,
            "halving the time step of 2 ms changes the distance by less than 2 %": abs(way[1] / way[0] - 1.0) < 0.02,
            "thrown robots fly as a stone does, to 1e-9 m": all(h < 1e-9 for h, _, _ in flights.values()),
            "angular momentum and energy are kept to 1e-9": all(a < 1e-9 and e < 1e-9 for _, a, e in flights.values()),
        },
        (Curves("what a simulated second costs", "robots", "computing time (s)", {
            kind: (np.array(sizes[kind], float), np.array([clock for clock, _ in costs]), None) for kind, costs in cost.items()}),),
        {f"{kind}: times real time": value for kind, value in quickest.items()},
        "One thread. The clock counts what others do on the machine, processor time does not. Thrown: upwards, turning, with motors and "
        "dampers off; errors of the centre of mass's place, relative ones of angular momentum and energy, Runge-Kutta steps of 0.5 ms. "
        "Accelerations are held against Pinocchio's articulated-body algorithm in test/robots.",
    )  # fmt: skip


def _herd(kind: str, n: int, seed: Seed, dt: float = 0.01) -> HerdEngine:
    side, k = int(np.ceil(np.sqrt(n))), np.arange(n)
    pose = np.column_stack((3.0 * (k % side), 3.0 * (k // side), np.zeros(n)))
    velocity = np.tile([SPEED[kind], 0.0, 0.0], (n, 1))
    return HerdEngine(fleet_of(kind, n, 2.0 * SPEED[kind]), SwarmState.of(0.0, pose, velocity), None, dt, Bodies(), seed)


def _cost(kind: str, n: int, seconds: float, seed: Seed) -> tuple[float, float]:
    """Computing time for a simulated second, by the clock and of the processor, s."""
    engine, commands = _herd(kind, n, seed), Commands(np.tile([SPEED[kind], 0.0, 0.0], (n, 1)))
    _run(engine, commands, 1.0)
    began = time.perf_counter(), time.process_time()
    _run(engine, commands, seconds)
    return (time.perf_counter() - began[0]) / seconds, (time.process_time() - began[1]) / seconds


def _run(engine: HerdEngine, commands: Commands, seconds: float) -> None:
    for _ in range(round(seconds / engine.dt)):
        engine.step(commands)


def _way(dt: float, seconds: float, seed: Seed) -> float:
    """How far (m) a hopper gets with time steps of ``dt`` (s)."""
    engine = _herd("hopper", 1, seed, dt)
    _run(engine, Commands(np.array([[SPEED["hopper"], 0.0, 0.0]])), seconds)
    return float(engine.truth().pose[0, 0])


def _thrown(kind: str, seed: Seed) -> tuple[float, float, float]:
    """Errors of a robot thrown with motors off: of height (m), of angular momentum and of energy (both relative)."""
    import mujoco

    engine = _herd(kind, 1, seed)
    model, data, root = engine.shards[0].model, engine.shards[0].data, 1
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 5e-4
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_LIMIT) | int(mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS)
    model.dof_damping[:] = 0.0
    dof = int(model.jnt_dofadr[0])
    data.qpos[2] += 5.0
    data.qvel[dof + 2 : dof + 6] = 2.0, 1.0, 0.5, 0.2
    data.ctrl[:], data.qfrc_applied[:] = 0.0, 0.0
    model.actuator_gainprm[:], model.actuator_biasprm[:] = 0.0, 0.0
    first = _moved(mujoco, model, data, root)
    mujoco.mj_step(model, data, nstep=round(FLIGHT / 5e-4))
    last = _moved(mujoco, model, data, root)
    stone = first[0] + first[1] * FLIGHT + 0.5 * model.opt.gravity * FLIGHT**2
    return (
        float(np.abs(last[0] - stone).max()), float(np.linalg.norm(last[2] - first[2]) / np.linalg.norm(first[2])),
        float(abs(last[3] - first[3]) / max(abs(first[3]), 1.0)),
    )  # fmt: skip


def _moved(mujoco: Any, model: Any, data: Any, root: int) -> tuple[Array, Array, Array, float]:
    """Centre of mass (3,) m and its velocity (3,), angular momentum about it (3,), and energy (J) of the body ``root`` and all on it."""
    mujoco.mj_forward(model, data)
    mujoco.mj_subtreeVel(model, data)
    where, speed, spin = (getattr(data, name)[root].copy() for name in ("subtree_com", "subtree_linvel", "subtree_angmom"))
    return where, speed, spin, float(data.energy.sum())
