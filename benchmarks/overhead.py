"""What the separation filter and the estimator of late odometry cost per tick: ``python benchmarks/overhead.py [--quick]``.

Controllers with and without them hear the same odometry in each tick of the scenario ``scale`` and take turns at it, so that what else the
machine does hits both; the robots obey the one with. The time is the controller's processor time alone: no engine, no odometry, and no
waiting for others. A ratio is the median over rounds of ticks.
"""

import time

import numpy as np
from command_line import asks_for_quick

from swarm_control.analysis.simulation import Simulation
from swarm_control.runtime.controller import Controller
from swarm_control.scenario.loader import load

SIZES, MODELS = (10, 100, 1000), ("omni", "differential")
DELAY, TICKS, WARM = 0.2, 20, 20
"""Age of late odometry (s), a bit more than what a busy wireless network does; ticks in a round; ticks before the first."""


def compare(robots: int, model: str, switch: str, delay: float, rounds: int) -> tuple[float, float, float]:
    """Milliseconds of processor time per tick without and with what ``switch`` enables (medians over ``rounds``), and their ratio.

    ``switch``: dotted name of a parameter that is true or false; ``delay``: age of the odometry, s.
    """
    scenario = {"robots.0.model": model, "simulator.delay": delay}
    simulation = Simulation("scale", robots=robots, set=scenario)
    without = load("scale", [f"{name}={value}" for name, value in {**scenario, switch: "false"}.items()] + [f"robots={robots}"])
    controllers = (Controller(without.scenario, simulation.setup), simulation.controller)
    times = np.empty((WARM + rounds * TICKS, 2))
    for row in times:
        observed = simulation.plant.observe()
        for column, controller in enumerate(controllers):
            began = time.thread_time()
            decision = controller.tick(observed)
            row[column] = time.thread_time() - began
        simulation.plant.step(decision.commands)
    taken = times[WARM:].reshape(rounds, TICKS, 2).sum(axis=1)
    before, after = 1e3 * np.median(taken, axis=0) / TICKS
    return float(before), float(after), float(np.median(taken[:, 1] / taken[:, 0]))


def table(sizes: tuple[int, ...], rounds: int) -> None:
    """Print both costs for each number of robots and each model."""
    print(f"                         separation filter                      estimator, odometry {DELAY:g} s late")
    print("robots   model          without ms    with ms  ratio  µs/robot   without ms    with ms  ratio  µs/robot")
    for model in MODELS:
        for n in sizes:
            cells = ""
            for switch, delay in (("separation_filter.enabled", 0.0), ("estimation.enabled", DELAY)):
                before, after, ratio = compare(n, model, switch, delay, rounds)
                cells += f"{before:13.3f} {after:10.3f} {ratio:5.2f}× {1e3 * before * (ratio - 1.0) / n:9.2f}"
            print(f"{n:<8,} {model:<12}{cells}", flush=True)


def main() -> None:
    quick = asks_for_quick(__doc__, "fewer rounds")
    table(SIZES, 5 if quick else 15)


if __name__ == "__main__":
    main()
