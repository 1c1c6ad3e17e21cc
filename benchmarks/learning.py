"""Steps per second of the environment for learning, beside simple_spread of PettingZoo's MPE (pip install mpe2), if there is one.

simple_spread moves discs by a damped double integrator among landmarks; ours moves robots with motion models, limits, perception, a map
and a filter that keeps them apart, at 20 Hz of control.
"""

import time
from collections.abc import Callable

import numpy as np

from swarm_control.analysis.rl import ArrayEnv

STEPS = 30
"""Steps in a round."""


def ours(robots: int) -> tuple[Callable[[], object], Callable[[], None]]:
    """A step with actions at random in the scenario ``scale``, and a new episode."""
    env, rng = ArrayEnv("scale", robots=robots, duration=1000.0), np.random.default_rng(0)
    actions = rng.uniform(-0.5, 0.5, (STEPS, robots, 2))
    number = iter(range(10**9))
    return lambda: env.step(actions[next(number) % STEPS]), lambda: env.reset(1) is None


def spread(robots: int) -> tuple[Callable[[], object], Callable[[], None]]:
    """The same in MPE; ``ImportError`` where it is not installed."""
    from mpe2 import simple_spread_v3

    env = simple_spread_v3.parallel_env(N=robots, max_cycles=10**6)
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    choices = [{agent: int(choice) for agent, choice in zip(env.agents, rng.integers(0, 5, robots))} for _ in range(STEPS)]
    number = iter(range(10**9))
    return lambda: env.step(choices[next(number) % STEPS]), lambda: env.reset(seed=1) is None


def rate(step: Callable[[], object], begin: Callable[[], None]) -> float:
    """Steps per second, the best of three rounds."""
    found = []
    for _ in range(3):
        begin()
        step()
        started = time.perf_counter()
        for _ in range(STEPS):
            step()
        found.append(STEPS / (time.perf_counter() - started))
    return max(found)


def main() -> None:
    """Print a line for each number of robots."""
    for robots in (3, 10, 30, 100):
        own = rate(*ours(robots))
        line = f"{robots:4} robots: {own:7.0f} steps/s, {own * robots:8.0f} robot steps/s"
        try:
            other = rate(*spread(robots))
            line += f"; simple_spread {other:7.0f} steps/s: ours is {own / other:.2f} times as fast"
        except ImportError:
            line += "; mpe2 is not installed"
        print(line, flush=True)


if __name__ == "__main__":
    main()
