"""Is this machine ready? Python, packages, disk and ports, for ``swarm doctor``."""

import importlib.util
import os
import platform
import re
import shutil
import sys
from importlib import metadata
from pathlib import Path

from swarm_control import __version__
from swarm_control.cli.browser import free_port
from swarm_control.errors import InputError
from swarm_control.hardware.checkup import ERROR, OK, WARNING, Check

OLDEST = (3, 10)
"""Python that is needed."""
FREE = 1e9
"""Bytes of the disk that should be free: an hour of fifty robots, with a recording."""
FOR_DEVELOPERS = ("test", "check", "bench", "messages", "rl")
"""Extras that nobody needs who drives robots."""


def machine_checks(folder: Path = Path()) -> list[Check]:
    """Look at this machine; results are to be written below ``folder``."""
    return [_python(), *_packages(), _compiled(), _disk(folder), _port(), *_ros()]


def _python() -> Check:
    said = f"Python {platform.python_version()}, swarm_control {__version__}"
    wanted = ".".join(map(str, OLDEST))
    return Check(OK, said) if sys.version_info >= OLDEST else Check(ERROR, said, f"install Python {wanted} or newer")


def _packages() -> list[Check]:
    """What of the extras is not installed; one line for each extra that lacks something."""
    try:
        required = metadata.requires("swarm_control") or []
    except metadata.PackageNotFoundError:
        return [Check(WARNING, "swarm_control is not installed, but imported from its folder", "pip install --editable . in the checkout")]
    missing: dict[str, list[str]] = {}
    for line in required:
        name, extra = re.match(r"[\w.-]+", line), re.search(r"extra == ['\"](\w+)['\"]", line)
        if name is None or (extra and extra[1] in FOR_DEVELOPERS):
            continue
        try:
            metadata.version(name[0])
        except metadata.PackageNotFoundError:
            missing.setdefault(extra[1] if extra else "", []).append(name[0])
    if importlib.util.find_spec("rclpy") is not None:
        missing.pop("ros", None)  # a ROS installation brings it under other names
    whole = {extra: f"swarm_control[{extra}]" if extra else "swarm_control" for extra in missing}
    return [
        Check(WARNING if extra else ERROR, f"not installed: {', '.join(names)}", f"pip install '{whole[extra]}'")
        for extra, names in missing.items()
    ]  # fmt: skip


def _compiled() -> Check:
    """Whether compiled code can be kept, so that not each process compiles it anew."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(chosen)] if chosen else [Path(__file__).parents[1], Path.home() / ".cache"]
    there = [next(part for part in (place, *place.absolute().parents) if part.exists()) for place in places]
    if any(os.access(folder, os.W_OK) for folder in there):
        return Check(OK, "compiled code is kept between runs")
    said = "compiled code cannot be kept: every node compiles for a minute"
    return Check(ERROR, said, "set NUMBA_CACHE_DIR to a folder that can be written to")


def _disk(folder: Path) -> Check:
    free = shutil.disk_usage(folder).free
    said = f"{free / 1e9:.1f} GB free in {folder.absolute()}"
    return Check(OK, said) if free >= FREE else Check(WARNING, said, "make room, or write results elsewhere with --out")


def _port() -> Check:
    try:
        return Check(OK, f"port {free_port('127.0.0.1', None)} is free for the dashboard")
    except InputError as error:
        return Check(WARNING, str(error), "choose another with --dashboard-address HOST:PORT")


def _ros() -> list[Check]:
    """How ROS is set up."""
    if importlib.util.find_spec("rclpy") is None:
        remedy = "source ROS 2's setup.bash, or pip install 'swarm_control[ros]'; swarm simulate needs none"
        return [Check(ERROR, "no ROS 2: rclpy is not installed", remedy)]
    domain = os.environ.get("ROS_DOMAIN_ID", "") or "0"
    if not domain.isdecimal() or int(domain) > 101:
        return [Check(ERROR, f"ROS_DOMAIN_ID {domain}", "set it to a number from 0 to 101, the same on all machines")]
    reach, peers = os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", ""), os.environ.get("ROS_STATIC_PEERS", "")
    found = f"ROS 2 with ROS_DOMAIN_ID {domain}, middleware {os.environ.get('RMW_IMPLEMENTATION') or 'as installed'}"
    if peers or reach.upper() in ("SUBNET", "SYSTEM_DEFAULT"):
        return [Check(OK, f"{found}; looks for nodes on {f'this machine and {peers}' if peers else 'the whole subnet'}")]
    remedy = "for robots elsewhere set ROS_STATIC_PEERS='robot-a;robot-b', or ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET (docs/wireless.md)"
    return [Check(OK, f"{found}; looks for nodes on this machine only", remedy)]
