"""Goals that robots cannot get to are told of before they try, and nobody arrives there."""

import pytest

import swarm_control as sc
from swarm_control.scenario.loader import load_prepared


@pytest.mark.parametrize(("place", "line"), [("[30, 30]", r"off the map"), ("[3.5, 3.5]", ""), ("[4.99, 4.99]", "lies in a wall")])
def test_goals_off_the_map_or_in_its_frame(place, line):
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


CORRIDOR = """
define bar model (size [1.0 5.0 0.5])
bar (pose [0 {high} 0 0]) bar (pose [0 -{high} 0 0])
bar (size [10 0.2 0.5] pose [0 4.5 0 0]) bar (size [10 0.2 0.5] pose [0 -4.5 0 0])
bar (size [0.2 9.2 0.5] pose [5 0 0 0]) bar (size [0.2 9.2 0.5] pose [-5 0 0 0])
"""


@pytest.fixture
def corridor(tmp_path):
    """A scenario of three robots of 0.2 m before a corridor that is ``gap`` (m) wide, to be loaded."""

    def make(gap, rest=""):
        (tmp_path / "corridor.world").write_text(CORRIDOR.format(high=2.5 + 0.5 * gap))
        (tmp_path / "corridor.yaml").write_text(
            "world: corridor.world\nduration: 40\nrobots: [{count: 3, radius: 0.1, start: {center: [-3, 0], spacing: 0.5}}]\n"
            "control: {guidance: {weight: 2.0, margin: 0.02}, separation_filter: {enabled: true}}\n"
            "goals: [{position: [3, 0], radius: 0.8}]\n" + rest
        )  # fmt: skip
        return str(tmp_path / "corridor.yaml")

    return make


NARROW = "no way with room for robots of 0.2 m and 0.02 m (separation_filter.margin) to either side leads to "


@pytest.mark.parametrize(("gap", "told"), [(0.2, True), (0.25, True), (0.29, False), (0.4, False)])
def test_a_way_too_narrow_for_the_robots_and_their_margin_is_told_of_and_only_then_do_they_stay(corridor, gap, told):
    simulation = sc.Simulation(corridor(gap))
    line = f"goals[0].position: {NARROW}(3, 0) m from where 3 of 3 robots start; the map's cells are 0.02 m"
    assert [notice for notice in simulation.setup.notices if "leads to" in notice] == ([line] if told else [])
    assert simulation.run().metrics()["arrived_fraction"] == (0.0 if told else 1.0)


def test_only_the_robots_that_go_there_count(corridor):
    each = ["goals.0.each=[-3, 1, 3, 0, -3, -1]"]
    _, setup = load_prepared(corridor(0.25), each)
    assert [n for n in setup.notices if "leads to" in n] == [
        f"goals[0].each: {NARROW}their places from where 1 of 3 robots start; the map's cells are 0.02 m"
    ]
    groups = "groups: {b: {goals: [{position: [3, 1], radius: 0.8}]}}\n"
    here, there = (
        "{count: 2, radius: 0.1, start: {center: [-3, 0], spacing: 0.5}}",
        "{count: 1, group: b, radius: 0.1, start: {center: [3, -1]}}",
    )
    robots = f"robots=[{here}, {there}]"
    _, setup = load_prepared(corridor(0.25, groups), [robots])
    assert [n.split(":")[0] for n in setup.notices if "leads to" in n] == ["goals[0].position"]
    _, setup = load_prepared(corridor(0.25, groups), [robots, "goals.0.position=[-3, 2]", "groups.b.goals.0.position=[-3, -2]"])
    assert [n.split(":")[0] for n in setup.notices if "leads to" in n] == ["groups.b.goals[0].position"]
    _, setup = load_prepared(corridor(0.25), ["goals.0.each=[-3, 1, 30, 0, -3, -1]"])
    assert any("goals[0].each: (30, 0) m is off the map" in n for n in setup.notices)
    _, setup = load_prepared(corridor(0.25), ["separation_filter.enabled=false", "robots.0.radius=0.15"])
    assert any("no way with room for robots of 0.3 m leads to (3, 0) m" in n for n in setup.notices)


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


def told_of(file, *changes):
    """Which goals are told of as too narrow to get to, by their keys."""
    _, setup = load_prepared(file, list(changes))
    return [notice.split(":")[0] for notice in setup.notices if "no way with room" in notice]


def test_places_where_robots_do_not_fit_and_starts_from_which_they_cannot_leave_are_told_of(corridor):
    file = corridor(0.3)
    assert told_of(file) == [] and told_of(file, "separation_filter.noise=0.03") == ["goals[0].position"]
    assert told_of(file, "simulator.noise_position=0.03") == ["goals[0].position"], "the filter keeps room for that as well"
    each = "goals.0.each=[-3, 1, 0, 0, -3, -1]"
    assert told_of(file, each, "goals.0.arrival_radius=0.2") == []
    assert told_of(corridor(0.2), each, "goals.0.arrival_radius=0.2") == ["goals[0].each"], "that place is in the corridor"
    assert told_of(corridor(0.2), each, "goals.0.arrival_radius=0.7") == [], "it is reached from before the corridor"
    assert told_of(file, "separation_filter.margin=4.5") == ["goals[0].position"], "there is no such room anywhere"


def test_odometry_that_is_always_too_old_is_told_of():
    _, setup = load_prepared("migrate_boxes", ["simulator.delay=0.6"])
    line = "simulator.delay (0.6 s) is more than safety.odometry_timeout (0.5 s): odometry is always too old, and no robot moves"
    assert line in setup.notices
    _, setup = load_prepared("migrate_boxes", ["simulator.delay=0.5"])
    assert not any("too old" in notice for notice in setup.notices)


def test_odometry_that_is_always_lost_is_told_of():
    _, setup = load_prepared("migrate_boxes", ["simulator.loss=1"])
    assert "simulator.loss (1): no odometry arrives, and no robot moves" in setup.notices
    _, setup = load_prepared("migrate_boxes", ["simulator.loss=0.9"])
    assert not any("no odometry" in notice for notice in setup.notices)


def test_goals_in_a_wall_are_told_of(corridor):
    def told(*changes):
        return [notice for notice in load_prepared(corridor(0.4), list(changes))[1].notices if "lies in a wall" in notice]

    assert told() == [] and told("goals.0.position=[0, 2]") == ["goals[0].position: (0, 2) m lies in a wall"]
    assert told("goals.0.each=[-3, 1, 0, -2, -3, -1]") == ["goals[0].each: (0, -2) m lies in a wall"]
    assert told("goals.0.position=[0, 2]", "formation.enabled=true") == [], "formations tell it themselves: a circle may be round a wall"


def test_nobody_arrives_through_a_wall(corridor):
    run = sc.Simulation(corridor(0.2), robots=3, duration=5.0, set={"goals.0.arrival_room": 20.0}).run().metrics()
    assert run["arrived_fraction"] == 0.0
    free = sc.Simulation(corridor(0.6), robots=3, duration=0.2, set={"goals.0.arrival_room": 20.0}).run().metrics()
    assert free["arrived_fraction"] == 1.0


def test_who_starts_off_the_map_is_free_to_get_to_its_edge(tmp_path):
    (tmp_path / "open.world").write_text("define box model (size [0.4 0.4 0.5])\nbox (pose [-3 -3 0 0]) box (pose [3 3 0 0])\n")
    (tmp_path / "open.yaml").write_text(
        "world: open.world\nrobots: [{count: 1, start: {pattern: poses, poses: [[-7, 0, 0]]}}]\ngoals: [{position: [2, 0]}]\n"
        "control: {separation_filter: {enabled: true}}\n"
    )
    _, setup = load_prepared(str(tmp_path / "open.yaml"), [])
    assert setup.start.position[0, 0] < setup.grid.extent[0] and not any("leads to" in notice for notice in setup.notices)


@pytest.mark.parametrize("noise,smoothed,told", [
    (0.01, False, False), (0.05, False, True), pytest.param(0.05, True, False, marks=pytest.mark.study),
])  # fmt: skip
def test_robots_that_noise_keeps_further_apart_than_they_start_are_told_of_and_only_they_do_not_arrive(noise, smoothed, told):
    simulation = sc.Simulation("bypass_walls", seed=101, set={"simulator.noise_position": noise, "estimation.enabled": smoothed})
    notices = [notice for notice in simulation.setup.notices if "hold each other up" in notice]
    assert bool(notices) == told
    if told:
        assert notices[0].startswith("control.separation_filter: robots are kept 0.52 m apart, 0.3 m of it for noise of 0.05 m; ")
    assert (simulation.run().metrics()["arrived_fraction"] == 1.0) != told


def test_without_a_filter_noise_keeps_nobody_apart():
    _, setup = load_prepared("bypass_walls", ["simulator.noise_position=0.05", "separation_filter.enabled=false"])
    assert not any("hold each other up" in notice for notice in setup.notices)


def test_formations_whose_robots_the_filter_holds_up_are_told_before_the_run():
    """Places 26 cm apart, robots of 19 cm that obey up to 0.2 s late with 2.16 m/s²: ½·0.04·2.16 m for each, and a margin of 2 cm."""
    body = ["robots.0.model=differential", "robots.0.radius=0.095", "robots.0.max_acceleration=2.16", "robots.0.count=3"]
    given = [*body, "control.period=0.1", "formation.enabled=true", "formation.shape=line", "simulator.asynchronous=2"]
    for spacing, told in ((0.26, True), (0.32, False)):
        _, setup = load_prepared("migrate_boxes", [*given, f"formation.spacing={spacing}"])
        lines = [line for line in setup.notices if "two places" in line]
        assert len(lines) == told
        if told:
            assert "keeps robots 0.296 m apart, 0.0864 m of it for commands that are obeyed late" in lines[0]
    _, setup = load_prepared("migrate_boxes", [*given, "formation.spacing=0.26", "separation_filter.enabled=false"])
    assert not any("two places" in line for line in setup.notices)
