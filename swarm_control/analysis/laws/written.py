"""A design as a scenario file that runs: robots from a scatter, a repulsion among them, and control landmarks with their laws."""

import json
from collections.abc import Iterator

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.scenario.schema import RobotGroup
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
    groups = list(_levels(design))
    centre, reach = wished.circle
    apart = min(2.5 * radius, 2.0 * radius + 0.1 * wished.apart)
    lines = [
        f"# Made by: {command}",
        f"# {wished.robots} robots, {wished.apart:.3g} m apart in the mean. Another number of robots needs another design.",
        f"description: {json.dumps(description, ensure_ascii=False)}",
        f"duration: {duration_of(design):g}",
        f"seed: {seed}",
        "robots:",
        f"  - count: {wished.robots}",
        f"    radius: {radius:g}",
        f"    start: {{pattern: scatter, center: [{places_text(centre)}], radius: {_text(1.1 * reach)}, spacing: {_text(apart)}}}",
        "landmarks:",
        *(f"  - {{group: {name}, points: [{places_text(controls.place[own])}]}}" for name, own, _, _ in groups),
        f"  - {{group: home, points: [{places_text(centre)}]}}",
        "control:",
        f"  perception: {{radius: {_text(design.reach)}}}",
        "  social:",
        "    weight: 1.0",
        "    feels: perceived",
        f"    friction: {FRICTION:g}",
        "    laws:",
        f"      - {{terms: [{_text(-design.strength)}, {REPULSION:g}], far: {_text(design.reach)}}}",
        *(f"      - {{of: {name}, spring: {_text(k)}, length: {_text(far)}, far: {_text(far)}}}" for name, _, k, far in groups),
        f"      - {{of: home, spring: {_text(controls.home)}, length: {_text(controls.radius)}, near: {_text(controls.radius)}}}",
        "  accumulation: {method: weighted}",
        "  separation_filter: {enabled: true}",
    ]
    return "\n".join(lines) + "\n"


def _levels(design: DensityDesign) -> Iterator[tuple[str, BoolArray, float, float]]:
    """Name, landmarks, strength (1/s²) and reach (m) of each group of landmarks that push alike, the widest first."""
    controls, number = design.controls, 0
    for far in sorted(set(controls.reach.tolist()), reverse=True):
        for k in sorted(set(controls.strength[controls.reach == far].tolist()), reverse=True):
            number += 1
            yield f"control_{number}", (controls.reach == far) & (controls.strength == k), k, far


def places_text(places: Array) -> str:
    """Places (…, 2) m in a list of a YAML file, to a hundredth of a millimetre."""
    return ", ".join(f"{round(value, 5):.12g}" for value in np.asarray(places).ravel().tolist())


def _text(*values: float) -> str:
    return ", ".join(f"{value:.5g}" for value in values)
