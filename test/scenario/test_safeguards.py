"""Fences that cannot hold the robots of a scenario are refused, wherever they are set."""

import pytest
import yaml

from swarm_control.analysis.simulation import Simulation
from swarm_control.errors import InputError
from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.groups import controls_of, squads
from swarm_control.scenario.loader import load
from swarm_control.scenario.safeguards import check_caps_now, check_fence, wary_filter
from swarm_control.scenario.setup import prepare

FENCE = [-50, -50, 50, -50, 50, 50, -50, 50]


def made(tmp_path, model, changes=(), **more):
    file = tmp_path / "fenced.yaml"
    file.write_text(yaml.safe_dump({"robots": [{"count": 2, "model": model, "radius": 0.5}], **more}))
    loaded = load(str(file), list(changes))
    return prepare(loaded.scenario, loaded.source)


@pytest.mark.parametrize(("more", "where"), [
    ({"control": {"safety": {"fence": FENCE}}}, "control.safety.fence"),
    ({"phases": [{"start": 3, "set": {"safety.fence": FENCE}}]}, r"phases\[0\].set: safety.fence"),
])  # fmt: skip
def test_a_fence_around_bicycles_is_refused_by_model_key_and_reason(tmp_path, more, where):
    with pytest.raises(InputError, match=f"fenced.yaml: {where}: .*robot_0 is a bicycle, which cannot stand still") as refused:
        made(tmp_path, "bicycle", **more)
    assert "\n" not in str(refused.value)
    made(tmp_path, "hopper", **more)


def test_a_fence_set_on_the_command_line_is_refused_too(tmp_path):
    with pytest.raises(InputError, match=r"safety.fence: .*bicycle"):
        made(tmp_path, "bicycle", [f"control.safety.fence={FENCE}"])


@pytest.mark.parametrize(("more", "where"), [
    ({"control": {"safety": {"speed_cap": 2.0}}}, "control.safety.speed_cap"),
    ({"phases": [{"start": 3, "set": {"safety.speed_cap": 2.0}}]}, r"phases\[0\].set: safety.speed_cap"),
])  # fmt: skip
def test_a_speed_cap_that_bicycles_cannot_keep_to_is_refused(tmp_path, more, where):
    with pytest.raises(InputError, match=f"fenced.yaml: {where}: 2 m/s found, .*robot_0 is a bicycle, which goes at 3 m/s at least"):
        made(tmp_path, "bicycle", **more)
    made(tmp_path, "hopper", **more)
    made(tmp_path, "bicycle", ["bodies.bicycle.min_speed=1.5"], **more)


def test_a_speed_cap_set_live_is_asked_of_the_same_check(tmp_path):
    setup = made(tmp_path, "bicycle")
    controls = controls_of(load(str(tmp_path / "fenced.yaml"), ["safety.speed_cap=2"]).scenario, "")
    parts = squads({}, setup.society)
    with pytest.raises(InputError, match=r"motion_model: safety.speed_cap: 2 m/s found"):
        check_caps_now(controls, setup.fleet, parts, Bodies(), "motion_model")


def test_live_parameters_are_asked_of_the_same_check(tmp_path):
    setup = made(tmp_path, "bicycle")
    file = tmp_path / "fenced.yaml"
    control = load(str(file), [f"control.safety.fence={FENCE}"]).scenario.control
    with pytest.raises(InputError, match=r"motion_model: safety.fence: .*bicycle"):
        check_fence(control, setup.fleet, "motion_model: safety.fence")


def test_a_filter_for_robots_that_cannot_stand_is_said_to_be_little(tmp_path):
    filtered = {"separation_filter": {"enabled": True}}
    assert any("bicycle cannot stand still" in line for line in made(tmp_path, "bicycle", control=filtered).notices)
    (late,) = made(tmp_path, "hopper", control=filtered).notices
    assert "follows commands late" in late


def test_what_groups_have_of_their_own_is_told_of_their_robots(tmp_path):
    robots = [
        {"count": 2, "model": model, "radius": 0.5, "group": group, "start": {"center": [x, 0.0], "speed": 5.0}}
        for group, model, x in (("red", "omni", 200.0), ("blue", "bicycle", 90.0))
    ]  # fmt: skip
    groups = {"red": {"control": {"safety": {"fence": FENCE}}}, "blue": {"control": {"separation_filter": {"enabled": True}}}}
    notices = made(tmp_path, "omni", robots=robots, groups=groups).notices
    assert len(notices) == 3 and notices[2].startswith("groups.red.separation_filter.enabled: off")
    assert notices[0].startswith("groups.blue: separation_filter is on") and "bicycle cannot stand still" in notices[0]
    assert notices[1].startswith("groups.red: beyond the fence") and "robot_0, robot_1;" in notices[1]


def test_a_fence_of_one_group_lets_another_group_have_bicycles(tmp_path):
    """From the start, or set later."""
    file = tmp_path / "mixed.yaml"
    fence = [-3, -3, 3, -3, 3, 3, -3, 3]
    robots = [
        {"count": 2, "model": "differential", "group": "wheels", "start": {"center": [0, 0]}},
        {"count": 2, "model": "bicycle", "group": "bikes", "radius": 0.5, "start": {"center": [20, 0], "spacing": 3, "speed": 5}},
    ]  # fmt: skip
    groups = {"wheels": {"control": {"safety": {"fence": fence}}}, "bikes": {}}
    control = {"seek": {"weight": 1.0}}
    file.write_text(yaml.safe_dump({"robots": robots, "groups": groups, "control": control, "goals": [{"position": [40, 0]}]}))
    simulation = Simulation(str(file), duration=2.0).run()
    assert (simulation.state.pose[2:, 0] > 20).any() and (abs(simulation.state.pose[:2, 0]) < 3).all()
    free = Simulation(str(file), duration=1.0, set={"groups.wheels.safety.fence": []})
    free.set({"groups.wheels.safety.fence": fence})
    free.run()


def test_the_filter_counts_on_what_the_simulator_does_to_odometry_and_commands():
    scenario = load("migrate_boxes", ["simulator.noise_position=0.02", "simulator.noise_heading=3", "simulator.asynchronous=1.2"]).scenario
    wary = wary_filter(scenario.control, scenario.simulator)
    assert (wary.noise, wary.noise_heading, wary.noise_velocity) == (0.02, 3.0, 0.0)
    assert wary.latency == 2 * scenario.control.period, "whole periods, as commands are given once in each"
    more = load("migrate_boxes", ["separation_filter.noise=0.1", "simulator.noise_position=0.02"]).scenario
    assert wary_filter(more.control, more.simulator) is more.control.separation_filter
