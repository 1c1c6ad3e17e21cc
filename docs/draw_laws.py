"""Draw robots that spell a word by control landmarks: ``python docs/draw_laws.py``; see docs/laws.md."""

import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import font_manager
from PIL import Image, ImageDraw, ImageFont

matplotlib.use("Agg")
from matplotlib import pyplot

IMAGE = Path(__file__).resolve().parent / "images" / "laws.png"
WORD, WIDTH, ROBOTS = "SWARM", 16.0, 220


def word(path: Path) -> None:
    """A picture of the word, black on white."""
    font = ImageFont.truetype(font_manager.findfont("DejaVu Sans:bold"), 100)
    left, top, right, bottom = font.getbbox(WORD)
    image = Image.new("L", (int(right - left) + 20, int(bottom - top) + 20), 255)
    ImageDraw.Draw(image).text((10 - left, 10 - top), WORD, font=font, fill=0)
    image.save(path)


def run(*words: str) -> None:
    """Run a command of ``swarm``."""
    subprocess.run([sys.executable, "-m", "swarm_control.cli.main", *words], check=True)


def main() -> None:
    """Design, run, draw the start and the end over the word."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        picture, scenario, out = folder / "word.png", folder / "word.yaml", folder / "run"
        word(picture)
        run("laws", "--picture", str(picture), "--width", f"{WIDTH:g}", "--robots", str(ROBOTS), "--trials", "0", "--out", str(scenario))
        run("simulate", str(scenario), "--out", str(out))
        with np.load(out / "trajectory.npz") as data:
            pose, time = data["pose"], data["time"]
        grey = np.asarray(Image.open(picture))
    half = 0.5 * WIDTH * grey.shape[0] / grey.shape[1]
    figure, axes = pyplot.subplots(1, 2, figsize=(11.0, 5.6), layout="constrained", sharey=True)
    for axis, place, title in zip(axes, (pose[0], pose[-1]), ("At the start", f"After {float(time[-1]):.0f} s")):
        axis.imshow(grey, cmap="gray", vmin=-400, vmax=255, extent=(-0.5 * WIDTH, 0.5 * WIDTH, -half, half))
        axis.plot(place[:, 0], place[:, 1], "o", ms=2.6, color="#d95f02")
        axis.set(title=title, xlabel="x (m)", xlim=(-9, 9), ylim=(-9, 9), aspect="equal")
    axes[0].set_ylabel("y (m)")
    figure.savefig(IMAGE, dpi=100, bbox_inches="tight")
    print(IMAGE)


if __name__ == "__main__":
    main()
