"""A scenario in a few lines."""

import pytest

from swarm_control import paths
from swarm_control.scenario.loader import load_prepared
from swarm_control.scenario.summary import summarise


def summary_of(name, *changes):
    """What is said, under each heading."""
    loaded, setup = load_prepared(name, changes)
    found, heading = {}, ""
    for new, line in summarise(loaded.scenario, setup, loaded.source):
        heading = new.strip() or heading
        found.setdefault(heading, []).append(line)
    return found


@pytest.mark.parametrize("name", sorted(paths.scenarios()))
def test_every_scenario_has_one(name):
    found = summary_of(name, *(["robots=50"] if name == "scale" else []))
    assert {"file", "robots", "world", "goals", "control", "duration"} <= found.keys()
    assert all(len(line) < 400 and "{" not in line for lines in found.values() for line in lines)


def test_it_says_who_where_whereto_and_how():
    found = summary_of("migrate_boxes", "robots=7", "robots.0.model=differential", "simulator.loss=0.3", "seed=9")
    assert found["robots"] == ["7 differential: radius 0.0375 m, up to 0.8 m/s and 4 m/s², 6 rad/s; start: scatter at (-3.5, -3.5)"]
    assert found["world"][0].startswith("boxes.world: 10.1 × 10.1 m from (-5.05, -5.05), 94 % free")
    assert found["goals"] == ["(3.5, 3.5), reached when 100 % have arrived"]
    assert found["control"][0] == "prioritised: arrival 0.1, steer_to_avoid 0.85, separation 0.2, cohesion 0.35"
    assert found["control"][2] == "robots heed the 6 nearest within 2 m" and found["disturbed"] == ["loss 0.3"]
    assert found["duration"] == ["120 s, a tick every 0.05 s, seed 9"]


def test_groups_phases_failures_and_formations_are_told():
    assert summary_of("flocks_cross")["goals"][1].startswith("blue: (0, 4)")
    assert summary_of("flocks_cross")["blue"] == ["cohesion.weight 0.6, separation.distance 0.35"]
    castle = summary_of("guard_castle")
    assert castle["phases"] == ["ring from 0 s", "invasion from 30 s: social.laws (5 of them)"]
    assert castle["control"][-1] == "robots heed all others, however far"
    assert summary_of("formation_failure")["disturbed"][-1] == "robot_1 stands from 5 to 12 s"
    assert summary_of("formation_gap")["control"][0] == "formation wedge, neighbours 0.5 m apart"
    assert "MuJoCo moves them" in summary_of("herd_hoppers", "robots=3")["robots"]


def test_landmarks_are_counted():
    marks = "landmarks=[{{group: a, shape: {shape}, points: [0, 0, 1, 0, 1, 1]}}]"
    assert summary_of("migrate_boxes", marks.format(shape="points"))["robots"][-1] == "landmarks of a: 3 points"
    assert summary_of("migrate_boxes", marks.format(shape="line"))["robots"][-1] == "landmarks of a: a line through 3 points"
