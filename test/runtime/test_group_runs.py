"""Runs of scenarios with groups: what is repeated changes nothing, who acts on whom, what results say, and what may be looked at."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.analysis.simulation import Simulation
from swarm_control.errors import InputError
from swarm_control.runtime.controller import Controller
from swarm_control.scenario.loader import load, loaded_from
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.tree import build, to_data

SPOILT = ["simulator.delay=0.15", "simulator.loss=0.3", "simulator.noise_position=0.01", "perception.delay=0.2", "perception.loss=0.1"]
FORMATION_KEYS = ("formation_error_mean", "formation_error_std", "formation_error_max")
UNLIKE = ("wall_time", "real_time_factor", "groups")


def scenario(**data):
    return build(Scenario, data, "test")


def start(k, count=6, group="", model="omni"):
    return {"count": count, "group": group, "model": model, "start": {"pattern": "grid", "center": [2.0 * k, 0.0], "heading_spread": 90.0}}


CONTROL = {
    "perception": {"radius": 1.5}, "separation": {"weight": 0.6}, "cohesion": {"weight": 0.3}, "alignment": {"weight": 0.4},
    "arrival": {"weight": 0.5},
}  # fmt: skip
CROSSING = {
    "duration": 4.0, "seed": 5, "control": CONTROL,
    "robots": [start(-1, group="red"), start(0), start(1, group="blue", model="differential")],
    "groups": {
        "red": {"goals": [{"position": [3.0, 0.0]}], "control": {"separation": {"weight": 1.0}}},
        "blue": {"goals": [{"position": [-3.0, 0.0]}, {"position": [0.0, 3.0]}], "control": {"cohesion": {"weight": 0.0}}},
    },
}  # fmt: skip


def same_run(a, b):
    assert np.array_equal(a.trajectory.pose, b.trajectory.pose) and np.array_equal(a.trajectory.velocity, b.trajectory.velocity)


def repeated(base, **own):
    """The scenario with all of its robots in one group, which has for its ``own`` what is common."""
    data = to_data(base.scenario)
    for group in data["robots"]:
        group["group"] = f"{group['group']},all".strip(",")
    return loaded_from(build(Scenario, {**data, "groups": {"all": own}}, "test"), source=base.source)


@pytest.mark.parametrize("spoilt", [[], SPOILT], ids=["perfect", "spoilt"])
@pytest.mark.parametrize("name", ["migrate_boxes", "bypass_walls", "formation_translate"])
def test_a_group_that_repeats_what_is_common_changes_no_bit(name, spoilt):
    base = load(name, ["duration=2", *(spoilt if not name.startswith("formation") else spoilt[:3])])
    data = to_data(base.scenario)
    control = {**data["control"], "safety": {k: v for k, v in data["control"]["safety"].items() if not k.endswith("timeout")}}
    del control["period"], control["away"]
    plain = Simulation(base).run()
    for own in ({}, {"control": {"separation": {"weight": control["separation"]["weight"]}}}, {"goals": data["goals"], "control": control}):
        grouped = Simulation(repeated(base, **own)).run()
        same_run(grouped, plain)
        found, expected = grouped.metrics(), plain.metrics()
        unlike = (*UNLIKE, "phases")  # their names begin with the group's
        assert {k: v for k, v in found.items() if k not in unlike} == {k: v for k, v in expected.items() if k not in unlike}
        assert found["groups"].keys() == {"all"}
        # what only the whole has, and what a group has only with goals or a formation of its own
        unlike = (*UNLIKE, "energy", *(() if own.get("goals") else FORMATION_KEYS))
        of_group = {k: v for k, v in found["groups"]["all"].items() if k not in unlike}
        assert of_group == {k: v for k, v in expected.items() if k in of_group}


@settings(max_examples=6, deadline=None)
@given(st.permutations(["red", "blue", "green"]), st.integers(0, 3))
def test_the_order_of_groups_changes_nothing(order, seed):
    groups = {**CROSSING["groups"], "green": {"control": {"alignment": {"weight": 1.0}}}}
    robots = [*CROSSING["robots"][:1], start(0, group="green"), CROSSING["robots"][2]]
    data = {**CROSSING, "duration": 1.0, "seed": seed, "robots": robots}
    one, other = (Simulation(scenario(**{**data, "groups": dict(items)})).run()
                  for items in (groups.items(), [(name, groups[name]) for name in order]))  # fmt: skip
    same_run(one, other)
    found, expected = one.metrics()["groups"], other.metrics()["groups"]
    for name in groups:
        assert {k: v for k, v in found[name].items() if k not in UNLIKE} == {k: v for k, v in expected[name].items() if k not in UNLIKE}


@settings(max_examples=6, deadline=None)
@given(st.floats(-50.0, 50.0), st.floats(-50.0, 50.0))
def test_a_shift_of_everything_shifts_the_run(x, y):
    shift = np.array([x, y])
    data = {**CROSSING, "duration": 1.0}
    moved = {
        **data, "robots": [{**r, "start": {**r["start"], "center": (shift + r["start"]["center"]).tolist()}} for r in data["robots"]],
        "groups": {
            name: {**group, "goals": [{"position": (shift + goal["position"]).tolist()} for goal in group["goals"]]}
            for name, group in data["groups"].items()
        },
    }  # fmt: skip
    here, there = Simulation(scenario(**data)).run().trajectory.pose, Simulation(scenario(**moved)).run().trajectory.pose
    np.testing.assert_allclose(there[..., :2] - shift, here[..., :2], atol=1e-6)


def requests(weights, x):
    """What two robots of two groups, ``x`` m apart, request in the first tick."""
    poses = [{"count": 1, "group": group, "start": {"pattern": "poses", "poses": [[place, 0.0, 0.0]], "speed": speed}}
             for group, place, speed in (("red", 0.0, 0.0), ("blue", x, 0.5))]  # fmt: skip
    control = {"perception": {"radius": 2.0}, **{name: {"weight": weight} for name, weight in weights.items()}}
    made = {}
    for groups in ({}, {"red": {}, "blue": {}}):
        run = Simulation(scenario(robots=poses, control=control, groups=groups))
        run.step()
        asked = run.last.tick.requests
        made[bool(groups)] = dict(zip(asked.names, np.linalg.norm(asked.acceleration[:, 0], axis=1)))
    return made


def test_separation_acts_across_groups_cohesion_and_alignment_within():
    made = requests({"separation": 0.6, "cohesion": 0.3, "alignment": 0.4}, 0.2)
    assert made[True]["separation"] == made[False]["separation"] > 0.0
    assert made[False]["cohesion"] > 0.0 and made[False]["alignment"] > 0.0
    assert made[True]["cohesion"] == made[True]["alignment"] == 0.0


def test_phases_and_live_changes_of_a_group_are_the_same_thing_and_followed():
    changes = {"groups.red.separation.weight": 2.0, "cohesion.weight": 0.9}
    by_phase = Simulation(scenario(**CROSSING, phases=[{"start": 1.0, "set": changes}])).run()
    live = Simulation(scenario(**CROSSING)).run(until=1.0)
    live.set(changes)
    same_run(live.run(), by_phase)
    assert live.get("groups.red.cohesion.weight") == 0.9 and live.get("groups.blue.cohesion.weight") == 0.0
    assert live.get("groups.red.separation.weight") == 2.0 and live.get("separation.weight") == 0.6
    untouched = Simulation(scenario(**CROSSING)).run()
    assert np.array_equal(untouched.trajectory.pose[:20], live.trajectory.pose[:20])
    assert not np.array_equal(untouched.trajectory.pose, live.trajectory.pose)


def test_results_say_the_same_of_each_group():
    found = Simulation(scenario(**{**CROSSING, "duration": 12.0}, goals=[{"position": [0.0, -1.0]}])).run().metrics()
    assert list(found["groups"]) == ["red", "blue"]
    for name, group in found["groups"].items():
        assert group.keys() == found.keys() - {"groups"}
        assert group["robots"] == 6 and group["arrived_fraction"] is not None and group["phases"], name
    assert [phase["name"] for phase in found["groups"]["blue"]["phases"]][:1] == ["goal 1"]


def test_a_group_that_goes_with_others_has_its_own_share_of_the_arrived():
    data = {**CROSSING, "robots": [start(-2, group="red"), start(0)], "goals": [{"position": [0.0, 0.0], "radius": 1.0}], "duration": 0.2}
    found = Simulation(scenario(**{**data, "groups": {"red": {"control": {"separation": {"weight": 1.0}}}}})).run().metrics()
    assert found["groups"]["red"]["arrived_fraction"] == 0.0 < found["arrived_fraction"] < 1.0


def test_groups_are_told_in_the_scenarios_order_whoever_goes_with_whom():
    groups = {"red": {"control": {"separation": {"weight": 1.0}}}, "blue": {"goals": [{"position": [-3.0, 0.0]}]}}
    found = Simulation(scenario(**{**CROSSING, "groups": groups})).metrics()
    assert list(found["groups"]) == ["red", "blue"]


def test_several_formations_at_once_beside_a_flock():
    formation = {"enabled": True, "shape": "line", "spacing": 0.5}
    groups = {
        "red": {"formation": formation, "goals": [{"position": [-4.0, 2.0]}]},
        "blue": {"formation": {**formation, "shape": "circle"}, "goals": [{"position": [6.0, -2.0]}]},
    }
    run = Simulation(scenario(**{**CROSSING, "groups": groups, "duration": 30.0, "goals": [{"position": [0.0, 6.0]}]})).run()
    found = run.metrics()
    assert found["collisions"] == 0
    assert run.last.formation is run.controller.formation(1), "that of the flock without one was told"
    for name in groups:
        assert found["groups"][name]["arrived_fraction"] == 1.0, name
        assert found["groups"][name]["formation_error_mean"] < 0.1
    errors = [found["groups"][name]["formation_error_mean"] for name in groups]
    assert min(errors) <= found["formation_error_mean"] <= max(errors)
    assert run.state.position[6:12].mean(axis=0)[1] > 3.0, "the flock has not gone its way"


def test_a_formation_that_a_phase_ends_has_no_error_any_more():
    groups = {"red": {"formation": {"enabled": True, "shape": "line", "spacing": 0.5}, "goals": [{"position": [-4.0, 2.0]}]}}
    phases = [{"start": 1.0, "set": {"groups.red.formation.enabled": False}}]
    run = Simulation(scenario(**{**CROSSING, "groups": groups, "phases": phases})).run(until=2.0)
    found = run.series.arrays()
    assert np.isfinite(found["formation_error"][found["time"] < 0.95]).all()
    assert np.isnan(found["formation_error"][found["time"] > 1.15]).all()
    assert run.last.error is None


@pytest.mark.parametrize("first", [True, False], ids=["a formation at first", "none at first"])
def test_goals_reached_without_a_formation_are_behind_it_when_it_is_on_again(first):
    goals = [{"position": [x, 0.0], "arrival_radius": 0.8} for x in (1.5, 3.0, 20.0)]
    phases = [{"start": t, "set": {"formation.enabled": on}} for t, on in ((0.5, False), (6.0, True))]
    control = {**CONTROL, "seek": {"weight": 1.0}, "formation": {"enabled": first, "shape": "line", "spacing": 0.4}}
    run = Simulation(scenario(robots=[start(0, count=3)], control=control, goals=goals, phases=phases, duration=9.0))
    index, behind = [], []
    while run.time < 8.9:
        run.step()
        index.append(run.last.orders.of[0].goal_index)
        behind.append(run.controller.formation(0).controllers[0].visits)
    assert index[-1] == 2 == behind[-1] and (np.diff(index) >= 0).all()
    assert index[int(5.9 / 0.05)] == 2, "it did not get there without a formation: the test shows nothing"
    names = [entry["name"] for entry in run.metrics()["phases"] if entry["name"].startswith("goal")]
    assert names == ["goal 1", "goal 2", "goal 3"]
    assert run.state.position[:, 0].mean() > 3.0, "the formation went back to a goal that is behind"


def test_looking_at_a_run_does_not_change_it():
    data = scenario(**CROSSING, simulator={"loss": 0.3, "delay": 0.1, "noise_position": 0.01})
    plain, looked_at = Simulation(data).run(), Simulation(data)
    while looked_at.time < 4.0 - 1e-9:
        looked_at.step()
        looked_at.metrics(), looked_at.state, looked_at.trajectory, looked_at.get("groups.red.separation.weight")
    same_run(looked_at, plain)


def test_a_reset_gives_the_same_bits_with_the_scenarios_parameters():
    data = {**CROSSING, "simulator": {"loss": 0.3, "delay": 0.1, "noise_position": 0.01, "noise_speed": 0.1, "asynchronous": 1.0}}
    data["control"] = {**CONTROL, "perception": {"radius": 1.5, "loss": 0.2}}
    run = Simulation(scenario(**data))
    run.set({"groups.red.separation.weight": 3.0})
    run.run(until=2.0)
    run.reset()
    same_run(run.run(), Simulation(scenario(**data)).run())


def test_set_is_all_or_nothing_and_names_the_key():
    run = Simulation(scenario(**CROSSING))
    before = run.controller.controls
    with pytest.raises(InputError, match=r"groups\.red\.separation\.weight"):
        run.set({"cohesion.weight": 1.0, "groups.red.separation.weight": -1.0})
    assert run.controller.controls is before
    assert isinstance(run.controller, Controller)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"period": 0.1}, r"parameters: period: 0\.1 s found, expected 0\.05 s, as the period lasts for a whole run"),
        ({"groups.red.safety.fence": [-9, -9, 9, -9, 9, 9, -9, 9]}, r"parameters: groups\.red\.safety\.fence: .* robot_0 is a bicycle"),
        ({"groups.red.social.laws": ["{acts_on: gren, of: red, equilibrium: 1}"]}, r"groups\.red\.social\.laws\[0\]\.acts_on: 'gren'"),
    ],
)  # fmt: skip
def test_what_a_run_cannot_be_given_on_its_way_is_refused_as_by_the_nodes(changes, said):
    rider = {"count": 1, "group": "red", "model": "bicycle", "max_speed": 6.0, "start": {"center": [0.0, 5.0], "speed": 5.0}}
    run = Simulation(scenario(**{**CROSSING, "robots": [rider, start(1, group="blue")]}))
    with pytest.raises(InputError, match=said):
        run.set(changes)


@pytest.mark.parametrize("change", [{"robots": 40}, {"set": {"robots.0.model": "differential"}}])
def test_groups_with_more_robots_and_other_models(change):
    run = Simulation(scenario(**{**CROSSING, "duration": 0.5}), **change).run()
    assert np.isfinite(run.trajectory.pose).all()
