"""Formations, and parts of one, that end in each other's places are named before they start; others are not."""

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import swarm_control as sc


def notices(folder, goals, groups=None, **formation):
    made = {
        "duration": 10.0,
        "robots": [{"count": 6, "model": "omni", "radius": 0.1, "start": {"pattern": "line", "spacing": 0.5}}],
        "control": {"formation": {"enabled": True, "shape": "line", "spacing": 0.4, **formation}},
        "goals": goals,
    }
    if groups:
        half = {**made["robots"][0], "count": 3}
        made["robots"] = [{**half, "group": name, "start": {**half["start"], "center": [0.0, 2.0 * k]}} for k, name in enumerate(groups)]
        made["groups"], made["control"]["formation"]["enabled"] = groups, False
    (folder / "run.yaml").write_text(yaml.safe_dump(made))
    return [line for line in sc.Simulation(folder / "run.yaml").setup.notices if "both stand" in line]


def test_two_parts_with_one_goal_are_named_and_goals_on_the_way_may_be_the_same(tmp_path):
    goals = [{"position": [3.0, 0.0], "part": 1}, {"position": [3.0, 0.0], "part": 2}]
    (line,) = notices(tmp_path, goals, split=[3, 3])
    assert line.startswith("goals[0] and goals[1]: robot_0 and robot_3 would both stand at (3, ") and line.endswith(
        "press against each other"
    )
    on = [{"position": [5.0, 0.0], "part": 1}, {"position": [5.0, 3.0], "part": 2}]
    assert not notices(tmp_path, goals + on, split=[3, 3])


def test_parts_that_are_one_again_end_at_their_last_goals_before(tmp_path):
    goals = [{"position": [3.0, 0.0], "part": 1}, {"position": [3.0, 0.0], "part": 2}, {"position": [9.0, 0.0]}]
    assert len(notices(tmp_path, goals, split=[3, 3])) == 1


@pytest.mark.parametrize("own", [True, False])
def test_two_formations_in_one_place_are_named_by_their_keys(tmp_path, own):
    groups = {name: {"formation": {"enabled": True, "shape": "line", "spacing": 0.4}} for name in ("red", "blue")}
    if own:
        for group in groups.values():
            group["goals"] = [{"position": [3.0, 0.0]}]
    (line,) = notices(tmp_path, [] if own else [{"position": [3.0, 0.0]}], groups)
    keys = "groups.blue.goals[0] and groups.red.goals[0]" if own else "goals[0]"
    assert line.startswith(f"{keys}: robot_")


@given(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5), st.floats(-180.0, 180.0), st.floats(-0.5, 0.5))
def test_they_are_named_if_and_only_if_two_footprints_overlap(tmp_path_factory, x, y, heading, pivot):
    goals = [{"position": [0.0, 0.0], "part": 1, "heading": 20.0}, {"position": [x, y], "part": 2, "heading": heading}]

    def stand(at, angle):
        along = np.array([0.0, pivot]) + np.column_stack((np.zeros(3), [-0.4, 0.0, 0.4]))
        c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
        return at + along @ np.array([[c, s], [-s, c]])

    gap = np.linalg.norm(stand(np.zeros(2), 20.0)[:, None] - stand(np.array([x, y]), heading), axis=-1).min() - 0.2
    told = notices(tmp_path_factory.mktemp("run"), goals, split=[3, 3], pivot=[0.0, -pivot])
    assert abs(gap) < 1e-6 or bool(told) == (gap < 0.0)
