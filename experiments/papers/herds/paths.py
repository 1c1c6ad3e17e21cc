"""A group passes an obstacle: in the middle, to a side, and in groups of several sizes (Brogan & Hodgins §5, figures 10 to 13)."""

from dataclasses import replace

import numpy as np

from swarm_control.analysis.experiments.finding import Finding, Paths, mean_sd
from swarm_control.analysis.experiments.flight import Flight, Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.core.geometry import Array, norm
from swarm_control.scenario.loader import load

from .herd import HERDS, OBSTACLE, SCATTER, block, harm, harm_cells, of_each_kind, scattered, unharmed

Passage = tuple[tuple[float, float, float], float, float, float]
"""Harm done; least clearance to the disc (m); share that passed on the left; how long after the passage the hole is closed (s)."""
CLOSED = 1.5
"""The hole on the line behind the obstacle is closed when it is no wider than so many times what it was before."""
SIZES = {20: (6, 3.0), 40: (13, 4.0), 60: (20, 4.5), 80: (25, 5.0)}
"""Robots: visible neighbours and wished distance (m), as the paper scales them."""
GAP = 2.3
"""Distance (m) of nearest neighbours in steady state, with which these groups start."""
WIDE = 40.0
"""From how far (m) robots are drawn together behind an obstacle to the side: the far end of the group is further from it."""
COLUMNS = ("passed on the left (%)", "hole closed after (s)", "room to the disc (m)", "collisions", "falls", "least distance (m)")


@of_each_kind("obstacle", "a disc in the middle of the way (Figs 10, 11)")
def obstacle(lab: Lab, kind: str) -> Finding:
    """A disc in the middle of the way."""
    herd, seeds = HERDS[kind], lab.seeds()
    scenario = f"herd_{kind}_obstacle"
    trials = [Trial(scenario, (scattered(scenario, seed),), seed) for seed in seeds]
    first, measured = lab.fly(trials[:1])[0], lab.measure(trials, passage)
    found = [m[0] for m in measured]
    return Finding(
        f"Obstacle: {herd.word} (section 5, figures 10 and 11)",
        f"A disc of radius 2 m, seen from {13 if kind == 'bicycles' else 5} m, in the middle of the way: the group passes it on both sides "
        "without a collision and becomes one group again, point masses sooner than the others.",
        ("", *COLUMNS),
        (("paper", "–", "–", "–", "0", "0", "–"), ("ours", *cells(measured))),
        unharmed(found) | joined(measured),
        (Paths("around the disc", near_disc(first)), Paths("all paths", first)),
        {"hole_closed": float(np.mean([m[3] for m in measured])), "clearance": min(m[1] for m in measured)},
        f"{len(seeds)} seeds, {first.robots} {herd.word}, {SCATTER}. The hole is the largest circle without a robot, its middle on the "
        f"line through the disc along the way, within the group; it is closed at {CLOSED:g} times its size before the disc. Time counts "
        "from when 95 % of the robots have passed.",
    )  # fmt: skip


@of_each_kind("aside", "a disc to the side of the way (Fig. 12)")
def off_centre(lab: Lab, kind: str) -> Finding:
    """A disc in the middle, 5 m and 10 m to the side, with the room for neighbours as it was, and doubled."""
    herd, seeds, scenario = HERDS[kind], lab.seeds(), f"herd_{kind}_obstacle"
    usual = load(scenario).scenario.control.grouping.neighbour_room
    cases = [(off, room) for room in (2.0 * usual, usual) for off in (0.0, 5.0, 10.0)]

    def trial(off: float, room: float, seed: Seed) -> Trial:
        wider = f"grouping.neighbour_room={room:g}"
        if kind == "bicycles":
            return Trial(scenario, (scattered(scenario, seed, -off), wider), seed)
        start = block(scenario, 105, GAP, OBSTACLE[0] - 10.0, -off, seed)
        return Trial(scenario, (start, wider, f"grouping.rejoin_distance={WIDE:g}", "duration=35"), seed)

    shown = lab.fly([trial(off, 2.0 * usual, seeds[0]) for off in (0.0, 5.0, 10.0)])
    measured = lab.measure([trial(*case, seed) for case in cases for seed in seeds], passage)
    runs = [measured[k * len(seeds) : (k + 1) * len(seeds)] for k in range(len(cases))]
    doubled = [m[0] for case, some in zip(cases, runs) for m in some if case[1] > usual]
    disc = " that start as a disc with its edge 10 m from the obstacle's middle"
    drawn = f" They are drawn together up to {WIDE:g} m behind it."
    if kind == "bicycles":
        disc = drawn = ""
    return Finding(
        f"Obstacle to the side: {herd.word} (section 5, figure 12)",
        "With the obstacle in the middle, 5 m and 10 m to the side of it, all trials were completed without collisions; for that the room "
        "for each neighbour between robot and obstacle, D_off, had to be doubled.",
        ("D_off (m)", "to the side (m)", *COLUMNS),
        tuple((f"{room:g}", f"{off:g}", *cells(some)) for (off, room), some in zip(cases, runs)),
        {f"D_off doubled: {claim}": held for claim, held in unharmed(doubled).items()},
        tuple(Paths(f"{off:g} m to the side", near_disc(flight)) for off, flight in zip((0.0, 5.0, 10.0), shown)),
        {f"collisions_{off:g}_{room:g}": float(sum(m[0][0] for m in some)) for (off, room), some in zip(cases, runs)},
        f"{len(seeds)} seeds, {shown[0].robots} {herd.word}{disc}, {SCATTER}.{drawn}",
    )  # fmt: skip


@of_each_kind("sizes", "groups of 20 to 80 pass a disc (Fig. 13)", ("points", "hoppers"))
def sizes(lab: Lab, kind: str) -> Finding:
    """Groups of 20 to 80, whose neighbours and distance are scaled with their number."""
    herd, seeds, scenario = HERDS[kind], lab.seeds(), f"herd_{kind}_obstacle"

    def trial(robots: int, seed: Seed) -> Trial:
        count, distance = SIZES[robots]
        changes = (block(scenario, robots, GAP, OBSTACLE[0] - 10.0, 0.0, seed), f"perception.count={count}", "duration=35")
        return Trial(scenario, (*changes, f"grouping.distance={distance}"), seed)

    shown = lab.fly([trial(robots, seeds[0]) for robots in SIZES])
    measured = lab.measure([trial(robots, seed) for robots in SIZES for seed in seeds], passage)
    runs = [measured[k * len(seeds) : (k + 1) * len(seeds)] for k in range(len(SIZES))]
    return Finding(
        f"Groups of several sizes: {herd.word} (section 5, figure 13)",
        "Groups of 20, 40, 60 and 80, with n = 6, 13, 20, 25 and D = 3, 4, 4.5, 5 m, pass an obstacle whose middle is 10 m from their "
        "front edge without collisions.",
        ("robots", "n", "D (m)", *COLUMNS),
        tuple((str(robots), str(SIZES[robots][0]), f"{SIZES[robots][1]:g}", *cells(some)) for robots, some in zip(SIZES, runs)),
        unharmed([m[0] for m in measured]),
        tuple(Paths(f"{robots} robots", near_disc(flight)) for robots, flight in zip(SIZES, shown)),
        {f"collisions_{robots}": float(sum(m[0][0] for m in some)) for robots, some in zip(SIZES, runs)},
        f"{len(seeds)} seeds. They start as a disc, nearest neighbours {GAP:g} m apart as in steady state; places differ by up to 10 cm.",
    )  # fmt: skip


def cells(measured: list[Passage]) -> tuple[str, ...]:
    """Cells of a table, for :data:`COLUMNS`."""
    left, closed = mean_sd(100.0 * m[2] for m in measured), mean_sd(m[3] for m in measured)
    return left, closed, f"{min(m[1] for m in measured):.2f}", *harm_cells([m[0] for m in measured])


def joined(measured: list[Passage]) -> dict[str, bool]:
    """Claims on both sides and on joining again."""
    return {
        "a third or more pass on either side, in every run": all(1 / 3 <= m[2] <= 2 / 3 for m in measured),
        "the group becomes one again, in every run": bool(np.isfinite([m[3] for m in measured]).all()),
    }


def passage(flight: Flight) -> Passage:
    """What is measured of a group's way past the disc; the group has passed when 95 % of the robots have."""
    offset = flight.position - OBSTACLE
    beyond = offset[:, :, 0] > 0.0
    instant = beyond.argmax(axis=0)
    passed = instant[beyond.any(axis=0)]
    left = offset[instant, np.arange(flight.robots), 1][beyond.any(axis=0)] > 0.0
    by = np.flatnonzero(beyond.mean(axis=1) >= 0.95)
    clearance = flight.summary["min_clearance"]
    if not by.size:
        return harm(flight), clearance, float(left.mean()) if len(passed) else float("nan"), float("inf")
    whole = hole(offset[max(int(passed.min()) - 60, 0)])
    closed = [k for k in range(by[0], len(flight.time), 5) if hole(offset[k]) <= CLOSED * whole]
    took = flight.time[closed[0]] - flight.time[by[0]] if closed else float("inf")
    return harm(flight), clearance, float(left.mean()), float(took)


def hole(offset: Array) -> float:
    """Radius (m) of the largest circle on the line y = 0, in the middle of the group, that holds no robot at ``offset`` (N, 2) m."""
    low, high = np.quantile(offset[:, 0], (0.1, 0.9))
    line = np.column_stack((np.arange(low, high + 0.1, 0.1), np.zeros(len(np.arange(low, high + 0.1, 0.1)))))
    return float(norm(line[:, None] - offset).min(axis=1).max())


def near_disc(flight: Flight) -> Flight:
    """The part of a flight in which the group's middle is within 25 m of the disc, along the way."""
    middle = flight.position[:, :, 0].mean(axis=1)
    part = slice(int(np.argmax(middle > OBSTACLE[0] - 25.0)), int(np.argmax(np.append(middle, np.inf) > OBSTACLE[0] + 25.0)))
    return replace(flight, time=flight.time[part], position=flight.position[part], leads=flight.leads[part])
