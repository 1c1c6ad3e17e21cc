import sys

import numpy as np
import pytest
from PIL import Image

from swarm_control.analysis.recording import Trajectory
from swarm_control.analysis.report.trajectories import draw, save
from swarm_control.core.grid import Grid
from swarm_control.errors import InputError


def straight(n: int, ticks: int) -> Trajectory:
    """Robots that go right, one above the other."""
    time = 0.1 * np.arange(ticks)
    pose = np.zeros((ticks, n, 3))
    pose[:, :, 0] = time[:, None]
    pose[:, :, 1] = np.arange(n) * 0.5
    return Trajectory(time, pose, np.zeros_like(pose), tuple(f"robot_{k}" for k in range(n)))


def count(path, colour) -> int:
    pixels = np.asarray(Image.open(path).convert("RGB")).astype(int)
    return int((np.abs(pixels - colour).max(axis=2) <= 2).sum())


WALL, END, GOAL = (0x3C, 0x3C, 0x3C), (0xF2, 0x8E, 0x2B), (0xD6, 0x27, 0x28)


def test_walls_robots_and_goals_are_drawn_to_scale(tmp_path):
    occupied = np.zeros((20, 40), bool)
    occupied[5:15, 30:40] = True
    grid = Grid(occupied, (-1.0, -1.0), 0.1)
    with_all, bare = tmp_path / "all.png", tmp_path / "bare.png"
    save(draw(straight(2, 11), grid, [(1.0, 0.0, 0.3)], np.array([0.1, 0.1]), "test"), with_all)
    save(draw(straight(2, 11), Grid(~occupied & occupied, (-1.0, -1.0), 0.1), [], np.array([0.1, 0.1]), "test"), bare)
    wall, dots = count(with_all, WALL), count(with_all, END)
    assert count(bare, WALL) < 0.01 * wall
    assert dots / wall == pytest.approx(2.0 * np.pi * 0.1**2 / 1.0, rel=0.15)
    assert count(with_all, GOAL) > 100
    assert count(bare, GOAL) == 0


@pytest.mark.parametrize(("n", "ticks"), [(1, 1), (1, 500), (5000, 3)])
def test_any_size_of_run_can_be_drawn(tmp_path, n, ticks):
    save(draw(straight(n, ticks), None, [], np.full(n, 0.05), "size"), tmp_path / "picture.png")
    with Image.open(tmp_path / "picture.png") as picture:
        picture.verify()
        assert min(picture.size) > 500


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        save(draw(straight(1, 2), None, [], np.array([0.1]), "x"), tmp_path / "absent" / "picture.png")


def test_matplotlib_is_imported_on_use_only():
    import subprocess

    code = "import sys, swarm_control.analysis.report.trajectories, swarm_control.analysis.recording; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
