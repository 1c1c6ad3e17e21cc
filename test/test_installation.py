"""``colcon build`` puts everything where ``ros2 run`` and ``ros2 launch`` look for it."""

import ast
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
KEPT = ("package.xml", "setup.py", "setup.cfg", "pyproject.toml", "README.md", "resource", "swarm_control", "launch", "config", "worlds")
ROS = {"rclpy", "launch", "launch_ros", "tf_transformations", "std_srvs"}
"""Packages of a ROS installation that are imported by their own names, beside all that end in ``_msgs`` or ``_interfaces``."""

KEYS = {
    "PIL": "python3-pil", "yaml": "python3-yaml", "cv2": "python3-opencv", "ruamel": "python3-ruamel.yaml", "mujoco": "python3-mujoco-pip",
    "rosbags": "python3-rosbags-pip",
}  # fmt: skip
"""rosdep keys that are not ``python3-`` and the package's own name."""

WITHOUT_KEY = {"cmaes", "mcap", "zstandard"}
"""Packages that rosdep does not know: pip alone has them, and only single commands need them."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The install folder of a build of the sources alone."""
    if shutil.which("colcon", path=Path(sys.executable).parent) is None:
        pytest.skip("colcon is not installed")
    space = tmp_path_factory.mktemp("workspace")
    (space / "src/swarm_control").mkdir(parents=True)
    for name in KEPT:
        source, target = ROOT / name, space / "src/swarm_control" / name
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, target, ignore=ignored) if source.is_dir() else shutil.copy(source, target)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["colcon", "build"], cwd=space, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return space / "install" / "swarm_control"


def test_every_node_is_an_executable_of_the_package(installed):
    scripts = {path.name for path in (installed / "lib" / "swarm_control").iterdir() if os.access(path, os.X_OK)}
    names = {path.stem for path in (ROOT / "swarm_control/nodes").glob("*.py") if "return serve(" in path.read_text(encoding="utf-8")}
    assert {"swarm", *names} == scripts


@pytest.mark.parametrize("folder", ["launch", "config", "worlds"])
def test_share_has_every_file_of(installed, folder):
    def files(root):
        return {path.relative_to(root) for path in root.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")}

    share = installed / "share" / "swarm_control"
    assert files(ROOT / folder) == files(share / folder)
    assert (share / "package.xml").is_file() and (share / "launch/swarm.launch.py").is_file()
    assert (installed / "share/ament_index/resource_index/packages/swarm_control").is_file()


def test_the_installed_package_has_its_data_files(installed):
    def files(root):
        return {path.relative_to(root) for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts}

    (package,) = installed.glob("lib/python3*/site-packages/swarm_control")
    assert files(package) == files(ROOT / "swarm_control")


def test_rosdep_is_told_of_every_package_that_is_imported():
    keys = {element.text for element in ElementTree.parse(ROOT / "package.xml").iter("exec_depend")}
    foreign = imported() - set(sys.stdlib_module_names) - {"swarm_control", "builtin_interfaces"} - WITHOUT_KEY
    ros = {name for name in foreign if name in ROS or name.endswith(("_msgs", "_interfaces"))}
    expected = ros | {KEYS.get(name, f"python3-{name}") for name in foreign - ros}
    assert expected - keys == set()


def imported():
    """First names of all modules that the package imports."""
    found = set()
    for path in (ROOT / "swarm_control").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add(str(node.module).split(".")[0])
    return found
