"""Steer-to-avoid and the potential field on one robot (Adeola et al., §4.2.1, Figs 17 to 19, and §4.4.1)."""

import numpy as np

from swarm_control.core.geometry import Array, norm, wrap
from swarm_control.experiments.finding import Finding, Paths, mean_sd
from swarm_control.experiments.flight import Flight, Trial
from swarm_control.experiments.lab import Lab

ALONE = (
    "alignment.weight=0", "cohesion.weight=0", "separation.weight=0", "arrival.weight=0", "leaders.count=0", "seek.weight=0.2",
    "steer_to_avoid.weight=0", "separation_filter.enabled=false",
)  # fmt: skip
STEER = ("steer_to_avoid.weight=0.85",)
METHODS = {
    "steer-to-avoid": STEER,
    "potential field, strong": ("potential_field.weight=1.0", "potential_field.radius=1.0"),
    "potential field, weak": ("potential_field.weight=0.15", "potential_field.radius=1.0"),
}


def _pose(x: float, y: float, heading: float = 0.0) -> str:
    return f'robots=[{{"count": 1, "start": {{"pattern": "poses", "poses": [[{x}, {y}, {heading}]]}}}}]'


def _goal(x: float, y: float) -> str:
    return f'goals=[{{"position": [{x}, {y}], "arrival_radius": 0.3}}]'


def _across(world: str, offset: float, *changes: str) -> Trial:
    """One robot on its way to a goal straight behind the obstacle, ``offset`` m beside the axis."""
    place = (f"world={world}.world", _pose(-3.5, offset), _goal(3.5, 0.0), "duration=40")
    return Trial("migrate_boxes", (*ALONE, *place, *changes), until_arrival=True)


def line_and_circle(lab: Lab) -> Finding:
    """Fly one robot towards a goal behind a line and a circle, by either method, from starts on and beside the axis."""
    offsets = (0.0, 0.5) if lab.quick else (0.0, 0.1, 0.2, 0.3, 0.5)
    cases = [(world, method) for world in ("line", "circle") for method in METHODS]
    trials = [_across(world, offset, *METHODS[method]) for world, method in cases for offset in offsets]
    flights = lab.fly(trials)
    by_case = {case: flights[k * len(offsets) : (k + 1) * len(offsets)] for k, case in enumerate(cases)}
    steered = [f for (_, method), fs in by_case.items() if method == "steer-to-avoid" for f in fs]
    strong, weak = (
        [fs[0] for (_, method), fs in by_case.items() if method == f"potential field, {kind}"] for kind in ("strong", "weak")
    )
    return Finding(
        "Potential field against steer-to-avoid (Figs 17, 18)",
        "Steer-to-avoid guides the robot around line and circle. The potential field pushes straight against the urge to the goal: where the "
        "push is stronger the robot oscillates at the border of the field, where it is weaker the robot slows down and collides.",
        ("world", "method", "reached", "time (s)", "path / straight", "reversals, on the axis", "collisions, on the axis"),
        tuple(_row(*case, fs) for case, fs in by_case.items()),
        {
            "steer-to-avoid reaches the goal from every start without a collision": all(_reached(f) and not _hits(f) for f in steered),
            "a strong potential field does not get there on the axis: it oscillates": all(
                not _reached(f) and reversals(f) >= 4 and not _hits(f) for f in strong
            ),
            "a weak potential field collides on the axis": all(_hits(f) > 0 and not _reached(f) for f in weak),
        },
        tuple(Paths(f"{world}: {method}", fs[0]) for (world, method), fs in by_case.items()),
        {"steer_path_ratio": float(np.mean([_ratio(f) for f in steered]))},
        f"One robot seeks a goal 7 m away; {len(offsets)} starts, from the axis of symmetry to {offsets[-1]} m beside it; the filter is off.",
    )  # fmt: skip


def _row(world: str, method: str, flights: list[Flight]) -> tuple[str, ...]:
    there = [f for f in flights if _reached(f)]
    return (
        world, method, f"{len(there)} of {len(flights)}", mean_sd(f.summary["arrival_time"] for f in there), mean_sd((_ratio(f) for f in there), 2),
        str(reversals(flights[0])), str(_hits(flights[0])),
    )  # fmt: skip


def _reached(flight: Flight) -> bool:
    return flight.summary["arrival_time"] is not None


def _hits(flight: Flight) -> int:
    return int(flight.summary["collisions"])


def _ratio(flight: Flight) -> float:
    return float(flight.path_length[0] / norm(flight.position[-1, 0] - flight.position[0, 0]))


def reversals(flight: Flight) -> int:
    """How often the first robot turned back or forth along the way to the goal; speeds below 1 cm/s do not count."""
    speed = flight.velocity[:, 0, 0]
    sign = np.sign(speed[np.abs(speed) > 0.01])
    return int((np.diff(sign) != 0).sum())


def goal_beyond_wall(lab: Lab) -> Finding:
    """Fly one robot towards a goal beyond the frame."""
    place = ("world=frame.world", _pose(-3.5, -1.0, 0.0), _goal(3.0, 7.5), "duration=30")
    flight = lab.fly([Trial("migrate_boxes", (*ALONE, *STEER, *place))])[0]
    assert flight.grid is not None
    gap = flight.grid.extent[3] - 0.1 - flight.position[:, 0, 1]
    along = gap < 0.5
    ridden = float(norm(np.diff(flight.position[along, 0], axis=0)).sum()) if along.any() else 0.0
    numbers = {"collisions": float(_hits(flight)), "clearance": flight.summary["min_clearance"], "ridden": ridden,
               "crossed": float(np.ptp(flight.position[along, 0, 0])) if along.any() else 0.0}  # fmt: skip
    return Finding(
        "A goal beyond the wall (Fig. 19)", "The robot goes along the wall without any collision.", ("measure", "ours"),
        (("collisions", f"{numbers['collisions']:.0f}"), ("least room between footprint and wall", f"{numbers['clearance']:.3f} m"),
         ("way covered within 0.5 m of the wall, in 30 s", f"{ridden:.1f} m"), ("part of the wall seen", f"{numbers['crossed']:.1f} m")),
        {"no collision": not numbers["collisions"], "it goes along the wall": numbers["crossed"] > 2.0},
        (Paths("goal beyond the wall", flight),), numbers, "The filter is off.",
    )  # fmt: skip


STEPS = (5, 10, 25, 45)


def steer_step(lab: Lab) -> Finding:
    """Fly the line with one robot and the boxes with ten, with different angles between the headings that are tried."""
    seeds = lab.seeds(10, 2)
    steps = (10, 25) if lab.quick else STEPS
    line = lab.fly([_across("line", 0.0, *STEER, f"steer_to_avoid.step={step}") for step in steps])
    trials = [Trial("migrate_boxes", (f"steer_to_avoid.step={step}",), seed, until_arrival=True) for step in steps for seed in seeds]
    flights = lab.measure(trials, _fluidity)
    boxes = {step: flights[k * len(seeds) : (k + 1) * len(seeds)] for k, step in enumerate(steps)}
    turning = {step: float(np.mean([f[1] for f in fs])) for step, fs in boxes.items()}
    rows = tuple(
        (f"{step}°", f"{flight.summary['arrival_time'] or np.nan:.1f}", f"{_ratio(flight):.2f}", f"{_fluidity(flight)[1]:.0f}",
         mean_sd((f[0] for f in boxes[step]), 1), mean_sd((f[1] for f in boxes[step]), 0), mean_sd((f[2] for f in boxes[step]), 3))
        for step, flight in zip(steps, line)
    )  # fmt: skip
    times = {step: flight.summary["arrival_time"] or np.inf for step, flight in zip(steps, line)}
    return Finding(
        "Angle between headings (§4.4.1)",
        "At long walls a larger angle (25°) is of advantage, it turns faster; among small obstacles a smaller one gives more fluid movements.",
        ("step", "line: time (s)", "line: path / straight", "line: turning (°/m)", "boxes: time (s)", "boxes: turning (°/m)",
         "boxes: acceleration (m/s²)"),
        rows,
        {
            "line: 25° is no slower than 10°": times[25] <= times[10] + 1e-9,
            "boxes: 10° turns no more per metre than 25°": turning[10] <= 1.02 * turning[25],
        },
        tuple(Paths(f"line, {step}°", flight) for step, flight in zip(steps, line)),
        {f"line_time_{step}": times[step] for step in steps} | {f"boxes_turning_{step}": turning[step] for step in steps},
        f"Line: one robot, filter off. Boxes: the scenario migrate_boxes, {len(seeds)} seeds.",
    )  # fmt: skip


def _fluidity(flight: Flight) -> tuple[float | None, float, float]:
    """Arrival time (s), turning of the course per metre (°/m), and mean acceleration (m/s²)."""
    change = norm(np.diff(flight.velocity, axis=0)) / np.diff(flight.time)[:, None]
    return flight.summary["arrival_time"], turning_per_metre(flight.velocity, flight.path_length), float(change.mean())


def turning_per_metre(velocity: Array, length: Array) -> float:
    """How much courses turn, to either side, per metre of way, in degrees; from ``velocity`` (T, N, 2) above 5 cm/s."""
    course = np.arctan2(velocity[..., 1], velocity[..., 0])
    moving = norm(velocity) > 0.05
    turns = np.abs(wrap(np.diff(course, axis=0))) * (moving[1:] & moving[:-1])
    return float(np.rad2deg(turns.sum()) / length.sum())
