"""Nothing changes unnoticed what is read from maps and neighbours, and chosen by it: parts are called with drawn swarms and walls.

``drawn_grounds.json`` keeps what the parts come to; where a change is meant,
``PYTHONPATH=test/support python test/core/test_drawn_grounds.py`` writes it anew, without the draws that magnify a tiny change.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from drawn_plans import drawn_map
from kept_numbers import short, sums, write

from swarm_control.core import grid
from swarm_control.core.accumulation import Accumulation, accumulate
from swarm_control.core.cells import first_come
from swarm_control.core.fields import clearance_of, guidance_field, repulsion_field
from swarm_control.core.following import point_ahead, straight, way_ahead
from swarm_control.core.ground import FreeGround, places_around
from swarm_control.core.half_planes import least_bad_velocity, nearest_allowed, nearest_velocity
from swarm_control.core.leaders import Leaders, assign_goals
from swarm_control.core.obstacles import round_obstacles
from swarm_control.core.perception import DelayBuffer, Perception, perceive
from swarm_control.core.routes import Routes
from swarm_control.core.state import Requests, SwarmState
from swarm_control.core.walldistance import WallDistance

FILE = Path(__file__).with_name("drawn_grounds.json")
KNOWN = json.loads(FILE.read_text(encoding="utf-8"))
DRAWS, N = 20, 40
NUDGE, MAGNIFIED = 1e-13, 1e-9
CLOSE = 1e-5
"""Fields of maps have single precision."""


def swarm(rng, nudge, wide=4.3):
    """Robots in the room and a little beyond it, a few without odometry."""
    pose = np.column_stack((rng.uniform(-wide, wide, (N, 2)) + nudge * rng.uniform(-1.0, 1.0, (N, 2)), rng.uniform(-np.pi, np.pi, N)))
    return SwarmState.of(3.0, pose, rng.normal(0.0, 0.5, (N, 3)), rng.random(N) > 0.1)


def grounds(rng, nudge):
    """Rooms and halls, discs of free ground, and places round a goal."""
    state, room = swarm(rng, nudge), drawn_map(rng)
    ground, place, clear = FreeGround(room.grid), rng.uniform(-4.2, 4.2, 2), rng.uniform(0.05, 0.4)
    hall, area = ground.hall(place, clear, 1.0), rng.uniform(0.2, 30.0)
    found = [ground.joined(place, state.position, clear), ground.rooms_of(state.position, clear), hall, ground.area]
    found += [ground.in_hall(state.position, hall, clear), sorted(ground.rooms_near(place, clear, 0.7)), ground.free(state.position, clear)]
    found += [ground.radius(place, area), ground.radius(place, area, hall, clear)]
    return [*found, places_around(place, rng.uniform(0.2, 1.5), int(rng.integers(1, 30)), rng.uniform(0.2, 0.5), ground, clear, 3.0)]


def ways(rng, nudge):
    """Fields that lead to a goal and away from walls, and what is looked up on the way."""
    state, room, goal = swarm(rng, nudge), drawn_map(rng), rng.uniform(-3.0, 3.0, 2)
    direction, time = guidance_field(room, (goal[0], goal[1]), rng.uniform(0.05, 0.15), rng.uniform(0.2, 0.5))
    found = [repulsion_field(room.clearance, room.grid.resolution, 0.6)[::7, ::7], np.isfinite(time).sum(), direction[::9, ::9]]
    goals = np.where(rng.random((N, 1)) < 0.2, np.nan, rng.uniform(-3.5, 3.5, (N, 2)))
    found.append(Routes(room, 0.1).direction(state.pose, goals, rng.uniform(0.1, 0.2, N)))
    for position, other in zip(state.position[:8], state.position[8:16]):
        found.append(point_ahead(direction, room, position, 0.9, 0.1))
        found += [straight(room, position, other, 3.0, 0.08), way_ahead(direction, room.grid, position, goal, 1.0)]
    return found


def readings(rng, nudge):
    """Distances to walls, read at places and along ways, and the circles round obstacles."""
    state, room = swarm(rng, nudge), drawn_map(rng)
    read, occupied, walls = clearance_of(room), room.grid.occupied, WallDistance(room.grid)
    found = [walls.distance(state.position, 0.5), walls.distance(state.position), round_obstacles(room.grid)]
    for x, y in state.position:
        angle, here = rng.uniform(-np.pi, np.pi), grid.read_scalar(*read, x, y)
        way = grid.way_length(*read, x, y, np.cos(angle), np.sin(angle), here, 0.1, 2.5)
        near = grid.wall_distance(occupied, *read[1:], x, y, 0.6)
        found.append([here, grid.sure_room(*read, x, y), grid.between_walls(*read, x, y), near, way])
    return [np.array(found[3:]), *found[:3]]


def looks(rng, nudge):
    """Who perceives whom, and what of them."""
    state, room = swarm(rng, nudge, 2.5), drawn_map(rng)
    past, found = DelayBuffer(), []
    past.recall(SwarmState.of(2.8, state.pose + 0.05, state.velocity), 0.15)
    noise, late = {"noise_position": 0.1, "noise_velocity": 0.2, "loss": 0.3}, {"delay": 0.15, "occlusion": True, "count": 4}
    for more in ({}, {"field_of_view": 140.0}, {"count": 3}, {"occlusion": True}, noise, late):
        params = Perception(radius=1.1, **more)
        then = past.recall(state, params.delay) if params.delay else None
        seen = perceive(state, params, np.random.default_rng(5), np.full(N, 0.08), then, room.grid)
        found += [seen.start, seen.index, seen.offset, seen.velocity, seen.distance]
    return found


def choices(rng, nudge):
    """Velocities among half-planes, requests put together, leaders, and points that are first."""
    found = []
    for count in (1, 2, 3, 5, 8):
        angle, bound = rng.uniform(-np.pi, np.pi, count), rng.normal(-0.2, 0.5, count)
        lines, wish = np.column_stack((np.cos(angle), np.sin(angle), bound)), rng.normal(0.0, 0.6, 2) + nudge
        first, x, y = nearest_velocity(lines, count, *wish, 0.9)
        found += [first, x, y, *nearest_allowed(wish, lines[:, :2].copy(), np.abs(bound), count)]
        found += [*least_bad_velocity(lines, first, min(first, 1), count, x, y, 0.9)]
    names = ("separation", "alignment", "cohesion", "seek")
    requests = Requests(names, rng.normal(0.0, 0.6, (4, N, 2)) * (rng.random((4, N, 1)) < 0.8))
    for method in ("prioritised", "weighted", "greatest"):
        made = accumulate(requests, rng.uniform(0.3, 1.5, N), Accumulation(method, ("seek", "cohesion"), 1.4))
        found += [made.total, made.share]
    state = swarm(rng, nudge)
    points = rng.uniform(-4.0, 4.0, (5, 2))
    for params in (Leaders(), Leaders(count=5), Leaders(count=5, method="hull"), Leaders(count=2, per=10, everywhere=False)):
        found.append(np.nan_to_num(assign_goals(state, points[0], points, params, 0.8), nan=-9.0))
    return [*found, first_come(state.position, 0.7)]


PARTS = {"grounds": grounds, "ways": ways, "readings": readings, "looks": looks, "choices": choices}


def found(case, nudge=0.0):
    """What a part comes to, as sums."""
    name, draw = case.split()
    return sums(PARTS[name](np.random.default_rng([61, list(PARTS).index(name), int(draw)]), nudge))


@pytest.mark.parametrize("case", KNOWN)
def test_what_is_read_and_chosen_is_what_it_was(case):
    assert found(case) == pytest.approx(KNOWN[case], rel=CLOSE, abs=CLOSE)


def steady(case):
    """Whether a tiny change of where robots are is not magnified."""
    return found(case, NUDGE) == pytest.approx(found(case), rel=MAGNIFIED, abs=MAGNIFIED)


if __name__ == "__main__":
    write(FILE, {case: short(found(case)) for case in (f"{name} {draw}" for name in PARTS for draw in range(DRAWS)) if steady(case)})
