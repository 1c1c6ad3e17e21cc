"""Worlds written for Gazebo: valid for its own parser, with the walls of the map and a drivable model for each robot."""

import math
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import sdf_check
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from shapely import LineString, Polygon, STRtree, box, points, union_all

from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet
from swarm_control.errors import InputError
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare
from swarm_control.world.sdf_plugins import PLUGINS
from swarm_control.world.sdf_writer import walls, write_bridge, write_sdf

CHECKED = pytest.mark.skipif(not sdf_check.available(), reason=f"{sdf_check.LIBRARY} is missing: apt install libsdformat12-12")
ROBOTS = ("omni", "differential", "car", "point_mass")


def fleet_of(models, radius=0.1, base=0.15):
    def column(value):
        return np.full(len(models), float(value))

    return Fleet(tuple(f"robot_{k}" for k in range(len(models))), models, *map(column, (radius, 0.8, 2.0, 3.0, base)))


def written(path, models=ROBOTS, grid=None, plugins="gz", **sizes):
    pose = np.column_stack((np.arange(len(models)), -np.arange(len(models)), np.linspace(-2.0, 2.0, len(models))))
    write_sdf(path, "a world", fleet_of(models, **sizes), pose, grid, 0.05, plugins=plugins)
    return ElementTree.parse(path).getroot()


def numbers(element, path):
    return [float(word) for word in element.find(path).text.split()]


def check(path):
    return subprocess.run([sys.executable, str(Path(sdf_check.__file__)), str(path)], capture_output=True, text=True, timeout=60)


@CHECKED
@pytest.mark.parametrize("plugins", PLUGINS)
def test_gazebos_own_parser_finds_it_valid(tmp_path, plugins):
    grid = Grid(np.eye(4, dtype=bool), (-2.0, -9.0), 0.5)
    written(tmp_path / "it.sdf", ("differential",) * 2 if plugins == "classic" else ROBOTS, grid, plugins)
    found = check(tmp_path / "it.sdf")
    assert found.returncode == 0 and not found.stderr, found.stderr
    (tmp_path / "bad.sdf").write_text((tmp_path / "it.sdf").read_text().replace("<child>left_wheel<", "<child>no_wheel<"))
    assert check(tmp_path / "bad.sdf").returncode != 0


@CHECKED
@pytest.mark.parametrize("scenario", ["maze_hard", "formation_docking", "scale"])
def test_scenarios_are_valid(tmp_path, scenario):
    loaded = load(scenario, ["robots=3"])
    setup = prepare(loaded.scenario, loaded.source)
    write_sdf(tmp_path / "it.sdf", scenario, setup.fleet, setup.start.pose, setup.grid, 0.05)
    found = check(tmp_path / "it.sdf")
    assert found.returncode == 0 and not found.stderr, found.stderr
    robots = ElementTree.parse(tmp_path / "it.sdf").getroot().iterfind(".//model/link[@name='base_link']/..")
    poses = [numbers(model, "pose") for model in robots]
    np.testing.assert_allclose(np.array(poses)[:, [0, 1, 5]], setup.start.pose, atol=1e-9)


def boxes(root):
    """Footprints of the walls' collisions."""
    for collision in root.iterfind(".//model[@name='map']/link/collision"):
        (x, y, z, *turn), (width, depth, height) = numbers(collision, "pose"), numbers(collision, "geometry/box/size")
        assert z - 0.5 * height == pytest.approx(0.0) and turn == [0, 0, 0]
        yield box(x - width / 2, y - depth / 2, x + width / 2, y + depth / 2)


@pytest.mark.parametrize("scenario", ["maze_hard", "migrate_mixed", "flock_walls", "scale"])
def test_rays_end_where_they_end_in_the_map(tmp_path, scenario):
    loaded = load(scenario, ["robots=30"])
    setup = prepare(loaded.scenario, loaded.source)
    write_sdf(tmp_path / "it.sdf", scenario, setup.fleet, setup.start.pose, setup.grid, 0.05)
    solid = list(boxes(ElementTree.parse(tmp_path / "it.sdf").getroot()))
    assert len(solid) < 0.05 * setup.grid.occupied.sum() + 60
    tree, rng = STRtree(solid), np.random.default_rng(1)
    (x0, x1, y0, y1), r = setup.grid.extent, setup.grid.resolution
    for _ in range(100):
        x, y, angle = rng.uniform(x0, x1), rng.uniform(y0, y1), rng.uniform(-math.pi, math.pi)
        far = LineString([(x, y), (x + 40.0 * math.cos(angle), y + 40.0 * math.sin(angle))])
        hits = [far.intersection(solid[k]) for k in tree.query(far, "intersects")]
        reach = min((hit.distance(points(x, y)) for hit in hits), default=40.0)
        assert reach == pytest.approx(ray(setup.grid, x, y, angle), abs=2e-3 * r), (x, y, angle)


def ray(grid, x, y, angle):
    """Way to the first wall cell, from one crossing of the cells' lines to the next; 40 m if there is none."""
    at, way = (np.array([x, y]) - grid.origin) / grid.resolution, np.array([math.cos(angle), math.sin(angle)])
    crossings = [(np.arange(-2, max(grid.occupied.shape) + 3) - at[k]) / way[k] for k in (0, 1)]
    turns = np.unique(np.concatenate([[0.0], *crossings]))
    turns = turns[turns >= 0.0]
    middle = at + 0.5 * (turns[:-1] + turns[1:])[:, None] * way
    column, row = np.floor(middle).astype(int).T
    inside = (row >= 0) & (row < grid.occupied.shape[0]) & (column >= 0) & (column < grid.occupied.shape[1])
    wall = np.zeros(len(row), bool)
    wall[inside] = grid.occupied[row[inside], column[inside]]
    return turns[np.argmax(wall)] * grid.resolution if wall.any() else 40.0


@settings(max_examples=60, deadline=None)
@given(arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 9))), st.floats(0.02, 2.0), st.tuples(st.floats(-9, 9), st.floats(-9, 9)))
def test_rectangles_cover_the_walls_once(occupied, resolution, origin):
    found = walls(Grid(occupied, origin, resolution), "here")
    solid = union_all([box(*rectangle) for rectangle in found])
    rows, columns = np.nonzero(occupied)
    x, y = origin[0] + columns * resolution, origin[1] + rows * resolution
    expected = union_all([box(a, b, a + resolution, b + resolution) for a, b in zip(x, y)]) if len(x) else Polygon()
    assert solid.symmetric_difference(expected).area < 1e-9 * max(1.0, expected.area)
    assert sum(box(*rectangle).area for rectangle in found) == pytest.approx(expected.area)


def test_a_wheeled_robot_stands_on_its_wheels_and_is_driven_by_them(tmp_path):
    root = written(tmp_path / "it.sdf", ("differential",), radius=0.2, base=0.3)
    model = root.find(".//model[@name='robot_0']")
    for name, side in (("left", 1.0), ("right", -1.0)):
        link, joint = model.find(f"link[@name='{name}_wheel']"), model.find(f"joint[@name='{name}_joint']")
        _, y, z, roll, pitch, yaw = numbers(link, "pose")
        radius = float(link.find("collision/geometry/sphere/radius").text)
        assert y == pytest.approx(0.15 * side) and z == pytest.approx(radius)  # on the floor
        assert float(link.find("visual/geometry/cylinder/radius").text) == pytest.approx(radius)
        mass, inertia = float(link.find("inertial/mass").text), link.find("inertial/inertia")
        assert float(inertia.find("izz").text) == pytest.approx(0.5 * mass * radius**2), "of a disc"
        # the axle, its z, points to the left
        assert (roll, pitch, yaw) == pytest.approx((-math.pi / 2, 0, 0)) and numbers(joint, "axis/xyz") == [0, 0, 1]
    casters = [c for c in model.iterfind("link[@name='base_link']/collision") if "caster" in c.get("name")]
    for caster in casters:
        gap = numbers(caster, "pose")[2] - float(caster.find("geometry/sphere/radius").text)
        assert 0.0 < gap < 0.01 and caster.find("surface/friction/ode/mu").text == "0"
    drive = model.find("plugin[@name='gz::sim::systems::DiffDrive']")
    limits = {"max_linear_velocity": 0.8, "max_linear_acceleration": 2.0, "max_angular_velocity": 3.0}
    for key, value in {"wheel_separation": 0.3, "wheel_radius": radius, **limits}.items():
        assert float(drive.find(key).text) == pytest.approx(value)


@pytest.mark.parametrize("model", ROBOTS)
def test_what_the_bridge_expects_is_what_the_plugins_offer(tmp_path, model):
    root = written(tmp_path / "it.sdf", (model,) * 3)
    write_bridge(tmp_path / "bridge.yaml", fleet_of((model,) * 3))
    lines = yaml.safe_load((tmp_path / "bridge.yaml").read_text())
    assert lines[0] == {
        "ros_topic_name": "/clock", "gz_topic_name": "/clock", "ros_type_name": "rosgraph_msgs/msg/Clock", "gz_type_name": "gz.msgs.Clock",
        "direction": "GZ_TO_ROS",
    }  # fmt: skip
    robots = {line["ros_topic_name"]: line for line in lines[1:]}
    assert set(robots) == {f"/robot_{k}/{kind}" for k in range(3) for kind in ("odom", "cmd_vel")}
    for k in range(3):
        found = root.find(f".//model[@name='robot_{k}']")
        told = "DiffDrive" if model == "differential" else "VelocityControl"
        assert found.find(f"plugin[@name='gz::sim::systems::{told}']/topic").text == robots[f"/robot_{k}/cmd_vel"]["gz_topic_name"]
        said = found.find("plugin[@name='gz::sim::systems::OdometryPublisher']")  # in the world frame; DiffDrive's own starts at zero
        assert said.find("odom_topic").text == robots[f"/robot_{k}/odom"]["gz_topic_name"]
        assert float(said.find("odom_publish_frequency").text) >= 2 * 20.0
        assert robots[f"/robot_{k}/odom"]["direction"] == "GZ_TO_ROS" and robots[f"/robot_{k}/cmd_vel"]["direction"] == "ROS_TO_GZ"
        wheel_odometry = found.find("plugin[@name='gz::sim::systems::DiffDrive']/odom_topic")
        assert wheel_odometry is None or wheel_odometry.text not in {line["gz_topic_name"] for line in lines}


def test_classic_has_plugins_of_its_own(tmp_path):
    own = written(tmp_path / "own.sdf", ("differential",), plugins="classic")
    assert [plugin.get("filename") for plugin in own.iter("plugin")] == ["libDiffDrivePlugin.so"]
    ros = written(tmp_path / "ros.sdf", ("differential", "omni"), plugins="classic_ros")
    found = list(ros.iter("plugin"))
    assert [plugin.get("filename") for plugin in found] == ["libgazebo_ros_diff_drive.so", "libgazebo_ros_planar_move.so"]
    assert [plugin.find("ros/namespace").text for plugin in found] == ["/robot_0", "/robot_1"]
    assert found[0].find("odometry_source").text == "1"
    with pytest.raises(InputError, match="omni found, which Gazebo classic has no plugin for"):
        written(tmp_path / "no.sdf", ("omni",), plugins="classic")


def test_what_gazebo_cannot_express_is_one_line(tmp_path):
    with pytest.raises(InputError, match="hopper found, which Gazebo cannot express; expected car, differential, omni, point_mass"):
        written(tmp_path / "no.sdf", ("hopper",))
    assert not (tmp_path / "no.sdf").exists()
