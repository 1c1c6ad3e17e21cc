"""Leg odometry: what joints, feet and the gyroscope tell of where feet are and of how the body goes over the ground."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.geometry import Array, BoolArray
from swarm_control.gait.leg import Chains


@dataclass
class Felt:
    """What the controllers of R robots with L legs know, all of it read or estimated from readings; zero for lost legs.

    ``angle`` (R, L, 5) rad; ``place`` (R, L, 3) of feet in the body's frame; ``load`` (R, L) on feet; ``moving`` (R, 3): velocity of the
    body's middle forward and left along the body's axes, and turn rate (rad/s) about the body's vertical.
    """

    angle: Array
    place: Array
    load: Array
    moving: Array

    @staticmethod
    def nothing(robots: int, legs: int) -> "Felt":
        """Before anything was read."""
        return Felt(np.zeros((robots, legs, 5)), np.zeros((robots, legs, 3)), np.zeros((robots, legs)), np.zeros((robots, 3)))


def feel(
    chains: Chains, alive: BoolArray, felt: Felt, joint: Array, rate: Array, gyro: Array, load: Array, step: Array, bare: float,
    share: float,
) -> None:  # fmt: skip
    """Take up readings: ``joint`` and ``rate`` (R, L, 5) rad, rad/s, ``gyro`` (R, 3) rad/s, ``load`` (R, L); ``step`` (R, L) as told.

    Feet that stand and bear more than ``bare`` do not move over the ground: ``v = −(ṗ + ω × p)`` by each, and of the body the mean of that,
    weighted by what they bear. The estimate goes to it by a ``share`` of the difference; while no foot bears anything it stays.
    """
    _feel(
        len(joint), alive, joint, rate, gyro, load, step, bare, share, chains.side, chains.heading, chains.hip, chains.links, chains.bend,
        felt.angle, felt.place, felt.load, felt.moving,
    )  # fmt: skip


@njit(cache=True)
def foot_motion(side, heading, hip, links, bend, angle, rate, place, moved):  # type: ignore[no-untyped-def]
    """Write where the foot of a leg is (3,) and how it moves (3,), in the body's frame, by joint angles (5,) and rates (5,).

    The same chain as :func:`.leg.foot`, and its derivative.
    """
    swing, twist = heading - side * angle[0], side * angle[1]
    turn, roll = -side * rate[0], side * rate[1]
    along, up, along_rate, up_rate, lean, lean_rate = links[0], 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(1, 4):
        lean += bend[k] + angle[k + 1]
        lean_rate += rate[k + 1]
        c, s = links[k] * np.cos(lean), links[k] * np.sin(lean)
        along, up = along + c, up + s
        along_rate, up_rate = along_rate - s * lean_rate, up_rate + c * lean_rate
    c, s = np.cos(twist), np.sin(twist)
    across, across_rate = -s * up, -s * up_rate - c * up * roll
    high, high_rate = c * up, c * up_rate - s * up * roll
    c, s = np.cos(bend[0]), np.sin(bend[0])
    out, out_rate = c * along - s * high, c * along_rate - s * high_rate
    place[2], moved[2] = hip[2] + s * along + c * high, s * along_rate + c * high_rate
    c, s = np.cos(swing), np.sin(swing)
    x, y = c * out - s * across, s * out + c * across
    place[0], place[1] = hip[0] + x, hip[1] + y
    moved[0] = c * out_rate - s * across_rate - turn * y
    moved[1] = s * out_rate + c * across_rate + turn * x


def _feel_loop(  # type: ignore[no-untyped-def]
    alive, joint, rate, gyro, load, step, bare, share, side, heading, hip, links, bend, angle, place, felt, moving
):  # fmt: skip
    for r in prange(len(joint)):
        moved, forward, left, borne = np.empty(3), 0.0, 0.0, 0.0
        for k in range(joint.shape[1]):
            if not alive[k]:
                continue
            for j in range(5):
                angle[r, k, j] = joint[r, k, j]
            felt[r, k] = load[r, k]
            foot_motion(side[k], heading[k], hip[k], links[k], bend[k], joint[r, k], rate[r, k], place[r, k], moved)
            if step[r, k] < 0.0 and load[r, k] > bare:
                p = place[r, k]
                forward -= load[r, k] * (moved[0] + gyro[r, 1] * p[2] - gyro[r, 2] * p[1])
                left -= load[r, k] * (moved[1] + gyro[r, 2] * p[0] - gyro[r, 0] * p[2])
                borne += load[r, k]
        if borne > 0.0:
            moving[r, 0] += share * (forward / borne - moving[r, 0])
            moving[r, 1] += share * (left / borne - moving[r, 1])
        moving[r, 2] += share * (gyro[r, 2] - moving[r, 2])


_feel = Kernel(_feel_loop)
