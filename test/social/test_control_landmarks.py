"""Control landmarks: the energy of robots on a lattice, the landmarks' forces, and designs that bring robots where they are wished."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.core.geometry import rotate
from swarm_control.social import design as designs
from swarm_control.social.control_landmarks import (
    COARSE,
    FINE,
    OUTSIDE,
    OVERLAP,
    PER_REACH,
    RIM,
    ControlLandmarks,
    _wanted,
    fitted,
    in_levels,
    laid_out,
)  # fmt: skip
from swarm_control.social.design import design, scattered, scattered_share
from swarm_control.social.lattice import REACH, REPULSION, cost, spacing
from swarm_control.social.settle import settle
from swarm_control.social.wished_density import even_density, wished_density

SQUARE = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [0.0, 3.0]])
L_SHAPE = np.array([[-4.0, -4.0], [4.0, -4.0], [4.0, 0.0], [0.0, 0.0], [0.0, 4.0], [-4.0, 4.0]])


def sites(apart: float, reach: float) -> np.ndarray:
    n = int(reach / apart) + 3
    a, b = np.meshgrid(np.arange(-n, n + 1), np.arange(-n, n + 1))
    h = apart * np.stack((a + 0.5 * b, np.sqrt(0.75) * b), axis=-1).reshape(-1, 2)
    r = np.linalg.norm(h, axis=1)
    return r[(r > 0.0) & (r <= reach * (1.0 + 1e-9))]


@given(st.floats(0.1, 3.0), st.floats(0.01, 10.0))
def test_a_robot_costs_what_the_energy_of_a_lattice_grows_by(apart: float, strength: float) -> None:
    def energy(density: float) -> float:  # per area: a lattice stretched, the pairs that hold staying the same
        r = sites(float(spacing(np.array(density))), REACH * float(spacing(np.array(density))))
        return density * 0.5 * strength / (REPULSION - 1.0) * float((r ** (1.0 - REPULSION)).sum())

    density, step = 2.0 / (np.sqrt(3.0) * apart**2), 1e-4
    by_difference = (energy(density * (1.0 + step)) - energy(density * (1.0 - step))) / (2.0 * step * density)
    assert float(cost(np.array(density), strength)) == pytest.approx(by_difference, rel=1e-5)


def test_robots_on_a_lattice_are_as_far_apart_as_their_density_says() -> None:
    apart = 0.7
    cell = np.sqrt(0.75) * apart**2
    assert float(spacing(np.array(1.0 / cell))) == pytest.approx(apart)


@given(st.integers(0, 10_000))
def test_forces_are_the_slope_of_the_energy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    controls = ControlLandmarks(rng.uniform(-2, 2, (9, 2)), rng.uniform(0.5, 2.0, 9), rng.random(9), rng.uniform(-1, 1, 2), 1.5, 0.7)
    position, step = rng.uniform(-3, 3, (5, 2)), 1e-6
    _, force = controls.energy(position)
    for k in range(2):
        shift = step * np.eye(2)[k]
        slope = (controls.energy(position + shift)[0] - controls.energy(position - shift)[0]) / (2.0 * step)
        np.testing.assert_allclose(force[:, k], -slope, atol=1e-5)


def test_landmarks_push_up_to_their_reach_and_home_draws_from_its_radius_on() -> None:
    controls = ControlLandmarks(np.zeros((1, 2)), np.array([2.0]), np.array([3.0]), np.zeros(2), 5.0, 0.5)
    _, force = controls.energy(np.array([[1.5, 0.0], [2.5, 0.0], [0.0, 7.0]]))
    np.testing.assert_allclose(force, [[1.5, 0.0], [0.0, 0.0], [0.0, -1.0]])


def test_a_landscape_of_landmarks_is_found_again() -> None:
    wished = even_density(SQUARE, 300)
    controls = laid_out(wished, 1.0)
    inner = np.linalg.norm(controls.place - 1.5, axis=1) + controls.reach < 1.4
    known = replace(controls, strength=np.where(inner, np.linspace(0.5, 1.5, len(inner)), 0.0))
    landscape = known.energy(wished.points)[0].reshape(wished.density.shape)
    found = fitted(controls, wished, landscape, 0.0).energy(wished.points)[0].reshape(wished.density.shape)
    off = (found - landscape)[wished.density > 0.0]
    assert inner.sum() > 20
    assert np.ptp(off) < 1e-6 * np.ptp(landscape[wished.density > 0.0])


def test_levels_are_few_and_near_and_the_weakest_are_left_out() -> None:
    rng = np.random.default_rng(4)
    controls = ControlLandmarks(rng.random((200, 2)), np.repeat([1.0, 3.0], 100), rng.random(200), np.zeros(2), 1.0, 1.0)
    levelled = in_levels(controls, 10)
    for reach in (1.0, 3.0):
        own, before = levelled.strength[levelled.reach == reach], controls.strength[controls.reach == reach]
        assert len(np.unique(own)) <= 10 and own.min() > 0.0
        assert len(own) == np.sum(before > 0.05 * before.max())
        np.testing.assert_allclose(own.max(), before.max())


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize(("weaker", "kept"), [(0.01, 200), (1e-5, 100)])
def test_landmarks_that_are_much_weaker_than_others_are_left_out(scale: float, weaker: float, kept: int) -> None:
    strength = scale * np.repeat([1.0, weaker], 100)
    controls = ControlLandmarks(np.zeros((200, 2)), np.repeat([1.0, 3.0], 100), strength, np.zeros(2), 1.0, 1.0)
    np.testing.assert_allclose(in_levels(controls, 10).strength, strength[:kept])


@pytest.mark.parametrize(("robots", "size"), [(20, 1.0), (60, 3.0), (800, 1.0)])
def test_landmarks_are_laid_out_near_what_is_wished_and_wider_ones_all_over_its_circle(robots: int, size: float) -> None:
    wished = even_density(size * L_SHAPE, robots)
    controls = laid_out(wished, 0.7)
    step, wide = np.unique(controls.reach) / OVERLAP
    radius = wished.circle[1] + RIM * wished.apart
    close = wished.points[wished.outside.ravel() <= RIM * wished.apart]
    assert step == pytest.approx(max(1.3 * wished.apart, np.sqrt(len(close) * wished.cell**2 / FINE)))
    assert wide == pytest.approx(max(3.0 * step, np.sqrt(np.pi * radius**2 / COARSE)))
    assert controls.home == pytest.approx(0.7 / (OVERLAP * step)) and controls.radius == pytest.approx(radius)
    fine = controls.place[controls.reach < 2.0 * OVERLAP * step]
    apart = np.linalg.norm(fine[:, None] - close, axis=-1)
    assert apart.min(axis=0).max() < 0.6 * step, "all that is wished is near a landmark of a hexagonal lattice"
    assert step < apart.min(axis=1).max() < 0.6 * OVERLAP * step, "and landmarks go on about so far beyond it"


def test_robots_settle_where_nothing_pushes_them() -> None:
    wished = even_density(SQUARE, 20)
    made = design(wished, 0.2, 3)
    rest = settle(scattered(wished, np.random.default_rng(0)), made.controls, made.strength, made.reach)
    away = rest[:, None] - rest
    r = np.linalg.norm(away, axis=-1) + np.eye(len(rest)) * 1e9
    near = np.where(r < made.reach, made.strength * r ** -(REPULSION + 1.0), 0.0)
    left = (near[..., None] * away).sum(axis=1) + made.controls.energy(rest)[1]
    assert np.median(np.linalg.norm(left, axis=1)) < 0.01 * 0.2
    assert wished.misplaced(rest) < 0.1


@pytest.mark.parametrize("push", [0.1, 0.4])
def test_beside_a_wish_energy_rises_by_what_a_robot_costs_there(push: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slope that landmarks are laid out for, of an even density: a share of a robot's cost for each spacing."""
    wished, asked = even_density(SQUARE, 20), []
    monkeypatch.setattr(designs, "laid_out", lambda _, slope: asked.append(slope) or (_ for _ in ()).throw(InterruptedError))
    with pytest.raises(InterruptedError):
        design(wished, push, 3)
    costs = cost(wished.density[wished.density > 0.0], push * wished.apart**REPULSION)
    assert np.ptp(costs) < 1e-9 * costs[0]
    assert asked == pytest.approx([designs.STEEP * costs[0] / wished.apart])


@pytest.mark.parametrize("seed", [11, 12])
def test_designs_put_robots_where_they_are_wished_and_landmarks_without_strength_do_not(seed: int) -> None:
    rng = np.random.default_rng(seed)
    side = np.linspace(-2.0, 2.0, 41)
    x, y = np.meshgrid(side, side)
    relative = np.exp(-((x - rng.uniform(-1, 1)) ** 2 + (y - rng.uniform(-1, 1)) ** 2)) + 0.3 * (np.hypot(x + 1, y) < 0.8)
    wished = wished_density(side, side, np.where(relative > 0.05, relative, 0.0), int(rng.integers(20, 30)))
    made = design(wished, 0.2, seed)
    start = scattered(wished, rng)
    assert wished.misplaced(settle(start, made.controls, made.strength, made.reach)) < 0.12
    empty = replace(made.controls, strength=np.zeros(len(made.controls.place)))
    assert wished.misplaced(settle(start, empty, made.strength, made.reach)) > 0.25


@pytest.mark.study
def test_a_design_is_the_same_to_the_bit_for_a_seed_and_goes_with_what_is_wished() -> None:
    made, again, other = (design(even_density(L_SHAPE + shift, 60), 0.2, seed) for shift, seed in ((0.0, 1), (0.0, 1), (7.0, 1)))
    assert made.controls.strength.tobytes() == again.controls.strength.tobytes() and made.misplaced == again.misplaced
    np.testing.assert_allclose(other.controls.centre, made.controls.centre + 7.0, atol=1e-6)
    assert other.misplaced < 0.15
    assert scattered_share(made.wished, 1) > 0.25
    turned = design(even_density(rotate(L_SHAPE, np.full(len(L_SHAPE), 0.5 * np.pi)), 60), 0.2, 1)
    assert turned.misplaced < 0.15 and made.misplaced < 0.15


@given(st.integers(3, 200), st.floats(0.2, 40.0), st.floats(-50.0, 50.0))
def test_a_wished_density_holds_its_robots_wherever_and_however_large_it_is(robots: int, size: float, shift: float) -> None:
    wished = even_density(SQUARE * size + shift, robots)
    assert wished.robots == robots
    assert wished.density.sum() * wished.cell**2 == pytest.approx(robots)
    centre, radius = wished.circle
    np.testing.assert_allclose(centre, 1.5 * size + shift, atol=0.05 * size)
    assert radius == pytest.approx(1.5 * np.sqrt(2.0) * size, rel=0.05)
    assert wished.apart == pytest.approx(float(spacing(np.array(robots / (3.0 * size) ** 2))), rel=0.05)
    assert wished.closest == pytest.approx(wished.apart, rel=1e-6)


def test_robots_in_the_wrong_place_are_counted() -> None:
    wished = even_density(SQUARE, 9)
    at = 0.5 + np.stack(np.meshgrid(np.arange(3.0), np.arange(3.0)), axis=-1).reshape(-1, 2)
    assert wished.misplaced(at) < 0.12
    assert wished.misplaced(at + 500.0) == pytest.approx(1.0, abs=0.01)
    moved = at.copy()
    moved[:3] += 2.9 * np.array([1.0, 0.0])
    moved[6:] -= [30.0, 0.0]
    assert 0.3 < wished.misplaced(moved) < 0.75
    assert 0.1 < scattered_share(wished, 0) < 0.5


@pytest.mark.parametrize("corners", [[[0, 0], [1, 1]], [[0, 0], [1, 1], [1, 0], [0, 1]], [[0, 0], [1, 0], [2, 0]]])
def test_polygons_without_an_area_are_refused(corners: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="no area found"):
        even_density(np.array(corners, float), 5)


@pytest.mark.parametrize("relative", [np.zeros((3, 3)), -np.ones((3, 3)), np.full((3, 3), np.nan)])
def test_densities_that_are_nowhere_or_negative_are_refused(relative: np.ndarray) -> None:
    with pytest.raises(ValueError, match="no density found"):
        wished_density(np.arange(3.0), np.arange(3.0), relative, 5)


def test_what_is_wanted_is_asked_for_at_a_few_places_within_reach() -> None:
    wished = even_density(SQUARE, 300)
    controls = laid_out(wished, 1.0)
    controls = replace(controls, reach=4.0 * controls.reach)
    points, target, weight = _wanted(controls, wished, np.ones_like(wished.density), 0.0)
    on = {tuple(place) for place in np.round(wished.points, 9)}
    inner = np.array([tuple(place) in on for place in np.round(points, 9)])
    every = max(int(float(controls.reach.min()) / (PER_REACH * wished.cell)), 1)
    assert len(points) == len(target) == len(weight) and inner.any() and not inner.all()
    assert (np.linalg.norm(points[inner] - controls.centre, axis=1) < controls.radius + wished.cell).all()
    steps = np.round((points[inner] - wished.points[0]) / wished.cell).astype(int)
    assert every > 1 and (steps % every == 0).all(), "on a coarser grid"
    assert weight[inner].max() == 1.0 and (weight[~inner] == OUTSIDE).all() and (target[~inner] == 0.0).all()
