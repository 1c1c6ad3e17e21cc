"""A design as a scenario file that runs: robots from a scatter, a repulsion among them, and control landmarks with their laws."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.scenario.schema import RobotGroup
from swarm_control.scenario.yaml_text import dump_yaml
from swarm_control.social.design import DensityDesign
from swarm_control.social.lattice import REPULSION

FRICTION = 2.0
"""Damping of the robots, 1/s."""
STIFFNESS = 3.0 * REPULSION
"""Stiffness of a lattice's steepest motion, in units of the force at its spacing over the spacing."""
SHORT, LONG = 30.0, 600.0
"""Least and longest duration (s) of a design's scenario, unless robots need longer to get across it."""


def push_at(spacing: float) -> float:
    """Force (m/s²) between robots ``spacing`` (m) apart at which the lattice swings as fast as ``FRICTION`` damps well."""
    return FRICTION**2 * spacing / STIFFNESS


def duration_of(design: DensityDesign) -> float:
    """How long (s) robots take to spread: some times as long as it takes to even out a difference as wide as the circle around them.

    Equation: ``R² / (π² D)`` with ``D = ρ μ'(ρ) / friction``, μ the cost of a robot, ``ρ μ' ≈ 6 F d`` at the mean spacing d, its force F.
    """
    radius, spacing = design.wished.circle[1], design.wished.apart
    spread = 6.0 * push_at(spacing) * spacing / FRICTION
    evened = float(np.clip(SHORT + 5.0 * radius**2 / (np.pi**2 * spread), SHORT, LONG))
    return float(round(max(evened, 4.0 * radius / RobotGroup().max_speed)))


def scenario_text(design: DensityDesign, description: str, command: str, seed: int, radius: float) -> str:
    """The scenario's YAML; ``command``: what made it; ``radius`` (m) of the robots."""
    controls, wished = design.controls, design.wished
    centre, reach = wished.circle
    apart = min(2.5 * radius, 2.0 * radius + 0.1 * wished.apart)
    groups = list(_levels(design))
    laws = [{"of": name, "spring": number(k), "length": number(far), "far": number(far)} for name, _, k, far in groups]
    home = {"of": "home", "spring": number(controls.home), "length": number(controls.radius), "near": number(controls.radius)}
    start = {"pattern": "scatter", "center": places(centre), "radius": number(1.1 * reach), "spacing": number(apart)}
    about = f"{wished.robots} robots, {wished.apart:.3g} m apart in the mean. Another number of robots needs another design."
    return with_comment((f"Made by: {command}", about), {
        "description": description, "duration": duration_of(design), "seed": seed,
        "robots": [{"count": wished.robots, "radius": radius, "start": start}],
        "landmarks": [
            *({"group": name, "points": places(controls.place[own])} for name, own, _, _ in groups),
            {"group": "home", "points": places(centre)},
        ],
        "control": {
            "perception": {"radius": number(design.reach)},
            "social": {
                "weight": 1.0, "feels": "perceived", "friction": FRICTION,
                "laws": [{"terms": [number(-design.strength), REPULSION], "far": number(design.reach)}, *laws, home],
            },
            **FILTERED,
        },
    })  # fmt: skip


FILTERED = {"accumulation": {"method": "weighted"}, "separation_filter": {"enabled": True}}
"""How the forces are taken up."""


def with_comment(lines: tuple[str, ...], scenario: dict[str, Any]) -> str:
    """A scenario as YAML, with a comment of some ``lines`` before it."""
    return "".join(f"# {line}\n" for line in lines) + dump_yaml(scenario, leaves_in_line=True)


def places(points: Array) -> list[float]:
    """Coordinates of ``points`` (…, 2) m as a scenario has them, to a hundredth of a millimetre."""
    return [round(float(value), 5) for value in np.asarray(points).ravel()]


def number(value: float) -> float:
    """To five digits."""
    return float(f"{value:.5g}")


def _levels(design: DensityDesign) -> Iterator[tuple[str, BoolArray, float, float]]:
    """Name, landmarks, strength (1/s²) and reach (m) of each group of landmarks that push alike, the widest first."""
    controls, count = design.controls, 0
    for far in sorted(set(controls.reach.tolist()), reverse=True):
        for k in sorted(set(controls.strength[controls.reach == far].tolist()), reverse=True):
            count += 1
            yield f"control_{count}", (controls.reach == far) & (controls.strength == k), k, far
