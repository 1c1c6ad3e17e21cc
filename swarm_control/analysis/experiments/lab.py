"""Where experiments run: many flights at once on all cores, with progress."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, TypeVar

from swarm_control.analysis.experiments.checkout import find_checkout
from swarm_control.analysis.experiments.flight import UNSEEDED, Flight, Seed, Trial, fly
from swarm_control.analysis.pool import workers
from swarm_control.analysis.runner import Runner
from swarm_control.errors import InputError
from swarm_control.scenario.loader import load

S = TypeVar("S")
T = TypeVar("T")


class Lab:
    """Runs flights in worker processes; use it as a context, which ends them.

    ``quick`` asks for as few and short flights as still show the effect; ``seeds`` and ``first_seed`` overrule an experiment's number of
    seeds and the first of them. An experiment has its seeds from here alone: work with another one is refused. ``changes``, as for
    ``--set``, are made to the scenario of every flight, before the experiment's own.
    """

    def __init__(
        self, quick: bool = False, seeds: int | None = None, first_seed: int | None = None,
        progress: Callable[[int, int], None] | None = None, changes: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.quick = quick
        self._changes, self._changed_scenarios = tuple(changes), set[str]()
        self._count, self._first = seeds, first_seed
        self._progress = progress
        self._runner = Runner(partial(workers, prepare=find_checkout))
        self._experiment, self._chosen_on, self._reported_on, self.reported = "", range(0), range(0), range(0)

    def __enter__(self) -> "Lab":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._runner.close()

    @contextmanager
    def working_on(self, name: str, chosen_on: range, reported_on: range) -> Iterator[None]:
        """Within this, work is for the experiment ``name`` with these seeds of its own; ``reported``: those that it has asked for.

        ``InputError`` in the end when scenarios were to be changed and none was flown.
        """
        self._experiment, self._chosen_on, self._reported_on, self.reported = name, chosen_on, reported_on, range(0)
        self._changed_scenarios.clear()
        try:
            yield
            if self._changes and not self._changed_scenarios:
                raise InputError("--set", f"experiment {name!r} found, which flies no scenario by the lab: nothing was changed")
        finally:
            self._experiment = ""

    def seeds(self, quick: int = 2) -> Sequence[Seed]:
        """Seeds to run: the experiment's own, or the first ``quick`` of them, or those that were asked for.

        ``ValueError`` for an experiment that is registered as one in which nothing is drawn.
        """
        if not self._reported_on:
            raise ValueError(f"experiment {self._experiment!r} asks for seeds, but is registered without")
        count = self._count or (min(quick, len(self._reported_on)) if self.quick else len(self._reported_on))
        first = self._reported_on.start if self._first is None else self._first
        self.reported = range(first, first + count)
        return [Seed(seed) for seed in self.reported]

    def choosing(self, count: int) -> Sequence[Seed]:
        """``count`` seeds to choose values on, in an experiment that does so: the first of ``chosen_on`` and, when these do not suffice,
        what follows, but for those that are reported. Ask for :meth:`seeds` before.
        """
        others = (Seed(seed) for seed in itertools.count(self._chosen_on.start) if seed not in self.reported)
        return list(itertools.islice(others, count))

    def fly(self, trials: Sequence[Trial]) -> list[Flight]:
        """Make all these runs, in this order."""
        return self.measure(trials, whole)

    def measure(self, trials: Sequence[Trial], measure: Callable[[Flight], T]) -> list[T]:
        """Make all these runs and return ``measure`` (a function of a module) of each."""
        return self.map(partial(_fly_and_measure, measure=measure), trials)

    def map(self, work: Callable[[S], T], items: Sequence[S]) -> list[T]:
        """``work`` (a function of a module) done on all items, in their order.

        ``InputError`` when scenarios are to be changed and an item flies none.
        """
        self.check(items)
        if self._changes:
            items = [self._changed(item) for item in items]
        results: dict[int, T] = {}
        for at, result in self._runner.run(work, items):
            results[at] = result
            self.progress(len(results), len(items))
        return [results[k] for k in range(len(items))]

    def _changed(self, item: S) -> S:
        if not isinstance(item, Trial):
            raise InputError("--set", f"experiment {self._experiment!r} found, expected one all of whose runs are flights of scenarios")
        if item.scenario not in self._changed_scenarios:
            load(item.scenario, self._changes)  # a bad value is one, and be it that the experiment sets it again
            self._changed_scenarios.add(item.scenario)
        return replace(item, changes=(*self._changes, *item.changes))

    def check(self, items: Iterable[object]) -> None:
        """``ValueError`` when the ``seed`` of one of the items is none that the experiment was given."""
        for seed in (item.seed for item in items if hasattr(item, "seed")):
            if self._experiment and seed not in self.reported and seed != UNSEEDED:
                raise ValueError(f"experiment {self._experiment!r}: seed {seed} found, expected one of the lab's, {self.reported}")

    def progress(self, done: int, total: int) -> None:
        """Tell whoever watches how far it is."""
        if self._progress is not None:
            self._progress(done, total)


def whole(flight: Flight) -> Flight:
    """The flight itself."""
    return flight


def _fly_and_measure(trial: Trial, measure: Callable[[Flight], Any]) -> Any:
    return measure(fly(trial))

