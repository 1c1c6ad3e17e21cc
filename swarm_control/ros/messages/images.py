"""Images out of messages, as the tracker wants them: RGB or grey, 8 bits a channel."""

from typing import Any

import numpy as np

from swarm_control.hardware.tracking.sighting import Image
from swarm_control.ros.messages import cdr

CHANNELS = {"rgb8": 3, "bgr8": 3, "rgba8": 4, "bgra8": 4, "mono8": 1, "8UC1": 1, "8UC3": 3}
"""Encodings that are understood; 8UC3 is blue, green, red."""


def image_of(data: bytes) -> tuple[float, Image]:
    """Time (s) of a ``sensor_msgs/Image`` and the image, (H, W, 3) RGB or (H, W) grey; ``ValueError`` when it cannot be one."""
    stamp, encoding, (height, width, step), pixels = cdr.read_image(data)
    channels = CHANNELS.get(encoding)
    if channels is None:
        raise ValueError(f"encoding {encoding!r} found, expected one of {', '.join(CHANNELS)}")
    if step < width * channels or len(pixels) < step * height:
        raise ValueError(f"{len(pixels)} bytes in rows of {step} found, expected an image of {width} × {height} in {encoding}")
    image = pixels[: step * height].reshape(height, step)[:, : width * channels].reshape(height, width, channels)
    if channels == 1:
        return stamp, image[..., 0]
    return stamp, np.ascontiguousarray(image[..., :3] if encoding.startswith("rgb") else image[..., 2::-1])


def compressed_image_of(data: bytes) -> tuple[float, Image]:
    """Time (s) of a ``sensor_msgs/CompressedImage`` and the image (H, W, 3) RGB; ``ValueError`` when it cannot be unpacked."""
    import cv2

    stamp, packed = cdr.read_compressed_image(data)
    image: Any = cv2.imdecode(packed, cv2.IMREAD_COLOR) if len(packed) else None
    if image is None:
        raise ValueError(f"{len(packed)} bytes found that cannot be unpacked to an image")
    return stamp, np.ascontiguousarray(image[..., ::-1])
