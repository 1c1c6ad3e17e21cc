"""Films as files: H.264 for browsers, GIF for pages that hold no film."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swarm_control.errors import InputError

QUALITY = "20"
"""x264's constant rate factor: less is better and larger."""
GIF_EVERY, GIF_WIDTH, GIF_COLOURS = 2, 400, 64
"""Of a GIF: every so many pictures, so wide (px), with so many colours."""


class Video:
    """A film of pictures (H, W, 3), RGB, ``rate`` a second. ``.mp4``: H.264 that browsers play; ``.gif``: smaller, with half the pictures.

    ``InputError`` where what writes it is not installed.
    """

    def __init__(self, path: Path, size: tuple[int, int], rate: float) -> None:
        self._path, self._rate = path, rate
        self._gif: list[Any] | None = [] if path.suffix.lower() == ".gif" else None
        self._count = 0
        if self._gif is None:
            self._open(size)

    def _open(self, size: tuple[int, int]) -> None:
        try:
            import av
        except ImportError:
            raise InputError(f"--film {self._path}", "needs the package av: `pip install 'swarm_control[floor]'`") from None
        self._av = av
        self._file = av.open(str(self._path), "w", options={"movflags": "faststart"})
        self._stream: Any = self._file.add_stream("libx264", rate=round(self._rate), options={"crf": QUALITY})
        self._stream.width, self._stream.height = size
        self._stream.pix_fmt = "yuv420p"
        self._stream.thread_count = 1

    def add(self, picture: NDArray[np.uint8]) -> None:
        """Add a picture."""
        if self._gif is None:
            frame = self._av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
            self._file.mux(self._stream.encode(frame))
        elif self._count % GIF_EVERY == 0:
            from PIL import Image

            image = Image.fromarray(picture)
            self._gif.append(image.resize((GIF_WIDTH, round(GIF_WIDTH * image.height / image.width))).quantize(GIF_COLOURS))
        self._count += 1

    def close(self) -> None:
        """Finish the file."""
        if self._gif is None:
            self._file.mux(self._stream.encode(None))
            self._file.close()
        elif self._gif:
            lasting = round(1000.0 * GIF_EVERY / self._rate)
            self._gif[0].save(self._path, format="GIF", save_all=True, append_images=self._gif[1:], duration=lasting, loop=0, optimize=True)
