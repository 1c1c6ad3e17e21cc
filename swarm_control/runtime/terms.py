"""What a formation's ways are planned for."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, norm
from swarm_control.core.state import Fleet, Map
from swarm_control.formation.drive import Drive, Order
from swarm_control.formation.memory import SIGMAS
from swarm_control.formation.parameters import FormationParameters
from swarm_control.formation.structure import Structure, members
from swarm_control.safety.separation_filter import SeparationFilter

HAIR = 1e-6
"""A length (m) that is lost in rounding."""


@dataclass(frozen=True)
class Terms:
    """What is planned for: the ``fleet``, the ``map``, None without walls, the ``room`` (m) that footprints keep, and the ``least`` that
    they make do with where there is no other way, the structure's limits ``drive``, the ``filter`` and the ``period`` (s) of commands;
    ``opens``: whether the formation may let obstacles pass between its robots; ``fixed``: whether robots keep their points.
    """

    fleet: Fleet
    map: Map | None
    room: float
    least: float
    drive: Drive
    filter: SeparationFilter
    period: float
    opens: bool
    fixed: bool


@dataclass(frozen=True)
class Situation:
    """What a structure with its middle at the origin of its frame has before it: ``pose`` (M, 3) of its robots, in the order of its names,
    the ``order`` for its ``pivot`` (2,) m, and whether it has been ``kept`` before: else it lies where it was imposed.
    ``obstacles``: names of the robots that stand on the map as walls do.
    """

    structure: Structure
    pose: Array
    order: Order
    pivot: Array
    kept: bool
    obstacles: tuple[str, ...] = ()


def terms_of(
    structure: Structure, fleet: Fleet, params: FormationParameters, map: Map | None, filter: SeparationFilter, period: float
) -> Terms:  # fmt: skip
    """What is planned for."""
    room, least = room_of(structure, fleet, params, filter)
    fixed = params.shape == "start" or (params.shape == "points" and bool(params.members))
    return Terms(fleet, map, room, least, params.drive, filter, period, params.plan.opens, fixed)


def room_of(structure: Structure, fleet: Fleet, params: FormationParameters, filter: SeparationFilter) -> tuple[float, float]:
    """What footprints are to keep, and the least, m: the margin of walls, and what noise may hide, at least what is left of it in the
    estimate; less where the shape has less, but not less than the ``filter`` keeps.
    """
    margin, most = params.drive.wall_margin, narrowest(structure, fleet)
    noise, left = params.estimate.noise, params.estimate.spread
    room, least = (max(min(margin + 2.0 * SIGMAS * off, most), filter.room, 0.0) for off in (noise, left))
    return room, least


def narrowest(structure: Structure, fleet: Fleet) -> float:
    """The least gap (m) between two robots' footprints at their points, less a hair; infinite for a robot alone."""
    radius, points = fleet.radius[members(structure.names, fleet.names)], structure.points
    i, j = np.triu_indices(len(points), 1)
    return float((norm(points[i] - points[j]) - radius[i] - radius[j]).min(initial=np.inf)) - HAIR
