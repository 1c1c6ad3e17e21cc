"""Messages as bytes: the few kinds that flow often are written and read at their offsets, past Python message objects.

Common Data Representation (OMG DDS-XTYPES, plain CDR, little endian): four bytes of encapsulation, then the fields in order, each
aligned to its size counted from the end of the encapsulation; a string is its length with the closing zero (uint32), then its bytes.
"""

import math
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

ENCAPSULATION = b"\x00\x01\x00\x00"
_STAMP = struct.Struct("<iI")
_LENGTH = struct.Struct("<I")
_TWIST = struct.Struct("<6d")
_POSE = struct.Struct("<7d")
_FIELD_TYPES = {1: "i1", 2: "u1", 3: "<i2", 4: "<u2", 5: "<i4", 6: "<u4", 7: "<f4", 8: "<f8"}
_FIELD_CODES = {np.dtype(kind): code for code, kind in _FIELD_TYPES.items()}


class MessageError(ValueError):
    """The bytes are not of the expected kind."""


def stamp_bytes(time: float) -> bytes:
    """``builtin_interfaces/Time`` for ``time`` in s."""
    seconds = math.floor(time)
    carry, nanoseconds = divmod(round((time - seconds) * 1e9), 1_000_000_000)
    return _STAMP.pack(seconds + carry, nanoseconds)


def _string(text: str) -> bytes:
    data = text.encode() + b"\0"
    return _LENGTH.pack(len(data)) + data


def _padded(body: bytes, alignment: int) -> bytes:
    return body + bytes(-len(body) % alignment)


def _aligned(offset: int, alignment: int) -> int:
    """The next offset from the start of the bytes that is aligned, counted from the end of the encapsulation."""
    return offset + (4 - offset) % alignment


def _check(data: bytes) -> None:
    if data[:2] != ENCAPSULATION[:2]:
        raise MessageError("not little-endian plain CDR")


def clock(time: float) -> bytes:
    """``rosgraph_msgs/Clock`` for ``time`` in s."""
    return ENCAPSULATION + stamp_bytes(time)


def read_stamp(data: bytes) -> float:
    """Time (s) in the header that the message begins with; ``MessageError`` when it is before 1970."""
    seconds, nanoseconds = _STAMP.unpack_from(data, 4)
    if seconds < 0:
        raise MessageError(f"a stamp of {seconds} s found, expected none below 0")
    return float(seconds + nanoseconds / 1e9)


def _skip_string(data: bytes, offset: int) -> int:
    return offset + 4 + int(_LENGTH.unpack_from(data, offset)[0])


class TwistWriter:
    """``geometry_msgs/Twist``, or ``TwistStamped`` when ``stamped``, in ``frames`` (N)."""

    def __init__(self, frames: Sequence[str], stamped: bool = False) -> None:
        self._tails = [_padded(bytes(8) + _string(frame), 8)[8:] for frame in frames] if stamped else None

    def write(self, time: float, twist: NDArray[np.float64]) -> list[bytes]:
        """One message per row of ``twist`` (N, 6): linear x y z, angular x y z."""
        rows = [row.tobytes() for row in np.ascontiguousarray(twist, "<f8")]
        if self._tails is None:
            return [ENCAPSULATION + row for row in rows]
        head = ENCAPSULATION + stamp_bytes(time)
        return [head + tail + row for tail, row in zip(self._tails, rows)]


def read_twist(data: bytes) -> tuple[float, ...]:
    """The six numbers of a ``Twist``: linear x y z, angular x y z."""
    _check(data)
    return _TWIST.unpack_from(data, 4)


def read_twist_stamped(data: bytes) -> tuple[float, ...]:
    """The six numbers of a ``TwistStamped``."""
    _check(data)
    return _TWIST.unpack_from(data, _aligned(_skip_string(data, 12), 8))


class OdometryWriter:
    """``nav_msgs/Odometry`` of N robots in ``frame``, with their ``children`` frames.

    ``noise``: standard deviations of position (m), heading (rad) and velocity (m/s and rad/s), for the covariances where none are given.
    """

    def __init__(self, frame: str, children: Sequence[str], noise: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
        position, heading, velocity = np.square(noise)
        plane = ((position, position, heading), (velocity, velocity, velocity))
        self._spread = [np.diag([x, y, 0.0, 0.0, 0.0, turn]).astype("<f8").tobytes() for x, y, turn in plane]
        parent = _padded(bytes(8) + _string(frame), 4)
        self._tails = [_padded(parent + _string(child), 8)[8:] for child in children]

    def write(
        self, which: Sequence[int], times: Sequence[float], values: NDArray[np.float64], covariances: NDArray[np.float64] | None = None
    ) -> list[bytes]:
        """One message for each robot of ``which`` (n,), measured at ``times`` (n,) s.

        ``values`` (n, 13): position x y z, orientation x y z w, twist linear x y z, angular x y z. ``covariances`` (n, 2, 6, 6): of
        the pose and of the twist.
        """
        values = np.ascontiguousarray(values, "<f8")
        spread = [(self._spread[0], self._spread[1])] * len(values)
        if covariances is not None:
            spread = [(pose.tobytes(), twist.tobytes()) for pose, twist in np.ascontiguousarray(covariances, "<f8")]
        return [
            b"".join((ENCAPSULATION, stamp_bytes(time), self._tails[k], row[:7].tobytes(), pose, row[7:].tobytes(), twist))
            for k, time, row, (pose, twist) in zip(which, times, values, spread)
        ]


def read_frame(data: bytes) -> bytes:
    """The ``frame_id`` of the header that the message begins with, as it came."""
    return bytes(data[16 : _skip_string(data, 12)]).rstrip(b"\0")


def read_odometry(data: bytes) -> tuple[float, tuple[float, ...]]:
    """Time (s) and the thirteen numbers as in :meth:`OdometryWriter.write`."""
    _check(data)
    children = _aligned(_skip_string(data, 12), 4)
    pose = _aligned(_skip_string(data, children), 8)
    return read_stamp(data), _POSE.unpack_from(data, pose) + _TWIST.unpack_from(data, pose + 43 * 8)


def read_deviation(data: bytes) -> tuple[float, float]:
    """How far an ``Odometry`` may be off by its covariance: the standard deviation of its position where that is greatest (m), and that of
    its heading (rad).
    """
    pose = _aligned(_skip_string(data, _aligned(_skip_string(data, 12), 4)), 8)
    x, xy, y, yaw = (struct.unpack_from("<d", data, pose + 8 * (7 + k))[0] for k in (0, 1, 7, 35))
    return math.sqrt(max(0.5 * (x + y) + math.hypot(0.5 * (x - y), xy), 0.0)), math.sqrt(max(yaw, 0.0))


def read_pose_stamped(data: bytes) -> tuple[float, tuple[float, ...]]:
    """Time (s) of a ``PoseStamped``, and its position x y z and orientation x y z w."""
    _check(data)
    return read_stamp(data), _POSE.unpack_from(data, _aligned(_skip_string(data, 12), 8))


def read_pose_with_covariance(data: bytes) -> tuple[float, tuple[float, ...], tuple[float, float, float]]:
    """Time (s) of a ``PoseWithCovarianceStamped``, its pose as in :func:`read_pose_stamped`, and variances of x, y (m²) and yaw (rad²)."""
    time, numbers = read_pose_stamped(data)
    covariance = _aligned(_skip_string(data, 12), 8) + 7 * 8
    x, y, yaw = (struct.unpack_from("<d", data, covariance + 8 * 7 * axis)[0] for axis in (0, 1, 5))
    return time, numbers, (x, y, yaw)


def read_pose_array(data: bytes) -> tuple[float, NDArray[np.float64]]:
    """Time (s) of a ``PoseArray``, and its poses (n, 7): position x y z and orientation x y z w."""
    _check(data)
    at = _aligned(_skip_string(data, 12), 4)
    count = int(_LENGTH.unpack_from(data, at)[0])
    return read_stamp(data), np.frombuffer(data, "<f8", 7 * count, _aligned(at + 4, 8) if count else 0).reshape(count, 7)


def read_image(data: bytes) -> tuple[float, str, tuple[int, int, int], NDArray[np.uint8]]:
    """Time (s) of a ``sensor_msgs/Image``, its encoding, its height, width and bytes in a row, and its bytes."""
    _check(data)
    at = _aligned(_skip_string(data, 12), 4)
    height, width = struct.unpack_from("<II", data, at)
    end = _skip_string(data, at + 8)
    encoding = bytes(data[at + 12 : end - 1]).decode()
    at = _aligned(end + 1, 4)
    step, length = struct.unpack_from("<II", data, at)
    return read_stamp(data), encoding, (height, width, step), np.frombuffer(data, np.uint8, length, at + 8)


def read_compressed_image(data: bytes) -> tuple[float, NDArray[np.uint8]]:
    """Time (s) of a ``sensor_msgs/CompressedImage`` and its bytes, a file as JPEG and PNG have it."""
    _check(data)
    at = _aligned(_skip_string(data, _aligned(_skip_string(data, 12), 4)), 4)
    return read_stamp(data), np.frombuffer(data, np.uint8, int(_LENGTH.unpack_from(data, at)[0]), at + 4)


def image(time: float, frame: str, picture: NDArray[np.uint8]) -> bytes:
    """``sensor_msgs/Image`` of a ``picture`` (H, W, 3), RGB, taken at ``time`` (s) by a camera whose frame is ``frame``."""
    height, width, channels = picture.shape
    head = _padded(bytes(8) + _string(frame), 4) + struct.pack("<II", height, width)
    head = _padded(head + _string("rgb8") + bytes(1), 4) + struct.pack("<II", channels * width, picture.size)
    return b"".join((ENCAPSULATION, stamp_bytes(time), head[8:], np.ascontiguousarray(picture).tobytes()))


class CloudWriter:
    """``sensor_msgs/PointCloud2`` in ``frame`` whose points are rows of the structured type ``kind``."""

    def __init__(self, frame: str, kind: np.dtype[Any]) -> None:
        self.kind = kind
        self._frame = _padded(bytes(8) + _string(frame), 4)[8:] + _LENGTH.pack(1)
        assert kind.fields is not None
        fields = bytearray(_LENGTH.pack(len(kind.names or ())))
        start = 8 + len(self._frame) + 4
        for name, (of, offset, *_) in kind.fields.items():
            fields += bytes(-(start + len(fields)) % 4) + _string(name)
            fields += bytes(-(start + len(fields)) % 4) + struct.pack("<IB", offset, _FIELD_CODES[of])
            fields += bytes(-(start + len(fields)) % 4) + _LENGTH.pack(1)
        self._fields = bytes(fields) + b"\0"
        self._fields += bytes(-(start + len(self._fields)) % 4)

    def write(self, time: float, rows: NDArray[Any]) -> bytes:
        """The message for ``rows`` at ``time`` (s)."""
        n, size = len(rows), self.kind.itemsize
        data = np.ascontiguousarray(rows, self.kind).tobytes()
        sizes = struct.pack("<III", size, n * size, n * size)
        head = ENCAPSULATION + stamp_bytes(time) + self._frame
        return b"".join((head, _LENGTH.pack(n), self._fields, sizes, data, b"\1"))


def read_cloud(data: bytes) -> tuple[float, NDArray[Any]]:
    """Time (s) and the points (n,) of a ``PointCloud2`` as a structured array with its field names; read-only."""
    _check(data)
    at = _aligned(_skip_string(data, 12), 4)
    height, width, count = struct.unpack_from("<III", data, at)
    at += 12
    names, formats, offsets = [], [], []
    for _ in range(count):
        at = _aligned(at, 4)
        end = _skip_string(data, at)
        names.append(data[at + 4 : end - 1].decode())
        at = _aligned(end, 4)
        offset, code = struct.unpack_from("<IB", data, at)
        size = _LENGTH.unpack_from(data, at + 8)[0]
        offsets.append(offset)
        formats.append(_FIELD_TYPES[code] if size <= 1 else f"({size},){_FIELD_TYPES[code]}")
        at += 12
    at = _aligned(at + 1, 4)
    step, _, length = struct.unpack_from("<III", data, at)
    kind = np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": step})
    if any(offset + of.itemsize > step for of, offset, *_ in (kind.fields or {}).values()):  # numpy takes offsets near 2³¹, and reads there
        raise MessageError(f"fields at bytes {offsets[:9]} found, expected them within the {step} bytes of a row")
    if length < width * height * step:
        raise MessageError("a point cloud shorter than it says")
    return read_stamp(data), np.frombuffer(data, kind, width * height, at + 12)
