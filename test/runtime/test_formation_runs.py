"""Formations in the headless run: goals, docking, failures, filter, odometry, and robots that each compute for themselves."""

from dataclasses import replace

import numpy as np
import pytest
import yaml

from swarm_control.analysis.simulation import simulate
from swarm_control.core.state import SwarmState
from swarm_control.errors import InputError
from swarm_control.formation.course import ASTRAY
from swarm_control.formation.design import Design, between, designs, impose, reconfigure
from swarm_control.formation.drive import ToPose
from swarm_control.formation.estimate import Estimate
from swarm_control.formation.memory import FormationMemory, StructureParameters, StructureStep
from swarm_control.formation.parameters import FormationParameters
from swarm_control.formation.shapes import shape
from swarm_control.formation.structure import Structure
from swarm_control.runtime.formation_controller import FormationController
from swarm_control.runtime.goal_list import GoalList
from swarm_control.runtime.goal_orders import timed
from swarm_control.scenario.loader import load
from swarm_control.scenario.schema import Goal, Simulator
from swarm_control.scenario.setup import prepare
from swarm_control.sim.odometry import OdometryChannel

NAMES = ("a", "b", "c", "d")
SQUARE = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])


def fly(name, *changes, watch=None):
    loaded = load(name, changes)
    return simulate(loaded, prepare(loaded.scenario, loaded.source), until_arrival=True, watch=watch)


@pytest.mark.parametrize(
    ("wrong", "noise", "time"),
    [(0.002, 0.0, 0.0), (0.006, 0.0, 20.0), (0.01, 0.0, 20.0), (0.03, 0.0, None), (0.007, 0.01, 4.0), (0.01, 0.01, 20.0),
     (0.03, 0.01, None)],
)  # fmt: skip
def test_a_structure_that_is_near_its_goal_for_long_has_been_there(wrong, noise, time):
    """One robot stays beside its point by so much (m); the tolerance is 4 mm, near is within 20 mm. Where noise hides more than that, as
    4.3 mm with one of 1 cm, within twice as much is nearer.
    """
    goals, structure = GoalList([Goal(position=(0.0, 0.0), hold=0.0)]), Structure(SQUARE, NAMES, np.zeros(3))
    memory = FormationMemory.start(4, 0.1, FormationParameters())
    made = StructureStep(
        structure, np.zeros(3), np.zeros(3), SQUARE, np.zeros((4, 3)), np.array([0.0, wrong, 0.0, 0.0]), 0.0, np.zeros(4, bool),
        replace(memory, rest=wrong < 0.004),
    )  # fmt: skip
    params = StructureParameters(estimate=Estimate(noise=noise))
    there = [goals.rested(made, ToPose(np.zeros(3)), np.zeros(2), params, 0.1) for _ in range(250)]
    assert (0.1 * there.index(True) == pytest.approx(time, abs=0.11)) if time is not None else not any(there)


@pytest.mark.parametrize("motion", ["translate", "rotate"])
def test_the_papers_experiments_hold_half_of_its_errors(motion):
    summary = fly(f"formation_{motion}", "formation.repeat=2").summary
    assert summary["arrived_fraction"] == 1.0 and summary["collisions"] == 0
    assert [phase["name"] for phase in summary["phases"]] == [f"goal {k}" for k in (1, 2, 3, 4)]
    assert summary["phases"][-1]["end"] == summary["arrival_time"]
    assert summary["formation_error_mean"] < {"translate": 0.0024, "rotate": 0.006}[motion]


def test_without_noise_translation_is_exact_and_the_structure_rests_at_its_goal():
    seen = []
    out = fly("formation_translate", "simulator={}", "formation.repeat=1", watch=lambda f, m: seen.append(f.formation.fitted(f.truth).pose))
    assert out.summary["formation_error_max"] < 1e-4
    assert np.hypot(*seen[-1][:2]) < 0.005 and max(pose[0] for pose in seen) > 0.99


@pytest.mark.study
def test_naive_displacement_is_worse():
    naive = ("formation.displace.method=naive", "formation.drive.tolerance=0.03", "formation.repeat=1")
    assert fly("formation_rotate", *naive).summary["formation_error_mean"] > 3 * fly("formation_rotate").summary["formation_error_mean"]


@pytest.mark.parametrize(("gradual", "peak"), [(0, (0.3, 0.6)), (6, (0.0, 0.03))])
def test_a_third_robot_docks(gradual, peak):
    errors, sizes = [], []

    def watch(frame, metrics):
        errors.append(frame.formation.error(frame.truth))
        sizes.append(len(frame.formation.structure))

    summary = fly("formation_docking", f"formation.morph_time={gradual}", watch=watch).summary
    assert summary["arrived_fraction"] == 1.0 and summary["collisions"] == 0
    assert sizes[28] == 2 and sizes[31] == 3
    assert peak[0] <= max(errors[30:]) < peak[1]
    assert max(errors[-100:]) < 0.004


def test_the_formation_waits_for_a_failed_robot_and_goes_on():
    poses, failed = [], []

    def watch(frame, metrics):
        poses.append(frame.formation.fitted(frame.truth).pose[0])
        failed.append(frame.formation.controllers[0].last.failed.tolist())

    summary = fly("formation_failure", watch=watch).summary
    assert summary["arrived_fraction"] == 1.0 and summary["arrival_time"] > 26.0
    assert poses[119] - poses[89] < 0.01 < 0.2 < poses[49] - poses[19]
    assert failed[110] == [False, True, False] and failed[-1] == [False, False, False]


@pytest.mark.parametrize(
    ("model", "robots", "who", "heading"), [("omni", 4, 2, -120), ("differential", 3, 0, 90), ("differential", 5, 4, 150)]
)
def test_a_structure_that_cannot_go_on_turns_as_told_about_the_robot_that_has_failed(model, robots, who, heading):
    last = []
    fly(
        "formation_failure", f"robots.0={{count: {robots}, model: {model}, start: {{pattern: ring, spacing: 0.7}}}}",
        "formation.shape=start", "formation.drive.max_speed=0.3", f"simulator.failures=[{{robot: robot_{who}, start: 3}}]", "duration=40",
        f"goals=[{{position: [2, -1], heading: {heading}}}]",
        watch=lambda f, m: last.append((f.formation.fitted(f.truth).pose, f.truth.pose[who])),
    )  # fmt: skip
    turned, (held, now) = np.rad2deg(last[-1][0][2]) - heading, (last[40][1], last[-1][1])
    assert abs((turned + 180.0) % 360.0 - 180.0) < np.rad2deg(ASTRAY[1])
    assert np.array_equal(held, now)
    assert np.hypot(*(last[-1][0] - last[-100][0])[:2]) < 0.03, "nor does it go on"


def test_a_robot_that_stays_away_is_dropped_if_so_wished():
    seen = []
    fly("formation_failure", "formation.health.drop_after=3", "simulator.failures=[{robot: robot_1, start: 5}]",
        watch=lambda f, m: seen.append(f.formation.structure.names))  # fmt: skip
    assert "robot_1" in seen[60] and "robot_1" not in seen[-1] and len(seen[-1]) == 2


def test_a_leader_that_is_dropped_is_followed_no_more():
    lost = ("formation.health.drop_after=3", "formation.leader=robot_1", "simulator.failures=[{robot: robot_1, start: 5}]")
    out = fly("formation_failure", *lost)
    assert out.summary["arrived_fraction"] == 1.0


def test_a_hexagon_keeps_its_timed_path():
    lag = []

    def watch(frame, metrics):
        due = frame.formation.controllers[0].due
        lag.append(np.hypot(*(frame.formation.fitted(frame.truth).pose - due)[:2]))

    summary = fly("formation_circle", "duration=20", watch=watch).summary
    assert summary["formation_error_max"] < 0.002 and max(lag) < 0.02


def test_robots_leave_their_points_at_obstacles_and_come_back():
    errors = []
    summary = fly("formation_obstacles", watch=lambda f, m: errors.append(f.formation.error(f.truth))).summary
    assert summary["arrived_fraction"] == 1.0 and summary["collisions"] == 0 and summary["min_clearance"] > 0.0
    # the wedge first forms from a block of robots; then obstacles disturb it
    assert max(errors[200:]) > 0.02 and errors[-1] < 0.004


def test_the_filter_may_stay_on_in_a_formation():
    out = fly("formation_translate", "separation_filter.enabled=true", "separation_filter.margin=0.1", "formation.repeat=1")
    assert out.interventions > 0 and out.summary["arrived_fraction"] == 1.0 and out.summary["formation_error_max"] < 0.03


def test_a_velocity_moves_the_structure_in_its_own_frame():
    seen = []
    fly("formation_translate", "simulator={}", "goals=[]", "formation.velocity=[0.1, 0, 0.1]", "duration=15.8",
        watch=lambda f, m: seen.append(f.formation.fitted(f.truth).pose))  # fmt: skip
    # a quarter of a circle of 1 m, give or take the start from rest
    assert seen[-1] == pytest.approx([1.0, 1.0, np.pi / 2], abs=0.12)


def test_onboard_robots_agree_without_asking():
    seen = []
    timetable = "goals=[{position: [1, 0], time: 6}]"
    exact = fly("formation_translate", "simulator={onboard: true}", timetable, "formation.repeat=1",
                watch=lambda f, m: seen.append(f.formation.spread()))  # fmt: skip
    assert exact.summary["arrived_fraction"] == 1.0 and max(seen) < 0.001
    lossy = ("simulator.onboard=true", "simulator.loss=0.3", "simulator.delay=0.2", timetable, "formation.repeat=1")
    assert fly("formation_translate", *lossy).summary["arrived_fraction"] == 1.0


def test_runs_are_repeatable():
    runs = [fly("formation_docking", "duration=8").recorder.trajectory().pose.tobytes() for _ in range(2)]
    assert runs[0] == runs[1]


def state(position, time=0.0, valid=None):
    pose = np.column_stack((position, np.zeros(len(position))))
    return SwarmState.of(time, pose, np.zeros_like(pose), valid)


def controller(count=3, goals=(), **settings):
    robots = load("formation_translate", (f"robots.0.count={count}", "robots.0.start={spacing: 1}")).scenario
    fleet = prepare(robots, load("formation_translate").source).fleet
    return FormationController(fleet, goals, 0.1), FormationParameters(enabled=True, **settings)


def test_a_structure_is_imposed_when_all_of_its_robots_are_heard():
    made, params = controller(3, shape="start", members=("robot_0", "robot_2"))
    places = np.array([[0.0, 0.0], [5.0, 5.0], [2.0, 0.0]])
    heard = [np.array(v) for v in ([True, False, False], [True, False, True])]
    assert made.step(state(places, 0.0, heard[0]), np.zeros(3), params) is None
    found = made.step(state(places, 0.1, heard[1]), np.full(3, 0.1), params)
    structure = found.steps[0].structure
    assert structure.names == ("robot_0", "robot_2")
    assert np.allclose(structure.world, [[0, 0], [2, 0]])
    assert (found.command[1] == 0.0).all() and np.isnan(found.target[1]).all()


@pytest.mark.parametrize("count", [1, 2])
def test_one_and_two_robots_form(count):
    seen = []
    out = fly("formation_translate", f"robots.0.count={count}", "formation.shape=line", "formation.repeat=1",
              watch=lambda f, m: seen.append(f.truth.position.mean(axis=0)))  # fmt: skip
    assert out.summary["arrived_fraction"] == 1.0 and np.hypot(*seen[-1]) < 0.01
    assert max(at[0] for at in seen) > 0.98


def test_collinear_points_and_a_robot_whose_odometry_is_not_a_number():
    made, params = controller(3, [Goal(position=(1.0, 0.0))], shape="column", spacing=0.5)
    places = np.array([[0.5, 0.0], [0.0, 0.0], [-0.5, 0.0]])
    made.step(state(places), np.zeros(3), params)
    places[1] = np.nan
    for k in range(1, 15):
        found = made.step(state(places, 0.1 * k), np.where(np.isfinite(places[:, 0]), 0.1 * k, -np.inf), params)
        assert np.isfinite(found.command).all()
    # heard no more for longer than estimate.timeout: it is told to stand and does not count
    assert (found.command[1] == 0.0).all() and np.isnan(found.steps[0].distance[1]) and np.isfinite(found.error)


def test_a_change_that_cannot_be_made_leaves_the_structure():
    made, params = controller(3, shape="start")
    places = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    made.step(state(places), np.zeros(3), params)
    wrong = FormationParameters(enabled=True, shape="points", points=(0.0, 0.0))
    assert len(made.step(state(places, 0.1), np.full(3, 0.1), wrong).steps[0].structure) == 3
    assert "1 points found for 3 robots" in made.problem


@pytest.mark.parametrize(("settings", "words"), [
    ({"members": ("a", "x")}, "members: 'x' found"), ({"members": ("a", "a")}, "twice"),
    ({"leader": "b", "members": ("a", "c")}, "leader: 'b'"), ({"shape": "points", "points": (0.0, 0.0, 1.0)}, "1.5 points"),
    ({"shape": "points", "points": (0.0,) * 8}, "points 0 and 1 of the structure coincide"),
    ({"shape": "points", "points": (0.0, 0.0, 1.0, 0.0)}, "2 points found for 4 robots"),
    ({"shape": "points", "points": tuple(range(10))}, "5 points found for 4 robots"),
])  # fmt: skip
def test_what_cannot_be_formed_is_refused(settings, words):
    with pytest.raises(InputError, match=words):
        designs(FormationParameters(**settings), NAMES, "control.formation")


def test_robots_take_the_points_nearest_to_them():
    turned = np.roll(SQUARE, 1, axis=0) + np.array([3.0, 4.0])
    made = impose(Design(NAMES, SQUARE, False), turned)
    where = dict(zip(made.names, made.world))
    assert np.allclose([where[name] for name in NAMES], turned)


def test_points_of_named_members_keep_their_order():
    params = FormationParameters(members=("b", "a"), shape="points", points=(1.0, 0.0, -1.0, 0.0))
    made = impose(designs(params, NAMES, "")[0], np.array([[0.0, 1.0], [0.0, -1.0]]))
    assert made.names == ("b", "a") and np.allclose(made.world, [[0, 1], [0, -1]])


def test_a_new_robot_does_not_move_the_places_of_the_old():
    old = Structure(SQUARE[:3] - SQUARE[:3].mean(axis=0), NAMES[:3], np.array([5.0, 1.0, 0.3]))
    everybody = np.vstack((old.world, [9.0, 9.0]))
    found = reconfigure(Design(NAMES, SQUARE, True), old, NAMES, everybody)
    assert np.allclose(found.structure.world[:3], old.world)
    halves = [between(found, share, NAMES, found.structure.pose) for share in (0.0, 1.0)]
    assert np.allclose(halves[0].points - halves[0].points[0], found.begin - found.begin[0])
    assert np.allclose(halves[1].points, SQUARE)


def test_a_reshaped_structure_keeps_heading_and_middle():
    old = Structure(shape("line", 4, 1.0), NAMES, np.array([2.0, 1.0, 0.7]))
    found = reconfigure(Design(NAMES, shape("column", 4, 1.0), False), old, NAMES, old.world).structure
    assert np.allclose(found.pose, old.pose) and set(found.names) == set(NAMES)


def test_a_timed_way_starts_and_ends_at_rest_and_meets_its_times():
    way, passes = timed(np.zeros(3), [Goal(position=(1.0, 0.0), time=2.0), Goal(position=(2.0, 1.0), time=3.0, heading=90.0)])
    assert passes == [2.0, 5.0]
    assert np.allclose(way.at(2.0), [1.0, 0.0, 0.0], atol=1e-3) and np.allclose(way.at(5.0), [2.0, 1.0, np.pi / 2])
    assert np.abs(way.at(0.02) - way.at(0.0)).max() < 0.001 and np.abs(way.at(5.0) - way.at(4.98)).max() < 0.001


def test_a_delay_of_less_than_a_tick_is_kept_exactly_if_so_wished():
    odometry = OdometryChannel(Simulator(delay=0.02), 0.1, 0.5, np.random.default_rng(0), exact=True)
    truth = SwarmState.of(1.0, np.array([[1.0, 2.0, np.pi / 2]]), np.array([[0.0, 0.5, 0.0]]))
    assert odometry.observe(truth).pose == pytest.approx(np.array([[1.0, 1.99, np.pi / 2]]))
    assert odometry.measured == pytest.approx([0.98])


def test_scenarios_hold_text_lists_and_failures(tmp_path):
    data = {
        "robots": [{"count": 2}], "control": {"formation": {"enabled": True, "members": ["robot_1"]}},
        "simulator": {"failures": [{"robot": "robot_0", "start": 1}]},
    }  # fmt: skip
    file = tmp_path / "s.yaml"
    file.write_text(yaml.safe_dump(data))
    scenario = load(str(file)).scenario
    assert scenario.control.formation.members == ("robot_1",)
    assert scenario.simulator.failures[0].robot == "robot_0"
    with pytest.raises(InputError, match=r"members: \[1\] found, expected a list of texts"):
        load(str(file), ["formation.members=[1]"])
    with pytest.raises(InputError, match=r"failures\[0\].robot: 'z' found"):
        loaded = load(str(file), ["simulator.failures.0.robot=z"])
        prepare(loaded.scenario, loaded.source)


def test_a_trajectory_is_followed_to_its_end():
    found = fly("formation_trajectory").summary
    assert found["arrived_fraction"] == 1.0 and found["collisions"] == 0
    assert found["formation_error_mean"] < 0.0012 and found["formation_error_max"] < 0.006


def test_goals_beside_a_trajectory_are_refused():
    with pytest.raises(InputError, match=r"formation.trajectory: found beside goals, expected one of them"):
        load("formation_translate", ("formation.trajectory=figure_eight.csv",))
    with pytest.raises(InputError, match=r"formation.trajectory: nowhere.csv not found, expected a .csv or .svg file"):
        load("formation_trajectory", ("formation.trajectory=nowhere.csv",))
