"""What every behaviour must keep to."""

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from swarm_control.core.behaviour import Behaviour
from swarm_control.core.geometry import Array, rotate, wrap
from swarm_control.core.parameters import specs
from swarm_control.core.perception import Perception, perceive
from swarm_control.core.state import Fleet, Neighbourhoods, Surroundings, SwarmState
from swarm_control.robots import ROBOTS

ROBOTS_SEEN, SIDE = 24, 3.0
SIGHT = 1.0
Scene = tuple[SwarmState, Neighbourhoods, Surroundings]


def check_behaviour(behaviour: Behaviour, params: Any = None, seed: int = 0) -> None:
    """All checks of a behaviour, with ``params`` (default: its defaults and the weight 1) on a random swarm in open space.

    ``AssertionError`` where it breaks one.
    """
    params = params or replace(behaviour.params(), weight=1.0)
    scene = _scene(seed)
    _check_form(behaviour, params, scene)
    _check_frame(behaviour, params, scene)
    _check_order(behaviour, params, scene, seed)
    _check_bounds(behaviour, params, scene)
    _check_goals(behaviour, params, scene)
    for name, lonely in _hard_scenes(seed).items():
        wish = behaviour.request(*lonely, params)
        assert np.isfinite(wish).all(), f"{behaviour.name}: a request that is not finite found {name}, expected finite ones"


def _scene(seed: int) -> Scene:
    rng = np.random.default_rng(seed)
    n = ROBOTS_SEEN
    pose = np.column_stack((rng.uniform(0.0, SIDE, (n, 2)), rng.uniform(-np.pi, np.pi, n)))
    state = SwarmState.of(1.0, pose, rng.normal(0.0, 0.3, (n, 3)))
    target = np.array([5.0, -2.0])
    goal = target + rng.normal(0.0, 0.2, (n, 2))
    goal[::5] = np.nan
    return _look(state, goal, target)


def _look(state: SwarmState, goal: Array, target: Array) -> Scene:
    n = len(state)
    fleet = Fleet(
        tuple(f"robot_{k}" for k in range(n)), (next(iter(ROBOTS)),) * n, *(np.full(n, v) for v in (0.05, 1.0, 4.0, 6.0, 0.1))
    )
    seen = perceive(state, Perception(radius=SIGHT), np.random.default_rng(0))
    return state, seen, Surroundings(fleet, goal, target)


def _hard_scenes(seed: int) -> dict[str, Scene]:
    """Swarms that are easily forgotten: alone, without a goal, on one spot, without odometry, nobody at all."""
    state, _, around = _scene(seed)
    n, nowhere = len(state), np.full((len(state), 2), np.nan)
    silent = SwarmState.of(state.time, state.pose, state.velocity, np.arange(n) % 3 > 0)
    far = SwarmState.of(state.time, state.pose * (1e3, 1e3, 1.0), state.velocity)
    heap = SwarmState.of(state.time, 0.0 * state.pose, 0.0 * state.velocity)
    nobody = SwarmState.of(state.time, np.empty((0, 3)), np.empty((0, 3)))
    return {
        "without a goal": _look(state, nowhere, np.full(2, np.nan)),
        "among robots without odometry": _look(silent, around.goal, around.target),
        "for robots that see nobody": _look(far, around.goal, around.target),
        "for robots on one spot": _look(heap, around.goal, around.target),
        "for no robots": _look(nobody, np.empty((0, 2)), around.target),
    }


def _check_form(behaviour: Behaviour, params: Any, scene: Scene) -> None:
    """Shape, numbers, the same again, and nothing changed that it was given; the weight is not its business."""
    state, seen, around = scene
    before = copy.deepcopy((state.pose, state.velocity, seen.offset, seen.velocity, around.goal, around.target))
    wish = behaviour.request(*scene, params)
    name = behaviour.name
    assert np.shape(wish) == (len(state), 2), f"{name}: a request of shape {np.shape(wish)} found, expected ({len(state)}, 2)"
    assert np.isfinite(wish).all(), f"{name}: a request that is not finite found, expected finite ones"
    now = (state.pose, state.velocity, seen.offset, seen.velocity, around.goal, around.target)
    same = all(np.array_equal(old, new, equal_nan=True) for old, new in zip(before, now))
    assert same, f"{name}: its inputs are changed, expected them as they were"
    again = behaviour.request(*scene, params)
    assert np.array_equal(again, wish), f"{name}: other requests found for the same inputs, expected the same"
    heavier = behaviour.request(*scene, replace(params, weight=3.0))
    assert np.array_equal(heavier, wish), f"{name}: its request depends on its weight, expected the weight to be applied once, by others"


def _check_frame(behaviour: Behaviour, params: Any, scene: Scene) -> None:
    """Turned and moved with the world, a request is the same, turned."""
    state, _, around = scene
    wish = behaviour.request(*scene, params)
    for angle, shift in ((0.0, (40.0, -7.0)), (2.0, (0.0, 0.0)), (-0.7, (3.0, 11.0))):

        def turn(points: Array, angle: float = angle) -> Array:
            return rotate(points, np.full(len(points), angle))

        pose = np.column_stack((turn(state.pose[:, :2]) + shift, wrap(state.pose[:, 2] + angle)))
        velocity = np.column_stack((turn(state.velocity[:, :2]), state.velocity[:, 2]))
        target = turn(around.target[None])[0] + shift
        moved = _look(SwarmState.of(state.time, pose, velocity), turn(around.goal) + shift, target)
        turned = replace(params, **{name: getattr(params, name) + float(np.rad2deg(angle)) for name in behaviour.bearings})
        for name in behaviour.places:
            places = np.reshape(getattr(params, name), (-1, 2))
            turned = replace(turned, **{name: tuple((turn(places, angle) + shift).ravel().tolist())})
        found = behaviour.request(*moved, turned)
        _compare(found, turn(wish), f"{behaviour.name}: another request found where the world is turned or moved")


def _check_goals(behaviour: Behaviour, params: Any, scene: Scene) -> None:
    """Its requests depend on the goals if it says so, and not else."""
    state, _, around = scene
    away = np.array([-9.0, 4.0])
    elsewhere = _look(state, around.goal + away, around.target + away)
    depends = not np.array_equal(behaviour.request(*elsewhere, params), behaviour.request(*scene, params))
    found = f"{behaviour.name}: heeds_goals is {behaviour.heeds_goals}"
    why = "depends on goals" if depends else "is the same wherever goals are"
    assert depends == behaviour.heeds_goals, f"{found} found, expected {depends}, as its request {why}"


def _check_order(behaviour: Behaviour, params: Any, scene: Scene, seed: int) -> None:
    state, _, around = scene
    order = np.random.default_rng(seed).permutation(len(state))
    mixed = _look(SwarmState.of(state.time, state.pose[order], state.velocity[order]), around.goal[order], around.target)
    found, wish = behaviour.request(*mixed, params), behaviour.request(*scene, params)
    _compare(found, wish[order], f"{behaviour.name}: another request found when robots are numbered otherwise")


def _compare(found: Array, expected: Array, what: str) -> None:
    assert np.allclose(found, expected, rtol=1e-6, atol=1e-8 * (1.0 + np.abs(expected).max(initial=0.0))), f"{what}, expected the same"


def _check_bounds(behaviour: Behaviour, params: Any, scene: Scene) -> None:
    """Every value that a parameter may have gives finite requests: its bounds, and every choice."""
    for spec in specs(behaviour.params):
        numbers: Callable[[Any], bool] = lambda value: isinstance(value, (int, float)) and np.isfinite(value)  # noqa: E731
        values = [value for value in (spec.low, spec.high, *spec.choices) if spec.choices or numbers(value)]
        for value in values if spec.type is not tuple else ():
            if spec.choices and value not in spec.choices:
                continue
            changed = replace(params, **{spec.name: spec.type(value)})
            wish = behaviour.request(*scene, changed)
            what = f"{behaviour.name}: a request that is not finite found with {spec.name} = {value}"
            assert np.isfinite(wish).all(), f"{what}, expected finite ones within the bounds"
