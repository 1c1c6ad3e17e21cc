"""What a robot is to aim at to follow a schedule, so that small errors do not turn one that rolls away from its way.

Commands drive to a point a moment ahead. A robot that rolls and is a millimetre beside its way would begin a leg by turning towards that
millimetre: it is the largest part of what there is to go. So of an error sideways only a share counts while the way ahead is short, which
is pure pursuit with a least look-ahead (Coulter 1992): with y the error, d the way ahead and L the look-ahead, the curvature is
``2·y/L²`` instead of ``2·y/d²`` where d < L.
"""

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, norm, unit
from swarm_control.formation.timetable import Timetable


def aim(schedule: Timetable, clock: float, horizon: float, pose: Array, rolls: BoolArray, look: Array) -> Array:
    """Targets (N, 2) m one ``horizon`` (s) after ``clock`` (s) for robots at ``pose`` (N, 3), in the schedule's order.

    ``rolls`` (N,): which robots move along their heading only; ``look`` (N,) m: their least look-ahead, about their size.
    """
    place, target = schedule.at(clock), schedule.at(clock + horizon)
    way, error = target - place, place - pose[:, :2]
    far = norm(way)
    heading = np.column_stack((np.cos(pose[:, 2]), np.sin(pose[:, 2])))
    course = np.where((far > 1e-9)[:, None], unit(way), heading)
    along = (error * course).sum(axis=1)[:, None] * course
    share = np.minimum(1.0, far / look)[:, None] ** 2
    eased: Array = pose[:, :2] + way + along + share * (error - along)
    return np.where(rolls[:, None], eased, target)
