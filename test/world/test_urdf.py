"""What robots look like in URDF: closed forms of what is drawn, for every model that is registered."""

import math
from xml.etree import ElementTree

import pytest

from swarm_control.core.robot import ROBOTS
from swarm_control.scenario.loader import load_prepared
from swarm_control.world.urdf import urdf


def described(model, **given):
    robot = {"count": 1, "model": model, "radius": 0.2, **given}
    _, setup = load_prepared("flock_frame", [f"robots=[{robot}]"])
    return ElementTree.fromstring(urdf(setup.fleet, 0)), setup.fleet


@pytest.mark.parametrize("model", sorted(ROBOTS))
def test_every_robot_has_one_link_with_its_footprint(model):
    root, fleet = described(model)
    (link,) = root.findall("link")
    assert root.tag == "robot" and root.get("name") == "robot_0" and link.get("name") == "robot_0/base_link"
    body = link.find("visual/geometry/cylinder")
    assert float(body.get("radius")) == pytest.approx(float(fleet.radius[0]), rel=1e-5)
    known = {material.get("name") for material in root.findall("material")}
    assert {part.find("material").get("name") for part in link.findall("visual")} <= known
    assert len(link.findall("visual")) == (4 if ROBOTS[model].wheels and model != "hexapod" else 2), "an insect has none"


def test_wheels_stand_on_the_floor_and_roll_ahead():
    root, _ = described("differential", wheel_base=0.3)
    wheels = [part for part in root.iter("visual") if part.find("material").get("name") == "wheel"]
    places = [[float(x) for x in part.find("origin").get("xyz").split()] for part in wheels]
    assert [place[:2] for place in places] == [[0.0, 0.15], [0.0, -0.15]]
    for part, place in zip(wheels, places):
        assert place[2] == pytest.approx(float(part.find("geometry/cylinder").get("radius")))
        assert [float(x) for x in part.find("origin").get("rpy").split()] == pytest.approx([math.pi / 2, 0.0, 0.0], abs=1e-5)


def test_the_nose_is_ahead():
    root, _ = described("omni")
    (nose,) = [part for part in root.iter("visual") if part.find("material").get("name") == "nose"]
    x, y, _ = (float(value) for value in nose.find("origin").get("xyz").split())
    assert x > 0.05 and y == 0.0
