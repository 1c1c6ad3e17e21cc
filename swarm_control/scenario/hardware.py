"""Parameters of what stands between ROS and hardware: whom the tracker looks for, and how the wheels are reached."""

from dataclasses import dataclass, field

from swarm_control.core.parameters import param

TRACKER_TOPICS = {
    "pose_stamped": "/{robot}/pose", "pose_with_covariance": "/{robot}/pose", "pose_array": "/poses", "tf": "/tf",
    "camera": "/camera/image_raw",
}  # fmt: skip
"""Topic of each of the tracker's sources when none is given."""

MARKER_FAMILIES = ("4x4_50", "5x5_100", "6x6_250", "apriltag_16h5", "apriltag_25h9", "apriltag_36h11")


@dataclass(frozen=True)
class FloorCalibration:
    """How the camera sees the floor. Points of the image are in px from its upper left corner, pixel centres at whole numbers."""

    image_points: tuple[float, ...] = param((), "four or more points in the image: x0, y0, x1, y1, …", unit="px", low=-1e5, high=1e5)
    floor_points: tuple[float, ...] = param((), "the same points on the floor: x0, y0, x1, y1, …", unit="m", low=-1e4, high=1e4)
    image_size: tuple[float, ...] = param((1280, 960), "width and height of the images", unit="px", size=2, low=16, high=16384)
    camera_position: tuple[float, ...] = param(
        (0.0, 0.0, 0.0), "where the camera is: x, y, height; height 0: from focal_length", unit="m", size=3, low=-1e4, high=1e4
    )  # fmt: skip
    focal_length: float = param(0.0, "focal length of the lens; 0: not known", unit="px", low=0.0, high=1e6)
    distortion: tuple[float, ...] = param((), "the lens' k1, k2, p1, p2, k3 as OpenCV has them; none: straight", low=-100.0, high=100.0)


@dataclass(frozen=True)
class TrackingFilter:
    """The constant-velocity Kalman filter behind the poses."""

    noise_position: float = param(0.001, "standard deviation of a measured position, where poses say none", unit="m", low=1e-6, high=10.0)
    noise_heading: float = param(0.5, "standard deviation of a measured heading, where poses say none", unit="deg", low=1e-4, high=180.0)
    agility: float = param(0.1, "density of the robots' accelerations as white noise", unit="m²/s³", low=1e-9, high=1e6)
    turn_agility: float = param(5.0, "density of their angular accelerations", unit="rad²/s³", low=1e-9, high=1e6)
    initial_speed: float = param(0.5, "standard deviation of the speed of a robot first seen", unit="m/s", low=1e-6, high=1e3)
    initial_turn_rate: float = param(2.0, "standard deviation of its turn rate", unit="rad/s", low=1e-6, high=1e3)
    gate: float = param(5.0, "Mahalanobis distance beyond which a measurement is not believed", low=0.1, high=1e6)
    rejections: int = param(5, "so many unbelieved measurements on end, and the robot starts anew where it is seen", low=1, high=10000)


@dataclass(frozen=True)
class Tracker:
    """Where the robots' poses come from when no simulator publishes them."""

    source: str = param("none", "what is tracked with", choices=("none", *TRACKER_TOPICS))
    topic: str = param("", "topic of poses, {robot} for a name, or of images; none: /{robot}/pose, /poses, /tf or /camera/image_raw")
    frame: str = param("map", "tf: the frame of the floor")
    child_frame: str = param("{robot}/base_link", "tf: the frame of a robot")
    markers: str = param("aruco", "what is on the robots: an ArUco or AprilTag marker, or two coloured spots", choices=("aruco", "spots"))
    marker_size: float = param(0.1, "side of a marker's black square; distance between two spots", unit="m", low=0.001, high=10.0)
    marker_height: float = param(0.0, "height of the markers over the floor", unit="m", low=0.0, high=100.0)
    marker_offset: tuple[float, ...] = param(
        (0.0, 0.0, 0.0), "pose of the marker on the robot: ahead, to the left, heading", unit="m, m, deg", size=3, low=-360.0, high=360.0
    )  # fmt: skip
    family: str = param("4x4_50", "family of the ArUco markers", choices=MARKER_FAMILIES)
    ids: tuple[float, ...] = param((), "ArUco markers of the robots in their order; none: 0, 1, 2, …", low=0, high=1023)
    spots: tuple[str, ...] = param((), "the robots' spots in their order, front-back: red-blue; none: all pairs in turn")
    spot_diameter: float = param(0.05, "diameter of a spot", unit="m", low=0.001, high=10.0)
    reach: float = param(0.15, "how far from where it is expected a robot is looked for first", unit="m", low=0.001, high=100.0)
    stale: float = param(0.5, "a robot not seen for so long is lost: it has no odometry until it is seen", unit="s", low=0.01, high=60.0)
    clock_tolerance: float = param(
        0.25, "age of the newest poses beyond which another clock is behind their stamps", unit="s", low=0.0, high=60.0
    )
    rate: float = param(0.0, "odometry messages a second; 0: one for each measurement", unit="1/s", low=0.0, high=1000.0)
    floor: FloorCalibration = field(default_factory=FloorCalibration)
    filter: TrackingFilter = field(default_factory=TrackingFilter)


@dataclass(frozen=True)
class Wheels:
    """How the wheels of differential-drive robots are reached and driven; ``docs/wheel_protocol.md`` says what goes over the link."""

    link: str = param("", "serial:///dev/ttyUSB{index}?baud=115200, tcp://robot-{index}:5000, udp://{name}:5000; none: no wheels")
    wheel_radius: float = param(0.05, "radius of the wheels", unit="m", low=0.001, high=10.0)
    wheel_base: float = param(0.0, "distance between the wheels as calibrated; 0: as in robots", unit="m", low=0.0, high=10.0)
    ticks_per_turn: int = param(2048, "encoder ticks of one turn of a wheel", low=1, high=10_000_000)
    max_wheel_speed: float = param(0.0, "top speed of a wheel's rim; 0: max_speed of the robots", unit="m/s", low=0.0, high=100.0)
    max_wheel_acceleration: float = param(
        0.0, "top acceleration of a wheel's rim; 0: max_acceleration of the robots", unit="m/s²", low=0.0, high=1000.0
    )  # fmt: skip
    rate: float = param(50.0, "commands sent to a robot in a second", unit="1/s", low=1.0, high=1000.0)
    deadman: float = param(0.2, "a robot stops its wheels when it has heard no command for so long", unit="s", low=0.01, high=10.0)
    silence: float = param(
        0.5, "a robot not heard for so long is told to stand; after twice as long its link is opened anew", unit="s", low=0.05, high=60.0
    )  # fmt: skip
    clock_tolerance: float = param(0.25, "age of a line from which a robot's clock is doubted", unit="s", low=0.01, high=60.0)
    jump: float = param(2.0, "encoder counts beyond so many times what the top wheel speed allows are not believed", low=1.0, high=100.0)
    rejections: int = param(5, "so many unbelieved counts on end, and counting begins anew from them", low=1, high=10000)
    error_distance: float = param(1e-5, "variance that a wheel's way gains in each metre", unit="m²/m", low=0.0, high=1.0)
    error_turn: float = param(1e-4, "variance that the heading gains in each radian of turning", unit="rad²/rad", low=0.0, high=1.0)


@dataclass(frozen=True)
class Odometry:
    """In which frame robots publish their odometry (REP 105)."""

    frame: str = param(
        "auto", "auto: the map's frame, or one of which tf tells; start: each begins where the scenario starts its robot; map: the map's",
        choices=("auto", "start", "map"),
    )  # fmt: skip
    max_deviation: float = param(
        0.0, "odometry whose covariance says that its position may be further off (standard deviation) stops its robot; 0: not looked at",
        unit="m", low=0.0, high=100.0,
    )  # fmt: skip
    use_covariance: bool = param(
        False, "whether odometry counts as noisy as its covariance says, for estimate and separation filter; needs max_deviation"
    )


@dataclass(frozen=True)
class RobotTopics:
    """What the robots' drivers call their topics, and what they take for commands; with ``--simulator none`` only."""

    odom: str = param("/{robot}/odom", "topic of a robot's odometry: {robot} is its name, {index} its number, from 0")
    cmd_vel: str = param("/{robot}/cmd_vel", "topic of its commands")
    shared: bool = param(False, "they, and the tracker's, are at the top of the graph, for several swarms, whatever this one's namespace")
    stamped: str = param(
        "auto", "what commands are; auto: what its driver subscribes to, Twist or TwistStamped", choices=("auto", "twist", "twist_stamped")
    )  # fmt: skip


@dataclass(frozen=True)
class Hardware:
    """Real robots: how their odometry is to be read, what their topics are called, what drives their wheels, and what tracks them."""

    topics: RobotTopics = field(default_factory=RobotTopics)
    odometry: Odometry = field(default_factory=Odometry)
    wheels: Wheels = field(default_factory=Wheels)
    tracker: Tracker = field(default_factory=Tracker)

    @property
    def by_wheels_alone(self) -> bool:
        """Whether nothing but its wheels tells where a robot is, so that slip is not seen."""
        return bool(self.wheels.link) and self.tracker.source == "none"
