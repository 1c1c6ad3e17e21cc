"""Many pieces of work at once: in worker processes of this machine, on a cluster, or by an executor that somebody brings.

Experiments, tunings and sweeps all run their simulations here. A worker that is lost, as to a machine that was switched off, is made up
for: what it had not finished is done again.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, as_completed
from types import TracebackType
from typing import TypeVar

from swarm_control.errors import Failed

S = TypeVar("S")
T = TypeVar("T")

RETRIES = 2
"""How often in a row workers may be lost without a piece of work having been finished in between."""


class Runner:
    """Does work by the executors that ``make`` makes: the first when it is needed, another when that one has broken.

    Any executor of :mod:`concurrent.futures` will do. Work and items are pickled on their way to it.
    """

    def __init__(self, make: Callable[[], Executor]) -> None:
        self._make = make
        self._executor: Executor | None = None

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def run(self, work: Callable[[S], T], items: Sequence[S]) -> Iterator[tuple[int, T]]:
        """Do ``work`` (a function of a module) on all items; yield the number of each and its result as soon as it is done.

        An exception of the work is raised here. ``Failed`` when the workers end again and again.
        """
        waiting, lost = set(range(len(items))), 0
        while waiting:
            try:
                if self._executor is None:
                    self._executor = self._make()
                pending = {self._executor.submit(work, items[k]): k for k in sorted(waiting)}
                for future in as_completed(pending):
                    result, lost = future.result(), 0
                    waiting.discard(pending[future])
                    yield pending[future], result
            except BrokenExecutor as error:
                self.close()
                lost += 1
                if lost > RETRIES:
                    raise Failed(f"workers ended {lost} times in a row ({error}); too little memory?") from None

    def close(self) -> None:
        """Give up what is waiting, wait for what is under way, end the workers."""
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)
            self._executor = None
