"""Rows of the topic ``structure``: how formations are getting on."""

import numpy as np

from swarm_control.ros.messages.convert import STRUCTURE, Rows
from swarm_control.runtime.formation_controller import FormationController, FormationStep


def structure_rows(flock: int, formation: FormationController, made: FormationStep, total: int) -> Rows:
    """A row for each part of the formation of the ``flock`` (its number); of the ``total`` of goals they say all the same."""
    rows = np.zeros(len(made.steps), STRUCTURE)
    for k, step in enumerate(made.steps):
        progress = (flock, k + 1, formation.visits, formation.agenda.missed, total, step.memory.rest, len(step.structure))
        rows[k] = (*progress, *step.structure.pose, step.error)
    return rows
