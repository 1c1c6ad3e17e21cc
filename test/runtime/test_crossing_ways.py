"""Ways of two formations that cross: clocks are held so that both come to their ends and nobody meets, and formations pass one gap."""

from functools import partial

import numpy as np
import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

import swarm_control as sc
from swarm_control.core.state import Fleet
from swarm_control.formation.timetable import Timetable
from swarm_control.formation.way import PlannedWay
from swarm_control.runtime.crossing_ways import STEP, Diagram

ROOM, RADIUS, NAMES = 0.05, 0.1, tuple(f"robot_{k}" for k in range(6))
each = partial(np.full, 6)
FLEET = Fleet(NAMES, ("omni",) * 6, each(RADIUS), each(1.0), each(1.0), each(3.0), each(0.16))


def drawn(rng, names):
    """Robots one behind the other on a bent way across the middle."""
    turn, back, duration = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.5, 2.0), rng.uniform(4.0, 12.0)
    along, aside = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    middle = np.array([-2.0 * along, rng.uniform(-0.5, 0.5) * aside, back * along])[:, None]
    places = middle - 0.3 * np.arange(len(names))[:, None] * along
    return PlannedWay(Timetable(np.array([0.0, 0.5, 1.0]) * duration, places), names, places[0])


def apart(ways, clocks):
    """How far footprints are from each other at these clocks."""
    one, other = (way.schedule.at(clock) for way, clock in zip(ways, clocks))
    return np.hypot(*(one[:, None] - other).reshape(-1, 2).T).min() - 2.0 * RADIUS


@given(st.integers(0, 10**6), st.floats(0.3, 1.0), st.floats(0.3, 1.0))
def test_whoever_waits_as_told_comes_to_the_end_and_meets_nobody(seed, one, other):
    rng = np.random.default_rng(seed)
    ways = (drawn(rng, NAMES[: rng.integers(1, 4)]), drawn(rng, NAMES[3 : 3 + rng.integers(1, 4)]))
    diagram = Diagram.of(ways, FLEET, ROOM)
    assume(diagram.leads_on((0.0, 0.0)))
    clocks = [0.0, 0.0]
    for _ in range(2000):
        waits = diagram.held((clocks[0], clocks[1]))
        assert not all(waits)
        clocks = [clock + 0.05 * speed * (not held) for clock, speed, held in zip(clocks, (one, other), waits)]
        assert apart(ways, [STEP * int(clock / STEP) for clock in clocks]) >= ROOM
        if all(clock >= way.schedule.duration for way, clock in zip(ways, clocks)):
            return
    raise AssertionError("never came to the end")


@given(st.integers(0, 10**6))
def test_nobody_waits_for_ways_that_do_not_meet(seed):
    rng = np.random.default_rng(seed)
    one, other = drawn(rng, NAMES[:2]), drawn(rng, NAMES[3:5])
    far = PlannedWay(Timetable(other.schedule.time, other.schedule.place + 10.0), other.names, other.points)
    diagram = Diagram.of((one, far), FLEET, ROOM)
    assert all(diagram.held((a, b)) == (False, False) for a, b in rng.uniform(0.0, 12.0, (20, 2)))


def test_two_that_are_to_change_places_in_one_line_cannot():
    place = np.array([[[-1.0, 0.0]], [[1.0, 0.0]]])
    ways = [PlannedWay(Timetable(np.array([0.0, 4.0]), at), (name,), at[0]) for at, name in ((place, "robot_0"), (place[::-1], "robot_1"))]
    diagram = Diagram.of((ways[0], ways[1]), FLEET, ROOM)
    assert not diagram.leads_on((0.0, 0.0)) and diagram.held((0.0, 0.0)) == (False, False)


BODY = {"radius": 0.1, "wheel_base": 0.16, "max_speed": 0.6, "max_acceleration": 1.5, "max_turn_rate": 4.0}


def scattered(count, x, **more):
    return {"count": count, **BODY, "start": {"pattern": "scatter", "center": [x, -1.5], "spacing": 0.3, "heading_spread": 360}, **more}


@pytest.mark.parametrize("model", ["omni", "differential", "car"])
def test_two_formations_pass_one_gap_in_opposite_directions(model, tmp_path):
    """They blocked each other in it, planned anew around each other, and took two minutes, or never came."""
    keeps = {"enabled": True, "spacing": 0.5}
    run = simulated(tmp_path, {
        "robots": [scattered(7, -3, group="red", model=model), scattered(6, 3, group="blue", model=model)],
        "groups": {
            "red": {"goals": [{"position": [3, 1.5]}], "formation": {**keeps, "shape": "circle"}},
            "blue": {"goals": [{"position": [-3, 2]}], "formation": {**keeps, "shape": "line"}},
        },
    })  # fmt: skip
    assert run.done and run.metrics()["collisions"] == 0 and run.time < 60.0


def test_two_parts_pass_one_gap_side_by_side(tmp_path):
    run = simulated(tmp_path, {
        "robots": [scattered(7, -3, model="differential")],
        "control": {"formation": {"enabled": True, "shape": "wedge", "spacing": 0.5, "split": [4, 3]}},
        "goals": [{"position": [3, -2], "part": 1}, {"position": [3, 2], "part": 2}],
    })  # fmt: skip
    assert run.done and run.metrics()["collisions"] == 0 and run.time < 60.0


def test_nobody_waits_for_a_formation_that_gets_on_no_farther(tmp_path):
    """A robot of the one that goes first fails for good beside the gap: the other, which has waited, goes past it."""
    keeps = {"enabled": True, "spacing": 0.5, "shape": "line"}
    run = simulated(tmp_path, {
        "robots": [scattered(4, -3, group="red"), scattered(4, 3, group="blue")],
        "simulator": {"failures": [{"robot": "robot_5", "start": 8.0}]},
        "groups": {
            "red": {"goals": [{"position": [3, 1.5]}], "formation": keeps},
            "blue": {"goals": [{"position": [-3, 2]}], "formation": keeps},
        },
    })  # fmt: skip
    red = run.state.position[:4].mean(axis=0)
    assert np.hypot(*(red - (3.0, 1.5))) < 0.1 and run.metrics()["collisions"] == 0


def simulated(folder, scenario):
    file = folder / "gap.yaml"
    control = {"period": 0.05, "separation_filter": {"enabled": True}, **scenario.get("control", {})}
    file.write_text(yaml.safe_dump({"world": "gap.world", "duration": 120, **scenario, "control": control}))
    return sc.Simulation(file).run(until="arrival")
