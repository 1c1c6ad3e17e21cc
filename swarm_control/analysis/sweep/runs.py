"""The runs of a sweep: what tells one from another, and the folder that keeps what came of each, so that nothing is flown twice."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from swarm_control import __version__
from swarm_control.analysis.run_metrics import plain
from swarm_control.analysis.simulation import simulate
from swarm_control.errors import Failed, InputError
from swarm_control.files import replacing
from swarm_control.scenario.loader import Loaded, loaded_from
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.setup import prepare, world_file
from swarm_control.scenario.tree import to_data
from swarm_control.world import read_world


@dataclass(frozen=True)
class SweepRun:
    """One run of a sweep. ``values`` by path of the parameters that are swept; ``key`` tells runs with other results from it."""

    scenario: Scenario
    source: Path
    until_arrival: bool
    values: Mapping[str, Any]
    seed: int
    key: str

    def fly(self) -> dict[str, Any]:
        """The run's summary; ``{"error": …}`` when its values do not go together."""
        return summary_of(loaded_from(self.scenario, (), self.source), self.until_arrival)


def fly_run(run: SweepRun) -> dict[str, Any]:
    """:meth:`SweepRun.fly`, as work for a :class:`~swarm_control.analysis.runner.Runner`."""
    return run.fly()


def summary_of(loaded: Loaded, until_arrival: bool) -> dict[str, Any]:
    """Simulate a scenario; the summary, or ``{"error": …}`` for values that do not go together."""
    try:
        return dict(simulate(loaded, prepare(loaded.scenario, loaded.source), until_arrival=until_arrival).summary)
    except (InputError, Failed) as error:
        return {"error": str(error)}


def with_seed(loaded: Loaded, files: Mapping[str, str], values: Mapping[str, Any], seed: int, until_arrival: bool) -> SweepRun:
    """The run of a loaded scenario with a seed. ``files`` are as :func:`files_of` has them; ``values`` those that went into it."""
    scenario = replace(loaded.scenario, seed=seed)
    told = {
        "scenario": to_data(scenario), "files": dict(files), "until_arrival": until_arrival, "version": __version__
    }  # fmt: skip
    key = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:20]
    return SweepRun(scenario, loaded.source, until_arrival, dict(values), seed, key)


def files_of(loaded: Loaded) -> dict[str, str]:
    """A digest of each file that the scenario names: of the world with all that it includes, of others as they are."""
    found = {}
    for text in _texts(to_data(loaded.scenario)):
        path = loaded.source.parent / text
        if text == loaded.scenario.world:
            found[text] = _world_digest(world_file(text, loaded.source))
        elif "." in text and len(text) < 1000 and path.is_file():
            found[text] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, (list, tuple, dict)):
        for item in data.values() if isinstance(data, dict) else data:
            yield from _texts(item)


@lru_cache(maxsize=64)
def _world_digest(path: Path) -> str:
    """A digest of a world's walls and robots."""
    world = read_world(path)
    grid = world.occupancy() if world.walls else None
    walls = b"" if grid is None else grid.occupied.tobytes() + repr((grid.origin, grid.resolution)).encode()
    return hashlib.sha256(walls + repr(world.robots).encode()).hexdigest()


class RunStore:
    """The folder ``runs``: a file for each run, named by its key. It is written at once when the run has ended."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, run: SweepRun) -> dict[str, Any] | None:
        """The summary of a run that was made; None when it was not. ``InputError`` for a file that is none."""
        path = self._path(run)
        if not path.exists():
            return None
        try:
            summary = json.loads(path.read_text(encoding="utf-8"))["summary"]
            return dict(summary)
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError(str(path), "cannot be read, expected the summary of a run; remove it to have it flown again") from None

    def put(self, run: SweepRun, summary: Mapping[str, Any]) -> None:
        """Keep what came of a run."""
        told = {
            "scenario": run.scenario.name, "values": run.values, "seed": run.seed, "version": __version__, "summary": summary
        }  # fmt: skip
        with replacing(self._path(run)) as temporary:
            temporary.write_text(json.dumps(plain(told), indent=1) + "\n", encoding="utf-8")

    def _path(self, run: SweepRun) -> Path:
        return self._folder / f"{run.key}.json"

