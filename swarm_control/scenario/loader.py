"""From a scenario's name or file, and changes to it, to a checked :class:`Scenario`."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import yaml

from swarm_control import paths
from swarm_control.core.parameters import short
from swarm_control.errors import InputError
from swarm_control.scenario.schema import Control, RobotGroup, Scenario
from swarm_control.scenario.society import check_laws, check_society
from swarm_control.scenario.tree import build, change


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
    data = read_yaml(source)
    count = None
    for text in overrides:
        key, value = _split(text)
        if key == "robots" and not isinstance(value, list):
            count = value
        else:
            _put(data, keys_of(key), value, f"--set {text}")
    scenario = build(Scenario, data, str(source))
    if count is not None:
        scenario = with_robots(scenario, count, "--robots")
    if not scenario.name:
        scenario = replace(scenario, name=source.stem)
    _check(scenario, str(source))
    return Loaded(scenario, source, read)


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
    if path.suffix in (".yaml", ".yml") or "/" in name:
        try:
            if path.is_file():
                return path.resolve()
        except OSError as error:
            raise InputError(name, f"not readable: {error.strerror}") from None
        raise InputError(name, "no such scenario file")
    known = paths.scenarios()
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, 3, 0.5) or sorted(known)
    raise InputError(name, f"no such scenario; expected a YAML file or one of {', '.join(close)}")


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML mapping; ``InputError`` with file and line when it is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), f"not readable as text: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None
    data = parse_yaml(text, str(path))
    if not isinstance(data, dict):
        raise InputError(str(path), "a mapping with world, robots, control, … was expected")
    return data


def parse_yaml(text: str, where: str) -> Any:
    """Return what YAML ``text`` says; ``InputError`` with ``where`` and the line when it says nothing that can be used."""
    try:
        return yaml.load(text, UniqueKeys)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{where}:{mark.line + 1}" if mark else where
        raise InputError(place, f"not YAML: {getattr(error, 'problem', None) or error}") from None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise InputError(where, f"not YAML that can be used: {error}") from None


class UniqueKeys(yaml.SafeLoader):
    """A safe loader that refuses a key given twice in one mapping, of which YAML would silently drop the first."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Make the mapping of ``node``."""
        seen = set()
        for key, _ in node.value:
            if key.tag != "tag:yaml.org,2002:merge" and isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"the key {short(key.value)} is given twice", key.start_mark)
                seen.add(key.value)
        return dict(super().construct_mapping(node, deep))


def with_robots(scenario: Scenario, count: Any, where: str) -> Scenario:
    """Change the number of robots, sharing them among the groups in the proportion of their counts.

    Groups that stand at poses of their own, one for each robot, stay as they are where there are others.
    """
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 100_000:
        raise InputError(where, f"{short(count)} found, expected a whole number from 1 to 100000")
    groups = scenario.robots or (RobotGroup(),)
    placed = [group.count if group.start.pattern == "poses" else 0 for group in groups]
    placed = placed if 0 in placed else [0] * len(groups)
    if count < (least := sum(max(own, 1) for own in placed)):
        raise InputError(
            where, f"{count} robots found, expected at least {least}, one for each of the {len(groups)} groups and for each pose"
        )
    sharing = [0 if own else group.count for group, own in zip(groups, placed)]
    spare = count - least
    shares = [own or 1 + spare * weight // sum(sharing) for own, weight in zip(placed, sharing)]
    shares[placed.index(0)] += count - sum(shares)
    return replace(scenario, robots=tuple(replace(group, count=n) for group, n in zip(groups, shares)))


def _split(text: str) -> tuple[str, Any]:
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise InputError(f"--set {text}", "expected PATH=VALUE, for instance separation.weight=0.3")
    return key.strip(), parse_yaml(value, f"--set {short(text)}")


def keys_of(path: str) -> list[str]:
    """The keys, from the top of a scenario's file, that a dotted ``path`` stands for; list items by number."""
    keys = [key for key in re.split(r"[.\[\]]+", path) if key]
    if not keys:
        raise InputError(f"--set {path}", "expected PATH=VALUE, for instance separation.weight=0.3")
    top, control = {f.name for f in fields(Scenario)}, {f.name for f in fields(Control)}
    return keys if keys[0] in top or keys[0] not in control else ["control", *keys]


def _put(data: Any, keys: list[str], value: Any, where: str) -> None:
    for key in keys[:-1]:
        if isinstance(data, list):
            data = data[_index(data, key, where)]
        elif isinstance(data, dict):
            data = data.setdefault(key, {}) if data.get(key) is not None else data.update({key: {}}) or data[key]
        else:
            raise InputError(where, f"{key} is not in a mapping")
    if isinstance(data, list):
        data[_index(data, keys[-1], where)] = value
    elif isinstance(data, dict):
        data[keys[-1]] = value
    else:
        raise InputError(where, f"{keys[-1]} is not in a mapping")


def _index(items: list[Any], key: str, where: str) -> int:
    if not items:
        raise InputError(where, f"{short(key)} found in a list that is empty")
    if not (key.isascii() and key.isdigit()) or len(key) > 9 or int(key) >= len(items):
        raise InputError(where, f"{short(key)} found, expected a number from 0 to {len(items) - 1}")
    return int(key)


def _check(scenario: Scenario, where: str) -> None:
    """What no single value can tell."""
    robots = sum(group.count for group in scenario.robots)
    if robots > 100_000:
        raise InputError(f"{where}: robots", f"{robots} robots found, expected at most 100000")
    if scenario.robots and scenario.control.leaders.count > robots:
        raise InputError(f"{where}: control.leaders.count", f"{scenario.control.leaders.count} leaders found, expected at most {robots}")
    steps = scenario.control.period / scenario.simulator.dt
    if abs(steps - round(steps)) > 1e-6 or round(steps) < 1:
        raise InputError(f"{where}: simulator.dt", f"{scenario.simulator.dt:g} s found, expected a whole part of control.period")
    for k, group in enumerate(scenario.robots):
        start = group.start
        if start.pattern == "poses" and len(start.poses) < group.count:
            place = f"{where}: robots[{k}].start.poses"
            raise InputError(place, f"{len(start.poses)} poses found, expected one for each of the {group.count} robots")
    check_society(scenario, where)
    for k, phase in enumerate(scenario.phases):
        place = f"{where}: phases[{k}].set"
        changed = change(scenario.control, phase.set, place)
        check_laws(scenario, changed.social.laws, f"{place}: social.laws")
        if changed.period != scenario.control.period:
            raise InputError(f"{place}.period", "the period lasts for a whole run, expected other parameters")
    if not re.fullmatch(r"\w[\w .+-]{0,99}", scenario.name):
        raise InputError(f"{where}: name", f"{short(scenario.name)} found, expected letters, digits, spaces and _ . + - only")
