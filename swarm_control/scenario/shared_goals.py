"""Goals at which two formations, or two parts of one, would stand in each other's places: a line for the user, before they try."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from swarm_control.core.geometry import Array, norm
from swarm_control.core.state import Fleet
from swarm_control.errors import InputError
from swarm_control.formation.design import designs
from swarm_control.formation.structure import members, place
from swarm_control.scenario.groups import Controls, Flock, in_formation, stages
from swarm_control.scenario.schema import Scenario

Standing = tuple[str, tuple[str, ...], Array]
"""Who stands in the end at a goal (the key), by name, and where (M, 2) m."""


def shared_goals(scenario: Scenario, flocks: Sequence[Flock], fleet: Fleet, source: str) -> tuple[str, ...]:
    """One line for each two formations, or parts of one, that end with robots of the one on places of the other: they would press
    against each other there. Parts end at their last goals before the formation is one again, or before the scenario ends.
    """
    found: list[str] = []
    for controls, _ in stages(scenario, source):
        whole: list[Standing] = []
        for flock in (flocks[number] for number in in_formation(flocks, controls)):
            ends = list(_ends(scenario, controls, flock, fleet, source))
            found += _pressing(ends, fleet)
            whole += [] if any(goal.part for goal in flock.goals) else ends
        found += _pressing(whole, fleet)
    return tuple(dict.fromkeys(found))


def _ends(scenario: Scenario, controls: Controls, flock: Flock, fleet: Fleet, source: str) -> Iterator[Standing]:
    """Where the ``flock`` stands in the end, or each of its parts where the goals are dealt to them next."""
    own = bool(flock.name) and bool(scenario.groups[flock.name].goals)
    where = f"groups.{flock.name}.goals" if own else "goals"
    params = controls.of(flock.name).formation
    try:
        asked = designs(params, fleet.names, source, tuple(fleet.names[k] for k in flock.robots))
    except InputError:  # told where the parameters are checked
        return
    last = {goal.part: k for k, goal in itertools.takewhile(lambda at: at[1].part > 0, enumerate(flock.goals))}
    last = last or ({0: len(flock.goals) - 1} if flock.goals else {})
    for part, k in last.items():
        if len(asked) >= max(part, 1) and (part or len(asked) == 1):
            design, goal = asked[max(part, 1) - 1], flock.goals[k]
            if design.points is not None:  # else where they stand is not known before they start
                points = design.points - design.points.mean(axis=0) - np.array(params.pivot)
                yield f"{where}[{k}]", design.names, place(points, np.array([*goal.position, np.deg2rad(goal.heading)]))


def _pressing(ends: Sequence[Standing], fleet: Fleet) -> list[str]:
    """A line for each two that stand in each other's places."""
    found = []
    for (where, names, places), (other, others, theirs) in itertools.combinations(ends, 2):
        if not set(names).isdisjoint(others):
            continue
        radius, further = fleet.radius[members(names, fleet.names)], fleet.radius[members(others, fleet.names)]
        gap = norm(places[:, None] - theirs) - radius[:, None] - further
        i, j = np.unravel_index(int(gap.argmin()), gap.shape)
        if gap[i, j] < 0.0:
            at = f"({places[i, 0]:.4g}, {places[i, 1]:.4g}) m"
            keys = " and ".join(dict.fromkeys((where, other)))
            found.append(f"{keys}: {names[i]} and {others[j]} would both stand at {at}, and press against each other")
    return found
