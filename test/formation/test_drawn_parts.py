"""Nothing changes unnoticed what the parts of planning come to: each is called with drawn robots, places and walls.

``test_drawn_plans.py`` has whole plans; what a part does that seldom decides a plan shows here. ``drawn_parts.json`` keeps what the parts
come to; where a change is meant, ``PYTHONPATH=test/support python test/formation/test_drawn_parts.py`` writes it anew, without the
draws that magnify a tiny change.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from drawn_plans import drawn_fleet, drawn_map
from kept_numbers import short, sums, write

from swarm_control.formation.drive import Drive
from swarm_control.formation.forming import lattice, legs, parting, spot_turns
from swarm_control.formation.forming.among_walls import Walls, paths
from swarm_control.formation.forming.driving_apart import driven_apart
from swarm_control.formation.forming.pulling_out import pulled_out
from swarm_control.formation.forming.straighten import lone_shortcuts, straightened
from swarm_control.formation.forming.timed import legs as timed_legs
from swarm_control.formation.forming.timed import timed
from swarm_control.formation.routing import path_search, path_smoothing
from swarm_control.formation.routing.arrangement import chain
from swarm_control.formation.routing.proof import pair_needs, tightest
from swarm_control.formation.timetable import UnreachableError

FILE = Path(__file__).with_name("drawn_parts.json")
KNOWN = json.loads(FILE.read_text(encoding="utf-8"))
DRAWS = 24
NUDGE, MAGNIFIED = 1e-13, 1e-9


def crowd(rng, nudge, most=9, pitch=2.2):
    """A fleet, what it keeps (N,) m, and poses (N, 3) of a grid that is crowded here and there."""
    n = int(rng.integers(2, most))
    fleet, k = drawn_fleet(rng, n, ("omni", "differential", "car")), np.arange(n)
    place = pitch * fleet.radius.max() * np.column_stack((k // 3, k % 3)) + rng.uniform(-0.02, 0.02, (n, 2))
    yaw = rng.uniform(-0.4, 0.4, n) + np.pi * (rng.random(n) < 0.3)
    return fleet, fleet.radius, np.column_stack((place + nudge * rng.uniform(-1.0, 1.0, (n, 2)), yaw))


def parts(rng, nudge):
    """Knots that part robots which change places, and how near the robots come to each other."""
    _, keep, pose = crowd(rng, nudge, pitch=rng.uniform(2.1, 4.0))
    start, order = pose[:, :2], rng.permutation(len(pose))
    goal = start[order] * rng.uniform(1.0, 1.6) + rng.uniform(-1.0, 1.0, 2)
    wider = keep * rng.uniform(1.0, 1.3)
    found = [*parting.expanded(start, goal, keep, wider)]
    for between in (1, 2, 4):
        made = parting.relaxed(start, goal, keep, between, 60)
        found += [] if made is None else [made]
    for knots in (np.array([start, goal]), *found):
        worst = legs.nearest(knots, keep)
        found.append(np.array([worst.gap, worst.first, worst.second, worst.leg]))
    return found


def pulls(rng, nudge):
    """Where crowded cars pull out to."""
    fleet, keep, pose = crowd(rng, nudge, pitch=2.1)
    cars = fleet.column(lambda model: model.turns_on_the_move)
    cars |= rng.random(len(keep)) < 0.5
    return [cars, *pulled_out(pose, keep, keep * 1.5, cars), *driven_apart(pose, keep, keep * 1.5, cars)]


def turns(rng, nudge):
    """Legs in time, with turns on the spot, and cars' turns in place."""
    fleet, keep, pose = crowd(rng, nudge, pitch=8.0)
    turners = spot_turns.Turners.of(fleet, Drive(speed_share=rng.uniform(0.5, 1.0), acceleration_share=rng.uniform(0.2, 0.8)))
    knots = pose[:, :2] + np.cumsum(rng.normal(0.0, 0.3, (3, len(keep), 2)) * rng.integers(0, 2, (3, len(keep), 1)), axis=0)
    made = timed_legs(knots, pose[:, 2], turners, keep, np.full(knots.shape[:2], rng.uniform(0.5, 3.0)))
    found = []
    if made is not None:
        table = timed(made, turners)
        found = [made.facing, made.lasting, np.array([made.duration]), *(place for _, place in made.cars)]
        found += [np.array([len(table.time)]), table.time[::7], table.place[::7]]
    turn, radius, room = rng.uniform(-3.0, 3.0, 9), rng.uniform(0.2, 0.6, 9), rng.uniform(0.0, 1.0, 9)
    count = spot_turns.cycles(turn, radius, room)
    return [*found, count, *spot_turns.arcs(turn, radius, count)]


def floors(rng, nudge):
    """Walls: what they leave, ways on a lattice, and straighter ones."""
    room, (fleet, keep, pose) = drawn_map(rng), crowd(rng, nudge, most=4, pitch=4.0)
    walls, start = Walls(room, fleet.radius + 0.02), pose[:, :2] - 3.0
    goal = rng.uniform(2.0, 3.2, 2) + (start - start.mean(axis=0))[rng.permutation(len(start))]
    found = [walls.spare(np.array([start, goal])), walls.passes(start, goal)]
    net = lattice.FloorLattice.of(room, np.vstack((start, goal)), 0.31, 0.4)
    entries = net.entries(goal[0], 0.12)
    found += [net.places[::9], net.sides[::5], entries, np.minimum(net.lengths(goal[0], entries, 0.12), 99.0)[::5]]
    try:
        ways = paths(walls, start, goal, np.ones((len(start), len(start)), bool))
        found.append(ways.length)
    except UnreachableError:
        found.append(np.array([-1.0]))
    steps = start + np.cumsum(rng.normal(0.0, 0.12, (14, len(start), 2)) + (goal - start).mean(axis=0) / 20.0, axis=0)
    turners = spot_turns.Turners.of(fleet, Drive())
    return [*found, lone_shortcuts(steps, walls, keep), straightened(steps, walls, keep, turners)]


def routes(rng, nudge):
    """Ways of a structure's middle, narrow places, and arrangements from the rigid one to a column."""
    room, (fleet, _, pose) = drawn_map(rng), crowd(rng, nudge)
    begin, end = rng.uniform(-3.4, -2.6, 2) + nudge, rng.uniform(2.6, 3.4, 2)
    search = path_search.search(room, end, 0.2, 0.5)
    wide, where = path_search.widest(room, begin, end)
    found = [search.root, np.array([wide]), np.zeros(2) if where is None else where]
    way = path_search.way(search, begin, 0.3)
    if way is not None:
        even = path_smoothing.resampled(way, 0.05)
        pulled = path_smoothing.pulled(way, walls=Walls(room, fleet.radius).map.once(lattice.walls_of), need=0.2, comfort=0.4)
        smooth = path_smoothing.smoothed(even, search.map, (0.2, 0.4), 0.05, 4.0, 3)
        found += [even, pulled, smooth, path_smoothing.headings(even)]
    pair = pair_needs(fleet, 0.02)
    made = chain(pose[:, :2] - pose[:, :2].mean(axis=0), pair, 1.2 * pair, 0.05)
    at = tightest(np.cumsum(rng.normal(0.0, 0.1, (9, len(pose), 2)), axis=0) + pose[:, :2], fleet, room, 0.02)
    return [*found, made.points[::5], made.share[::5], *at]


PARTS = {"parts": parts, "pulls": pulls, "turns": turns, "floors": floors, "routes": routes}


def found(case, nudge=0.0):
    """What a part comes to, as sums."""
    name, draw = case.split()
    rng = np.random.default_rng([51, list(PARTS).index(name), int(draw)])
    return sums(PARTS[name](rng, nudge))


@pytest.mark.parametrize("case", KNOWN)
def test_a_part_of_planning_comes_to_what_it_did(case):
    assert found(case) == pytest.approx(KNOWN[case], rel=1e-7, abs=1e-8)


def steady(case):
    """Whether a tiny change of where robots are is not magnified."""
    return found(case, NUDGE) == pytest.approx(found(case), rel=MAGNIFIED, abs=MAGNIFIED)


if __name__ == "__main__":
    write(FILE, {case: short(found(case)) for case in (f"{name} {draw}" for name in PARTS for draw in range(DRAWS)) if steady(case)})
