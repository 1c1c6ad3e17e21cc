"""The motion step of a tick: acceleration → velocity (filtered) → limits → command, each robot by its own model."""

from dataclasses import replace

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, limit_norm
from swarm_control.core.motion import MODELS
from swarm_control.core.motion.barrier import Barrier, keep_apart
from swarm_control.core.motion.limits import Motion
from swarm_control.core.perception import Perception, perceive
from swarm_control.core.state import Commands, Fleet, Map, SwarmState


def command(
    state: SwarmState, acceleration: Array, fleet: Fleet, map: Map | None, params: Motion, barrier: Barrier, period: float
) -> tuple[Commands, BoolArray]:
    """Return the commands for the next ``period`` (s), and on which robots the separation filter intervened (N,).

    Equation: ``v = u + a·t`` (Adeola et al. §3.1) with u the velocity of the robot's control point and a = ``acceleration`` (N, 2)
    m/s², world frame. Limits come last; robots without valid odometry are told to stop.
    """
    point = np.zeros((len(fleet), 2))
    u = np.zeros((len(fleet), 2))
    for name, robots in fleet.models.items():
        point[robots], u[robots] = MODELS[name].control_point(state.pose[robots], state.velocity[robots], params)
    a = limit_norm(np.nan_to_num(acceleration), fleet.max_acceleration)
    desired = limit_norm(u + a * period, np.minimum(fleet.max_speed, params.speed_cap))
    desired = np.where(state.valid[:, None], np.nan_to_num(desired), 0.0)
    changed = np.zeros(len(fleet), bool)
    if barrier.enabled:
        desired, changed = _apart(state, desired, point, u, fleet, map, params, barrier, period)
    twist = np.zeros((len(fleet), 3))
    for name, robots in fleet.models.items():
        twist[robots] = MODELS[name].twist(desired[robots], state.pose[robots], fleet.take(robots), params, period)
    return Commands(np.where(state.valid[:, None], twist, 0.0)), changed


def _apart(
    state: SwarmState, desired: Array, point: Array, u: Array, fleet: Fleet, map: Map | None, params: Motion, barrier: Barrier,
    period: float,
) -> tuple[Array, BoolArray]:  # fmt: skip
    """Filter the velocities of the control points; a point ahead of the axle carries the footprint grown by its distance."""
    moved = replace(state, pose=np.column_stack((point, state.pose[:, 2])))
    seen = perceive(moved, Perception(radius=barrier.radius), np.random.default_rng(0))
    body = fleet.radius + params.look_ahead * np.array([model == "differential" for model in fleet.model])
    return keep_apart(desired, u, point, seen, body, fleet.max_acceleration, map, barrier, period)
