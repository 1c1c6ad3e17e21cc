"""Messages with named fields as tables, for people."""

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.qos import QoSProfile
from sensor_msgs.msg import PointCloud2

from swarm_control.errors import InputError
from swarm_control.ros.messages import cdr
from swarm_control.ros.support.node import executor

TABLE = "sensor_msgs/msg/PointCloud2"
"""The type of tables."""


def watch(topic: str, show: Callable[[str], None], *, once: bool, wait: float) -> bool:
    """Give every message of a PointCloud2 ``topic`` to ``show`` as a table; returns whether one came within ``wait`` (s). ``InputError``
    for topics of other types.
    """
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    rclpy.init()
    node = rclpy.create_node("echo", namespace="/swarm")
    heard: list[bytes] = []
    serving, began, shown, subscribed = executor(node), time.monotonic(), False, False
    try:
        while (shown and not once) or (not shown and time.monotonic() - began < wait):
            serving.spin_once(timeout_sec=0.1)
            offers = [] if subscribed else node.get_publishers_info_by_topic(topic)
            if offers:
                if offers[0].topic_type != TABLE:
                    raise InputError("TOPIC", f"{topic} found, which is a {offers[0].topic_type}, expected a table, {TABLE}")
                offer = offers[0].qos_profile
                profile = QoSProfile(depth=1, reliability=offer.reliability, durability=offer.durability)
                node.create_subscription(PointCloud2, topic, heard.append, profile, raw=True)
                subscribed = True
            if heard:
                shown = True
                show(table(topic, *cdr.read_cloud(heard.pop())))
                heard.clear()
    except ExternalShutdownException:  # told to end
        pass
    finally:
        serving.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()
    return shown


def table(topic: str, stamp: float, rows: Any) -> str:
    """The rows of a structured array under their field names, with the topic and its time (s) above."""
    names = rows.dtype.names or ()
    columns = [[name, *(_cell(value) for value in rows[name])] for name in names]
    widths = [max(map(len, column)) for column in columns]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in zip(*columns)]
    return "\n".join((f"{topic}   t = {stamp:.2f} s   {len(rows)} rows", *lines))


def _cell(value: Any) -> str:
    return str(value) if isinstance(value, (int, np.integer)) else f"{float(value):.3f}"
