"""Whether walls leave a structure a way that is given with its times: it goes there as it is, and is planned by nobody."""

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.formation.drive import Path
from swarm_control.formation.structure import Structure, members, place
from swarm_control.formation.walls import near_walls
from swarm_control.runtime.terms import Terms


def free_until(path: Path, structure: Structure, terms: Terms | None) -> float:
    """Until when (s) the ``path`` keeps all robots of the ``structure``, held by its pivot, off the walls, by what the separation filter
    keeps; infinite where it does to its end, and where nothing is known of walls.
    """
    if terms is None or terms.map is None:
        return np.inf
    radius = terms.fleet.radius[members(structure.names, terms.fleet.names)]
    clearance, _ = near_walls(terms.map, place(structure.points, path.poses).reshape(-1, 2))
    meets = (clearance.reshape(len(path.poses), -1) < radius + terms.filter.room).any(axis=1)
    return float(path.times[meets.argmax()]) if meets.any() else np.inf


def met(path: Path, time: float) -> str:
    """What a structure on the ``path`` meets at ``time`` (s), in words."""
    pose: Array = path.at(time)
    return f"a wall at ({pose[0]:.4g}, {pose[1]:.4g}), after {time:.3g} s"
