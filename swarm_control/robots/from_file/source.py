"""A robot's MJCF or URDF as a ``MjSpec``: one free body that carries all others, joints named, only what collides."""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.errors import InputError

ROOT, FREE = "swarm_control_world", "swarm_control_free"
"""Names of the link that a URDF's root floats on, and of that joint."""
MESHES = (".stl", ".obj", ".msh")
"""What MuJoCo reads."""
SMALL = 0.01
"""Radius of gyration of what has a mass, but no moment of inertia, m."""
PACKAGE = "package://"


def read(path: str, where: str) -> tuple[Any, list[str]]:
    """The ``MjSpec`` of the robot in a ``.urdf`` or ``.xml`` file, and the meshes that are missing in it.

    ``InputError`` at ``where`` says what is wrong with it.
    """
    import mujoco

    file = Path(path)
    try:
        if file.suffix.lower() != ".urdf":
            return mujoco.MjSpec.from_file(str(file)), []
        text, missing = _urdf(file, where)
        spec = mujoco.MjSpec.from_string(text)
        for geom in spec.geoms:
            geom.density = 0.0  # links weigh what their inertial says, and nothing without one
        return spec, missing
    except (OSError, ET.ParseError, ValueError) as error:
        raise InputError(where, f"{file.name}: {' '.join(str(error).split())[:200]}") from None


def resolve(name: str, folder: Path, where: str) -> str:
    """The file that ``name`` means, absolute; ``package://`` names are looked up where packages are installed."""
    if name.startswith(PACKAGE):
        package, _, rest = name.removeprefix(PACKAGE).partition("/")
        for place in _places(package):
            if (place / rest).is_file():
                return str(place / rest)
        raise InputError(where, f"{name} found, but no installed package {package} has it")
    found = (folder / name).resolve()
    if not found.is_file():
        raise InputError(where, f"{name} found, expected a file relative to {folder}")
    return str(found)


def _places(package: str) -> list[Path]:
    """Folders that ``package://NAME`` may mean: shares of ROS packages and of wheels, and Python packages themselves."""
    import os

    roots = [Path(root) for key in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH") for root in os.environ.get(key, "").split(os.pathsep) if root]
    sites = [Path(site) for site in sys.path if site]
    shares = [root for site in (*roots, *sites, Path(sys.prefix)) for root in (site, site / "share", site / "cmeel.prefix/share")]
    return [share / package for share in shares if (share / package).is_dir()]


def _urdf(file: Path, where: str) -> tuple[str, list[str]]:
    """The URDF as MuJoCo reads it: floating, with absolute paths, without what only looks, without weights of nothing; what is missing."""
    robot = ET.fromstring(file.read_text(encoding="utf-8"))
    for element in (*robot.iter("link"), *robot.iter("parent"), *robot.iter("child")):
        key = "name" if element.tag == "link" else "link"
        if element.get(key) == "world":  # MuJoCo's own word
            element.set(key, "world_link")
    links = robot.findall("link")
    held = {child.get("link") for joint in robot.findall("joint") for child in joint.findall("child")}
    roots = [link.get("name", "") for link in links if link.get("name") not in held]
    if len(roots) != 1:
        raise InputError(where, f"{file.name}: {len(roots)} links without a parent found, expected one")
    missing = []
    for link in links:
        for visual in link.findall("visual"):
            link.remove(visual)
        for inertial in link.findall("inertial"):
            if not _weighs(inertial, f"{where}: {link.get('name')}"):
                link.remove(inertial)
            else:
                _straighten(inertial.find("inertia"))
        for collision in link.findall("collision"):
            mesh = collision.find("geometry/mesh")
            if mesh is None:
                continue
            name = mesh.get("filename", "")
            if name.lower().endswith(MESHES):
                mesh.set("filename", resolve(name.removeprefix("file://"), file.parent, where))
            else:
                missing.append(name.rpartition("/")[2])
                link.remove(collision)
    for own in robot.findall("mujoco"):
        robot.remove(own)
    ET.SubElement(robot, "link", name=ROOT)
    floating = ET.SubElement(robot, "joint", name=FREE, type="floating")
    ET.SubElement(floating, "parent", link=ROOT)
    ET.SubElement(floating, "child", link=roots[0])
    reading = {"balanceinertia": "true", "discardvisual": "true", "fusestatic": "true", "strippath": "false"}
    ET.SubElement(ET.SubElement(robot, "mujoco"), "compiler", reading)
    return ET.tostring(robot, encoding="unicode"), missing


def _weighs(inertial: ET.Element, where: str) -> bool:
    """Whether the link has a mass: some descriptions give links that only carry frames one of zero. Masses without moments get small ones.

    ``InputError`` for masses and moments that no body can have.
    """
    mass, inertia = inertial.find("mass"), inertial.find("inertia")
    weight = 0.0 if mass is None else float(mass.get("value", "0"))
    moments = [0.0 if inertia is None else float(inertia.get(axis, "0")) for axis in ("ixx", "iyy", "izz")]
    if not np.isfinite([weight, *moments]).all() or min(weight, *moments) < 0.0:
        raise InputError(where, f"a mass of {weight:g} kg and moments {moments} found, expected numbers of at least 0")
    if weight and not min(moments):
        element = ET.SubElement(inertial, "inertia") if inertia is None else inertia
        for axis in ("ixx", "iyy", "izz"):
            element.set(axis, f"{weight * SMALL**2:g}")
    return weight > 0.0


def _straighten(inertia: ET.Element | None) -> None:
    """Take away products of inertia that no body can have with these moments."""
    if inertia is None:
        return
    xx, xy, xz, yy, yz, zz = (float(inertia.get(name, "0")) for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    if np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])[0] <= 0.0:
        for name in ("ixy", "ixz", "iyz"):
            inertia.set(name, "0")

