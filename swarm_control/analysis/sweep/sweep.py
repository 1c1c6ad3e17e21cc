"""A sweep: all its runs, those that were made before taken from their folder; what came of them as a table."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from swarm_control.analysis.cluster import executors
from swarm_control.analysis.runner import Runner
from swarm_control.analysis.sweep.design import ValueList, Values, change, combinations
from swarm_control.analysis.sweep.runs import RunStore, SweepRun, files_of, fly_run, with_seed
from swarm_control.analysis.sweep.table import row_of
from swarm_control.errors import InputError
from swarm_control.files import output_directory
from swarm_control.scenario.loader import load
from swarm_control.scenario.overrides import Override, blame

Watch = Callable[[int, int], None]
"""Told how many runs are done, of how many."""


def runs_of(
    scenario: str, overrides: Sequence[str], values: Iterable[Values], seeds: Sequence[int], until_arrival: bool = False
) -> list[SweepRun]:
    """The runs of a sweep: every combination of ``values`` with every seed, each once. ``InputError`` for values that cannot be loaded."""
    runs: dict[str, SweepRun] = {}
    for chosen in values:
        changes = [*overrides, *(Override(change(path, value), f"--param {path}={value}") for path, value in chosen.items())]
        loaded = load(scenario, changes)
        try:
            files = files_of(loaded)
        except InputError as error:
            raise blame(error, changes, str(loaded.source), lambda fewer: files_of(load(scenario, fewer))) from None
        made = [with_seed(loaded, files, chosen, seed, until_arrival) for seed in seeds]
        runs |= {run.key: run for run in made if run.key not in runs}  # drawn twice, it is no second witness
    return list(runs.values())


def fly_all(runs: Sequence[SweepRun], store: RunStore, make: Callable[[], Executor], watch: Watch | None = None) -> list[dict[str, Any]]:
    """Fly the runs that the store does not have, by executors that ``make`` makes; the rows of all, in their order."""
    summaries = [store.get(run) for run in runs]
    missing = [run for run, summary in zip(runs, summaries) if summary is None]
    done = len(runs) - len(missing)
    if watch is not None:
        watch(done, len(runs))
    with Runner(make) as runner:
        for at, summary in runner.run(fly_run, missing):
            store.put(missing[at], summary)
            done += 1
            if watch is not None:
                watch(done, len(runs))
    return [row_of(run.key, run.values, run.seed, store.get(run) or {}) for run in runs]


def sweep(
    scenario: str, parameters: Mapping[str, Sequence[Any]], seeds: Sequence[int] = range(1), *, set: Mapping[str, Any] | None = None,
    until_arrival: bool = False, out: str | Path = "results/sweep", executor: Callable[[], Executor] | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Fly a scenario with every combination of the values of ``parameters`` (dotted path → values) and every seed.

    Returns a row for each run: the parameters, the seed and the measures of ``summary.json``, SI units. ``set`` changes the scenario
    beforehand, as ``--set`` does. What came of each run is kept in the folder ``out`` and not flown again. ``executor`` makes the
    executor of :mod:`concurrent.futures` that flies them, in place of a process for each core. ``InputError`` for what cannot be flown.
    """
    axes = [ValueList(path, tuple(values)) for path, values in parameters.items()]
    overrides = [Override(change(path, value), f"{path}={value}") for path, value in (set or {}).items()]
    folder = output_directory(Path(out))
    runs = runs_of(scenario, overrides, combinations(axes), seeds, until_arrival)
    return fly_all(runs, RunStore(output_directory(folder / "runs")), executor or executors())
