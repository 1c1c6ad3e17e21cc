"""Where the separation filter's proof does not hold the user is told, in a line each, and nowhere else."""

import json

import pytest

from swarm_control.scenario.assumptions import UNPROVEN
from swarm_control.scenario.loader import load_prepared

QUIET = ["robots.0.count=4", "control.separation_filter.enabled=true"]


def told(*changes):
    _, setup = load_prepared("traffic_antipodal", [*QUIET, *changes])
    return [line for line in setup.notices if UNPROVEN in line]


def at_speed(one, other):
    """Two robots that are 0.3 m apart and go at 0.8 m/s, on these courses (degrees)."""
    poses = [[0.0, 0.0, one], [0.3, 0.0, other]]
    return f"robots.0={json.dumps({'count': 2, 'start': {'pattern': 'poses', 'speed': 0.8, 'poses': poses}})}"


@pytest.mark.parametrize("changes", [
    (), ("control.estimation.enabled=false",), ("simulator.delay=0.3", "simulator.loss=0.3", "simulator.noise_position=0.01"),
    ("simulator.asynchronous=1",),
    ("robots.0.model=car",), (at_speed(180, 0),), ("simulator.noise_speed=0.1", "control.separation_filter.enabled=false"),
])  # fmt: skip
def test_nothing_is_said_where_the_proof_holds_or_nobody_asks_for_it(changes):
    assert told(*changes) == []


@pytest.mark.parametrize(("changes", "key"), [
    (("simulator.delay=0.3", "control.estimation.enabled=false"), "control.estimation.enabled"),
    (("simulator.loss=0.3", "control.estimation.enabled=false"), "control.estimation.enabled"),
    (("simulator.delay=3",), "simulator.delay"),
    (("simulator.noise_speed=0.1",), "simulator.noise_speed"),
    (("simulator.noise_turn=0.1",), "simulator.noise_turn"),
    (("robots.0.model=hexapod",), "hexapod"),
    ((at_speed(0, 180),), "robots.start.speed"),
])  # fmt: skip
def test_each_broken_assumption_is_named(changes, key):
    (line,) = told(*changes)
    assert key in line


def test_a_group_that_does_not_filter_is_named(tmp_path):
    file = tmp_path / "two.yaml"
    file.write_text(
        """
robots: [{count: 3, model: omni, group: tame}, {count: 3, model: omni, group: wild, start: {center: [3, 0]}}]
control: {seek: {weight: 1}, separation_filter: {enabled: true}}
goals: [{position: [5, 0]}]
groups: {wild: {control: {separation_filter: {enabled: false}}}}
""",
        encoding="utf-8",
    )
    _, setup = load_prepared(str(file), [])
    (line,) = [line for line in setup.notices if UNPROVEN in line]
    assert line.startswith("groups.wild.separation_filter.enabled")


@pytest.mark.parametrize(("speed", "can"), [(0.59, True), (0.64, False)])
def test_two_who_meet_can_stop_from_no_more_than_their_brakes_allow(speed, can):
    """From 0.3 m apart, footprints of 0.0375 m: v²/2b ≤ 0.1125 m for each, b a half of 3.2 m/s²."""
    poses = [[0.0, 0.0, 0.0], [0.3, 0.0, 180.0]]
    start = {"pattern": "poses", "speed": speed, "poses": poses}
    group = {"count": 2, "radius": 0.0375, "max_speed": 1.0, "max_acceleration": 3.2, "start": start}
    assert (told(f"robots.0={json.dumps(group)}") == []) == can
