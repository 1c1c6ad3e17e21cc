"""Robots of worlds written for Gazebo move as they are told, by the numbers of the SDF; docs/simulators.md has what was measured."""

import numpy as np
import pytest
from shapely import Point, Polygon
from test_gazebo_export import fleet_of, numbers, written

from swarm_control.core.grid import Grid
from swarm_control.world.sdf_writer import STEP, write_sdf

SIZES = [(0.0375, 0.056), (0.1, 0.15), (0.3, 0.5)]


def number(element, path):
    return float(element.find(path).text)


def treads(link):
    """How far to either side of its middle a wheel can touch the floor, m."""
    length = link.find("collision/geometry/cylinder/length")
    return (0.0,) if length is None else (-0.5 * float(length.text), 0.5 * float(length.text))


@pytest.mark.parametrize("plugins", ["gz", "classic_ros"])
@pytest.mark.parametrize(("radius", "base"), SIZES)
def test_wheels_turn_the_robot_as_far_as_the_plugin_thinks(tmp_path, plugins, radius, base):
    root = written(tmp_path / "it.sdf", ("differential",), plugins=plugins, radius=radius, base=base)
    model = root.find(".//model[@name='robot_0']")
    drive = next(plugin for plugin in model.iter("plugin") if plugin.find("wheel_separation") is not None)
    told = number(drive, "wheel_radius") if plugins == "gz" else 0.5 * number(drive, "wheel_diameter")
    wheels = {side: model.find(f"link[@name='{side}_wheel']") for side in ("left", "right")}
    for left in treads(wheels["left"]):
        for right in treads(wheels["right"]):
            apart = numbers(wheels["left"], "pose")[1] + left - numbers(wheels["right"], "pose")[1] - right
            rolls = number(wheels["left"], "collision/geometry//radius")
            turn = (2.0 * rolls / apart) / (2.0 * told / number(drive, "wheel_separation"))
            assert turn == pytest.approx(1.0, abs=0.01)


def test_wheels_meet_the_floor_alone_and_bodies_meet_all(tmp_path):
    """Gazebo lets two parts meet whose bits have one in common; a part without bits has all."""
    root = written(tmp_path / "it.sdf", ("differential", "omni"), Grid(np.eye(3, dtype=bool), (-9.0, -9.0), 0.5))

    def bits(name):
        parts = [part for part in root.iter("collision") if part.get("name").startswith(name)]
        (found,) = {int(part.findtext("surface/contact/collide_bitmask", "65535")) for part in parts}
        return found

    wheel, body, wall, floor = map(bits, ("wheel", "body", "wall_", "floor"))
    assert wheel & floor and body & floor and body & wall and not wheel & wall and not wheel & body


def test_a_wheeled_robot_at_rest_needs_no_caster(tmp_path):
    root = written(tmp_path / "it.sdf", ("differential",))
    base, wheel = (root.find(f".//link[@name='{name}']") for name in ("base_link", "left_wheel"))
    assert numbers(base, "inertial/pose")[:2] == [0, 0] and numbers(base, "inertial/pose")[2] < numbers(wheel, "pose")[2]


@pytest.mark.parametrize("model", ["omni", "car", "point_mass"])
def test_gliders_stand_on_the_floor_with_their_weight_and_slide(tmp_path, model):
    root = written(tmp_path / "it.sdf", (model,), radius=0.2)
    link = root.find(".//model[@name='robot_0']/link")
    mass = 500.0 * np.pi * 0.2**3  # a cylinder as high as it is half wide
    assert link.find("gravity") is None and number(link, "inertial/mass") == pytest.approx(mass)
    assert number(link, "inertial/inertia/izz") == pytest.approx(mass * 0.2**2 / 2.0)
    assert number(link, "inertial/inertia/ixx") == number(link, "inertial/inertia/iyy") == pytest.approx(mass * 0.2**2 / 3.0)
    body, *feet = link.iterfind("collision")
    assert numbers(body, "pose")[2] > 0.5 * number(body, "geometry/cylinder/length")  # it would rock on its edge
    places = np.array([numbers(foot, "pose")[:3] for foot in feet])
    np.testing.assert_allclose(places[:, 2], [number(foot, "geometry/sphere/radius") for foot in feet])
    x, y, height = numbers(link, "inertial/pose")[:3]
    stands = Polygon(places[:, :2])
    assert stands.contains(Point(x, y)) and stands.boundary.distance(Point(x, y)) > height  # it takes more than its weight to tip it
    assert max(np.hypot(*places[:, :2].T)) + number(feet[0], "geometry/sphere/radius") <= number(body, "geometry/cylinder/radius")
    for part in (body, *feet):
        assert [number(part, f"surface/friction/ode/{key}") for key in ("mu", "mu2")] == [0.0, 0.0]


@pytest.mark.parametrize("radius", [size[0] for size in SIZES])
def test_gazebo_ros_gets_the_fleets_acceleration_at_the_rim(tmp_path, radius):
    root = written(tmp_path / "it.sdf", ("differential",), plugins="classic_ros", radius=radius)
    assert number(root, ".//plugin/max_wheel_acceleration") == 2.0  # m/s²; the plugin multiplies it with time and adds it to m/s


@pytest.mark.parametrize(("period", "rate"), [(0.05, 100.0), (0.2, 100.0), (0.005, 200.0)])
def test_commands_and_odometry_wait_less_than_a_period(tmp_path, period, rate):
    models = ("differential", "omni")
    for plugins in ("classic_ros", "gz"):
        write_sdf(tmp_path / f"{plugins}.sdf", "it", fleet_of(models), np.array([[0.0, 0, 0], [1, 0, 0]]), None, period, plugins=plugins)
    text = (tmp_path / "classic_ros.sdf").read_text()
    assert text.count(f"<update_rate>{rate:g}</update_rate>") == 2 and text.count(f"<publish_rate>{rate:g}</publish_rate>") == 1
    said = (tmp_path / "gz.sdf").read_text().split("<odom_publish_frequency>")[1:]
    assert len(said) == 2
    for word in said:
        waits = np.ceil(round(1.0 / (float(word.split("<")[0]) * STEP), 9)) * STEP  # whole steps
        assert waits <= max(0.5 * period, STEP)


def test_classics_own_plugin_turns_left(tmp_path):
    """Of a positive turn DiffDrivePlugin makes what it calls the left joint the faster one, which has to be the robot's right wheel."""
    drive = written(tmp_path / "it.sdf", ("differential",), plugins="classic").find(".//plugin")
    assert (drive.findtext("left_joint"), drive.findtext("right_joint")) == ("right_joint", "left_joint")


@pytest.mark.parametrize("speed", [1.0, 4.0])
def test_the_clock_ticks_no_oftener_than_needed(tmp_path, speed):
    write_sdf(tmp_path / "it.sdf", "it", fleet_of(("omni",)), np.zeros((1, 3)), None, 0.05, speed=speed)
    text = (tmp_path / "it.sdf").read_text()
    assert STEP == 0.004 and "<max_step_size>0.004<" in text and f"<real_time_update_rate>{250 * speed:g}<" in text
