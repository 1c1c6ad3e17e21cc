"""The search: CMA-ES over the unit cube, every candidate flown with the same seeds.

CMA-ES (Hansen, "The CMA Evolution Strategy: A Tutorial", 2016) needs no derivatives, uses only the order of the candidates, so that
constraints can come first and units do not matter, and stands the noise of few seeds. The library ``cmaes`` is small and maintained.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.cluster import executors
from swarm_control.analysis.runner import Runner
from swarm_control.analysis.sweep.runs import summary_of
from swarm_control.analysis.tuning.journal import Journal, Values
from swarm_control.analysis.tuning.objective import Objective, Score
from swarm_control.analysis.tuning.space import Space, changes
from swarm_control.errors import InputError
from swarm_control.scenario.loader import load

SPREAD = 0.25
"""Standard deviation of the first candidates, as a share of each range."""


@dataclass(frozen=True)
class TuningProblem:
    """What is to be tuned. ``overrides``: changes to the scenario; ``seeds``: of every candidate's runs; ``seed``: of the search."""

    scenario: str
    overrides: tuple[str, ...]
    space: Space
    objective: Objective
    seeds: tuple[int, ...]
    seed: int

    def data(self) -> dict[str, Any]:
        """What makes it this problem and no other, as plain data."""
        objective = self.objective
        return {
            "scenario": self.scenario, "overrides": list(self.overrides), "seed": self.seed, "seeds": list(self.seeds),
            "parameters": [[d.path, d.low, d.high, d.log, d.start] for d in self.space.dimensions],
            "objective": [[term.metric, term.weight] for term in objective.terms],
            "constraints": [[c.metric, c.comparison, c.bound] for c in objective.constraints],
        }  # fmt: skip


@dataclass(frozen=True)
class Candidate:
    """Parameter values, how they did, and the summaries of their runs; a run that failed has none."""

    values: Values
    score: Score
    summaries: tuple[dict[str, Any], ...]


Watch = Callable[[int, int, Score | None], None]
"""Told how many runs are done, of how many, and the best score so far."""


class Flights:
    """Runs parameter values by the executors that ``make`` makes, or takes the runs from the journal when they were made before."""

    def __init__(self, problem: TuningProblem, journal: Journal, make: Callable[[], Executor]) -> None:
        self._problem, self._journal = problem, journal
        self._runner = Runner(make)

    def fly(self, candidates: Sequence[Values], seeds: Sequence[int], done: Callable[[], None]) -> list[Candidate]:
        """Every candidate with every seed; ``done`` is called after each run."""
        wanted = [(values, seed) for values in candidates for seed in seeds]
        missing = [(values, seed) for values, seed in wanted if self._journal.get(values, seed) is None]
        for _ in range(len(wanted) - len(missing)):
            done()
        for at, summary in self._runner.run(partial(fly, self._problem.scenario), [self._changes(*item) for item in missing]):
            self._journal.add(*missing[at], summary)
            done()
        return [self._candidate(values, seeds) for values in candidates]

    def _changes(self, values: Values, seed: int) -> tuple[str, ...]:
        return (*self._problem.overrides, *changes(dict(values)), f"seed={seed}")

    def _candidate(self, values: Values, seeds: Sequence[int]) -> Candidate:
        summaries = tuple(self._journal.get(values, seed) or {} for seed in seeds)
        whole = all("error" not in summary for summary in summaries)
        return Candidate(values, self._problem.objective.score(summaries if whole else ()), summaries)

    def close(self) -> None:
        """End the processes; runs under way are given up."""
        self._runner.close()


def fly(scenario: str, overrides: tuple[str, ...]) -> dict[str, Any]:
    """One run, to the last goal; its summary, or ``{"error": …}`` when these values do not go together."""
    try:
        loaded = load(scenario, overrides)
    except InputError as error:
        return {"error": str(error)}
    return summary_of(loaded, until_arrival=True)


def search(
    problem: TuningProblem, journal: Path, evaluations: int, held_out: Sequence[int], watch: Watch,
    make: Callable[[], Executor] | None = None,
) -> "Result":  # fmt: skip
    """Evaluate the scenario's own values and up to ``evaluations`` others; then the first and the best with the ``held_out`` seeds.

    ``make`` makes the executor that flies them; None: processes, one for each core.
    """
    with closing(Journal(journal, problem.data())) as kept, closing(Flights(problem, kept, make or executors())) as flights:
        return _Search(problem, flights, evaluations, len(held_out), watch).run(held_out)


@dataclass(frozen=True)
class Result:
    """All candidates in order, the scenario's own values first; the best; and both with seeds that the search has not seen."""

    candidates: tuple[Candidate, ...]
    best: Candidate
    start_held_out: Candidate
    best_held_out: Candidate


class _Search:
    def __init__(self, problem: TuningProblem, flights: Flights, evaluations: int, held_out: int, watch: Watch) -> None:
        from cmaes import CMA

        dimensions = max(len(problem.space.dimensions), 2)  # the library wants two: the last is without effect
        middle = np.full(dimensions, 0.5)
        middle[: len(problem.space.dimensions)] = problem.space.middle
        ends = np.tile([0.0, 1.0], (dimensions, 1))
        self._optimizer = CMA(middle, SPREAD, bounds=ends, seed=problem.seed)
        self._problem, self._flights, self._evaluations, self._watch = problem, flights, evaluations, watch
        self._total = (1 + evaluations) * len(problem.seeds) + 2 * held_out
        self._runs = 0
        self._best: Candidate | None = None

    def run(self, held_out: Sequence[int]) -> Result:
        space, seeds = self._problem.space, self._problem.seeds
        found = self._fly([space.start], seeds)
        while len(found) <= self._evaluations and not self._optimizer.should_stop():
            places = [self._optimizer.ask() for _ in range(min(self._optimizer.population_size, self._evaluations + 1 - len(found)))]
            made = self._fly([space.values(place) for place in places], seeds)
            found += made
            if len(made) == self._optimizer.population_size:
                ranks = np.unique([candidate.score.key() for candidate in made], axis=0, return_inverse=True)[1].ravel()
                self._optimizer.tell([(place, float(rank)) for place, rank in zip(places, ranks)])
        assert self._best is not None
        best = self._best
        held = self._fly([space.start, best.values], held_out)
        return Result(tuple(found), best, held[0], held[1])

    def _fly(self, candidates: Sequence[Values], seeds: Sequence[int]) -> list[Candidate]:
        found = self._flights.fly(candidates, seeds, self._done)
        if seeds == self._problem.seeds:
            self._best = min([*([self._best] if self._best else []), *found], key=lambda candidate: candidate.score.key())
        return found

    def _done(self) -> None:
        self._runs += 1
        self._watch(self._runs, self._total, self._best.score if self._best else None)
