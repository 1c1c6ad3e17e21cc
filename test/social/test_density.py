"""Density at rest: closed forms, the sums against plain ones, scaling, and simulated robots."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import j0

from swarm_control.social.continuum import far, near
from swarm_control.social.density import edge_exponent, equilibrium, growth, law_for
from swarm_control.social.disc import Disc, normal
from swarm_control.social.laws import Law

FLAT = normal(2.0, np.array([1.0]), 0.0, 500.0)
SLOPED = Disc(2.0, np.array([40.0, -12.0, 3.0]), 1.0)


def clustering(repulsion, attraction, rest=1.0):
    return Law(equilibrium=rest, repulsion=repulsion, attraction=attraction)


def test_a_disc_counts_and_differentiates_itself():
    r = np.linspace(0.01, 1.9, 50)
    step = 1e-6
    assert np.allclose(SLOPED.slope(r), (np.log(SLOPED.at(r + step)) - np.log(SLOPED.at(r - step))) / (2 * step), rtol=1e-6)
    ring = (SLOPED.inside(r + step) - SLOPED.inside(r - step)) / (2 * step)
    assert np.allclose(ring, 2.0 * np.pi * r * SLOPED.at(r), rtol=1e-6)
    assert np.allclose(SLOPED.inside(SLOPED.holding(np.array([0.2, 0.7]))) / SLOPED.inside(np.array(2.0)), [0.2, 0.7], atol=1e-3)
    assert not SLOPED.at(np.array([2.0, 3.0])).any()
    assert FLAT.inside(np.array([1.0, 2.0, 9.0])) == pytest.approx([125.0, 500.0, 500.0], rel=1e-12)
    assert FLAT.at(np.array(1.0)) == pytest.approx(500.0 / (4.0 * np.pi))


def test_attraction_by_one_over_r_is_that_of_the_robots_within():
    """Gauss's law in the plane: ``F = −2π/r ∫ ρ r dr``, wherever near and far are parted."""
    r = np.linspace(0.1, 1.8, 20)
    for disc in (FLAT, SLOPED):
        assert far(((1.0, 1.0),), disc, r) + near(((1.0, 1.0),), disc, r) == pytest.approx(-disc.inside(r) / r, rel=2e-2)
    fine = normal(2.0, np.array([40.0, -12.0, 3.0]), 1.0, 50_000.0)
    assert far(((1.0, 1.0),), fine, r) + near(((1.0, 1.0),), fine, r) == pytest.approx(-fine.inside(r) / r, rel=2e-4)


def test_no_net_force_inside_a_lattice_of_constant_density():
    assert not near(((-1.0, 3.0), (1.0, 1.0)), FLAT, np.linspace(0.1, 1.9, 9)).any()


def test_short_repulsion_is_the_gradient_of_the_lattices_pressure():
    """``P = ρ/4 Σ r f(r) ∝ ρ^((σ+1)/2)`` at σ = 12, where hardly more than the nearest six count; the force is ``−P'/ρ``."""
    r = np.linspace(0.3, 1.4, 12)
    fine = normal(2.0, np.array([40.0, -12.0, 3.0]), 1.0, 5e4)
    a = fine.spacing(r)
    shells = np.array([[6, 1.0], [6, np.sqrt(3.0)], [6, 2.0], [12, np.sqrt(7.0)], [6, 3.0]])
    virial = (shells[:, 0] * shells[:, 1] ** -11.0).sum()
    pressure_gradient = fine.slope(r) * 6.5 * 0.25 * virial * a**-11.0
    whole = near(((-1.0, 12.0),), fine, r) + far(((-1.0, 12.0),), fine, r)
    assert whole == pytest.approx(-pressure_gradient, rel=1e-2)


def test_a_plain_sum_over_a_conformal_lattice_gives_the_same_force():
    """Sites ``u − g/4 u²`` carry the density ``ρ (1 + g x)``: their plain sum, cut off smoothly, is what ``near`` linearises."""
    law = Law(terms=(-1.0, 5.0))
    r = np.array([0.8])
    fine = normal(2.0, np.array([40.0, -12.0, 3.0]), 1.0, 2e4)
    a, g = float(fine.spacing(r)[0]), float(fine.slope(r)[0])
    i, j = np.meshgrid(np.arange(-30.0, 31.0), np.arange(-30.0, 31.0))
    u = (i + 0.5 * j + 0.5j * np.sqrt(3.0) * j).ravel() * a
    u = u[(np.abs(u) > 0.0) & (np.abs(u) < 25.0 * a)]
    h = u - 0.25 * g * u**2
    plain = (law.force(np.abs(h)) * h / np.abs(h)).sum().real
    assert near(law.powers, fine, r) + far(law.powers, fine, r) == pytest.approx([plain], rel=2e-2)


def test_repulsion_of_power_two_and_a_linear_pull_give_a_half_sphere():
    """Riesz gas: with charges 1/r² in the plane, a force falling inwards in proportion to r needs ``ρ ∝ (1 − t²)^½``."""
    disc = normal(2.0, np.array([1.0]), 0.5, 4e5)
    r = np.linspace(0.3, 1.6, 10)
    force = far(((-1.0, 2.0),), disc, r) + near(((-1.0, 2.0),), disc, r)
    assert force / r == pytest.approx(np.full(10, force[0] / r[0]), rel=5e-3)


@pytest.mark.parametrize(("sigma", "edge"), [(2.0, 0.5), (3.0, 1.0), (5.0, 0.5), (11.0, 0.2)])
def test_edge_exponents(sigma, edge):
    assert edge_exponent(sigma) == edge


def test_a_polytrope_of_index_one_is_a_bessel_function():
    """Repulsion 1/r³ has pressure ∝ ρ² but for a logarithm; with attraction 1/r the density tends to J₀(2.405 t) as robots grow many."""
    t = np.array([0.2, 0.4, 0.6, 0.8])
    off = []
    for count in (10**3, 10**5, 10**7):
        disc = equilibrium(clustering(3, 1), count)
        relative = disc.at(t * disc.radius) / disc.at(np.array(0.0))
        off.append(float(np.abs(relative - j0(2.404825557695773 * t)).max()))
    assert off[0] > off[1] > off[2]
    assert off[2] < 0.08


@pytest.mark.parametrize(("a", "b"), [(2, 1), (5, 1), (8, 2)])
def test_size_goes_with_the_number_as_told(a, b):
    small, large = (equilibrium(clustering(a, b), n).radius for n in (10_000, 160_000))
    assert np.log(large / small) / np.log(16) == pytest.approx(growth(a, b), abs=0.02)


@settings(max_examples=3, deadline=None)
@given(st.floats(1.8, 9.0), st.floats(0.4, 1.4), st.floats(0.2, 20.0), st.floats(0.01, 100.0), st.integers(200, 3000))
def test_a_cluster_scales_with_its_law_and_forces_vanish(repulsion, attraction, rest, strength, count):
    law = clustering(repulsion, attraction)
    disc = equilibrium(law, count)
    assert disc.residual < 0.01
    assert disc.inside(np.array(disc.radius)) == pytest.approx(count, rel=1e-9)
    scaled = equilibrium(Law(equilibrium=rest, repulsion=repulsion, attraction=attraction, strength=strength), count)
    assert scaled.radius == pytest.approx(rest * disc.radius, rel=1e-3)


def test_a_known_start_leads_to_the_same_density():
    law = clustering(4, 1)
    first = equilibrium(law, 500)
    assert equilibrium(law, 500, equilibrium(law, 800)).radius == pytest.approx(first.radius, rel=1e-3)


@pytest.mark.parametrize(
    "law",
    [Law(terms=(-1.0, 3.0)), Law(terms=(1.0, 3.0, -1.0, 1.0)), Law(terms=(-1.0, 5.0, 1.0, 3.0)), Law(spring=1.0, length=0.5),
     Law(equilibrium=1.0, far=5.0)],
)  # fmt: skip
def test_laws_without_such_a_cluster_are_refused(law):
    with pytest.raises(ValueError, match="expected one that repels by a power above 1"):
        equilibrium(law, 100)


def test_a_law_is_found_again_from_its_density():
    wished = equilibrium(clustering(4, 1.5, 0.5), 400)
    r = np.linspace(0.0, 1.1 * wished.radius, 81)[1:]
    law, disc = law_for(r, wished.at(r), clustering(4.6, 1.3))
    assert np.abs(disc.at(r) - wished.at(r)).max() < 0.01 * wished.at(np.array(0.0))
    assert (law.repulsion, law.attraction, law.equilibrium) == pytest.approx((4.0, 1.5, 0.5), rel=0.02)
    assert equilibrium(law, 400).radius == pytest.approx(disc.radius, rel=1e-3)
