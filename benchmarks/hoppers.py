"""Speed of a herd of one-legged robots in one MuJoCo model: ``python benchmarks/hoppers.py [--seconds S]``.

All go at 2 m/s on level ground, in one process on one processor. A step is the robots' control and MuJoCo's ``mj_step``, both every
2 ms; the engine is what is around them: energy, contacts of footprints, falls, every 10 ms. Times are by the clock; what a processor
that nobody else wants would give is in the column "alone", by processor time.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from command_line import tell_machine

from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.scenario.bodies import Bodies
from swarm_control.sim.mujoco.herd import HerdEngine

SIZES = (1, 10, 50, 105)
TARGET = 1.3
"""Times real time that 105 robots are to reach."""
SPEED, DT, SPACING = 2.0, 0.01, 2.0


class Clock:
    """Adds up the time that calls of a function take."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.spent, self.calls = function, 0.0, 0

    def __call__(self, *arguments: Any) -> Any:
        """Call it."""
        began = time.perf_counter()
        result = self.function(*arguments)
        self.spent += time.perf_counter() - began
        self.calls += 1
        return result


def herd(n: int) -> HerdEngine:
    """``n`` robots on a square grid that go along x."""
    side, k = int(np.ceil(np.sqrt(n))), np.arange(n)
    fleet = Fleet(tuple(f"robot_{i}" for i in k), ("hopper",) * n, *(np.full(n, v) for v in (0.3, 2.5, 10.0, 2.0, 0.1)))
    pose = np.column_stack((SPACING * (k % side), SPACING * (k // side), np.zeros(n)))
    return HerdEngine(fleet, SwarmState.of(0.0, pose, np.tile((SPEED, 0.0, 0.0), (n, 1))), None, DT, Bodies(), 0)


class Run:
    """A herd on its way; ``measure`` says how fast it is simulated."""

    def __init__(self, n: int) -> None:
        import mujoco

        self.engine, self.commands = herd(n), Commands(np.tile((SPEED, 0.0, 0.0), (n, 1)))
        kind = self.engine.kinds[0][1]
        self.control, self.physics = Clock(kind.control), Clock(mujoco.mj_step)
        kind.control = self.control  # type: ignore[method-assign]
        self.engine._mujoco = _With(mujoco, self.physics)
        self.engine.reset()  # what takes the steps is made anew
        self.measure(1.0)

    def measure(self, seconds: float) -> tuple[float, ...]:
        """Times real time over so many simulated ``seconds``, by the clock and by processor time; ms per time step of control and of
        ``mj_step``; mean speed (m/s).
        """
        self.control.spent = self.physics.spent = self.control.calls = 0
        start, began, worked = self.engine.truth().pose[:, 0].mean(), time.perf_counter(), time.process_time()
        for _ in range(round(seconds / DT)):
            self.engine.step(self.commands)
        spent, work = time.perf_counter() - began, time.process_time() - worked
        speed = (self.engine.truth().pose[:, 0].mean() - start) / seconds
        calls = self.control.calls
        return seconds / spent, seconds / work, 1e3 * self.control.spent / calls, 1e3 * self.physics.spent / calls, float(speed)


class _With:
    """A module with another ``mj_step``."""

    def __init__(self, module: Any, step: Callable[..., Any]) -> None:
        self._module, self.mj_step = module, step

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def table(sizes: tuple[int, ...], seconds: float, repeats: int) -> None:
    """Print for each number of robots the median and the best of ``repeats`` measurements of ``seconds`` (s) each."""
    print("robots    times real time          ms per step of 2 ms         share of         mean speed  fallen")
    print("         median    best   alone    control    mj_step     control  mj_step            m/s")
    for n in sizes:
        run = Run(n)
        found = np.array([run.measure(seconds) for _ in range(repeats)])
        times, alone, control, physics, speed = np.median(found, axis=0)
        whole = 2.0 / times
        goal = f"   target ≥ {TARGET}: {'met' if times >= TARGET else 'MISSED'}" if n == 105 else ""
        cells = f"{n:<7} {times:8.2f} {found[:, 0].max():7.2f} {alone:7.2f} {control:10.3f} {physics:10.3f}"
        shares = f"{control / whole:10.0%} {physics / whole:8.0%}"
        print(f"{cells} {shares} {speed:14.2f} {int(run.engine.fallen.sum()):7d}{goal}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4.0, help="simulated time of a measurement")
    tell_machine()
    table(SIZES, parser.parse_args().seconds, 5)


if __name__ == "__main__":
    main()
