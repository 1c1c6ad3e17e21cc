"""A browser plays the films that are made."""

import base64

import numpy as np
import pytest
from pages import browser, need_browser

from swarm_control.sim.mujoco.video import Video

need_browser()
pytest.importorskip("av")


def test_a_browser_plays_a_film_to_its_end(tmp_path):
    video = Video(tmp_path / "a.mp4", (320, 180), 25.0)
    for k in range(25):
        video.add(np.full((180, 320, 3), 10 * k, np.uint8))
    video.close()
    data = base64.b64encode((tmp_path / "a.mp4").read_bytes()).decode()
    with browser() as context:
        page = context.new_page()
        page.set_content(f'<video muted src="data:video/mp4;base64,{data}"></video>')
        played = """video => new Promise((done, fail) => {
            video.onended = () => done([video.videoWidth, video.currentTime]);
            video.onerror = () => fail(video.error.message);
            video.play();
        })"""
        width, lasted = page.eval_on_selector("video", played)
        assert width == 320 and lasted == pytest.approx(1.0, abs=0.05)
