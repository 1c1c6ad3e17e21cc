"""Who takes part in a formation, how much each robot counts, and what is known of what it was told."""

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray, rotate
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.formation.memory import StructureParameters
from swarm_control.formation.structure import Structure, members

FOLLOWER = 0.001
"""Weight of a robot that follows a leader, against the leader's 1: leader and structure hardly wait for it."""

SEEN = 0.3
"""Onboard, the share of what others were seen to do otherwise that counts; 0.75 is unstable with 0.2 s of delay and 30 % lost."""


def stable_share(late: IntArray | int) -> Array:
    """Share of a difference that was seen ``late`` periods d ago by which it may be put right in each: ``sin(π/(4d + 2))``.

    That is half of what ``x(k+1) = x(k) - share·x(k-d)`` is stable for (Levin & May 1976).
    """
    share: Array = np.sin(np.pi / (4.0 * np.asarray(late, float) + 2.0))
    return share


def known_commands(state: SwarmState, stamp: Array, commands: Array, own: int, period: float) -> Array:
    """What all were told in the last M periods (M, N, 3), as far as one robot knows: the others what it would have told them, put right
    by a share of how much else the velocity in their odometry was, in the period in which that was measured.

    What is put right becomes the next command, and is compared with a velocity only d periods later: three quarters of the share for
    which that is stable are taken at most.
    """
    twist = np.column_stack((rotate(state.velocity[:, :2], -state.pose[:, 2]), state.velocity[:, 2]))
    age = np.where(state.valid, state.time - stamp, 0.0)
    then = np.clip(np.floor(age / period + 1e-6), 0, len(commands) - 1).astype(int)
    otherwise = np.where(state.valid[:, None], twist - commands[then, np.arange(len(twist))], 0.0)
    otherwise[own] = 0.0
    share = np.minimum(SEEN, 1.5 * stable_share(then))[:, None]
    known: Array = commands + share * otherwise
    return known


def without(structure: Structure, fleet: Fleet, dropped: BoolArray) -> Structure:
    """The structure without the robots to drop; at least one stays."""
    if not dropped.any():
        return structure
    stay = ~dropped[members(structure.names, fleet.names)]
    if stay.all() or not stay.any():
        return structure
    names = tuple(name for name, kept in zip(structure.names, stay, strict=True) if kept)
    return Structure(structure.points[stay], names, structure.pose)


def weights(structure: Structure, heard: BoolArray, params: StructureParameters) -> Array:
    """Weight of each point's robot: none if it is not heard; with a leader, its followers hardly count."""
    weight = heard.astype(float)
    if params.leader in structure.names and heard[structure.index(params.leader)]:
        weight *= FOLLOWER
        weight[structure.index(params.leader)] = 1.0
    return weight
