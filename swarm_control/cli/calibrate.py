"""``swarm calibrate``."""

import argparse
import re
from pathlib import Path
from typing import Any

from swarm_control.errors import InputError

NUMBER = r"\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*"
POINT = re.compile(f"{NUMBER},{NUMBER}={NUMBER},{NUMBER}")


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "calibrate",
        description="From an image of the floor and four or more measured points: the tracker's calibration, and the image with a grid.",
        epilog="Example: swarm calibrate floor.png --point 1021,55=1.4,1.4 --point 216,47=-1.4,1.4 --point 228,849=-1.4,-1.4 "
        "--point 1011,842=1.4,-1.4 --camera 0,0,3 --out grid.png",
    )  # fmt: skip
    parser.add_argument("image", metavar="IMAGE", help="an image of the floor from the camera")
    point = "where in the image (px) a floor point (m) is; repeat"
    parser.add_argument("--point", metavar="PX,PY=X,Y", action="append", default=[], help=point)
    parser.add_argument("--camera", metavar="X,Y,H", default="", help="where the camera is and how high over the floor, m")
    parser.add_argument("--focal-length", metavar="PX", default="", help="focal length of the lens, if it is known, px")
    grid = "the image with the floor's grid (default: %(default)s)"
    parser.add_argument("--out", metavar="FILE.png", default="results/floor.png", help=grid)
    parser.set_defaults(call=run)


def run(options: argparse.Namespace) -> int:
    """Calibrate, print the YAML, draw the grid."""
    import cv2

    from swarm_control.files import output_directory, replacing
    from swarm_control.hardware.tracking.floor import FloorProjection
    from swarm_control.scenario.hardware import FloorCalibration
    from swarm_control.scenario.tree import build, to_data
    from swarm_control.scenario.yaml_text import dump_yaml

    if not Path(options.image).is_file():  # OpenCV would say so in words of its own
        raise InputError(options.image, "no such file, expected an image")
    image = cv2.imread(options.image)
    if image is None:
        raise InputError(options.image, "is no image that can be read")
    data = _data(options, image.shape)
    calibration = build(FloorCalibration, data, "hardware.tracker.floor")
    floor = FloorProjection.of(calibration)
    print(dump_yaml({"hardware": {"tracker": {"floor": {key: to_data(calibration)[key] for key in data}}}}), end="")
    out = Path(options.out)
    output_directory(out.parent)
    with replacing(out) as temporary:
        temporary.write_bytes(cv2.imencode(".png", _drawn(image, floor, data))[1].tobytes())
    print(f"# {_error(floor, data)}\n#   {out}")
    return 0


def _data(options: argparse.Namespace, shape: tuple[int, ...]) -> dict[str, Any]:
    data: dict[str, Any] = {"image_points": [], "floor_points": [], "image_size": [shape[1], shape[0]]}
    for text in options.point:
        found = POINT.fullmatch(text)
        if not found:
            raise InputError(f"--point {text}", "expected PX,PY=X,Y, as in 1021,55=1.4,1.4")
        numbers = _numbers(",".join(found.groups()), f"--point {text}")
        data["image_points"] += numbers[:2]
        data["floor_points"] += numbers[2:]
    if options.camera:
        data["camera_position"] = _numbers(options.camera, f"--camera {options.camera}")
    if options.focal_length:
        data["focal_length"] = _numbers(options.focal_length, f"--focal-length {options.focal_length}")[0]
    return data


def _numbers(text: str, where: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(where, f"{text!r} found, expected numbers with commas between") from None


def _error(floor: Any, data: dict[str, Any]) -> str:
    """How well the points are met; four are always met."""
    import numpy as np

    image, points = (np.reshape(data[key], (-1, 2)).astype(float) for key in ("image_points", "floor_points"))
    error = np.linalg.norm(floor.to_floor(image) - points, axis=1)
    least = "" if len(points) > 4 else "; four points are always met: give more to know"
    return f"the points are met within {1e3 * error.max():.1f} mm (mean {1e3 * error.mean():.1f} mm){least}"


def _drawn(image: Any, floor: Any, data: dict[str, Any]) -> Any:
    """The image with lines every half metre of floor around the points, the axes in colour, and the points."""
    import cv2
    import numpy as np

    points = np.reshape(data["floor_points"], (-1, 2)).astype(float)
    low, high = np.floor(2.0 * points.min(axis=0)) / 2.0, np.ceil(2.0 * points.max(axis=0)) / 2.0
    for axis in (0, 1):
        for value in np.arange(low[axis], high[axis] + 0.01, 0.5):
            line = np.empty((50, 2))
            line[:, axis], line[:, 1 - axis] = value, np.linspace(low[1 - axis], high[1 - axis], 50)
            zero = abs(value) < 1e-9
            colour = ((60, 160, 60), (60, 60, 220))[axis] if zero else (200, 160, 0)
            drawn = np.round(floor.to_image(line)).astype(np.int32).reshape(-1, 1, 2)
            cv2.polylines(image, [drawn], False, colour, 2 if zero else 1, cv2.LINE_AA)
    for x, y in np.reshape(data["image_points"], (-1, 2)):
        cv2.circle(image, (round(x), round(y)), 7, (0, 0, 255), 2, cv2.LINE_AA)
    return image
