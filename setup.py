"""Build of the ROS 2 package ``swarm_control`` (ament_python), also installable with pip. The metadata are in ``setup.cfg``.

Here is only what ROS looks for outside of Python's packages: ``share/swarm_control`` for ``ros2 launch`` and for rosdep, and in
``lib/swarm_control`` one program for each node for ``ros2 run``.
"""

from glob import glob
from pathlib import Path

from setuptools import setup

NAME = "swarm_control"
PROGRAM = '#!/usr/bin/env python3\n"""{name}, for ros2 run."""\n\nimport sys\n\nfrom {module} import main\n\nsys.exit(main())\n'


def files(pattern: str) -> list[str]:
    """Files below the package's folder that match."""
    return sorted(glob(pattern))


def programs() -> list[str]:
    """Write the programs for ``ros2 run``: ``swarm``, and one for each module in ``ros/nodes``."""
    modules = {path.stem: f"{NAME}.ros.nodes.{path.stem}" for path in Path(NAME, "ros", "nodes").glob("[!_]*.py")}
    folder = Path("build", "programs")
    folder.mkdir(parents=True, exist_ok=True)
    for name, module in {"swarm": f"{NAME}.cli.main", **modules}.items():
        (folder / name).write_text(PROGRAM.format(name=name, module=module), encoding="utf-8")
        (folder / name).chmod(0o755)
    return [str(folder / name) for name in ("swarm", *sorted(modules))]


setup(
    python_requires=">=3.10",
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"lib/{NAME}", programs()),
        (f"share/{NAME}", ["package.xml"]),
        (f"share/{NAME}/launch", files("launch/*.py")),
        (f"share/{NAME}/config", files("config/*.json")),
        *((f"share/{NAME}/{folder.rstrip('/')}", files(f"{folder}*.*")) for folder in files("config/*/")),
        (f"share/{NAME}/worlds", files("worlds/*.world") + files("worlds/*.inc")),
        (f"share/{NAME}/worlds/maps", files("worlds/maps/*")),
    ],
)
