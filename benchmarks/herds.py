"""Speed of herds in MuJoCo, on one thread and on all: ``python benchmarks/herds.py [--quick]``.

Robots go straight at a steady speed, in steps of 10 ms of the engine. Each row is one herd; its runs on one thread and on all take turns,
and their medians are told. Processor time is that of all threads, of the run on one.
"""

import time
from collections.abc import Mapping

import numpy as np
from command_line import asks_for_quick

from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.terrain import Terrain
from swarm_control.sim.mujoco.herd import HerdEngine
from swarm_control.sim.mujoco.stepping import processors

DT = 0.01
MADE: Mapping[str, tuple[float, float, float]] = {"hopper": (0.3, 2.0, 2.0), "bicycle": (0.9, 7.5, 4.0), "hexapod": (0.02, 0.03, 0.15)}
"""Radius of the footprint (m), speed (m/s) and distance from neighbour to neighbour (m) of each model."""
HILLS = Bodies(terrain=Terrain(friction=0.7, roughness=0.012, wavelength=0.03, extent=2.0))
HERDS = (
    ("hopper", 10, Bodies(), 0.0), ("hopper", 105, Bodies(), 8.0), ("hopper", 1000, Bodies(), 1.0), ("bicycle", 6, Bodies(), 0.0),
    ("bicycle", 18, Bodies(), 8.0), ("hexapod", 1, HILLS, 0.0), ("hexapod", 10, HILLS, 1.5),
)  # fmt: skip
"""Model, number of robots, ground, and how many times as fast as real time they are to be on two processors; 0: nothing is asked."""


def herd(model: str, count: int, bodies: Bodies, threads: int) -> HerdEngine:
    """Robots on a square grid that go along x."""
    radius, speed, gap = MADE[model]
    side, k = int(np.ceil(np.sqrt(count))), np.arange(count)
    limits = (np.full(count, value) for value in (radius, 2.0 * speed, 10.0, 2.0, 0.1))
    fleet = Fleet(tuple(f"robot_{i}" for i in k), (model,) * count, *limits)
    pose = np.column_stack((gap * (k % side), gap * (k // side), np.zeros(count)))
    start = SwarmState.of(0.0, pose, np.tile((speed, 0.0, 0.0), (count, 1)))
    return HerdEngine(fleet, start, None, DT, bodies, 0, threads=threads)


def go(engine: HerdEngine, steps: int) -> tuple[float, float]:
    """Times real time by the clock, and by processor time, of so many steps."""
    speed = MADE[engine.fleet.model[0]][1]
    told = Commands(np.tile((speed, 0.0, 0.0), (len(engine.fleet), 1)))
    clock, work = time.perf_counter(), time.process_time()
    for _ in range(steps):
        engine.step(told)
    return steps * DT / (time.perf_counter() - clock), steps * DT / (time.process_time() - work)


def main() -> None:
    quick = asks_for_quick(__doc__, "fewer robots and steps")
    most = processors()
    print(f"herd             one thread  processor time  {most} threads  ratio   wanted of two  fallen")
    for model, count, bodies, wanted in HERDS:
        if quick and count > 20:
            continue
        engines = [herd(model, count, bodies, threads) for threads in (1, most)]
        steps = 5 if quick else max(round(2000 / count), 20)
        for engine in engines:
            go(engine, 20 if not quick else 2)
        found = np.array([[go(engine, steps) for engine in engines] for _ in range(1 if quick else 5)])
        one, all_, work = (float(np.median(values)) for values in (found[:, 0, 0], found[:, 1, 0], found[:, 0, 1]))
        goal = f"≥ {wanted:g}" if wanted else ""
        line = f"{count:5} {model + 's':10} {one:10.2f} {work:15.2f} {all_:10.2f} {all_ / one:6.2f} {goal:>15}"
        print(f"{line} {sum(int(engine.fallen.sum()) for engine in engines):7}", flush=True)


if __name__ == "__main__":
    main()
