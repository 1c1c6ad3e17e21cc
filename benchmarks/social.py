"""Speed of social potential fields, against targets and side by side with others: ``python benchmarks/social.py [--quick]``.

One force law between all robots, without cut-off: ``F(r) = 1/r − 1/r³``. A step is the resultant on every robot. Ratios are medians over
repeats in which the rivals take turns, so that what else the machine does hits both. CPU is the time that the process itself got, in all
its threads: what a step takes where nothing else runs.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from command_line import asks_for_quick
from numpy.typing import NDArray

from swarm_control.behaviours.social import Social, social
from swarm_control.core.state import Fleet, Neighbourhoods, Society, Surroundings, SwarmState
from swarm_control.social.laws import Law

Array = NDArray[np.float64]
LAW = Law(equilibrium=1.0, repulsion=3.0, attraction=1.0)
EXPONENTS = {
    "r⁻¹, r⁻³": LAW, "r⁻², r⁻⁴": Law(equilibrium=1.0, repulsion=4.0, attraction=2.0), "r^−2.7": Law(terms=(-1.0, 2.7)),
    "r^−0.6, r^−2.7": Law(equilibrium=1.0, repulsion=2.7, attraction=0.6), "r^−0.1, r⁻²": Law(terms=(0.9, 0.1, -0.3, 2.0)),
    "r⁻¹, r⁻³ from 0.3 to 4 m": Law(equilibrium=1.0, repulsion=3.0, attraction=1.0, near=0.3, far=4.0),
}  # fmt: skip
"""Laws that are compared with the first."""
MOST = 3.0
"""How many times as long as the first any other law may take."""
TARGETS = {1000: 1.0, 10_000: 35.0, 100_000: 500.0}
"""Milliseconds that a step may take."""
GROWTH = 1.15
"""Greatest exponent of the growth from 10,000 robots on."""


class Step:
    """The resultants on ``robots`` robots scattered at one per m², by the behaviour ``social``."""

    def __init__(self, robots: int, law: Law = LAW, **params: Any) -> None:
        rng = np.random.default_rng(0)
        self.position = rng.uniform(0.0, np.sqrt(robots), (robots, 2))
        ones = np.ones(robots)
        fleet = Fleet(("",) * robots, ("point_mass",) * robots, ones, ones, ones, ones, ones)
        self._state = SwarmState.of(0.0, np.column_stack((self.position, np.zeros(robots))), np.zeros((robots, 3)))
        self._around = Surroundings(fleet, np.full((robots, 2), np.nan), np.full(2, np.nan), society=Society.plain(robots))
        nobody = np.empty((0, 2))
        self._seen = Neighbourhoods(np.zeros(robots + 1, np.int64), np.empty(0, np.int64), nobody, nobody, np.empty(0))
        self._params = Social(weight=1.0, laws=(law,), **params)

    def __call__(self) -> Array:
        """One step."""
        return social(self._state, self._seen, self._around, self._params)


def by_numpy(position: Array) -> Array:
    """The same by all pairs in plain numpy."""
    offset = position[None] - position[:, None]
    square = (offset**2).sum(axis=2)
    np.fill_diagonal(square, 1.0)
    weight = 1.0 / square - 1.0 / square**2
    np.fill_diagonal(weight, 0.0)
    return np.asarray((weight[..., None] * offset).sum(axis=1))


def by_numpy_axes(position: Array) -> Array:
    """The same by all pairs in numpy as fast as we can write it: one array for each axis, no powers, no axis of length two."""
    x, y = position.T
    dx, dy = x - x[:, None], y - y[:, None]
    square = dx * dx + dy * dy
    np.fill_diagonal(square, 1.0)
    inverse = 1.0 / square
    weight = inverse - inverse * inverse
    np.fill_diagonal(weight, 0.0)
    return np.column_stack((np.einsum("ij,ij->i", weight, dx), np.einsum("ij,ij->i", weight, dy)))


def by_pyswarming(position: Array) -> Array:
    """The same by pyswarming's ``inverse_power``, robot by robot as it is meant to be used."""
    from pyswarming.behaviors import inverse_power

    points = np.column_stack((position, np.zeros(len(position))))
    c, exponents = np.array([-1.0, 1.0]), np.array([3.0, 1.0])
    return np.array([inverse_power(points[k], np.delete(points, k, axis=0), c, exponents) for k in range(len(points))])


def seconds(step: Callable[[], Any], least: float = 0.02, clock: Callable[[], float] = time.perf_counter) -> float:
    """Shortest duration of ``step``, by the ``clock``, among those that begin within ``least`` (s)."""
    end, best = time.perf_counter() + least, np.inf
    while best == np.inf or time.perf_counter() < end:
        began = clock()
        step()
        best = min(best, clock() - began)
    return best


def table(sizes: tuple[int, ...], repeats: int) -> None:
    """Print what a step costs for each number of robots, the tree's error on a sample, and how the cost grows."""
    print("robots      best ms   median ms   CPU ms   target   median error   95 %")
    cpus: dict[int, float] = {}
    for n in sizes:
        step = Step(n)
        step()
        times = [1e3 * seconds(step) for _ in range(repeats)]
        cpus[n] = min(1e3 * seconds(step, clock=time.process_time) for _ in range(repeats))
        goal = f"≤ {TARGETS[n]:g}" if n in TARGETS else ""
        error = errors(step)
        accuracy = f"{np.median(error):14.1e} {np.quantile(error, 0.95):6.0e}"
        print(f"{n:<9,} {min(times):9.3f} {np.median(times):11.3f} {cpus[n]:8.3f} {goal:>8} {accuracy}", flush=True)
    large = [n for n in cpus if n >= 10_000]
    if len(large) > 1:
        exponent = np.polyfit(np.log(large), np.log([cpus[n] for n in large]), 1)[0]
        print(f"growth exponent of CPU time from {large[0]:,} robots on: {exponent:.2f} (target ≤ {GROWTH})")


def exponents(sizes: tuple[int, ...], repeats: int) -> None:
    """Print how many times as long as the first each other law takes, all in turns."""
    print("law                       robots       ms   ratio   target")
    for n in sizes:
        steps = {name: Step(n, law) for name, law in EXPONENTS.items()}
        for step in steps.values():
            step()
        times = np.array([[1e3 * seconds(step) for step in steps.values()] for _ in range(repeats)])
        for name, mine, ratio in zip(steps, np.median(times, axis=0), np.median(times / times[:, :1], axis=0)):
            print(f"{name:<24} {n:>7,} {mine:8.3f} {ratio:6.1f}×   ≤ {MOST:g}×", flush=True)


def errors(step: Step, most: int = 500) -> Array:
    """Relative error of the forces on up to ``most`` robots, against the sum over all pairs."""
    felt, position = step(), step.position
    sample = np.arange(0, len(position), -(-len(position) // most))
    exact = np.empty((len(sample), 2))
    for row, k in zip(exact, sample):
        offset = position - position[k]
        square = (offset**2).sum(axis=1)
        square[k] = 1.0
        row[:] = ((1.0 / square - 1.0 / square**2)[:, None] * offset).sum(axis=0)
    return np.asarray(np.linalg.norm(felt[sample] - exact, axis=1) / np.linalg.norm(exact, axis=1))


def against(name: str, rival: Callable[[Array], Any], sizes: tuple[int, ...], repeats: int) -> None:
    """Print how many times faster than ``rival`` a step is."""
    for n in sizes:
        step = Step(n)
        step()
        times = np.array([(seconds(step), seconds(lambda position=step.position: rival(position))) for _ in range(repeats)])
        mine, other = 1e3 * np.median(times, axis=0)
        ratio = np.median(times[:, 1] / times[:, 0])
        print(f"{name:<12} {n:>5} robots: {mine:9.4f} ms and {other:10.3f} ms, ratio {ratio:8.0f}× (target ≥ 100×)", flush=True)


def main() -> None:
    quick = asks_for_quick(__doc__, "fewer robots and repeats")
    table((100, 1000, 10_000) if quick else (100, 1000, 10_000, 30_000, 100_000), 3 if quick else 9)
    exponents((1000,) if quick else (1000, 10_000), 3 if quick else 9)
    against("numpy", by_numpy, (100, 1000), 3 if quick else 9)
    against("numpy, tuned", by_numpy_axes, (100, 1000), 3 if quick else 9)
    try:
        import pyswarming  # noqa: F401
    except ImportError as error:
        print(f"pyswarming: not installed ({error}), no comparison")
        return
    against("pyswarming", by_pyswarming, (100,) if quick else (100, 1000), 3)


if __name__ == "__main__":
    main()
