"""One period of a formation, as the data flows: odometry → estimate → fit → wish → displace → targets → commands.

Hosted, one process does this for all robots. Onboard, every robot does it for itself on everybody's odometry and obeys its own row of
the commands; nothing else is exchanged, unless radios do not reach everybody: :mod:`swarm_control.runtime.consensus`.
"""


import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.core.state import Fleet, Map, SwarmState
from swarm_control.formation.course import TeamState, planned, rigid
from swarm_control.formation.drive import Order
from swarm_control.formation.estimate import estimate
from swarm_control.formation.health import to_drop, watch
from swarm_control.formation.memory import FormationMemory, StructureParameters, StructureStep
from swarm_control.formation.participants import known_commands, weights, without
from swarm_control.formation.robots import Models, Robots
from swarm_control.formation.structure import Structure, members
from swarm_control.formation.way import PlannedWay


def step(
    state: SwarmState, stamp: Array, structure: Structure, order: Order, fleet: Fleet, models: Models, memory: FormationMemory,
    params: StructureParameters, period: float, deviation: Array | None = None, heading: Array | None = None, own: int | None = None,
    map: Map | None = None,
) -> StructureStep:  # fmt: skip
    """One period (s) of the formation; see the module's text.

    ``state`` holds the last odometry of N robots, taken at ``stamp`` (N,) s. ``order`` is for the structure's pivot: it sees the
    structure as if its frame began there. ``deviation`` (N, 2) m/s², world frame, moves robots away from their points, for obstacles.
    ``heading`` (N,) rad, NaN for none, is taken on once the formation rests. ``map``: walls, along which robots go, not into them.
    Onboard, ``own`` is the robot that obeys: what the others were told is not known here, what they would be told from here stands for
    it, and the velocity in their odometry. ``ValueError`` if the structure names a robot that is not in the fleet.
    """
    told = memory.commands if own is None else known_commands(state, stamp, memory.commands, own, period)
    belief = estimate(memory.belief, state.pose, state.valid, stamp, state.time, told, period, models, params.estimate)
    record = watch(memory.record, belief, period, params.health)
    structure = without(structure, fleet, to_drop(record, params.health)).centred()
    robots = members(structure.names, fleet.names)
    heard = state.time - belief.stamp <= params.estimate.timeout
    naive = params.displace.method == "naive"
    horizon = period * (1.0 if naive else params.horizon)
    squad = Robots(belief.pose, told[0], fleet, models, period, horizon).take(robots)

    weight = weights(structure, heard[robots], params)
    now = TeamState(squad, weight, record.failed[robots], memory.ready[robots], memory, params, state.time)
    if isinstance(order, PlannedWay):
        course = planned(order.structure(structure, memory.clock), order, now)
    else:
        asides = None if deviation is None else deviation[robots], None if heading is None else heading[robots], map
        course = rigid(structure, order, now, *asides)
    target, command, ready = np.full((len(fleet), 2), np.nan), np.zeros((len(fleet), 3)), np.zeros(len(fleet), bool)
    target[robots], command[robots], ready[robots] = course.target, course.command, course.ready
    command[~heard] = 0.0
    after = FormationMemory(
        commands=np.concatenate((command[None], memory.commands[:-1])), belief=belief, record=record, rest=course.rest, ready=ready,
        velocity=course.velocity, clock=course.clock, time=state.time,
    )  # fmt: skip
    return StructureStep(
        course.structure, course.displaced, course.wish, target, command, course.fitted.distance, course.fitted.error, record.failed, after
    )  # fmt: skip
