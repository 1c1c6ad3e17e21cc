"""Where experiments run: many flights at once on all cores, with progress."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from types import TracebackType
from typing import Any, TypeVar

from swarm_control.experiments.flight import Flight, Trial, fly
from swarm_control.sim.pool import workers

S = TypeVar("S")
T = TypeVar("T")


class Lab:
    """Runs flights in worker processes; use it as a context, which ends them.

    ``quick`` asks for as few and short flights as still show the effect; ``seeds`` overrules their number.
    """

    def __init__(
        self, quick: bool = False, seeds: int | None = None, progress: Callable[[int, int], None] | None = None
    ) -> None:  # fmt: skip
        self.quick = quick
        self._seeds = seeds
        self._progress = progress
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Lab":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def seeds(self, full: int, quick: int = 2) -> range:
        """Seeds to run: ``full`` of them, or ``quick``, or as many as were asked for."""
        return range(self._seeds or (quick if self.quick else full))

    def fly(self, trials: Sequence[Trial]) -> list[Flight]:
        """Make all these runs, in this order."""
        return self.measure(trials, whole)

    def measure(self, trials: Sequence[Trial], measure: Callable[[Flight], T]) -> list[T]:
        """Make all these runs and return ``measure`` (a function of a module) of each."""
        return self.map(partial(_fly_and_measure, measure=measure), trials)

    def map(self, work: Callable[[S], T], items: Sequence[S]) -> list[T]:
        """``work`` (a function of a module) done on all items, in their order."""
        if self._pool is None:
            self._pool = workers()
        pending = [self._pool.submit(work, item) for item in items]
        results = []
        for done, future in enumerate(pending, start=1):
            results.append(future.result())
            self.progress(done, len(pending))
        return results

    def progress(self, done: int, total: int) -> None:
        """Tell whoever watches how far it is."""
        if self._progress is not None:
            self._progress(done, total)


def whole(flight: Flight) -> Flight:
    """The flight itself."""
    return flight


def _fly_and_measure(trial: Trial, measure: Callable[[Flight], Any]) -> Any:
    return measure(fly(trial))

