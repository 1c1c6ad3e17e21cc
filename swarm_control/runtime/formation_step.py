"""What one tick of a formation made."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.state import Fleet
from swarm_control.formation.memory import StructureStep
from swarm_control.formation.structure import members


@dataclass(frozen=True)
class FormationStep:
    """What one tick made: a step for each part, and of all together ``target`` (N, 2) m, NaN for none, ``command`` (N, 3), and the
    ``part`` (N,) that each robot is in, from 1; 0: in none.
    """

    steps: tuple[StructureStep, ...]
    target: Array
    command: Array
    part: IntArray

    @property
    def failed(self) -> BoolArray:
        """Which robots (N,) do not do as they are told."""
        return self.steps[0].failed

    @property
    def rest(self) -> bool:
        """Whether all parts rest."""
        return all(step.memory.rest for step in self.steps)

    @property
    def error(self) -> float:
        """The formation error (m): mean distance of the parts' robots from their points; 0 if no robot is heard."""
        distance = np.concatenate([step.distance for step in self.steps])
        return float(np.nanmean(distance)) if np.isfinite(distance).any() else 0.0


def together(steps: tuple[StructureStep, ...], fleet: Fleet) -> FormationStep:
    """One step of all the parts of the ``fleet`` from a step of each."""
    target, command, part = steps[0].target.copy(), steps[0].command.copy(), np.zeros(len(fleet), np.int64)
    for number, step in enumerate(steps, 1):
        robots = members(step.structure.names, fleet.names)
        target[robots], command[robots], part[robots] = step.target[robots], step.command[robots], number
    return FormationStep(steps, target, command, part)
