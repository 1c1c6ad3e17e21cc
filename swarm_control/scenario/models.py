"""Robots that scenarios bring from files: what ``models`` and ``robots[].model`` say of them is gathered, and they are registered."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from swarm_control import paths
from swarm_control.core.parameters import short
from swarm_control.core.robot import ROBOTS
from swarm_control.errors import InputError
from swarm_control.robots.from_file.model import UNKNOWN, ability_of, digest, register
from swarm_control.robots.from_file.parameters import Described
from swarm_control.scenario.tree import build
from swarm_control.scenario.yaml_text import parse_file, read_text

SUFFIXES = (".yaml", ".yml")
LIMITS = {"max_speed": "max_speed", "max_acceleration": "max_acceleration", "max_turn_rate": "max_turn_rate", "wheel_base": "track"}
"""Keys of ``robots[]`` that a robot from a file has values of its own for, and what they are called in its ``ability``."""


def with_models(data: dict[str, Any], source: Path) -> dict[str, Any]:
    """The ``data`` of a scenario with every robot from a file under ``models``, registered, and its limits where ``robots`` say nothing.

    A robot's ``model`` may be a mapping, the path of a robot's file, or the name of one of ``config/models``. ``InputError`` names what is
    wrong.
    """
    given, robots = data.get("models") or {}, data.get("robots")
    if not isinstance(given, Mapping):
        raise InputError(f"{source}: models", f"{short(given)} found, a mapping of names was expected")
    models = {str(name): told for name, told in given.items()}
    groups = [dict(group) if isinstance(group, Mapping) else group for group in robots] if isinstance(robots, list) else []
    files: dict[Path, str] = {}
    for k, group in enumerate(groups):
        if isinstance(group, dict) and "model" in group:
            group["model"] = _named(group["model"], models, files, source, f"{source}: robots[{k}].model")
    if not models:
        return data
    found = {name: described(told, source, f"models.{name}") for name, told in models.items()}
    for name, robot in found.items():
        try:
            register(name, robot, f"{source}: models.{name}")
        except ValueError as error:
            raise InputError(f"{source}: models.{name}", str(error)) from None
    for k, group in enumerate(groups):
        if isinstance(group, dict) and isinstance(model := group.get("model"), str) and model in found:
            _limit(group, found[model], f"{source}: robots[{k}].radius")
    return {**data, "models": {name: _absolute(told, source) for name, told in models.items()}, "robots": groups}


def unidentified(models: Mapping[str, Described]) -> tuple[str, ...]:
    """A line for each robot from a file of which nobody knows what it can do."""
    found = []
    for name, robot in models.items():
        if not robot.ability.found_for and not robot.ability.max_speed:
            slow = f"{UNKNOWN.max_speed:g} m/s and {UNKNOWN.max_turn_rate:g} rad/s"
            found.append(f"models.{name}: taken to make {slow}, as nobody has looked: `swarm identify` finds what it can do")
        elif robot.ability.found_for not in ("", digest(robot)):
            found.append(f"models.{name}: it has changed since `swarm identify` found what it can do: run that again")
    return tuple(found)


def robot_file(name: str, folder: Path, where: str) -> Path:
    """The file of a robot, by its path relative to ``folder``, or its name."""
    path = folder / name if Path(name).suffix in SUFFIXES else paths.models().get(name, folder / name)
    if not path.is_file():
        raise InputError(where, f"{name} found, expected a robot's file or one of {', '.join(paths.models())}")
    if not path.stem.isidentifier():
        raise InputError(where, f"{path.name} found, expected a file's name of letters, digits and _")
    return path.resolve()


def described(told: Any, source: Path, path: str = "") -> Described:
    """The robot that a mapping in the file ``source`` describes, at the key ``path``. ``InputError`` names the key that is wrong."""
    found = build(Described, _absolute(told, source), str(source), path)
    if bool(found.mjcf) == bool(found.urdf):
        raise InputError(f"{source}: {path}" if path else str(source), "expected either mjcf or urdf, a robot's description")
    return found


def _absolute(told: Any, source: Path) -> Any:
    """What is said of a robot, with the path of its description absolute; packages' names stay."""
    if not isinstance(told, Mapping):
        return told
    own = {key: told[key] for key in ("mjcf", "urdf", "file") if isinstance(told.get(key), str) and told[key] and "://" not in told[key]}
    own = {key: str((source.parent / name).resolve()) for key, name in own.items()}
    further = {"policy": _absolute(told["policy"], source)} if "policy" in told else {}
    return {**told, **own, **further}


def _named(model: Any, models: dict[str, Any], files: dict[Path, str], source: Path, where: str) -> Any:
    """The name of a robot's ``model``, which ``models`` then holds where it comes from a file; ``files``: those read, and their names."""
    if isinstance(model, Mapping):
        stem = Path(str(model.get("mjcf") or model.get("urdf") or "")).stem
        return _take(stem if stem.isidentifier() else "robot", model, models)
    if not isinstance(model, str) or (model in models and not _partial(models[model])):
        return model
    if Path(model).suffix in SUFFIXES or model in paths.models():
        file = robot_file(model, source.parent, where)
        if file not in files:
            files[file] = _take(file.stem, _absolute(parse_file(read_text(file), file), file), models)
        return files[file]
    if model not in ROBOTS:
        known = ", ".join((*ROBOTS, *(name for name in (*paths.models(), *models) if name not in ROBOTS)))
        raise InputError(where, f"{short(model)} found, expected one of {known}, or the path of a robot's file")
    return model


def _take(name: str, told: Mapping[str, Any], models: dict[str, Any]) -> str:
    """The name under which ``models`` then hold what is ``told`` of a robot, with what they say over it: ``name``, where it is free."""
    free = (name, *(f"{name}_{k}" for k in range(2, len(models) + 3)))
    chosen = next(one for one in free if one not in models or _partial(models[one]) or models[one] == told)
    models[chosen] = _merged(told, models.get(chosen) or {})
    return chosen


def _partial(told: Any) -> bool:
    """Whether this says something of a robot, but not where its description is: that comes from elsewhere."""
    return told is None or (isinstance(told, Mapping) and not told.get("mjcf") and not told.get("urdf"))


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Nested mappings, ``over`` what is ``under`` them."""
    both = {
        key: _merged(value, over[key]) for key, value in under.items() if isinstance(value, Mapping) and isinstance(over.get(key), Mapping)
    }
    return {**under, **over, **both}


def _limit(group: dict[str, Any], robot: Described, where: str) -> None:
    """Give robots of a group the limits that were found for their model, where it has none of its own."""
    able = ability_of(robot)
    known = {key: getattr(able, name) for key, name in LIMITS.items()} | {"radius": robot.footprint or able.footprint}
    for key, value in known.items():
        if value:
            group.setdefault(key, value)
    if "radius" not in group:
        raise InputError(where, "the robot's footprint is not known; expected a number, or the robot identified: swarm identify")
