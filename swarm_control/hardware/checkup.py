"""Are robots ready to be driven? What was measured of each, judged in plain words, with what to do about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import combinations

import numpy as np

from swarm_control.core.geometry import Array

OK, WARNING, ERROR = "ok", "warning", "error"

ODOMETRY, TWIST, TWIST_STAMPED = "nav_msgs/msg/Odometry", "geometry_msgs/msg/Twist", "geometry_msgs/msg/TwistStamped"

CLOCK_TOLERANCE = 0.02
"""How far (s) a stamp may be ahead of the time at which it comes before the clocks are said to differ."""
OLD = 0.1
"""Age (s) of odometry from which on robots are driven by guesses: late, but borne."""
EPOCH = 1e8
"""A time (s) beyond this is the time of day, not that of a simulation."""


@dataclass(frozen=True)
class Check:
    """What was looked at: its ``level`` (ok, warning or error), ``what`` was found, and the ``remedy`` where something is amiss."""

    level: str
    what: str
    remedy: str = ""


@dataclass(frozen=True)
class HeardOdometry:
    """What came on the topic of a robot's odometry while somebody listened.

    ``types`` that are published there; ``came`` (n,) s: when messages came; ``stamps`` (n,) s: what they say of when they were made, both
    by the listener's clock; ``frames`` that they are in; ``finite``: all numbers are; ``position`` (2,) m: the last, None for none.
    """

    types: frozenset[str]
    came: Array
    stamps: Array
    frames: frozenset[str]
    finite: bool
    position: tuple[float, float] | None


def check_odometry(topic: str, heard: HeardOdometry, period: float, timeout: float, others: Sequence[str], domain: str) -> Check:
    """Judge a robot's odometry on ``topic`` for controllers that decide every ``period`` (s) and give odometry ``timeout`` (s).

    ``others``: topics with odometry that there are; ``domain``: ``ROS_DOMAIN_ID``.
    """
    if not heard.types:
        near = get_close_matches(topic, others, 1, 0.6) or list(others[:3])
        remedy = f"start its driver; is its ROS_DOMAIN_ID {domain}, too?"
        if near:
            remedy = f"there is {', '.join(near)}: set hardware.topics.odom"
        return Check(ERROR, f"nobody publishes {topic}", remedy)
    if ODOMETRY not in heard.types:
        return Check(ERROR, f"{topic} is published as {', '.join(sorted(heard.types))}", f"have it publish {ODOMETRY}")
    if not len(heard.came):
        remedy = "does its driver hear from the robot? is the network let through?"
        return Check(ERROR, f"nothing comes on {topic}, though it is published", remedy)
    if not heard.finite:
        return Check(ERROR, f"{topic} has numbers that are not finite", "look at its driver")
    return _timing(topic, heard, period, timeout)


def _timing(topic: str, heard: HeardOdometry, period: float, timeout: float) -> Check:
    """Judge how often it comes and how old it is."""
    gaps = np.diff(heard.came)
    rate = f"{1.0 / gaps.mean():.1f} Hz" if len(gaps) else "one message"
    age = heard.came - heard.stamps
    frames = ", ".join(sorted(heard.frames)) or "no frame"
    said = f"{topic}: {rate}, {1000.0 * float(np.median(age)):.0f} ms old, in {frames}"
    if np.abs(heard.stamps - heard.came).min() > EPOCH / 2.0:
        said = f"{topic}: {rate}, stamped by another clock ({heard.stamps[-1]:.1f} s)"
        return Check(ERROR, said, "stamp it by the time of day, or by /clock")
    if float(age.min()) < -CLOCK_TOLERANCE:
        said = f"{topic}: {rate}, stamped {-float(age.min()):.2f} s ahead of this clock"
        return Check(ERROR, said, "set both clocks by NTP, as chrony does")
    if float(np.median(age)) > timeout:
        return Check(ERROR, said, f"set both clocks by NTP; robots stand at {timeout:g} s (safety.odometry_timeout)")
    if not len(gaps) or float(gaps.max()) > timeout:
        longest = f", longest gap {float(gaps.max()):.2f} s" if len(gaps) else ""
        remedy = f"robots stand after {timeout:g} s without (safety.odometry_timeout): a better link, or publish more often"
        return Check(ERROR, said + longest, remedy)
    if float(gaps.mean()) > 1.5 * period:
        remedy = f"controllers decide every {period:g} s (control.period): publish more often, or let them decide less often"
        return Check(WARNING, said, remedy)
    if float(np.median(age)) > OLD:
        return Check(WARNING, said, "where robots are by now is guessed: a better link, or less on it")
    return Check(OK, said)


def check_frame(frames: Sequence[str], world: str, setting: str, known: Sequence[str], tf: bool) -> Check | None:
    """Judge the ``frames`` of a robot's odometry under a ``setting`` of ``hardware.odometry.frame``; None: it is in order.

    ``world``: the map's frame; ``known``: frames of which tf tells where they are in it; ``tf``: tf can be heard.
    """
    foreign = [frame for frame in frames if frame not in ("", world)]
    if setting != "auto" or not foreign or set(foreign) <= set(known):
        return None
    why = f"nobody tells on /tf where that is in {world}" if tf else "tf cannot be heard without the ROS package tf2_msgs"
    choices = "start if it begins where the robot starts, map if it is the map's"
    remedy = f"publish {world} → {foreign[0]}, or set hardware.odometry.frame: {choices}"
    return Check(ERROR, f"odometry is in the frame {foreign[0]}, and {why}", remedy)


def check_commands(topic: str, heard_as: frozenset[str], commanding: Sequence[str], stamped: str, domain: str) -> Check:
    """Judge who listens to a robot's commands on ``topic``.

    ``heard_as``: types; ``commanding``: nodes that publish it already; ``stamped``: ``hardware.topics.stamped``.
    """
    if not heard_as:
        remedy = f"start its driver, or set hardware.topics.cmd_vel; is its ROS_DOMAIN_ID {domain}, too?"
        return Check(ERROR, f"nobody listens to {topic}", remedy)
    wanted = {"twist": {TWIST}, "twist_stamped": {TWIST_STAMPED}}.get(stamped, {TWIST, TWIST_STAMPED})
    if not heard_as & wanted:
        remedy = "set hardware.topics.stamped: auto" if heard_as & {TWIST, TWIST_STAMPED} else f"have its driver take {TWIST}"
        return Check(ERROR, f"{topic} is heard as {', '.join(sorted(heard_as))}, expected {' or '.join(sorted(wanted))}", remedy)
    if commanding:
        return Check(WARNING, f"{topic}: {', '.join(commanding)} commands it already", "end that before the swarm runs")
    return Check(OK, f"{topic} is heard as {', '.join(sorted(heard_as & wanted))}")


def check_places(names: Sequence[str], positions: Sequence[tuple[float, float]], radius: Array, setting: str) -> list[Check]:
    """Judge where robots (N) say that they are, m: those whose footprints, of ``radius`` (N,) m, overlap may be in frames of their own."""
    overlapping = [
        (names[i], names[k]) for i, k in combinations(range(len(names)), 2)
        if np.hypot(*np.subtract(positions[i], positions[k])) < radius[i] + radius[k]
    ]  # fmt: skip
    if not overlapping or setting == "start":
        return []
    more = f", and {len(overlapping) - 1} more pairs" if len(overlapping) > 1 else ""
    first, second = overlapping[0]
    remedy = "if each one's odometry begins at zero, set hardware.odometry.frame: start and put the robots where the scenario starts them"
    return [Check(ERROR, f"{first} and {second} say that they are in the same place{more}", remedy)]
