"""Rows of the topic ``structure``: how formations are getting on."""

from collections.abc import Sequence

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.ros.messages.convert import STRUCTURE, Rows
from swarm_control.runtime.formation_controller import FormationController
from swarm_control.runtime.formation_step import FormationStep


def targets_of(made: Sequence[tuple[IntArray, FormationStep]], robots: int) -> tuple[Array, Array, IntArray]:
    """Targets (N, 2) m, twists (N, 3) and parts (N,) of the ``robots``, by the steps ``made`` for some of them (their indices); the others
    are told to stand.
    """
    target, twist, part = np.full((robots, 2), np.nan), np.zeros((robots, 3)), np.zeros(robots, np.int64)
    for whose, step in made:
        target[whose], twist[whose], part[whose] = step.target[whose], step.command[whose], step.part[whose]
    return target, twist, part


def structure_rows(flock: int, formation: FormationController, made: FormationStep, total: int, sent: int = 0) -> Rows:
    """A row for each part of the formation of the ``flock`` (its number); of the ``total`` of goals, and of the number of the one to which
    the formation was ``sent`` last, they say all the same.
    """
    rows = np.zeros(len(made.steps), STRUCTURE)
    for k, step in enumerate(made.steps):
        progress = (flock, k + 1, formation.visits, formation.agenda.missed, total, step.memory.rest, len(step.structure))
        rows[k] = (*progress, *step.structure.pose, step.error, sent)
    return rows
