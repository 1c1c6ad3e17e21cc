"""Small helpers to write world files and bitmaps into a temporary folder."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from swarm_control.world import World, read_world


@pytest.fixture
def world(tmp_path: Path) -> Callable[[str], World]:
    """Reads a world file of the given text; its folder is ``tmp_path``."""

    def read(text: str) -> World:
        path = tmp_path / "test.world"
        path.write_text(text, encoding="utf-8")
        return read_world(path)

    return read


@pytest.fixture
def picture(tmp_path: Path) -> Callable[..., Path]:
    """Saves walls (H, W), row 0 on top, as a black on white bitmap in ``tmp_path``."""

    def save(walls: np.ndarray, name: str = "map.png") -> Path:
        Image.fromarray(np.where(walls, 0, 255).astype(np.uint8)).save(tmp_path / name)
        return tmp_path / name

    return save
