"""Bitmaps of floor plans: which pixels are walls by Stage's rule, and their partition into rectangles."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.errors import InputError
from swarm_control.files import refuse_pipe
from swarm_control.world.defaults import BITMAP_THRESHOLD

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

MAX_PIXELS = 64_000_000
MAX_RECTANGLES = 500_000
FORMATS = ("PNG", "BMP", "GIF", "JPEG", "PPM")


def load_bitmap(path: Path, where: str) -> BoolArray:
    """Walls of an image, (H, W) with row 0 at its top.

    Stage's rule (``polys_from_image_file``): a pixel is a wall if its first channel, red or grey, is at most
    127; green, blue and transparency do not count. ``InputError`` as :func:`load_greys`.
    """
    return load_greys(path, where) <= BITMAP_THRESHOLD


def load_greys(path: Path, where: str) -> NDArray[np.uint8]:
    """First channel, red or grey, of an image, (H, W) with row 0 at its top, 0 to 255.

    16-bit greys count by their high byte, palettes by their colours. InputError at ``where`` for a file that
    is missing, no image, empty or above 64 megapixels.
    """
    return _load(path, where, _first_channel)


def load_shades(path: Path, where: str) -> NDArray[np.uint8]:
    """How bright an image is on white ground, (H, W) with row 0 at its top, 0 to 255; ``InputError`` as :func:`load_greys`."""
    return _load(path, where, _on_white)


def _load(path: Path, where: str, pixels: Callable[[PillowImage], NDArray[np.uint8]]) -> NDArray[np.uint8]:
    from PIL import Image

    refuse_pipe(path, where)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path, formats=FORMATS) as image:
                width, height = image.size
                if 0 < width * height <= MAX_PIXELS:
                    return pixels(image)
    except FileNotFoundError as error:
        raise InputError(where, f"no such bitmap: {path}") from error
    except Image.DecompressionBombError as error:
        raise InputError(
            where, f"{path}: expected a bitmap of at most {MAX_PIXELS // 1_000_000} megapixels"
        ) from error
    except Exception as error:  # Pillow's decoders raise many kinds for a damaged file
        raise InputError(
            where, f"cannot read the bitmap {path} (expected {', '.join(FORMATS)}): {error}"
        ) from error
    raise InputError(
        where,
        f"{path}: expected at most {MAX_PIXELS // 1_000_000} megapixels, found {width} × {height}",
    )


def _first_channel(image: PillowImage) -> NDArray[np.uint8]:
    """Red or grey value of every pixel, (H, W), 0 to 255."""
    if image.mode.startswith("I"):  # greys of more than 8 bits
        return (np.asarray(image).astype(np.int64) >> 8).clip(0, 255).astype(np.uint8)
    if image.mode in ("L", "LA", "RGB", "RGBA"):
        plain = image
    else:
        plain = image.convert(
            "L" if image.mode in ("1", "F") else "RGBA" if image.mode in ("P", "PA") else "RGB"
        )
    return np.asarray(plain.getchannel(0))


def _on_white(image: PillowImage) -> NDArray[np.uint8]:
    """Brightness of every pixel, (H, W), 0 to 255, where what is transparent lets white through."""
    from PIL import Image

    if image.mode.startswith("I"):
        return _first_channel(image)
    white = Image.new("RGBA", image.size, "white")
    return np.asarray(Image.alpha_composite(white, image.convert("RGBA")).convert("L"))


def rectangles(walls: BoolArray, where: str) -> Array:
    """Partition of the wall pixels of ``walls`` (H, W), row 0 on top, into rectangles.

    Returns corners (M, 4, 2) in pixels, counter-clockwise, x right, y up, the image's top edge at y = 0.
    Horizontal runs of equal span in consecutive rows make one rectangle. InputError at ``where`` if there are
    more than 500 000.
    """
    steps = np.diff(np.pad(walls, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    row, start = np.nonzero(steps == 1)
    end = np.nonzero(steps == -1)[1]
    order = np.lexsort((row, end, start))
    row, start, end = row[order], start[order], end[order]
    first = np.ones(len(row), dtype=bool)
    first[1:] = (np.diff(row) != 1) | (np.diff(start) != 0) | (np.diff(end) != 0)
    last = np.append(first[1:], True)[: len(row)]
    if np.count_nonzero(first) > MAX_RECTANGLES:
        raise InputError(
            where, f"expected a bitmap of at most {MAX_RECTANGLES} wall rectangles, is it a floor plan?"
        )
    left, right, low, high = start[first], end[first], -(row[last] + 1), -row[first]
    corners = np.stack((left, low, right, low, right, high, left, high), axis=-1)
    return corners.reshape(-1, 4, 2).astype(np.float64)
