"""Nothing changes unnoticed what force laws come to: their parts are called with drawn laws, robots and wished densities.

``drawn_laws.json`` keeps what they come to; where a change is meant,
``PYTHONPATH=test/support python test/social/test_drawn_laws.py`` writes it anew, without the draws that magnify a tiny change.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from kept_numbers import short, sums, write
from swarms import see, swarm

from swarm_control.core.state import Society
from swarm_control.social import connectivity, continuum, density, disc, springs
from swarm_control.social import control_landmarks as landmarks
from swarm_control.social import lattice as hexagons
from swarm_control.social.far import error_bound
from swarm_control.social.laws import Law, equilibria
from swarm_control.social.perceived import perceived_forces
from swarm_control.social.rings import rings
from swarm_control.social.spring_links import pulled, pulled_by_seen, spring_links
from swarm_control.social.summation import forces
from swarm_control.social.table import law_table
from swarm_control.social.wished_density import even_density, wished_density

FILE = Path(__file__).with_name("drawn_laws.json")
KNOWN = json.loads(FILE.read_text(encoding="utf-8"))
DRAWS, N = 16, 40
NUDGE, MAGNIFIED = 1e-13, 1e-9
KINDS = frozenset({""}), frozenset({"", "red"}), frozenset({"", "red", "blue"})


def drawn_law(rng, **more):
    """A law of any form, with whole and broken exponents, perhaps within a range or turned aside."""
    form, whole = rng.integers(4), rng.random() < 0.5
    if form != 1:
        low, high = rng.uniform(0.3, 1.5), rng.uniform(2.0, 4.0)
        exponents = (round(low + 0.5), round(high)) if whole else (low, high)
        more |= {"equilibrium": rng.uniform(0.3, 1.0), "attraction": exponents[0], "repulsion": exponents[1]}
    if form == 1:
        more |= {"spring": rng.uniform(0.1, 1.0), "length": rng.uniform(0.0, 1.0)}
    if form == 2:
        more |= {"terms": (rng.normal(), rng.uniform(0.5, 4.0), rng.normal(), float(rng.integers(1, 5)))}
    if rng.random() < 0.3:
        more |= {"near": rng.uniform(0.0, 0.3), "far": rng.uniform(1.0, 2.0)}
    return Law(strength=rng.uniform(0.2, 2.0), turn=rng.choice((0.0, 30.0, -70.0)), **more)


def drawn_laws(rng):
    """A few laws between groups."""
    groups = [("", ""), ("red", ""), ("", "blue"), ("red", "blue")]
    return tuple(drawn_law(rng, acts_on=on, of=of) for on, of in groups[: rng.integers(1, 5)])


def pulls(rng, nudge):
    """What robots feel of all, by either way of summing up, of those that they perceive, and where a law holds them."""
    laws = drawn_laws(rng)
    table, state = law_table(laws, KINDS), swarm(rng.uniform(-2.0, 2.0, (N, 2)) + nudge, rng.normal(0.0, 0.3, (N, 2)))
    kind, source = rng.integers(0, 3, N), rng.uniform(-3.0, 3.0, (2 * N, 2))
    source_kind, core = rng.integers(0, 3, 2 * N), rng.uniform(0.01, 0.2)
    found = [perceived_forces(see(state, radius=1.2), kind, table, core)]
    for method in ("direct", "tree"):
        found.append(forces(state.position, kind, source, source_kind, table, core, method, rng.uniform(0.2, 0.7)))
    society = Society(KINDS, kind, source[:4], source_kind[:4], rng.random(N) < 0.1)
    stiffness, pairs = rng.uniform(0.2, 2.0), rng.permutation(N).reshape(-1, 2)
    links = spring_links(tuple(float(number) for one, other in pairs for number in (one, other, rng.uniform(0.1, 1.0))), stiffness)
    found += [rings(state.position, society, laws), pulled(links, state.position, rng.random(N) < 0.8)]
    r = np.linspace(0.2, 2.5, 20)
    found += [law.force(r) for law in laws] + [np.array(equilibria(laws, stable=stable)) for stable in (True, False)]
    return [*found, pulled_by_seen(links, see(state, radius=1.2)), *(error_bound(s, 0.4) for s in (0.5, 2.0, 3.3))]


def frames(rng, nudge):
    """Springs that hold a structure, and which edges it needs."""
    n = int(rng.integers(5, 9))
    place = rng.uniform(-1.0, 1.0, (n, 2)) + nudge
    ends = np.array([(i, j) for i in range(n) for j in range(i) if rng.random() < 0.6 or j == i - 1])
    made = springs.springs(place, ends, rng.uniform(0.5, 2.0))
    moved = place + rng.normal(0.0, 0.2, (3, n, 2))
    found = [springs.energy(made, moved), springs.forces(made, moved), springs.rigidity_matrix(ends, place), springs.laplacian(made)]
    found += [springs.freedom(ends, place), springs.freedom(ends, place, np.array([0, 1])), springs.is_rigid(ends, place)]
    slack = springs.springs(place, ends, 1.3, natural=False)
    found += [springs.is_anchored(slack, np.array([0])), springs.embedding(slack, np.array([0, 2, 3]), place[[0, 2, 3]])]
    found += [connectivity.connectivity(n, ends), connectivity.is_connected(n, ends, 2), connectivity.trilaterated(place)]
    return [*found, connectivity.fewest(place), connectivity.harary(n, int(rng.integers(2, 5)))]


def discs(rng, nudge):
    """Densities of clusters, and the forces in them."""
    made = disc.normal(rng.uniform(1.0, 3.0), np.array([1.0, *rng.uniform(-0.4, 0.4, 2)]), rng.uniform(0.3, 1.0), rng.uniform(50.0, 300.0))
    r = made.radius * (rng.uniform(0.05, 0.9, 7) + nudge)
    powers = ((-rng.uniform(0.5, 2.0), rng.uniform(2.2, 4.0)), (rng.uniform(0.5, 2.0), rng.uniform(0.5, 1.5)))
    found = [made.at(r), made.slope(r), made.inside(r), made.holding(np.array([0.2, 0.7])), made.spacing(r), made.rim()]
    found += [continuum.near(powers, made, r), continuum.far(powers, made, r), continuum.far_terms(powers, made, r)]
    found += [density.edge_exponent(rng.uniform(2.1, 4.0)), density.growth(rng.uniform(2.1, 4.0), rng.uniform(0.5, 1.9))]
    return [*found, hexagons.spacing(made.at(r)), hexagons.cost(made.at(r), rng.uniform(0.1, 2.0))]


def wishes(rng, nudge):
    """Wished densities, and landmarks that hold robots at them."""
    robots = int(rng.integers(40, 120))
    if rng.random() < 0.5:
        angle = np.sort(rng.uniform(-np.pi, np.pi, 6))
        wished = even_density(rng.uniform(0.7, 1.5) * np.column_stack((np.cos(angle), np.sin(angle))) + rng.uniform(-1.0, 1.0, 2), robots)
    else:
        x, y = rng.uniform(-1.0, 1.0) + np.arange(12) * 0.2, rng.uniform(-1.0, 1.0) + np.arange(9) * 0.2
        wished = wished_density(x, y, np.maximum(rng.normal(0.3, 0.5, (9, 12)), 0.0), robots)
    centre, radius = wished.circle
    place = centre + rng.uniform(-1.2, 1.2, (robots, 2)) * radius
    found = [wished.apart, wished.closest, wished.outside[::9, ::9], centre, radius, wished.of(place)[::9, ::9], wished.misplaced(place)]
    laid = landmarks.laid_out(wished, 0.4)
    made = landmarks.ControlLandmarks(laid.place, laid.reach, rng.uniform(0.0, 1.0, len(laid.place)), laid.centre, laid.radius, laid.home)
    home = landmarks.drawing_home(made)
    energy, force = home.energy(place + nudge)
    levels = landmarks.in_levels(made, 5)
    wanted = landmarks._wanted(laid, wished, hexagons.cost(wished.density, 1.0), 0.4)
    return [*found, laid.place, laid.reach, home.home, energy, force, levels.strength, levels.place, *wanted]


PARTS = {"pulls": pulls, "frames": frames, "discs": discs, "wishes": wishes}


def found(case, nudge=0.0):
    """What a part comes to, as sums."""
    name, draw = case.split()
    return sums(PARTS[name](np.random.default_rng([81, list(PARTS).index(name), int(draw)]), nudge))


@pytest.mark.parametrize("case", KNOWN)
def test_what_laws_come_to_is_what_it_was(case):
    assert found(case) == pytest.approx(KNOWN[case], rel=1e-7, abs=1e-8)


def steady(case):
    """Whether a tiny change of where robots are is not magnified."""
    return found(case, NUDGE) == pytest.approx(found(case), rel=MAGNIFIED, abs=MAGNIFIED)


if __name__ == "__main__":
    write(FILE, {case: short(found(case)) for case in (f"{name} {draw}" for name in PARTS for draw in range(DRAWS)) if steady(case)})
