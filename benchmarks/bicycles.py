"""Speed of the bicyclists in MuJoCo, on one thread: ``python benchmarks/bicycles.py [--quick]``.

Each number of them rides in one model at 7.5 m/s through gentle turns. Printed: how many times faster than real time (target: 18 at 1×),
the time of one step, and the control's share of it; for the paper's rider and for the stiff one.
"""

import time

import numpy as np
from command_line import asks_for_quick

from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.robots.bicycle.body_parameters import Bicycle
from swarm_control.scenario.bodies import Bodies
from swarm_control.sim.mujoco.herd import HerdEngine

SIZES = (1, 6, 18)
SPEED, PERIOD, TARGET = 7.5, 0.05, {18: 1.0}


def riders(n: int, rider: str) -> HerdEngine:
    """``n`` bicyclists in rows of six."""
    limits = (np.full(n, value) for value in (0.8, 10.0, 2.0, 1.0, 0.5))
    fleet = Fleet(tuple(f"robot_{k}" for k in range(n)), ("bicycle",) * n, *limits)
    place = np.array([(4.0 * (k // 6), 4.0 * (k % 6), 0.0) for k in range(n)])
    start = SwarmState.of(0.0, place, np.tile((SPEED, 0.0, 0.0), (n, 1)))
    return HerdEngine(fleet, start, None, PERIOD, Bodies(bicycle=Bicycle(rider=rider)), 0)


def ride(engine: HerdEngine, duration: float) -> float:
    """Seconds of the machine's time for ``duration`` s of theirs."""
    n, began = len(engine.fleet), time.perf_counter()
    for k in range(round(duration / PERIOD)):
        engine.step(Commands(np.tile((SPEED, 0.0, 0.2 * np.sin(0.1 * k)), (n, 1))))
    return time.perf_counter() - began


def control(engine: HerdEngine, calls: int) -> float:
    """Seconds that the control of one step takes."""
    shard, twist = engine.shards[0], np.tile((SPEED, 0.0, 0.1), (len(engine.fleet), 1))
    began = time.perf_counter()
    for _ in range(calls):
        shard.control(twist)
    return (time.perf_counter() - began) / calls


def table(sizes: tuple[int, ...], duration: float, repeats: int) -> None:
    """Print what each number of bicyclists costs."""
    print("rider        bicycles   × real time   best   ms/step   control   target   fallen")
    for rider in ("articulated", "rigid"):
        for n in sizes:
            engine = riders(n, rider)
            ride(engine, 0.2)
            taken = [ride(engine, duration) for _ in range(repeats)]
            fallen, step = int(engine.fallen.sum()), engine.shards[0].model.opt.timestep
            middle, best = (duration / value for value in (float(np.median(taken)), min(taken)))
            each = 1e3 * step / middle
            share = 1e3 * control(engine, 500) / each
            goal = f"≥ {TARGET[n]:g}" if n in TARGET else ""
            print(f"{rider:<12} {n:8} {middle:13.2f} {best:6.2f} {each:9.3f} {share:9.1%} {goal:>8} {fallen:8}", flush=True)


def main() -> None:
    quick = asks_for_quick(__doc__, "a short look")
    table(SIZES, 0.5 if quick else 4.0, 1 if quick else 5)


if __name__ == "__main__":
    main()
