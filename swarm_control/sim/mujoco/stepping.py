"""A herd's time steps: shards side by side on threads, those whose robots may touch others in time with each other."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import parent_process

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.sim.mujoco.hulls import Hulls
from swarm_control.sim.mujoco.shard import Shard

EVEN = 4
"""Robots that are too many for one shard are in a multiple of so many shards, so that threads have equal shares."""


class Stepping:
    """Steps ``shards`` on ``threads`` (None: one per processor, or one where others of our processes have the rest).

    ``hulls``: makes, when robots first come near each other, what finds out where they touch. Threads change no result: a shard is always
    stepped by one, and those that push each other by one together.
    """

    def __init__(self, shards: Sequence[Shard], hulls: Callable[[], Hulls], threads: int | None) -> None:
        self._shards, self._make = shards, hulls
        self._hulls: Hulls | None = None
        count = min(threads or processors(), len(shards))
        self._pool = ThreadPoolExecutor(count, "shards") if count > 1 else None

    def advance(self, twist: Array, meeting: IntArray, steps: int) -> set[tuple[int, int]]:
        """So many time ``steps`` in which the fleet obeys ``twist`` (N, 3): the pairs of those ``meeting`` (P, 2) that touched in them."""
        together: list[Shard] = []
        touched: set[tuple[int, int]] = set()
        if len(meeting):
            self._hulls = hulls = self._hulls or self._make()
            found = {id(hulls.shard[robot]) for robot in np.unique(meeting).tolist()}
            together = [shard for shard in self._shards if id(shard) in found]
            touched = hulls.touched
            touched.clear()
        jobs = [(shard.advance, (twist[shard.robots], steps)) for shard in self._shards if shard not in together]
        if together:
            jobs.insert(0, (self._in_time, (together, twist, meeting, steps)))  # type: ignore[arg-type]
        if self._pool is None or len(jobs) == 1:
            for job, arguments in jobs:
                job(*arguments)
        else:
            for done in [self._pool.submit(job, *arguments) for job, arguments in jobs]:
                done.result()
        return touched

    def _in_time(self, shards: Sequence[Shard], twist: Array, meeting: IntArray, steps: int) -> None:
        assert self._hulls is not None
        for _ in range(steps):
            self._hulls.press(meeting)
            for shard in shards:
                shard.control(twist[shard.robots])
                shard.integrate()
        self._hulls.release()


def split(robots: IntArray, most: int, shards: int | None = None) -> list[IntArray]:
    """Robots (n,) by shards: of ``most`` robots or fewer, or into so many ``shards``."""
    count = len(robots)
    pieces = shards or (1 if count <= most else EVEN * -(-count // (EVEN * most)))
    return np.array_split(robots, min(pieces, count))


def processors() -> int:
    """On how many processors threads of this process should run: a worker process has its own one."""
    return 1 if parent_process() is not None else len(os.sched_getaffinity(0))
