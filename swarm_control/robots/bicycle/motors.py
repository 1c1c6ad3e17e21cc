"""Bounds of a bicyclist's motors."""

from swarm_control.robots.bicycle.body_parameters import Bicycle
from swarm_control.robots.motors import Motors


def motors_of(b: Bicycle) -> Motors:
    """The motors of a bicyclist, in the order in which they are described: fork, crank or arms, legs."""
    fork = (b.fork_torque, b.fork_speed, b.fork_gain if b.steering == "fork" or b.rider == "rigid" else 0.0)
    arm, leg = (b.arm_torque, b.arm_speed, b.arm_gain), (b.leg_torque, b.leg_speed, 0.0)
    ankle = (b.leg_torque, b.leg_speed, b.limb_gain)
    own = [(b.torque_limit, b.crank_speed, 0.0)] if b.rider == "rigid" else [*8 * [arm], *2 * [leg, leg, ankle]]
    return Motors(*zip(fork, *own))
