"""Which pixels are walls, and their partition into rectangles."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image
from shapely import Polygon

from swarm_control.errors import InputError
from swarm_control.world.bitmap import load_bitmap, rectangles


def test_first_channel_up_to_127_is_wall_whatever_the_rest(tmp_path: Path) -> None:
    pixels = np.array([[(127, 255, 255, 0), (128, 0, 0, 255), (0, 0, 0, 0)]], dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    assert load_bitmap(tmp_path / "a.png", "w:1").tolist() == [[True, False, True]]


@pytest.mark.parametrize("name", ["grey.png", "grey.bmp", "grey.gif", "grey.jpg", "grey.pgm"])
def test_formats(tmp_path: Path, name: str) -> None:
    walls = np.kron(np.array([[1, 0], [1, 1]]), np.ones((16, 16))) > 0
    Image.fromarray(np.where(walls, 10, 240).astype(np.uint8)).save(tmp_path / name)
    np.testing.assert_array_equal(load_bitmap(tmp_path / name, "w:1"), walls)


@pytest.mark.parametrize("mode", ["1", "P", "RGB", "RGBA", "LA", "I;16"])
def test_modes(tmp_path: Path, mode: str) -> None:
    grey = Image.fromarray(np.array([[0, 255], [255, 0]], dtype=np.uint8))
    image = (
        Image.fromarray(np.array([[0, 65535], [65535, 0x7FFF]], dtype=np.uint16))
        if mode == "I;16"
        else grey.convert(mode)
    )
    image.save(tmp_path / "m.png")
    assert load_bitmap(tmp_path / "m.png", "w:1").tolist() == [[True, False], [False, True]]


def test_complaints_name_bitmap_and_line(tmp_path: Path) -> None:
    (tmp_path / "no.png").write_bytes(b"no picture")
    Image.fromarray(np.zeros((40, 40), np.uint8)).save(tmp_path / "cut.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "cut.png").read_bytes()[:50])
    for name, expected in (
        ("none.png", "no such bitmap"),
        ("no.png", "cannot read"),
        ("cut.png", "cannot read"),
        ("", "cannot read"),
    ):
        with pytest.raises(InputError, match=f"^w:7: {expected}.*{name}"):
            load_bitmap(tmp_path / name, "w:7")


def test_absurd_sizes_are_refused_before_they_are_decoded(tmp_path: Path) -> None:
    for name, (width, height) in (
        ("big.pgm", (100_000, 1000)),
        ("huge.pgm", (10**6, 10**6)),
        ("none.pgm", (0, 5)),
    ):
        (tmp_path / name).write_bytes(f"P5 {width} {height} 255\n".encode())
        with pytest.raises(InputError, match=f"^w:7: .*{name}"):
            load_bitmap(tmp_path / name, "w:7")


@given(arrays(bool, st.tuples(st.integers(1, 12), st.integers(1, 12))))
def test_rectangles_cover_every_wall_pixel_once(walls: np.ndarray) -> None:
    count = np.zeros(walls.shape, dtype=int)
    for corners in rectangles(walls, "w:1").astype(int):
        (left, low), (right, high) = corners.min(axis=0), corners.max(axis=0)
        count[-high : -low or None, left:right] += 1
        assert Polygon(corners).exterior.is_ccw
    np.testing.assert_array_equal(count, walls)


def test_a_frame_takes_four_rectangles_and_noise_is_bounded() -> None:
    frame = np.ones((200, 200), dtype=bool)
    frame[1:-1, 1:-1] = False
    assert len(rectangles(frame, "w:1")) == 4
    chess = np.add.outer(np.arange(1100), np.arange(1100)) % 2 == 0
    with pytest.raises(InputError, match=r"w:1: .*rectangles"):
        rectangles(chess, "w:1")
