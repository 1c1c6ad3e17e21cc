"""Films as files: what is in them."""

import builtins

import numpy as np
import pytest
from PIL import Image

from swarm_control.errors import InputError
from swarm_control.sim.mujoco.video import Video

av = pytest.importorskip("av")
SIZE = (320, 180)


def pictures(count):
    """A bright square that goes from left to right."""
    for k in range(count):
        picture = np.full((SIZE[1], SIZE[0], 3), 40, np.uint8)
        picture[60:120, 20 + 5 * k : 80 + 5 * k] = (250, 120, 30)
        yield picture


def written(path, count=25):
    video = Video(path, SIZE, 25.0)
    for picture in pictures(count):
        video.add(picture)
    video.close()
    return path


def test_a_film_is_h264_with_every_picture(tmp_path):
    with av.open(str(written(tmp_path / "a.mp4"))) as film:
        stream = film.streams.video[0]
        found = [frame.to_ndarray(format="rgb24").astype(int) for frame in film.decode(stream)]
        assert (stream.codec_context.name, stream.codec_context.pix_fmt, stream.average_rate) == ("h264", "yuv420p", 25)
    assert len(found) == 25
    for wanted, picture in zip(pictures(25), found):
        assert np.abs(picture - wanted).mean() < 4.0


def test_a_gif_has_half_the_pictures_and_lasts_as_long(tmp_path):
    with Image.open(written(tmp_path / "a.gif")) as found:
        assert found.n_frames == 13 and found.size == (400, 225)
        lasting = 0
        for k in range(found.n_frames):
            found.seek(k)
            lasting += found.info["duration"]
    assert lasting == 13 * 80


def test_who_cannot_write_films_is_told_what_to_install(tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *more):
        if name == "av":
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"--film .*a\.mp4: needs the package av"):
        Video(tmp_path / "a.mp4", SIZE, 25.0)
