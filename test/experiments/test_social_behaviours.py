"""The paper's behaviours with social potential fields, quick: what the page says holds, and what its measures mean."""

import numpy as np
import pytest
from found_again import found_again

from swarm_control.analysis.experiments.flight import Trial, fly
from swarm_experiments.papers.social.behaviours import passage, strangers, uneven, widest_gap
from swarm_experiments.papers.social.guard import slides
from swarm_experiments.papers.social.mines import clearing
from swarm_experiments.papers.social.minima import _outside

MISSED = {
    "noise of the measured positions leads out of either trap, at least sometimes",
    "every behaviour endures a position noise of 5 cm, half a robot's radius",
}
"""What the page itself says does not hold."""
NAMES = (
    "social_clusters", "social_walls", "social_guard", "social_escort", "social_reorganise", "social_demine", "social_minima",
    "social_robustness",
)  # fmt: skip


@pytest.mark.study
@pytest.mark.parametrize("name", NAMES)
def test_what_the_page_says_holds(name, lab, tmp_path):
    found_again(name, lab, tmp_path, MISSED)


def ring(n, radius=1.0, first=0.0, span=2.0 * np.pi):
    angle = first + span * np.arange(n) / n
    return radius * np.stack((np.cos(angle), np.sin(angle)), axis=-1)


def test_the_widest_gap_of_rings():
    assert widest_gap(ring(12)) == pytest.approx(30.0)
    assert widest_gap(ring(12)[1:]) == pytest.approx(60.0)
    assert widest_gap(ring(12, span=np.pi)) == pytest.approx(195.0), "all on one side: the middle is outside"
    assert widest_gap(np.stack((ring(6), ring(6, first=0.5, span=0.5 * np.pi)))) == pytest.approx([60.0, 285.0])


def test_strangers_and_unevenness_of_a_chequerboard():
    x, y = np.meshgrid(np.arange(4), np.arange(4))
    place = np.stack((x.ravel(), y.ravel()), axis=-1).astype(float)
    everybody = np.ones(16, bool)
    assert strangers(place, np.flatnonzero((x + y).ravel() % 2)) == 1.0
    assert strangers(place * [1.0, 2.0], np.flatnonzero(y.ravel() < 2)) == 0.0
    assert uneven(place, everybody) == 0.0
    assert uneven(np.vstack((place, [[0.5, 0.0]])), np.ones(17, bool)) > 0.1


@pytest.mark.parametrize("turn, weaker", [(1.0, 0.0), (-1.0, 1.0)])
def test_an_invader_who_moves_to_where_guards_are_does_not_seek_the_weak_side(turn, weaker):
    """He goes a quarter of the way round in view of guards who stand to his left, further than he goes."""
    bearing = turn * np.linspace(0.0, 0.5 * np.pi, 50)
    invader = 5.0 * np.stack((np.cos(bearing), np.sin(bearing)), axis=-1)
    guards = np.broadcast_to(ring(5, 3.0, 1.6, 0.1), (50, 5, 2))
    if turn < 0.0:
        guards = np.stack([ring(5, 3.0, b + 0.5, 0.1) for b in bearing])
    swept, share = slides(invader, guards)
    assert swept == pytest.approx(90.0) and share == pytest.approx(weaker)


def test_mines_of_a_flight_are_followed():
    flight = fly(Trial("demine", ("duration=40",), 1))
    cleared = clearing(flight)
    safe = np.isfinite(cleared.safe)
    assert safe.tolist() == [True, True, True] + [False] * 9, "the sweep has come past the first three"
    assert 0.1 < cleared.nearest < cleared.held < 0.7 and cleared.collisions == 0
    assert (cleared.search[safe] >= 5.0).all()


def test_a_group_gets_round_the_walls_together():
    arrived, after, hits, room, together, far = passage(fly(Trial("bypass_walls", (), 2, until_arrival=True)))
    assert arrived == 1.0 and after < 60.0 and hits == 0 and room > 0.0 and together == 1.0 and far < 2.5


def test_going_through_a_wall_is_noticed():
    flight = fly(Trial("bypass_walls", ("duration=1",), 0))
    x, y = flight.position[-1, 0]
    around = f"{x - 0.1}, {y - 0.1}, {x + 0.1}, {y - 0.1}, {x + 0.1}, {y + 0.1}"
    assert _outside(flight, "0, 0, 1, 0, 1, 1") and not _outside(flight, around.replace(f"{x + 0.1}, {y + 0.1}", f"{x}, {y + 0.2}"))
