"""Settings that contradict each other: allowed, but somebody should be told."""

from collections.abc import Iterator

import numpy as np

from swarm_control.behaviours import BEHAVIOURS, active
from swarm_control.scenario.groups import PREFIX, Controls
from swarm_control.scenario.schema import Control
from swarm_control.social.laws import Law, equilibria

IDLE = "no behaviour has a weight: robots keep their velocity"


def contradictions_of(controls: Controls) -> list[str]:
    """The contradictions of what is common to all robots, then those that groups have of their own, with the group's name."""
    common = [line for line in contradictions(controls.common) if line != IDLE or not controls.own]
    own = [f"{PREFIX}{name}: {line}" for name in controls.own for line in contradictions(controls.of(name)) if line not in common]
    return common + own


def contradictions(control: Control) -> list[str]:
    """One line for each pair of settings in ``control`` that cannot both have their effect."""
    return list(_find(control))


def _find(c: Control) -> Iterator[str]:
    sees = c.perception.radius
    if c.separation.weight > 0.0 and c.separation.distance > sees:
        yield f"separation.distance ({c.separation.distance:g} m) exceeds perception.radius ({sees:g} m): it acts only within the radius"
    for name in active(c):
        yield from BEHAVIOURS[name].check(c)
    if c.potential_field.weight > 0.0 and c.steer_to_avoid.weight > 0.0:
        yield "potential_field and steer_to_avoid are both on: the field pushes off the way that steering has chosen"
    if c.arrival.weight > 0.0 and c.seek.weight > 0.0:
        yield "arrival and seek are both on: seek keeps robots from coming to rest at the goal"
    if c.guidance.weight > 0.0 and c.guidance.comfort < c.guidance.margin:
        yield f"guidance.comfort ({c.guidance.comfort:g} m) is less than guidance.margin ({c.guidance.margin:g} m): it has no effect"
    if c.safety.command_timeout <= c.period:
        late = f"safety.command_timeout ({c.safety.command_timeout:g} s) is not longer than period ({c.period:g} s)"
        yield f"{late}: robots stop between ticks"
    if c.separation_filter.enabled and c.separation_filter.margin > c.separation.distance > 0.0 and c.separation.weight > 0.0:
        yield "separation_filter.margin exceeds separation.distance: the filter acts before separation does"
    weights = [getattr(c, name).weight for name in BEHAVIOURS]
    if not (any(weights) or c.formation.enabled):
        yield IDLE
    yield from _laws(c)
    if c.formation.enabled and c.formation.estimate.timeout < c.period:
        yield f"formation.estimate.timeout ({c.formation.estimate.timeout:g} s) is less than period ({c.period:g} s): nobody counts"


def _laws(c: Control) -> Iterator[str]:
    """Force laws that do not keep a group together, each with its equilibrium."""
    laws, core = c.social.laws, c.social.core_radius
    if bool(laws) != (c.social.weight > 0.0):
        yield "social.laws are given, but social.weight is 0" if laws else "social.weight is set, but there are no social.laws"
    if laws and all(law.acts_on == law.of and not _attracts(law) for law in laws):
        yield "social.laws never attract, and no other group holds robots: there is no equilibrium, they spread without end"
    for pair in dict.fromkeys((law.acts_on, law.of) for law in laws):
        between = [law for law in laws if (law.acts_on, law.of) == pair]
        names = " and ".join(f"the group {name}" if name else "all robots" for name in dict.fromkeys(pair))
        stable, unstable = equilibria(between, core), equilibria(between, core, stable=False)
        if _attracts_nearby(between):
            where = f"inside {unstable[0]:.3g} m, the equilibrium" if unstable else "at every distance"
            if pair[0] == pair[1]:
                yield f"social.laws among {names} attract without bound {where}: robots fall together"
            elif unstable:
                yield f"social.laws between {names} attract without bound {where}, which is unstable"
        below = [r for r in equilibria(between) if r <= core]
        if below and not stable:
            inside = f"inside social.core_radius ({core:g} m)"
            yield f"social.laws between {names} balance at {below[0]:.3g} m, {inside}: nothing keeps robots apart"


def _attracts_nearby(laws: list[Law]) -> bool:
    """Whether the force grows without bound towards zero distance, attracting."""
    powers: dict[float, float] = {}
    for c, exponent in (power for law in laws if law.near == 0.0 for power in law.powers):
        powers[exponent] = powers.get(exponent, 0.0) + c
    steepest = max((exponent for exponent, c in powers.items() if c != 0.0), default=0.0)
    return steepest > 0.0 and powers[steepest] > 0.0


def _attracts(law: Law) -> bool:
    """Whether it attracts at any distance."""
    return bool((law.force(np.geomspace(1e-4, 1e5, 1000)) > 0.0).any())
