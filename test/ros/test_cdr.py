"""Bytes written and read at their offsets agree with rclpy's own serialisation, for any message."""

import math

import numpy as np
import pytest

pytest.importorskip("rclpy")

from geometry_msgs.msg import Twist, TwistStamped
from hypothesis import given, settings
from hypothesis import strategies as st
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import PointCloud2, PointField

from swarm_control.analysis.bags.runs import cloud as cloud_of_a_bag
from swarm_control.ros.messages import cdr

NUMBERS = st.floats(allow_nan=False, width=64)
NAMES = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF), max_size=20)
TIMES = st.integers(0, 2**31 - 1).map(lambda n: n + 0.25)
SIX = st.tuples(*[NUMBERS] * 6)


def fill_twist(twist, six):
    twist.linear.x, twist.linear.y, twist.linear.z, twist.angular.x, twist.angular.y, twist.angular.z = six


def fill_header(header, time, frame):
    header.stamp.sec, header.stamp.nanosec = int(time), round((time % 1) * 1e9)
    header.frame_id = frame


@pytest.mark.parametrize("seed", range(8))
def test_the_deviation_of_an_odometry_is_that_of_its_position_where_it_is_greatest_and_of_its_heading(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 6))
    message = Odometry(child_frame_id="b" * seed)
    message.pose.covariance = (root @ root.T).ravel()
    expected = np.sqrt((np.linalg.eigvalsh((root @ root.T)[:2, :2]).max(), (root @ root.T)[5, 5]))
    assert cdr.read_deviation(serialize_message(message)) == pytest.approx(expected)


@given(SIX)
def test_twist(six):
    message = Twist()
    fill_twist(message, six)
    assert cdr.read_twist(serialize_message(message)) == six
    (data,) = cdr.TwistWriter([""]).write(0.0, np.array([six]))
    assert deserialize_message(data, Twist) == message


@given(SIX, NAMES, TIMES)
def test_stamped_twist(six, frame, time):
    message = TwistStamped()
    fill_header(message.header, time, frame)
    fill_twist(message.twist, six)
    assert cdr.read_twist_stamped(serialize_message(message)) == six
    (data,) = cdr.TwistWriter([frame], stamped=True).write(time, np.array([six]))
    assert deserialize_message(data, TwistStamped) == message


@given(st.tuples(*[NUMBERS] * 13), NAMES, NAMES, TIMES)
def test_odometry(values, frame, child, time):
    message = Odometry(child_frame_id=child)
    fill_header(message.header, time, frame)
    pose = message.pose.pose
    pose.position.x, pose.position.y, pose.position.z = values[:3]
    pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w = values[3:7]
    fill_twist(message.twist.twist, values[7:])
    assert cdr.read_odometry(serialize_message(message)) == (time, values)
    (data,) = cdr.OdometryWriter(frame, ["other", child]).write([1], [time], np.array([values]))
    assert deserialize_message(data, Odometry) == message
    (data,) = cdr.OdometryWriter(frame, [child], noise=(0.1, 0.2, 0.3)).write([0], [time], np.array([values]))
    told = deserialize_message(data, Odometry)
    np.testing.assert_allclose(told.pose.covariance.reshape(6, 6), np.diag([0.01, 0.01, 0.0, 0.0, 0.0, 0.04]))
    np.testing.assert_allclose(told.twist.covariance.reshape(6, 6), np.diag([0.09, 0.09, 0.0, 0.0, 0.0, 0.09]))
    assert told.pose.pose == message.pose.pose and told.twist.twist == message.twist.twist
    message.pose.covariance[3] = 7.0
    message.twist.covariance[35] = 7.0
    assert cdr.read_odometry(serialize_message(message))[1] == values


KIND = np.dtype({"names": ["id", "x", "alignment_x"], "formats": ["<i4", "<f8", "<f4"]}, align=True)


@settings(max_examples=50)
@given(NAMES, TIMES, st.lists(st.tuples(st.integers(-1, 9), NUMBERS, st.floats(width=32, allow_nan=False)), max_size=5))
def test_point_cloud(frame, time, rows):
    points = np.array(rows, KIND)
    data = cdr.CloudWriter(frame, KIND).write(time, points)
    message = deserialize_message(data, PointCloud2)
    assert (message.width, message.height, message.header.frame_id) == (len(points), 1, frame)
    assert [(f.name, f.offset, f.datatype, f.count) for f in message.fields] == [
        ("id", 0, PointField.INT32, 1), ("x", 8, PointField.FLOAT64, 1), ("alignment_x", 16, PointField.FLOAT32, 1),
    ]  # fmt: skip
    assert (message.point_step, message.row_step, message.is_dense) == (24, 24 * len(points), True)
    again, found = cdr.read_cloud(serialize_message(message))
    assert again == time
    for name in KIND.names:
        np.testing.assert_array_equal(found[name], points[name])


def test_a_cloud_in_another_layout_is_read():
    message = PointCloud2(height=2, width=1, point_step=13, row_step=13, is_dense=False)
    message.fields = [
        PointField(name="y", offset=5, datatype=PointField.FLOAT64, count=1),
        PointField(name="k", offset=0, datatype=PointField.UINT8, count=1),
    ]
    kind = np.dtype({"names": ["k", "y"], "formats": ["u1", "<f8"], "offsets": [0, 5], "itemsize": 13})
    message.data = np.array([(1, 2.5), (2, -1.0)], kind).tobytes()
    _, points = cdr.read_cloud(serialize_message(message))
    assert points["k"].tolist() == [1, 2] and points["y"].tolist() == [2.5, -1.0]


def test_big_endian_and_truncated_messages_are_refused():
    data = serialize_message(Twist())
    with pytest.raises(cdr.MessageError):
        cdr.read_twist(b"\x00\x00" + data[2:])
    short = cdr.CloudWriter("map", KIND).write(0.0, np.zeros(3, KIND))
    with pytest.raises((cdr.MessageError, ValueError)):
        cdr.read_cloud(short[:-30])


@given(st.floats(-1e6, 2e9))
def test_stamps_are_exact_to_a_nanosecond(time):
    from builtin_interfaces.msg import Time

    stamp = deserialize_message(cdr.ENCAPSULATION + cdr.stamp_bytes(time), Time)
    assert math.isclose(stamp.sec + 1e-9 * stamp.nanosec, time, abs_tol=6e-7)
    assert stamp.nanosec < 1_000_000_000


def test_a_stamp_before_1970_is_refused():
    message = Odometry()
    message.header.stamp.sec = -1
    with pytest.raises(cdr.MessageError, match="a stamp of -1 s found, expected none below 0"):
        cdr.read_odometry(serialize_message(message))


@pytest.mark.parametrize("offset", [21, 1000, 0x7FFFFFFF, 0xFFFFFFFF])
def test_a_field_beyond_its_row_is_refused(offset):
    """numpy itself makes a type of an offset of 0x7FFFFFFF, and reads what is not there."""
    cloud = PointCloud2(height=1, width=3, point_step=24, data=bytes(72))
    cloud.fields = [PointField(name="x", offset=offset, datatype=PointField.FLOAT32, count=1)]
    with pytest.raises(ValueError):
        cdr.read_cloud(serialize_message(cloud))
    with pytest.raises(ValueError):
        cloud_of_a_bag(cloud)
