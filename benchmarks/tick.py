"""Speed of the whole tick, against its targets and side by side with others: ``python benchmarks/tick.py [--quick]``.

A tick is perception, five behaviours with steer-to-avoid, prioritised accumulation, motion, and the engine with collisions, in the
scenario ``scale``. Ratios are medians over repeats in which the rivals take turns, so that what else the machine does hits both.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from all_pairs import AllPairs
from command_line import asks_for_quick
from ours import Swarm

TARGETS = {1000: 1.0, 10_000: 12.0, 100_000: 150.0}
"""Milliseconds per step that a tick may take; half of it is aimed at."""
SIZES = (10, 100, 1000, 10_000, 100_000)
SAME = ("separation_filter.enabled=false",)
"""For comparisons: the five behaviours and nothing more."""


def seconds_per_step(step: Callable[[], Any], steps: int) -> float:
    """Mean duration of ``step`` over so many of them."""
    began = time.perf_counter()
    for _ in range(steps):
        step()
    return (time.perf_counter() - began) / steps


def table(sizes: tuple[int, ...], repeats: int) -> None:
    """Print what a step costs for each number of robots, as shipped and without the separation filter, and how it grows."""
    print("robots    with separation filter          five behaviours only       target   neighbours")
    print("          median ms   best ms   µs/robot   median ms   best ms           ms   per robot")
    bests: dict[int, float] = {}
    for n in sizes:
        swarms = [Swarm(n), Swarm(n, *SAME)]
        taken: list[list[float]] = [[], []]
        for _ in range(repeats):
            for swarm, times in zip(swarms, taken):
                swarm.restart()
                times.append(1e3 * seconds_per_step(swarm.step, max(5, min(50, 20_000 // n))))
        (a, b), (c, d) = ((float(np.median(times)), min(times)) for times in taken)
        bests[n] = d
        neighbours = swarms[0].step().seen.count.mean()
        goal = f"≤ {TARGETS[n]:g}" if n in TARGETS else ""
        print(f"{n:<9,} {a:9.3f} {b:9.3f} {1e3 * a / n:10.2f} {c:11.3f} {d:9.3f} {goal:>12} {neighbours:11.1f}", flush=True)
    large = [n for n in sizes if n >= 1000]
    if len(large) > 1:
        exponent = np.polyfit(np.log(large), np.log([bests[n] for n in large]), 1)[0]
        print(f"growth exponent from {large[0]:,} robots on: {exponent:.2f} (target ≤ 1.1)")


def ratio(swarm: Swarm, make: Callable[[], Callable[[], Any]], steps: int, repeats: int) -> tuple[float, float, float]:
    """Median of how many times longer the step that ``make`` makes takes, and both medians in ms per step; taking turns."""
    times = np.empty((repeats, 2))
    for row in times:
        swarm.restart()
        other = make()
        seconds_per_step(other, 2)
        row[:] = seconds_per_step(swarm.step, 40), seconds_per_step(other, steps)
    mine, others = 1e3 * np.median(times, axis=0)
    return float(np.median(times[:, 1] / times[:, 0])), float(mine), float(others)


def against_navground(sizes: tuple[int, ...], repeats: int) -> None:
    """Print how many times more agents·steps per second than navground's ORCA and HL, all with differential drives."""
    try:
        import navground
        from rivals import navground_step
    except ImportError as error:
        print(f"navground: not installed ({error}), no comparison")
        return
    version = getattr(navground, "__version__", "0.7")
    print(f"\nnavground {version}, differential drives, same places, density and step (target ≥ 10× at 1000)")
    for n in sizes:
        swarm = Swarm(n, "robots.0.model=differential", *SAME)
        for behaviour in ("ORCA", "HL"):
            times, mine, others = ratio(swarm, lambda kind=behaviour, swarm=swarm: navground_step(swarm, kind), 20, repeats)
            rate = n / (1e-3 * mine)
            print(f"  N = {n:<7,} {behaviour:5} {others:9.2f} ms   ours {mine:8.3f} ms, {rate:.3g} agents·steps/s   ratio {times:6.1f}×")


def against_all_pairs(n: int, repeats: int) -> None:
    """Print how many times faster than the same in all-pairs numpy, and make sure that it is the same."""
    swarm = Swarm(n, *SAME)
    swarm.restart()
    pairs = AllPairs(swarm)
    made, wanted = swarm.step().requests, pairs.requests()
    for name, values in zip(made.names, made.acceleration):
        if name != "steer_to_avoid" and not np.allclose(values, getattr(swarm.control, name).weight * wanted[name], atol=1e-9):
            raise SystemExit(f"all pairs and cells disagree on {name}")
    times, mine, others = ratio(swarm, lambda: AllPairs(swarm).step, 2, repeats)
    print(f"\nall-pairs numpy (target ≥ 100× at 1000)\n  N = {n:<13,} {others:9.2f} ms   ours {mine:8.3f} ms{'':26} ratio {times:6.1f}×")


def main() -> None:
    quick = asks_for_quick(__doc__, "fewer robots and repeats")
    table(SIZES[:4] if quick else SIZES, 5 if quick else 15)
    against_all_pairs(1000, 3 if quick else 9)
    against_navground((1000,) if quick else (100, 1000), 3 if quick else 9)


if __name__ == "__main__":
    main()
