"""Take the pictures of the dashboard before running graphs: ``python docs/draw_dashboard.py``. Needs Chromium, see ``test/dashboard``."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
ADDRESS = "127.0.0.1:8799"
sys.path.insert(0, str(ROOT / "test" / "dashboard"))

from pages import browser, until  # noqa: E402


def take(scenario: str, picture: str, seconds: float, scheme: str, arrange: Any) -> None:
    """Run a scenario, let ``arrange`` do something with its page after so many ``seconds`` of the swarm's time, and take the picture."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "swarm_control.cli.main", "run", scenario, "--dashboard-address", ADDRESS, "--out", folder]
        run = subprocess.Popen(words, env={**os.environ, "ROS_DOMAIN_ID": "97", "DISPLAY": "", "BROWSER": ""}, stderr=subprocess.DEVNULL)
        try:
            with browser(viewport={"width": 1280, "height": 800}, color_scheme=scheme) as window:
                page = window.pages[0]
                open_page(page)
                until(page, f"swarm.model.frame && swarm.model.frame.time > {seconds}", 120.0)
                arrange(page)
                page.screenshot(path=IMAGES / picture)
        finally:
            run.terminate()
            run.wait(20)
    print(IMAGES / picture)


def open_page(page: Any) -> None:
    """Open the page as soon as there is one."""
    from playwright.sync_api import Error

    for _ in range(120):
        try:
            page.goto(f"http://{ADDRESS}/")
            return
        except Error:
            page.wait_for_timeout(500)
    raise SystemExit("there is no dashboard")


def pick(page: Any) -> None:
    """A robot with its view, its neighbours, and what its behaviours want."""
    page.keyboard.press("n")
    until(page, "swarm.model.frame.arrows && swarm.model.frame.arrows.rows > 2")
    page.wait_for_timeout(500)


def tune(page: Any) -> None:
    """The parameters of the formation, one of them changed."""
    page.keyboard.press("2")
    page.evaluate("document.getElementById('group-formation').open = true")
    page.evaluate("document.getElementById('group-formation').scrollIntoView()")
    page.locator("[data-name='formation.spacing'] input[type=range]").fill("1.3")
    until(page, "swarm.model.values['formation.spacing'] === 1.3")
    page.wait_for_timeout(1000)


if __name__ == "__main__":
    take("migrate_boxes", "dashboard_light.png", 16.0, "light", pick)
    take("formation_circle", "dashboard_dark.png", 20.0, "dark", tune)
