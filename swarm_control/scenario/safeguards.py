"""Whether the robots of a scenario can be held by what is to keep them safe: asked before a run, and of every live change."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from swarm_control.core.estimation import EXACT, Noise
from swarm_control.core.geometry import Array
from swarm_control.core.state import Fleet, Society
from swarm_control.errors import InputError
from swarm_control.safety.fence import clearance, polygon
from swarm_control.safety.separation_filter import SeparationFilter
from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.groups import PREFIX, Controls, Squad, squads, stages
from swarm_control.scenario.schema import Control, Scenario, Simulator


def wary_filter(control: Control, simulator: Simulator) -> SeparationFilter:
    """The separation filter's parameters, with at least what the ``simulator`` does to odometry and commands."""
    own = control.separation_filter
    least = {
        "noise": simulator.noise_position, "noise_heading": simulator.noise_heading, "noise_velocity": simulator.noise_velocity,
        "latency": math.ceil(simulator.asynchronous) * control.period,
    }  # fmt: skip
    more: dict[str, Any] = {name: value for name, value in least.items() if value > getattr(own, name)}
    return replace(own, **more) if more else own


def smoothed_noise(control: Control, simulator: Simulator) -> Noise:
    """What noise the estimator smooths: none where robots do not do at once what they are told."""
    obey = simulator.noise_speed == simulator.noise_turn == simulator.asynchronous == 0.0 and not simulator.failures
    if not (obey and control.estimation.enabled and control.estimation.command_delay <= 0.0):
        return EXACT
    filter = wary_filter(control, simulator)
    return Noise(filter.noise, math.radians(filter.noise_heading), filter.noise_velocity)


def noise_left(controls: Controls, group: str, simulator: Simulator, fleet: Fleet) -> Array:
    """Standard deviation (N,) m of a ``group``'s positions as its filter gets them: of robots that obey exactly they are smoothed."""
    noise, smoothed = wary_filter(controls.of(group), simulator).noise, smoothed_noise(controls.common, simulator).position
    left = controls.common.estimation.spread(smoothed) / smoothed if smoothed > 0.0 else 1.0
    return noise * np.where(fleet.column(lambda model: model.actuate is not None), left, 1.0)


def planned_filter(controls: Controls, group: str, simulator: Simulator, fleet: Fleet) -> SeparationFilter:
    """The separation filter at which plans of a ``group``'s formation must not be held up: with the noise that it finds in what it gets."""
    filter = wary_filter(controls.of(group), simulator)
    return replace(filter, noise=float(noise_left(controls, group, simulator, fleet).max(initial=0.0))) if filter.noise > 0.0 else filter


def check_fence(control: Control, fleet: Fleet, where: str) -> None:
    """``InputError`` at ``where`` when a fence is set and robots of the ``fleet`` are of a model that it cannot hold."""
    if not control.safety.fence:
        return
    for model, robots in fleet.of_models:
        if model.stopping is None:
            reason = "has no stopping distance that is known" if model.stops else "cannot stand still"
            who = f"{fleet.names[robots[0]]} is a {model.name}, which {reason}"
            raise InputError(where, f"a fence found that cannot hold every robot: {who}; expected none, or other robots")


def check_cap(control: Control, fleet: Fleet, bodies: Bodies, where: str) -> None:
    """``InputError`` at ``where`` when a speed cap is set that robots of the ``fleet`` cannot keep to."""
    cap = control.safety.speed_cap
    for model, robots in fleet.of_models if cap > 0.0 else ():
        slowest = model.body.slowest(getattr(bodies, model.name)) if model.body is not None else 0.0
        if cap < slowest:
            who = f"{fleet.names[robots[0]]} is a {model.name}, which goes at {slowest:g} m/s at least"
            raise InputError(where, f"{cap:g} m/s found, a cap that cannot hold every robot: {who}; expected 0, for none, or more")


def check_fences(scenario: Scenario, fleet: Fleet, society: Society, source: str) -> None:
    """Refuse fences and speed caps that cannot hold the robots that they are for, at the start and in any of the scenario's phases."""
    parts = squads(scenario.groups, society)
    for controls, phase in stages(scenario, source):
        where = f"{source}: control" if phase is None else f"{source}: phases[{phase}].set"
        check_fences_now(controls, fleet, parts, where)
        check_caps_now(controls, fleet, parts, scenario.bodies, where)


def check_fences_now(controls: Controls, fleet: Fleet, parts: Sequence[Squad], where: str) -> None:
    """``InputError`` at ``where`` when a fence is set that cannot hold the robots of one of the ``parts`` of the fleet."""
    for squad in parts:
        check_fence(controls.of(squad.name), fleet.take(squad.robots), _place(where, squad, "safety.fence"))


def check_caps_now(controls: Controls, fleet: Fleet, parts: Sequence[Squad], bodies: Bodies, where: str) -> None:
    """``InputError`` at ``where`` when a speed cap is set that robots of one of the ``parts`` of the fleet cannot keep to."""
    for squad in parts:
        check_cap(controls.of(squad.name), fleet.take(squad.robots), bodies, _place(where, squad, "safety.speed_cap"))


def _place(where: str, squad: Squad, key: str) -> str:
    if squad.name:
        return f"{where.removesuffix(': control')}: groups.{squad.name}.{key}"
    return f"{where}: {key}".replace("control: ", "control.")


def lacking(controls: Controls, pose: Array, fleet: Fleet, parts: Sequence[Squad]) -> tuple[str, ...]:
    """Lines for the user on what cannot keep robots safe, of each of the ``parts`` of the fleet, which starts at ``pose`` (N, 3)."""
    found = []
    for squad in parts:
        control, robots = controls.of(squad.name), fleet.take(squad.robots)
        lines = _outside(control, pose[squad.robots], robots) + _unstoppable(control, robots)
        found += [f"{PREFIX}{squad.name}: {line}" if squad.name else line for line in lines]
    return tuple(found)


def _outside(control: Control, pose: Array, fleet: Fleet) -> tuple[str, ...]:
    """A line when robots start on or beyond the fence."""
    if not control.safety.fence:
        return ()
    room = clearance(polygon(control.safety.fence), pose[:, :2]) - fleet.radius - control.safety.fence_margin
    names = [fleet.names[k] for k in np.flatnonzero(room < 0.0)]
    shown = ", ".join(names[:4]) + (" …" if len(names) > 4 else "")
    return (f"beyond the fence, or nearer to it than safety.fence_margin: {shown}; there robots may only move inwards",) if names else ()


def _unstoppable(control: Control, fleet: Fleet) -> tuple[str, ...]:
    """A line when robots that cannot stand still are to be kept apart by the separation filter."""
    names = [model.name for model, _ in fleet.of_models if not model.stops]
    if not (names and control.separation_filter.enabled):
        return ()
    return (f"separation_filter is on, but robots of the model {', '.join(names)} cannot stand still: it may slow and turn them, no more",)
