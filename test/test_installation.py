"""An installation has everything where ``ros2 run``, ``ros2 launch``, rosdep and pip look for it, and only ``swarm`` on the ``PATH``."""

import ast
import configparser
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import rosdep_keys

import swarm_control

ROOT = Path(__file__).parents[1]
SHIPPED = (
    "package.xml", "setup.py", "setup.cfg", "pyproject.toml", "README.md", "LICENSE", "resource", "swarm_control", "launch", "config",
    "worlds",
)  # fmt: skip
NODES = {path.stem for path in (ROOT / "swarm_control/ros/nodes").glob("[!_]*.py")}
ROS = {"rclpy", "launch", "launch_ros", "std_srvs", "tf_transformations"}
"""Packages of a ROS installation that are imported by their own names, beside all that end in ``_msgs`` or ``_interfaces``."""

KEYS = {"PIL": "python3-pil", "yaml": "python3-yaml", "cv2": "python3-opencv", "ruamel": "python3-ruamel.yaml"}
"""rosdep keys that are not ``python3-`` and the package's own name."""

BY_PIP = {"numba", "mujoco", "rosbags", "mcap", "zstandard", "cmaes", "pettingzoo", "gymnasium", "svg", "pyarrow", "av", "onnxruntime",
    "argcomplete",
}  # fmt: skip
"""Packages that README says to install with pip: rosdep has no Debian package for them on every release of Ubuntu."""


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A workspace with the sources alone."""
    space = tmp_path_factory.mktemp("workspace")
    (space / "src/swarm_control").mkdir(parents=True)
    for name in SHIPPED:
        source, target = ROOT / name, space / "src/swarm_control" / name
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, target, ignore=ignored) if source.is_dir() else shutil.copy(source, target)
    return space


def environment(**further):
    """This process's, with the programs of its Python first on the ``PATH``, and no path to the sources."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**{name: value for name, value in os.environ.items() if name != "PYTHONPATH"}, "PATH": path, **further}


@pytest.fixture(scope="module")
def installed(sources):
    """The install folder of a colcon build."""
    if shutil.which("colcon", path=Path(sys.executable).parent) is None:
        pytest.skip("colcon is not installed")
    done = subprocess.run(["colcon", "build"], cwd=sources, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return sources / "install" / "swarm_control"


@pytest.fixture(scope="module")
def pipped(sources, tmp_path_factory):
    """The prefix that pip installs the package to."""
    prefix = tmp_path_factory.mktemp("prefix")
    quick = ["--no-build-isolation"] if any(map(importlib.util.find_spec, ("wheel", "setuptools.command.bdist_wheel"))) else []
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--ignore-installed", *quick, "--prefix", prefix]
    done = subprocess.run([*command, sources / "src/swarm_control"], env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return prefix


@pytest.fixture(scope="module", params=["installed", pytest.param("pipped", marks=pytest.mark.study)])
def prefix(request):
    """An installation, by colcon and by pip."""
    return request.getfixturevalue(request.param)


def programs(folder):
    return {path.name for path in folder.iterdir() if os.access(path, os.X_OK)}


def test_swarm_alone_is_on_the_path(prefix):
    assert programs(prefix / "bin") == {"swarm"}


def test_every_node_is_a_program_for_ros2_run(prefix):
    assert programs(prefix / "lib" / "swarm_control") == {"swarm", *NODES}


@pytest.mark.parametrize("words", [("neighbourhood", "--help"), ("swarm", "node", "tracker", "--help")], ids=" ".join)
def test_a_program_runs_the_installed_module(prefix, words):
    pytest.importorskip("rclpy")
    (packages,) = prefix.glob("lib/python3*/site-packages")
    program = prefix / "lib" / "swarm_control" / words[0]
    done = subprocess.run([program, *words[1:]], env=environment(PYTHONPATH=str(packages)), capture_output=True, text=True, cwd=prefix)
    assert done.returncode == 0, done.stderr
    assert f"usage: {words[-2] if len(words) > 2 else words[0]} " in done.stdout and "--scenario" in done.stdout


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


def test_package_xml_says_what_the_metadata_say():
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    root = ElementTree.parse(ROOT / "package.xml").getroot()
    told = {key: config["metadata"][key] for key in ("name", "description", "license")}
    assert {key: root.findtext(key) for key in told} == told
    assert config["metadata"]["version"] == "attr: swarm_control.__version__" and root.findtext("version") == swarm_control.__version__


def test_pip_knows_the_metadata(pipped):
    (file,) = pipped.glob("lib/python3*/site-packages/swarm_control-*.dist-info/METADATA")
    text = file.read_text(encoding="utf-8")
    assert f"\nVersion: {swarm_control.__version__}\n" in text and "\nRequires-Python: >=3.10\n" in text
    required = re.findall(r"^Requires-Dist: ([\w.-]+)(.*)$", text, re.MULTILINE)
    assert len(required) > 20
    assert not [name for name, bounds in required if not re.search(">=|==", bounds.split(";")[0])]


def test_the_constraints_have_exact_versions_of_what_is_required():
    lines = [line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    found = [re.fullmatch(r'([\w.-]+)==([\w.+!]+) ; python_version == "3\.\d+"', line) for line in lines]
    assert all(found), [line for line, match in zip(lines, found) if not match]
    pinned = {canonical(match[1]) for match in found}
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    extras = re.search("EXTRAS := (.*)", (ROOT / "Makefile").read_text(encoding="utf-8"))[1].split(",")
    required = config["options"]["install_requires"] + "".join(config["options.extras_require"][extra] for extra in extras)
    assert {canonical(re.match(r"[\w.-]+", line)[0]) for line in required.split("\n") if line} - pinned == set()


def canonical(name):
    return re.sub("[-_.]+", "-", name).lower()


OWN = {"swarm_control", "swarm_control_msgs"}
"""Packages of this repository; the second is built on demand."""


def test_rosdep_installs_every_package_that_is_imported():
    foreign = imported() - set(sys.stdlib_module_names) - OWN - {"builtin_interfaces"} - BY_PIP
    ros = {name for name in foreign if name in ROS or name.endswith(("_msgs", "_interfaces"))}
    expected = ros | {KEYS.get(name, f"python3-{name}") for name in foreign - ros}
    assert expected - set(rosdep_keys.named()) == set()


def test_readme_says_what_pip_has_to_install():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.split("## On a ROS 2 installation")[1].split("\n## ")[0]
    assert {name for name in BY_PIP if not re.search(rf"pip install.*\b{name}\b", section)} == set()


@pytest.mark.parametrize("release", rosdep_keys.RELEASES)
def test_every_key_of_package_xml_is_rosdeps_and_needs_no_pip(release):
    known = json.loads(rosdep_keys.KEYS.read_text(encoding="utf-8"))["keys"]
    told = {key: known.get(key, {}).get(release) for key in rosdep_keys.named()}
    assert {key: by for key, by in told.items() if by not in ("apt", "ros")} == {}


def test_what_is_written_down_of_rosdeps_keys_is_so():
    checkout = os.environ.get("ROSDISTRO")
    if not checkout:
        pytest.skip("ROSDISTRO names no checkout of ros/rosdistro to compare with")
    assert rosdep_keys.read(Path(checkout))["keys"] == json.loads(rosdep_keys.KEYS.read_text(encoding="utf-8"))["keys"]


@pytest.mark.parametrize(("rule", "jammy", "noble"), [
    (["python3-numpy"], "apt", "apt"),
    ({"pip": {"packages": ["mujoco"]}}, "pip", "pip"),
    ({"*": ["python3-x"], "jammy": None}, "", "apt"),
    ({"jammy": ["python3-x"]}, "apt", ""),
    ({"jammy": {"pip": {"packages": ["x"]}}, "*": {"packages": ["python3-x"]}}, "pip", "apt"),
    (None, "", ""),
])  # fmt: skip
def test_rules_are_read_as_rosdep_reads_them(rule, jammy, noble):
    assert (rosdep_keys.installer(rule, "jammy"), rosdep_keys.installer(rule, "noble")) == (jammy, noble)


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
