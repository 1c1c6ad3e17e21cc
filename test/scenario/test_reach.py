"""Goals that robots cannot get to are told of before they try, and nobody arrives there."""

import pytest

import swarm_control as sc
from swarm_control.scenario.loader import load_prepared


@pytest.mark.parametrize(("place", "line"), [("[30, 30]", r"off the map"), ("[3.5, 3.5]", ""), ("[4.99, 4.99]", "")])
def test_goals_off_the_map(place, line):
    _, setup = load_prepared("migrate_boxes", [f"goals.0.position={place}"])
    told = [notice for notice in setup.notices if notice.startswith("goals[0].position")]
    assert (len(told) == 1 and line in told[0]) if line else not told


def test_a_goal_in_a_closed_room(tmp_path):
    from PIL import Image

    picture = Image.new("L", (100, 100), 255)
    for k in range(100):
        for x, y in ((k, 0), (k, 99), (0, k), (99, k), (60, k)):
            picture.putpixel((x, y), 0)
    picture.save(tmp_path / "rooms.png")
    (tmp_path / "rooms.world").write_text('model (bitmap "rooms.png" size [10 10 1] pose [0 0 0 0])\n')
    (tmp_path / "cut.yaml").write_text("world: rooms.world\nrobots: [{count: 4, start: {center: [-3, 0]}}]\ngoals: [{position: [3, 3]}]\n")
    _, setup = load_prepared(str(tmp_path / "cut.yaml"), [])
    assert any("no free way leads to (3, 3) m from where 4 of 4 robots start" in notice for notice in setup.notices)


def test_nobody_arrives_off_the_map():
    run = sc.Simulation("migrate_boxes", robots=1, duration=30.0, set={"goals.0.position": [30.0, 30.0]}).run().metrics()
    assert run["arrived_fraction"] == 0.0 and run["arrival_time"] is None


@pytest.mark.parametrize(("name", "model", "planned", "told"), [
    ("formation_obstacles", "car", "false", True), ("formation_obstacles", "car", "true", False),
    ("formation_obstacles", "differential", "false", False), ("formation_circle", "car", "false", False),
    ("migrate_boxes", "car", "false", False),
])  # fmt: skip
def test_cars_in_formation_among_walls(name, model, planned, told):
    _, setup = load_prepared(name, [f"robots.0.model={model}", f"formation.plan.enabled={planned}"])
    assert any("(car) may be held up for good" in notice for notice in setup.notices) == told
