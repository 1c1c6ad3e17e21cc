"""A one-legged robot: parameters of its body and of its low-level control."""

from dataclasses import dataclass, field

from swarm_control.core.parameters import param
from swarm_control.robots.sensors import Sensors


@dataclass(frozen=True)
class Hopper:
    """A one-legged robot, of the masses of Brogan & Hodgins' Table 2; its springs, its motors' bounds, its control's gains."""

    spring: float = param(8000.0, "stiffness of the leg; the other gains suit 5000 to 16000", unit="N/m", low=500.0, high=100_000.0)
    damping: float = param(30.0, "damping of the leg", unit="N s/m", low=0.0, high=1000.0)
    rotor: float = param(0.02, "inertia of the motor that turns the leg about its length", unit="kg m²", low=0.0, high=1.0)
    sole: float = param(0.045, "radius of the patch by which the foot clings to the ground against turning", unit="m", low=0.0, high=0.2)
    apex: float = param(0.1, "height that the body gains in flight: sets the flight's duration", unit="m", low=0.01, high=1.0)
    thrust_limit: float = param(0.12, "the most that the leg is lengthened by in stance", unit="m", low=0.0, high=0.3)
    retraction: float = param(0.1, "the leg is shortened by so much on its way forward", unit="m", low=0.0, high=0.2)
    attitude_gain: float = param(400.0, "torque on the body per angle of pitch and roll, in stance", unit="N m/rad", low=0.0, high=5000.0)
    attitude_damping: float = param(35.0, "torque on the body per rate of pitch and roll, in stance", unit="N m s", low=0.0, high=500.0)
    yaw_gain: float = param(60.0, "torque on the body per angle of yaw, in stance", unit="N m/rad", low=0.0, high=1000.0)
    yaw_damping: float = param(12.0, "torque on the body per rate of yaw, in stance", unit="N m s", low=0.0, high=200.0)
    swing_gain: float = param(
        150.0, "hip torque per angle of the leg from where it shall land, in flight", unit="N m/rad", low=0.0, high=2000.0
    )
    swing_damping: float = param(8.0, "hip torque per rate of the leg, in flight", unit="N m s", low=0.0, high=100.0)
    grip: float = param(0.8, "share of the leg's load that the hip may push sideways with: the friction relied on", low=0.0, high=2.0)
    step_gain: float = param(0.085, "how far the foot lands ahead per excess of speed", unit="s", low=0.0, high=0.5)
    step_bias: float = param(
        0.036, "how far the foot lands back per wished speed: makes up for what stance loses and feet creep", unit="s", low=-0.2, high=0.2
    )
    step_error: float = param(1.0, "excess of speed that one step sees to at most", unit="m/s", low=0.01, high=10.0)
    top_speed: float = param(2.5, "commands beyond it are cut to it", unit="m/s", low=0.0, high=10.0)
    top_turn: float = param(1.0, "commands to turn faster are cut to it", unit="rad/s", low=0.0, high=10.0)
    hip_torque: float = param(150.0, "the most that each motor of the hip gives; 0: no bound", unit="N m", low=0.0, high=10_000.0)
    hip_speed: float = param(
        60.0, "speed at which a hip's motor gives nothing any more, on a straight torque–speed line; 0: no bound", unit="rad/s", low=0.0,
        high=10_000.0,
    )  # fmt: skip
    thrust_force: float = param(1200.0, "the most that the leg's motor adds to its spring; 0: no bound", unit="N", low=0.0, high=100_000.0)
    thrust_speed: float = param(
        25.0, "speed at which the leg's motor gives nothing any more, on a straight force–speed line; 0: no bound", unit="m/s", low=0.0,
        high=1000.0,
    )  # fmt: skip
    tilt_time: float = param(0.05, "time constant that leads the vertical to what the attitude filter reads", unit="s", low=0.0, high=1.0)
    speed_time: float = param(
        0.01, "time constant that leads the speed to what the standing leg says, under full load", unit="s", low=0.0, high=1.0
    )
    skid: float = param(
        0.5, "difference from the leg's speed that is half believed: the foot may have slipped", unit="m/s", low=0.01, high=100.0
    )
    debounce: float = param(0.005, "a contact switch that reads otherwise is believed after this", unit="s", low=0.0, high=0.1)
    tilt: float = param(60.0, "a body that leans further has fallen", unit="deg", low=10.0, high=90.0)
    sensors: Sensors = field(default_factory=Sensors)
