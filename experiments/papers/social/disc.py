"""Social potential fields: twenty thousand robots form a disc, their forces summed by the tree (Reif & Wang, §3.3 and §4)."""

import time
from dataclasses import replace
from functools import lru_cache

import numpy as np

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Finding, Snapshot
from swarm_control.analysis.experiments.flight import Flight, Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.behaviours.social import Social, social
from swarm_control.core.geometry import Array, IntArray, limit_norm, norm
from swarm_control.core.state import Fleet, Neighbourhoods, Society, Surroundings, SwarmState
from swarm_control.social.density import equilibrium
from swarm_control.social.disc import Disc
from swarm_control.social.laws import Law

from . import PAGE
from .rest import ring_error

ROBOTS, DT = 20_000, 0.05
"""Robots, and the step (s) of their motion."""
SPACING, SPREAD = 1.0, 1.6
"""Mean spacing (m) in the disc to come, and side of the square of the start over its diameter."""
SPEED, ACCELERATION, FRICTION = 3.0, 3.0, 0.5
"""Robots' limits in m/s and m/s², and their damping in 1/s."""
FRAMES = (0.0, 20.0, 40.0, 60.0, 80.0, 160.0)
"""Instants (s) that are shown; the last is the end."""


@experiment("social_disc", "20,000 robots form a disc, forces summed by the tree (§3.3)", PAGE, reported_on=range(100, 101))
@each_seed
def forming(lab: Lab, seed: Seed) -> Finding:
    """Let robots that are scattered over a square come to rest, and compare what they form with the theory."""
    robots, frames = (1000, FRAMES[:5]) if lab.quick else (ROBOTS, FRAMES)
    law, disc = law_of(robots)
    flight, spent = run(law, disc, frames, seed)
    lab.progress(1, 1)
    end = flight.position[-1] - flight.position[-1].mean(axis=0)
    extent, r = np.sqrt(np.linalg.eigvalsh(end.T @ end)), norm(end)
    exact, by_pairs = _best(_params(law, "direct"), flight.position[-1])
    felt, by_tree = _best(_params(law, "tree"), flight.position[-1])
    pull, _ = _best(_params(Law(terms=law.powers[1]), "direct"), flight.position[-1], 1)
    wrong, left = norm(felt - exact) / norm(pull), norm(exact) / norm(pull)
    most, rows = np.quantile(r, 0.95) / float(disc.holding(np.array(0.95))) - 1.0, ring_error(disc, r)
    return Finding(
        f"{robots:,} robots form a disc",
        "Fast summation of forces, as Greengard's, makes experiments with tens of thousands of robots possible. None is shown.",
        ("robots", "steps", "a step (ms)", "at the end by the tree (ms)", "pair by pair (ms)", "error over attraction, median", "95 %",
         "least over largest extent", "radius of 95 %, off by (%)", "density in rings, off by (%)", "force left over attraction, median"),
        ((f"{robots:,}", str(len(spent)), f"{1e3 * np.median(spent):.1f}", f"{1e3 * by_tree:.1f}", f"{1e3 * by_pairs:.1f}",
          f"{np.median(wrong):.1e}", f"{np.quantile(wrong, 0.95):.0e}", f"{extent[0] / extent[1]:.3f}", f"{100 * most:.1f}",
          f"{100 * rows:.1f}", f"{np.median(left):.1e}"),),
        {
            "they form a disc: its extent differs by less than 5 % between directions": bool(extent[0] > 0.95 * extent[1]),
            "the radius that holds 95 % of the robots is within 5 % of theory": bool(abs(most) < 0.05),
            "so is the density in rings": rows < 0.05,
            "the tree's error is below 0.1 % of the attraction for 95 % of the robots": float(np.quantile(wrong, 0.95)) < 1e-3,
        },
        tuple(Snapshot(f"{t:g} s", flight, t, 0.0, half=1.04 * SPREAD * disc.radius) for t in frames),
        {"extent": float(extent[0] / extent[1]), "radius": float(most), "rings": rows},
        f"F = −1/r⁵ + 1/r, r₀ = {law.equilibrium:.2f} m; point masses with damping {FRICTION:g}/s, at most {SPEED:g} m/s and "
        f"{ACCELERATION:g} m/s², in steps of {DT:g} s. Robots are coloured by the quarter of the square where they started. A step is "
        "one call of the behaviour `social`, its median; the other times are the best of five. Times are processor time, in all threads, "
        "as others used the machine as well.",
    )  # fmt: skip


def law_of(robots: int) -> tuple[Law, Disc]:
    """The law by which so many robots rest ``SPACING`` apart, drawn to the middle by 1 m/s² at the edge; and the disc that they form."""
    unit = equilibrium(Law(equilibrium=1.0, repulsion=5.0), robots)
    scale = SPACING / float(unit.spacing(unit.holding(np.array(0.5))))
    law = Law(equilibrium=scale, repulsion=5.0, strength=unit.radius / robots)
    return law, replace(unit, radius=scale * unit.radius, coefficient=unit.coefficient / scale**2)


def run(law: Law, disc: Disc, frames: tuple[float, ...], seed: Seed) -> tuple[Flight, list[float]]:
    """Move robots from a square to the last of the ``frames`` (s), which the flight holds. Also the processor time (s) of each sum."""
    robots = round(float(disc.inside(np.array(disc.radius))))
    half = SPREAD * disc.radius
    position = np.random.default_rng(seed).uniform(-half, half, (robots, 2))
    velocity, kept, spent = np.zeros_like(position), [], list[float]()
    quarter = (2 * (position[:, 1] > 0.0) + (position[:, 0] > 0.0)).astype(np.int64)
    params = replace(_params(law, "auto"), friction=FRICTION)
    for step in range(round(frames[-1] / DT) + 1):
        if any(abs(step * DT - t) < 0.5 * DT for t in frames):
            kept.append((position.copy(), velocity.copy()))
        pull, took = _timed(params, position, velocity)
        spent.append(took)
        velocity = limit_norm(velocity + DT * limit_norm(pull, ACCELERATION), SPEED)
        position = position + DT * velocity
    return _flight(robots, np.array(frames), np.array(kept), quarter, seed), spent


def _best(params: Social, position: Array, repeats: int = 5) -> tuple[Array, float]:
    """The resultant (N, 2) m/s² on robots that rest at ``position`` (N, 2) m, and the processor time (s) that it took at best."""
    felt = [_timed(params, position, np.zeros_like(position)) for _ in range(repeats)]
    return felt[0][0], min(took for _, took in felt)


def _timed(params: Social, position: Array, velocity: Array) -> tuple[Array, float]:
    """The resultant (N, 2) m/s² on robots at ``position`` with ``velocity`` (N, 2), and the processor time (s) that it took."""
    around, seen = _alone(len(position))
    none = np.zeros(len(position))
    state = SwarmState.of(0.0, np.column_stack((position, none)), np.column_stack((velocity, none)))
    began = time.process_time()
    return social(state, seen, around, params), time.process_time() - began


@lru_cache(maxsize=2)
def _alone(n: int) -> tuple[Surroundings, Neighbourhoods]:
    """Robots that see nobody, in no group."""
    ones, nobody = np.ones(n), np.empty((0, 2))
    fleet = Fleet(("",) * n, ("point_mass",) * n, ones, ones, ones, ones, ones)
    around = Surroundings(fleet, np.full((n, 2), np.nan), np.full(2, np.nan), society=Society.plain(n))
    return around, Neighbourhoods(np.zeros(n + 1, np.int64), np.empty(0, np.int64), nobody, nobody, np.empty(0))


def _params(law: Law, method: str) -> Social:
    return Social(weight=1.0, laws=(law,), core_radius=1e-3, summation=method)


def _flight(robots: int, time: Array, kept: Array, quarter: IntArray, seed: Seed) -> Flight:
    """A flight to be drawn: (T, 2, N, 2) positions and velocities, robots as wide as half the spacing, coloured by ``quarter`` (N,)."""
    society = replace(Society.plain(robots), kinds=tuple(frozenset({str(k)}) for k in range(4)), robot=quarter)
    nothing = np.zeros((len(kept), robots))
    return Flight(
        Trial("", (), seed), time, kept[:, 0], kept[:, 1], nothing > 0, nothing, nothing > 0, np.full(robots, 0.5 * SPACING),
        np.ones(robots), None, (), {}, society,
    )  # fmt: skip
