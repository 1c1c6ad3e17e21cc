"""The project's world files and the lab's: as generated, with room for robots and a way to the goal."""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from swarm_control.world import read_world

ROOT = Path(__file__).parents[2]
WORLDS = ROOT / "worlds"
LAB = ROOT.parent / "shared" / "data" / "stage_worlds" / "worlds"
NAMES = ("boxes", "bypass", "circle", "empty", "field", "frame", "gap", "line", "maze_hard", "maze_simple", "mixed", "walls")
START, GOAL = (-3.5, -3.5), (3.5, 3.5)


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_worlds", WORLDS / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generating_again_gives_what_is_committed(generator: ModuleType, tmp_path: Path) -> None:
    generator.main(tmp_path)
    assert (
        {path.stem for path in tmp_path.glob("*.world")}
        == {path.stem for path in WORLDS.glob("*.world")}
        == set(NAMES)
    )
    for name in NAMES:
        assert (tmp_path / f"{name}.world").read_bytes() == (WORLDS / f"{name}.world").read_bytes()
        new, old = (np.asarray(Image.open(folder / "maps" / f"{name}.png")) for folder in (tmp_path, WORLDS))
        np.testing.assert_array_equal(new, old)


@pytest.mark.parametrize("name", NAMES)
def test_own_world_comes_out_as_drawn(name: str) -> None:
    world = read_world(WORLDS / f"{name}.world")
    half = {"empty": 10.0, "bypass": 8.0, "field": 15.0}.get(name, 5.0)
    assert world.bounds == pytest.approx((-half, -half, half, half)) and world.interval_sim == 0.01
    grid = world.occupancy(margin=0)
    picture = np.asarray(Image.open(WORLDS / "maps" / f"{name}.png"))
    assert grid.resolution == pytest.approx(0.05) and picture.shape == (half * 40, half * 40)
    np.testing.assert_array_equal(grid.occupied, picture[::-1] <= 127)
    assert not any("unknown" in notice for notice in world.notices)


@pytest.mark.parametrize("name", ["boxes", "mixed", "walls", "maze_simple", "maze_hard"])
def test_start_and_goal_are_free_and_joined_by_a_wide_way(name: str) -> None:
    grid = read_world(WORLDS / f"{name}.world").occupancy(margin=0)
    clearance = ndimage.distance_transform_edt(~grid.occupied) * grid.resolution
    start, goal = (
        tuple(int((c + 5.0) / grid.resolution) for c in reversed(place)) for place in (START, GOAL)
    )
    assert clearance[start] >= 1.0 and clearance[goal] >= 1.15
    ways, _ = ndimage.label(clearance > 0.5)
    assert ways[start] == ways[goal] > 0


def test_the_straight_way_through_the_hard_maze_is_closed() -> None:
    occupied = read_world(WORLDS / "maze_hard.world").occupancy(margin=0).occupied
    assert occupied.diagonal()[30:170].any()


@pytest.mark.skipif(not LAB.is_dir(), reason=f"the lab's Stage worlds are not at {LAB}")
@pytest.mark.parametrize("name", ["empty_10x10", "random_10x10", "simple_maze_10x10"])
def test_lab_world_comes_out_as_its_picture(name: str) -> None:
    world = read_world(LAB / f"{name}.world")
    grid = world.occupancy(margin=0)
    picture = np.asarray(Image.open(LAB.parent / "maps" / name / f"{name}.bmp"))[:, :, 0]
    assert (grid.resolution, grid.origin) == (pytest.approx(0.05), pytest.approx((-5.0, -5.0)))
    np.testing.assert_array_equal(grid.occupied, picture[::-1] <= 127)
    assert world.robots == () and world.interval_sim == 0.01
    assert world.notices[-1].startswith("definitions.inc: 7 keys not used here: gui_nose ×2")
