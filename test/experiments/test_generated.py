"""Worlds that chance makes: the same for the same seed, free at start and goal, with a way between them that is wide enough."""

import numpy as np
import pytest

from swarm_control.analysis.simulation import Simulation
from swarm_experiments.motion.generated import CLEAR, CORNER, PIXEL, SIZE, WAY, _way_through, draw, write

MIDDLES = (np.arange(round(SIZE / PIXEL)) + 0.5) * PIXEL - SIZE / 2
X, Y = np.meshgrid(MIDDLES, MIDDLES[::-1])


@pytest.mark.parametrize("seed", range(5))
def test_start_and_goal_are_free_and_joined(seed):
    walls = draw(seed)
    assert (walls == draw(seed)).all() and (walls != draw(seed + 100)).any()
    for side in (-1.0, 1.0):
        assert not walls[np.hypot(X - side * CORNER, Y - side * CORNER) < CLEAR].any()
    assert _way_through(walls) and walls[[0, -1]].all() and walls[:, [0, -1]].all()


@pytest.mark.parametrize(("gap", "passes"), [(0.0, False), (0.8 * WAY, False), (1.4 * WAY, True)])
def test_a_wall_across_is_passed_by_a_gap_that_is_wide_enough(gap, passes):
    walls = (abs(X + Y) < 0.2) & (np.hypot(X, Y) > gap / 2)
    assert _way_through(walls) == passes


def test_a_world_is_written_as_it_was_drawn(tmp_path):
    walls = draw(3)
    world = write(walls, tmp_path, "drawn")
    grid = Simulation("maze_hard", robots=2, set={"world": str(world)}).setup.grid
    rows, columns = (((values + SIZE / 2) / PIXEL).astype(int).ravel() for values in (Y, X))
    shift = np.round((np.array([-SIZE / 2, -SIZE / 2]) - grid.origin) / grid.resolution).astype(int)
    assert (grid.occupied[rows + shift[1], columns + shift[0]] == walls.ravel()).all()
