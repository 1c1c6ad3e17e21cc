"""From a scenario's name or file, and changes to it, to a checked :class:`Scenario`."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swarm_control import paths
from swarm_control.core.parameters import short, specs
from swarm_control.errors import NEAR, InputError
from swarm_control.files import refuse_pipe
from swarm_control.scenario.checks import check_controls
from swarm_control.scenario.models import with_models
from swarm_control.scenario.overrides import blame, keys_of, override, put, split
from swarm_control.scenario.schema import RobotGroup, Scenario
from swarm_control.scenario.society import check_society
from swarm_control.scenario.traffic import populated
from swarm_control.scenario.trajectories import with_trajectories
from swarm_control.scenario.tree import build, check, to_data
from swarm_control.scenario.yaml_text import parse_file, read_text

if TYPE_CHECKING:
    from swarm_control.scenario.setup import Setup

_COUNT = next(spec for spec in specs(RobotGroup) if spec.name == "count")


@dataclass(frozen=True)
class Loaded:
    """A scenario, the file that it came from, and which version of the file was read (see :func:`version`)."""

    scenario: Scenario
    source: Path
    version: tuple[int, int, int]


def load(name: str, overrides: Sequence[str] = ()) -> Loaded:
    """Load the scenario called ``name`` (of ``config/scenarios/``, or a path) with ``PATH=VALUE`` changes applied.

    Raises ``InputError`` naming file, key and what was expected. Changes come after the file, in their order; a path may leave
    out the leading ``control.`` and may index lists (``robots.0.count``); ``robots=N`` sets the number of robots.
    """
    source = find(name)
    read = version(source)  # asked first: a change while it is being read makes another version
    text = read_text(source)
    try:
        scenario = _made(source, text, overrides)
    except InputError as error:
        raise blame(error, overrides, str(source), lambda fewer: _made(source, text, fewer)) from None
    return Loaded(scenario, source, read)


def load_prepared(name: str, overrides: Sequence[str] = ()) -> tuple[Loaded, "Setup"]:
    """Load a scenario as :func:`load` does, and prepare a run of it; an error names the change that brings it, if one does."""
    from swarm_control.scenario.setup import prepare

    loaded = load(name, overrides)
    text = read_text(loaded.source)
    try:
        return loaded, prepare(loaded.scenario, loaded.source)
    except InputError as error:

        def attempt(fewer: Sequence[str]) -> object:
            return prepare(_made(loaded.source, text, fewer), loaded.source)

        raise blame(error, overrides, str(loaded.source), attempt) from None


def _made(source: Path, text: str, overrides: Sequence[str]) -> Scenario:
    """The scenario that the ``text`` of a file says, with ``overrides``, checked."""
    return _changed(parse_file(text, source), overrides, source)


def _changed(data: dict[str, Any], overrides: Sequence[str], source: Path) -> Scenario:
    """The scenario that ``data`` of a file say, with ``overrides``, checked."""
    count = None
    for given in map(override, overrides):
        key, value = split(given)
        if key == "robots" and not isinstance(value, list):
            count = value
        else:
            put(data, keys_of(key, given.option), value, given.option)
    scenario = build(Scenario, with_models(data, source), str(source))
    if count is not None:
        scenario = with_robots(scenario, count, str(source))
    if not scenario.name:
        scenario = replace(scenario, name=source.stem)
    scenario = with_trajectories(populated(scenario), source)
    _check(scenario, str(source))
    return scenario


def loaded_from(scenario: Scenario, overrides: Sequence[str] = (), source: Path = Path("scenario.py")) -> Loaded:
    """A scenario made in Python, with ``PATH=VALUE`` changes, checked as a file is; ``source`` stands for it in messages."""
    named = scenario if scenario.name else replace(scenario, name=source.stem)
    return Loaded(_changed(to_data(named), overrides, source), source, (0, 0, 0))


def version(path: Path) -> tuple[int, int, int]:
    """What tells one version of a file from another; zeros when there is none."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0, 0
    return found.st_mtime_ns, found.st_size, found.st_ino


def find(name: str) -> Path:
    """Return the file of a scenario given by name or path."""
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or "/" in name or name in (".", ".."):
        try:
            if path.is_file():
                return path.resolve()
        except OSError as error:
            raise InputError(name, f"not readable: {error.strerror}") from None
        if path.is_dir():
            raise InputError(name, "a folder found, expected a scenario's YAML file")
        refuse_pipe(path)
        files = [str(path.with_name(file.name)) for kind in ("*.yaml", "*.yml") for file in path.parent.glob(kind)]
        close = difflib.get_close_matches(name, files, 1, NEAR)
        raise InputError(name, "no such scenario file" + (f", did you mean {close[0]}?" if close else ""))
    known = paths.scenarios()
    if name in known:
        return known[name]
    if path.is_dir() and name:
        raise InputError(name, "a folder found, expected a scenario's name or YAML file")
    if Path(f"{name}.yaml").is_file():
        raise InputError(name, f"no such scenario, did you mean {name}.yaml?")
    close = difflib.get_close_matches(name, known, 3, 0.5) or sorted(known)
    raise InputError(name, f"no such scenario; expected a YAML file or one of {', '.join(close)}")


def with_robots(scenario: Scenario, count: Any, where: str) -> Scenario:
    """Change the number of robots, sharing them among the groups in the proportion of their counts.

    Groups that stand at poses of their own, one for each robot, stay as they are where there are others.
    """
    count = check(_COUNT, count, where, "robots")
    groups = scenario.robots or (RobotGroup(),)
    placed = [group.count if group.start.pattern == "poses" else 0 for group in groups]
    placed = placed if 0 in placed else [0] * len(groups)
    if count < (least := sum(max(own, 1) for own in placed)):
        expected = f"expected at least {least}, one for each of the {len(groups)} groups and for each pose"
        raise InputError(f"{where}: robots", f"{count} robots found, {expected}")
    sharing = [0 if own else group.count for group, own in zip(groups, placed)]
    spare = count - least
    shares = [own or 1 + spare * weight // sum(sharing) for own, weight in zip(placed, sharing)]
    shares[placed.index(0)] += count - sum(shares)
    return replace(scenario, robots=tuple(replace(group, count=n) for group, n in zip(groups, shares)))


def _check(scenario: Scenario, where: str) -> None:
    """What no single value can tell."""
    robots = sum(group.count for group in scenario.robots)
    if robots > 1_000_000:
        raise InputError(f"{where}: robots", f"{robots} robots found, expected at most 1000000")
    steps = scenario.control.period / scenario.simulator.dt
    if abs(steps - round(steps)) > 1e-6 or round(steps) < 1:
        raise InputError(f"{where}: simulator.dt", f"{scenario.simulator.dt:g} s found, expected a whole part of control.period")
    for k, group in enumerate(scenario.robots):
        start = group.start
        if start.pattern == "poses" and len(start.poses) < group.count:
            place = f"{where}: robots[{k}].start.poses"
            raise InputError(place, f"{len(start.poses)} poses found, expected one for each of the {group.count} robots")
    check_society(scenario, where)
    check_controls(scenario, where)
    if not re.fullmatch(r"\w[\w .+-]{0,99}", scenario.name):
        raise InputError(f"{where}: name", f"{short(scenario.name)} found, expected letters, digits, spaces and _ . + - only")
