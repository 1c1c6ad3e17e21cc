"""The library's face: light, complete, and a run of it is that of ``swarm simulate``."""

import dataclasses
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import swarm_control as sc
from swarm_control import paths
from swarm_control.analysis.simulation import simulate
from swarm_control.core.registry import Registry
from swarm_control.scenario.loader import load, loaded_from
from swarm_control.scenario.setup import prepare

HEAVY = {"rclpy", "mujoco", "matplotlib", "aiohttp", "cv2", "pettingzoo", "gymnasium"}


def modules_after(code):
    done = subprocess.run([sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_import_brings_nothing_else():
    found = modules_after("import swarm_control")
    assert not {name for name in found if name.startswith("swarm_control.")} and not found & (HEAVY | {"numpy", "numba"})


def test_a_simulation_of_planar_robots_imports_neither_ros_nor_mujoco_nor_pyplot():
    run = "sim = sc.Simulation('migrate_boxes').run(until=0.5); sim.set({'arrival.weight': 0.2}); sim.step(); sim.metrics()"
    found = modules_after(f"import swarm_control as sc; {run}")
    assert "swarm_control.sim.plant" in found and not found & HEAVY


def test_every_name_of_the_face_is_there_and_says_what_it_is():
    for name in set(sc.__all__) - {"__version__", "parallel_env"}:
        thing = getattr(sc, name)
        assert isinstance(thing, Registry) or thing.__doc__, name
    assert {name for names in sc._FACE.values() for name in names} | {"__version__"} == set(sc.__all__) <= set(dir(sc))
    with pytest.raises(AttributeError, match="no attribute 'simulatoin'"):
        _ = sc.simulatoin


def schema_classes():
    """Every dataclass that may occur in a scenario, by name."""
    found = {}

    def visit(value):
        if dataclasses.is_dataclass(value):
            found[type(value).__name__] = type(value)
            for f in dataclasses.fields(value):
                visit(getattr(value, f.name))
        elif isinstance(value, (tuple, list)):
            for item in value:
                visit(item)
        elif isinstance(value, dict):
            visit(list(value.values()))

    for path in paths.scenarios().values():
        visit(load(str(path)).scenario)
    return found


def test_a_scenario_made_in_python_is_that_of_the_file():
    classes = schema_classes()
    for name, path in paths.scenarios().items():
        loaded = load(str(path)).scenario
        written = eval(repr(loaded), dict(classes))  # what one would write by hand, with every default
        assert written == loaded and loaded_from(written).scenario == loaded, name


def test_a_run_is_that_of_simulate_to_the_bit():
    loaded = load("migrate_boxes", ["duration=3", "seed=5"])
    outcome = simulate(loaded, prepare(loaded.scenario, loaded.source))
    sim = sc.Simulation("migrate_boxes", duration=3.0, seed=5)
    while sim.time < 2.975:
        state = sim.step()
    assert np.array_equal(sim.trajectory.pose, outcome.recorder.trajectory().pose) and np.array_equal(state.pose, sim.state.pose)
    numbers = {key: value for key, value in sim.metrics().items() if key not in ("wall_time", "real_time_factor")}
    assert numbers == {key: outcome.summary[key] for key in numbers}
    pose = sim.trajectory.pose.copy()
    sim.reset()
    assert sim.time == 0.0 and np.array_equal(sim.run(until=2.0).trajectory.pose, pose[:41])


def test_a_parameter_acts_from_the_next_step_on():
    one, other = (sc.Simulation("flock_frame", seed=1, duration=2.0) for _ in range(2))
    one.run(until=1.0)
    other.run(until=1.0)
    other.set({"separation.weight": 2.0})
    assert other.get("separation.weight") == 2.0 and np.array_equal(one.state.pose, other.state.pose)
    assert not np.array_equal(one.step().velocity, other.step().velocity)
    with pytest.raises(sc.InputError, match=r"separation\.weight: 'no' found, expected a number"):
        other.set({"separation.weight": "no"})


@pytest.mark.parametrize("until", ["arival", True, [1.0], "", float("nan")])
def test_a_run_until_nobody_knows_what_is_refused_with_what_may_be_given(until):
    sim = sc.Simulation("flock_frame", duration=2.0)
    with pytest.raises(sc.InputError, match=r'until: .* found, expected a time in s, "arrival", a condition to call, or None'):
        sim.run(until=until)
    assert sim.time == 0.0


@pytest.mark.parametrize(("name", "said"), [("sep.weight", "did you mean"), ("separation.weigt", r"did you mean .*separation\.weight"),
                                            ("§", "expected one of .* names such as period")])  # fmt: skip
def test_the_value_of_an_unknown_parameter_is_asked_in_vain(name, said):
    with pytest.raises(sc.InputError, match=rf"get\('{name}'\): unknown parameter.*{said}"):
        sc.Simulation("flock_frame", duration=2.0).get(name)


def test_a_behaviour_that_a_script_adds_late_is_a_key_like_any_other():
    before = sc.Control()  # made before there is such a behaviour

    @dataclass(frozen=True)
    class Late:
        weight: float = sc.param(0.0, "weight", low=0.0, high=10.0)

    @sc.register_behaviour(Late, priority=99)
    def late(state, seen, around, params):
        """To the east."""
        return np.tile((1.0, 0.0), (len(state), 1))

    try:
        assert before.late.weight == 0.0
        sim = sc.Simulation(sc.Scenario(robots=(sc.RobotGroup(count=2),), control=sc.Control(late=Late(weight=1.0)), duration=2.0))
        start = sim.state.position[:, 0]
        assert (sim.run().state.position[:, 0] > start + 0.5).all()
        sim.reset()
        sim.set({"late.weight": 0.0})
        assert not sim.run().state.velocity.any()
    finally:
        sc.BEHAVIOURS.remove("late")


def test_a_request_from_outside_takes_the_place_of_the_behaviours_and_limits_hold():
    sim = sc.Simulation("migrate_boxes", robots=5, seed=2, duration=4.0)
    fleet = sim.setup.fleet
    asked = np.tile((99.0, 99.0), (5, 1))
    before = sim.state.velocity
    for _ in range(40):
        after = sim.step(sc.ExternalRequest(asked, "velocity")).velocity
        change = np.hypot(*(after - before)[:, :2].T)
        assert (change <= fleet.max_acceleration * sim.scenario.control.period + 1e-9).all()
        assert (np.hypot(*after[:, :2].T) <= fleet.max_speed + 1e-9).all()
        before = after
    assert sim.last.tick.requests.names == ()
    with pytest.raises(ValueError, match=r"shape \(3, 2\) found, expected \(5, 2\)"):
        sim.step(sc.ExternalRequest(np.zeros((3, 2))))


def test_a_request_of_nothing_added_changes_nothing():
    one, other = (sc.Simulation("migrate_boxes", robots=5, seed=2, duration=2.0) for _ in range(2))
    for _ in range(40):
        one.step()
        other.step(sc.ExternalRequest(np.zeros((5, 2)), "acceleration", added=True))
    assert np.array_equal(one.state.pose, other.state.pose)


def test_a_velocity_is_reached():
    sim = sc.Simulation(sc.Scenario(robots=(sc.RobotGroup(count=3),), duration=3.0), seed=1)
    wanted = np.array([(0.4, 0.1), (0.0, -0.5), (0.2, 0.2)])
    for _ in range(40):
        state = sim.step(sc.ExternalRequest(wanted, "velocity"))
    assert np.allclose(state.velocity[:, :2], wanted, atol=0.03)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.study), pytest.param(2, marks=pytest.mark.study)])
@pytest.mark.parametrize("name", ["flocks_cross", "formation_beside_flock"])
def test_groups_of_the_shipped_scenarios_arrive_without_a_collision(name, seed):
    summary = sc.Simulation(name, seed=seed).run(until="arrival").metrics()
    assert summary["collisions"] == 0
    assert [group["arrived_fraction"] for group in summary["groups"].values()] == [1.0, 1.0]


def test_it_shows_itself_as_a_picture():
    assert sc.Simulation("migrate_boxes", duration=1.0).run()._repr_png_().startswith(b"\x89PNG")


def test_numbers_and_arrays_of_numpy_are_as_good_as_python_s():
    square = np.array([-4, -4, 4, -4, 4, 4, -4, 4], np.float32)
    for fence in (square, list(square), square.reshape(-1, 2), [list(corner) for corner in square.reshape(-1, 2).tolist()]):
        sim = sc.Simulation("migrate_boxes", robots=np.int64(3), set={"safety.fence": fence, "separation.weight": np.float32(0.5)})
        assert sim.scenario.control.safety.fence == tuple(square) and sim.scenario.control.separation.weight == 0.5
        sim.set({"separation.weight": np.float32(0.25), "safety.fence": fence})
        assert sim.controller.controls.common.separation.weight == 0.25
    robots = (sc.RobotGroup(count=np.int64(2), start=sc.Start(pattern="poses", poses=np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))),)
    goals = (sc.Goal(position=np.array([1.0, 2.0])), sc.Goal(each=((1, 2), (3, 4))), sc.Goal(each=np.array([[1, 2], [3, 4]])))
    found = sc.Simulation(sc.Scenario(robots=robots, goals=goals, duration=np.float64(1.0))).run().scenario
    assert [goal.each for goal in found.goals] == [(), (1.0, 2.0, 3.0, 4.0), (1.0, 2.0, 3.0, 4.0)]
    assert found.goals[0].position == (1.0, 2.0)


ENDLESS = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize("value", [object(), {1, 2}, [object()], {"a": {1}}, ENDLESS, 1j])
def test_what_no_scenario_can_hold_is_one_line(value):
    with pytest.raises(sc.InputError, match=r"^safety.fence: .* found, expected") as refused:
        sc.Simulation("migrate_boxes", set={"safety.fence": value})
    assert "\n" not in str(refused.value)
    with pytest.raises(sc.InputError):
        sc.Simulation("migrate_boxes").set({"safety.fence": value})
