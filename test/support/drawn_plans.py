"""Draw plans at random: robots of any models and sizes that form a shape in the open or among walls, or are led through them."""

import numpy as np

import swarm_control.robots  # noqa: F401 - registers the models
from swarm_control.core.fields import make_map
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet
from swarm_control.formation.drive import Drive
from swarm_control.formation.forming.rearrange import rearrange
from swarm_control.formation.routing.route import plan_route
from swarm_control.formation.shapes import shape

SHAPES = "circle", "line", "wedge", "grid", "column"
HALF, RESOLUTION = 4.0, 0.05


def drawn_fleet(rng, count, models):
    """Robots of one of ``models``, or of several, of sizes and limits of their own."""
    radius = rng.uniform(0.06, 0.18) * rng.uniform(0.8, 1.2, count) ** rng.integers(2)
    model = tuple(rng.choice(models, count) if rng.random() < 0.3 else [rng.choice(models)] * count)
    alike = rng.uniform(0.7, 1.3, (3, count)) ** rng.integers(2)
    speed, brake, turn = rng.uniform(0.3, 1.5) * alike[0], rng.uniform(0.5, 3.0) * alike[1], rng.uniform(1.5, 5.0) * alike[2]
    return Fleet(tuple(f"r{k}" for k in range(count)), model, radius, speed, brake, turn, 1.6 * radius)


def drawn_map(rng):
    """A framed room of 8 m with up to five boxes or walls in it."""
    middle = RESOLUTION * (np.arange(round(2.0 * HALF / RESOLUTION)) + 0.5) - HALF
    x, y = np.meshgrid(middle, middle)
    occupied = np.maximum(np.abs(x), np.abs(y)) > HALF - 0.1
    for _ in range(rng.integers(6)):
        (cx, cy), (wx, wy) = rng.uniform(-2.2, 2.2, 2), rng.uniform(0.1, 0.7, 2) * rng.uniform(1.0, 2.0, 2)
        occupied |= (np.abs(x - cx) < wx) & (np.abs(y - cy) < wy)
    if rng.random() < 0.4:  # a wall with a door
        at, gap, door = rng.uniform(-1.5, 1.5), rng.uniform(0.25, 0.9), rng.uniform(-2.5, 2.5)
        occupied |= (np.abs(x - at) < 0.1) & (np.abs(y - door) > gap)
    return make_map(Grid(occupied, (-HALF, -HALF), RESOLUTION))


def drawn_drive(rng):
    return Drive(speed_share=rng.uniform(0.5, 1.0), acceleration_share=rng.uniform(0.3, 0.8)) if rng.random() < 0.5 else Drive()


def form(rng, walled, nudge):
    """How a shape is formed from a scatter, or from a grid."""
    count = int(rng.integers(1, 9))
    fleet, drive, room = drawn_fleet(rng, count, ("omni", "differential", "car")), drawn_drive(rng), rng.choice((0.0, 0.02, 0.05))
    apart = float(rng.uniform(1.1, 3.0) * 2.0 * fleet.radius.max())
    away = np.array([-2.6, -2.6]) if walled else rng.uniform(-1.5, 1.5, 2)
    start = np.column_stack((shape("grid", count, apart), rng.uniform(-np.pi, np.pi) + rng.uniform(-1.0, 1.0, count) * rng.integers(2)))
    start[:, :2] += away + rng.uniform(-0.3, 0.3, (count, 2)) * apart * rng.integers(2)
    spacing = float(rng.uniform(1.2, 3.0) * (2.0 * fleet.radius.max() + room))
    goal = shape(str(rng.choice(SHAPES)), count, spacing) + (np.array([2.2, 2.2]) if walled else rng.uniform(-1.0, 1.0, 2))
    robot = rng.permutation(count) if rng.random() < 0.4 else None
    leave = np.tile((0.6, 0.8), (count, 1)) if rng.random() < 0.3 else None
    start = start + nudge * np.random.default_rng(0).uniform(-1.0, 1.0, start.shape)
    return rearrange(start, goal, fleet, drawn_map(rng) if walled else None, room=room, drive=drive, robot=robot, leave=leave).schedule


def lead(rng, nudge):
    """How a structure is led through walls."""
    count = int(rng.integers(1, 8))
    fleet, drive, room = drawn_fleet(rng, count, ("omni", "differential", "car")), drawn_drive(rng), rng.choice((0.0, 0.02, 0.05))
    points = shape(str(rng.choice(SHAPES)), count, float(rng.uniform(1.2, 3.0) * (2.0 * fleet.radius.max() + room)))
    pose = np.array([-2.5, rng.uniform(-2.5, 2.5), rng.uniform(-np.pi, np.pi) * rng.integers(2)])
    goal = np.array([2.4, rng.uniform(-2.5, 2.5), rng.uniform(-np.pi, np.pi) * rng.integers(2)])
    headway = float(rng.uniform(0.0, 0.3) * rng.integers(2))
    pose = pose + nudge * np.random.default_rng(0).uniform(-1.0, 1.0, 3)
    return plan_route(points, pose, goal, fleet, drawn_map(rng), room=room, drive=drive, headway=headway).schedule


def drawn_plan(seed, nudge=0.0):
    """How long the plan of a seed takes (s), and where its robots are (m) at four times; an error if none is found."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(3)
    found = lead(rng, nudge) if kind == 2 else form(rng, bool(kind), nudge)
    return [found.duration, *np.array([found.at(share * found.duration) for share in (0.2, 0.5, 0.8, 1.0)]).ravel().tolist()]
