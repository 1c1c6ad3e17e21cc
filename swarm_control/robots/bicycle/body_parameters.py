"""A bicycle and its rider: parameters of its body and of its low-level control."""

from dataclasses import dataclass, field

from swarm_control.core.parameters import param
from swarm_control.robots.sensors import Sensors


@dataclass(frozen=True)
class Bicycle:
    """A bicyclist: the rider has the masses and joints of Brogan & Hodgins' Tables 3 and 4, the bicycle the geometry of Table 4.

    What the tables leave out (the bicycle's masses, head angle, wheels, cranks) has the values of an ordinary city bicycle.
    """

    rider: str = param(
        "articulated", "a rider of 15 segments who pedals, or a stiff one whose mass the frame carries", choices=("articulated", "rigid")
    )  # fmt: skip
    steering: str = param(
        "arms", "the arms turn the handlebar, or a motor in the fork does, as always with a rigid rider", choices=("arms", "fork")
    )
    wheel_radius: float = param(0.34, "radius of both wheels", unit="m", low=0.1, high=1.0)
    wheel_mass: float = param(1.8, "mass of each wheel", unit="kg", low=0.1, high=20.0)
    frame_mass: float = param(9.0, "mass of the frame", unit="kg", low=1.0, high=100.0)
    fork_mass: float = param(3.0, "mass of fork and handlebar", unit="kg", low=0.1, high=50.0)
    head_angle: float = param(72.0, "of the steering axis from the horizontal", unit="deg", low=45.0, high=90.0)
    fork_offset: float = param(0.045, "front hub ahead of the steering axis", unit="m", low=-0.1, high=0.2)
    seat_height: float = param(0.26, "saddle over the frame's centre of mass", unit="m", low=0.0, high=0.4)
    crank_length: float = param(0.17, "from axle to pedal", unit="m", low=0.1, high=0.2)
    gear: float = param(2.6, "turns of the rear wheel per turn of the crank; the hub is fixed", low=0.5, high=8.0)
    speed_gain: float = param(200.0, "torque at the crank per error of speed (eq. 15)", unit="N s", low=0.0, high=2000.0)
    torque_limit: float = param(150.0, "the most torque at the crank; 0: no bound", unit="N m", low=0.0, high=1000.0)
    crank_speed: float = param(
        24.0, "cadence at which the crank cannot be driven any more, on a straight torque–speed line; 0: no bound", unit="rad/s", low=0.0,
        high=1000.0,
    )  # fmt: skip
    gain_speed: float = param(
        7.5, "speed that the gains of steering are for; they go with 1/v² (roll) and 1/v (yaw)", unit="m/s", low=1.0, high=30.0
    )
    roll_gain: float = param(0.5, "angle of the fork per angle of roll (eq. 19)", low=0.0, high=20.0)
    roll_damping: float = param(0.25, "angle of the fork per rate of roll", unit="s", low=0.0, high=20.0)
    yaw_gain: float = param(0.12, "angle of the fork per angle of yaw", low=0.0, high=20.0)
    yaw_damping: float = param(0.02, "angle of the fork per rate of yaw", unit="s", low=0.0, high=1.0)
    fork_limit: float = param(0.6, "the largest angle of the fork that is wished", unit="rad", low=0.05, high=1.2)
    fork_gain: float = param(300.0, "torque per angle that holds the fork, where a motor does", unit="N m/rad", low=0.0, high=10_000.0)
    fork_damping: float = param(10.0, "torque per rate of the fork, where a motor does", unit="N m s/rad", low=0.0, high=500.0)
    arm_gain: float = param(800.0, "torque per angle of shoulders and elbows", unit="N m/rad", low=0.0, high=10_000.0)
    arm_damping: float = param(15.0, "torque per rate of shoulders and elbows", unit="N m s/rad", low=0.0, high=500.0)
    body_gain: float = param(
        2000.0, "torque per angle of saddle, waist, neck and sideways at the hips", unit="N m/rad", low=0.0, high=20_000.0
    )
    body_damping: float = param(100.0, "torque per rate of the same", unit="N m s/rad", low=0.0, high=2000.0)
    limb_gain: float = param(300.0, "torque per angle of wrists and ankles", unit="N m/rad", low=0.0, high=5000.0)
    limb_damping: float = param(
        1.5, "torque per rate of wrists, ankles and, without gain, of hips and knees", unit="N m s/rad", low=0.0, high=500.0
    )
    hold: float = param(
        0.005, "time constant of the springs that tie hands to grips, feet to pedals, crank to wheel", unit="s", low=0.004, high=0.1
    )
    max_lean: float = param(25.0, "the rider leans no further into a turn", unit="deg", low=1.0, high=45.0)
    lean_rate: float = param(90.0, "how fast the wished lean changes", unit="deg/s", low=1.0, high=1000.0)
    response: float = param(0.5, "the wished course turns so much later than the wished lean", unit="s", low=0.0, high=5.0)
    yaw_limit: float = param(17.0, "the largest error of the course that is steered against", unit="deg", low=1.0, high=90.0)
    min_speed: float = param(3.0, "commands to go slower are raised to it: a bicycle that stands falls", unit="m/s", low=0.5, high=20.0)
    top_speed: float = param(12.0, "commands to go faster are cut to it", unit="m/s", low=1.0, high=40.0)
    fallen: float = param(50.0, "a bicycle that rolls further has fallen", unit="deg", low=10.0, high=90.0)
    arm_torque: float = param(100.0, "the most that shoulders and elbows give; 0: no bound", unit="N m", low=0.0, high=10_000.0)
    arm_speed: float = param(12.0, "speed at which they give nothing any more; 0: no bound", unit="rad/s", low=0.0, high=1000.0)
    leg_torque: float = param(600.0, "the most that hips, knees and ankles give; 0: no bound", unit="N m", low=0.0, high=10_000.0)
    leg_speed: float = param(20.0, "speed at which they give nothing any more; 0: no bound", unit="rad/s", low=0.0, high=1000.0)
    fork_torque: float = param(100.0, "the most that a motor in the fork gives; 0: no bound", unit="N m", low=0.0, high=10_000.0)
    fork_speed: float = param(20.0, "speed at which it gives nothing any more; 0: no bound", unit="rad/s", low=0.0, high=1000.0)
    tilt_time: float = param(0.1, "time constant that leads the vertical to what the attitude filter reads", unit="s", low=0.0, high=1.0)
    speed_time: float = param(0.05, "time constant that leads the speed to that of the rear wheel", unit="s", low=0.0, high=1.0)
    sensors: Sensors = field(default_factory=Sensors)
