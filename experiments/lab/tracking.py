"""How exactly and how fast the overhead camera's tracker finds robots, on rendered images whose truth is known."""

import time
from dataclasses import dataclass, replace

import numpy as np

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Finding, Photo
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import Page, experiment
from swarm_control.core.geometry import Array, wrap
from swarm_control.hardware.tracking.sighting import Image
from swarm_control.hardware.tracking.track import finder
from swarm_control.scenario.hardware import Tracker
from swarm_control.sim.hardware.render import RenderedFloor

PAGE = Page("tracking", "The tracker")

ROBOTS, APART, HALF = 10, 0.25, 1.38
"""Robots on the floor, their least distance (m), and half the width of the square in which they stand (m)."""

CASES = {
    "no noise, even light, exact calibration": (0.0, 0.0, 0.0), "noise 2, light −20 %, exact calibration": (2.0, 0.2, 0.0),
    "noise 4, light −40 %, exact calibration": (4.0, 0.4, 0.0), "noise 8, light −60 %, exact calibration": (8.0, 0.6, 0.0),
    "noise 8, light −60 %, points read to 1 px": (8.0, 0.6, 1.0),
}  # fmt: skip
"""Noise (grey levels of 255), light missing in the darkest corner, and how well calibration points are read (px)."""


@dataclass(frozen=True)
class Case:
    """A kind of marker under one of :data:`CASES`."""

    markers: str
    name: str
    images: int
    seed: Seed


@dataclass(frozen=True)
class Errors:
    """What was found: errors (n,) in m and rad, robots missed, CPU time (s) per image searched everywhere and where expected."""

    position: Array
    heading: Array
    missed: int
    everywhere: float
    expected: float


@experiment("tracking", "errors and speed of the overhead camera's tracker, on rendered images", PAGE, reported_on=range(100, 101))
@each_seed
def accuracy(lab: Lab, seed: Seed) -> Finding:
    """Errors and speed of both kinds of markers."""
    cases = [Case(markers, name, 2 if lab.quick else 5, seed) for markers in ("aruco", "spots") for name in CASES]
    found = lab.map(measure, cases)
    rows = tuple(_row(case, errors) for case, errors in zip(cases, found))
    slowest = max(max(one.everywhere, one.expected) for one in found)
    return Finding(
        "An overhead camera over 3 m of floor: 1280 × 960 px, ten robots",
        "Not in the paper, which tracks two coloured spots per robot and gives no accuracy.",
        ("markers", "image", "position rms (mm)", "max (mm)", "heading rms (°)", "max (°)", "missed",
         "images a second, searched everywhere", "where expected"),
        rows,
        {
            "every position is within 3 mm": all(one.position.max() <= 0.003 for one in found),
            "every heading is within 1°": all(np.degrees(one.heading.max()) <= 1.0 for one in found),
            "nobody is missed": not any(one.missed for one in found),
            "at least 20 images a second on one core": slowest <= 0.05,
        },
        tuple(Photo(f"{one}: noise 8, light −60 %", _picture(one, seed), np.empty((0, ROBOTS, 2))) for one in ("aruco", "spots")),
        {"position_max_mm": 1e3 * max(float(one.position.max()) for one in found), "ms_per_image": 1e3 * slowest},
        f"{cases[0].images} images of {ROBOTS} robots for each row, each searched everywhere and, as when robots are tracked, around poses "
        "5 cm and 10° off. Markers of 10 cm are 0.1 m over the floor, the camera 3 m, tilted by 2°; a pixel is 3.5 mm of floor; the lens "
        "blurs by 0.7 px. Images a second are by CPU time on one thread, the median image. With points read to a pixel the calibration's "
        "error is nearly all there is; it is the same in every image of a camera, so that robots see less of each other's.",
    )  # fmt: skip


def measure(case: Case) -> Errors:
    """Draw and search the images of a case."""
    import cv2

    cv2.setNumThreads(1)
    scene, tracker = _scene(case.markers, *CASES[case.name])
    look, rng = finder(tracker, ROBOTS), np.random.default_rng(case.seed)
    wrong: list[Array] = []
    took: list[list[float]] = [[], []]
    for _ in range(case.images):
        truth = scattered(rng)
        image = scene.draw(truth, rng)
        guesses = np.full((ROBOTS, 3), np.nan), truth + np.array([0.04, -0.03, np.deg2rad(10.0)])
        for guess, times in zip(guesses, took):
            began = time.process_time()
            wrong.append(look.find(image, guess).pose - truth)
            times.append(time.process_time() - began)
    off = np.concatenate(wrong)
    seen = off[np.isfinite(off).all(axis=1)]
    everywhere, expected = map(np.median, took)
    return Errors(np.hypot(seen[:, 0], seen[:, 1]), np.abs(wrap(seen[:, 2])), len(off) - len(seen), float(everywhere), float(expected))


def scattered(rng: np.random.Generator) -> Array:
    """Poses (N, 3) anywhere on the floor, apart from each other."""
    poses: list[list[float]] = []
    while len(poses) < ROBOTS:
        x, y = rng.uniform(-HALF, HALF, 2)
        if all(np.hypot(x - a, y - b) > APART for a, b, _ in poses):
            poses.append([x, y, rng.uniform(-np.pi, np.pi)])
    return np.array(poses)


def _scene(markers: str, noise: float, light: float, click: float) -> tuple[RenderedFloor, Tracker]:
    bare = Tracker(source="camera", markers=markers, marker_height=0.1)
    scene = RenderedFloor(bare, ROBOTS, noise=noise, light=light)
    return scene, replace(bare, floor=scene.calibration(click=click))


def _row(case: Case, errors: Errors) -> tuple[str, ...]:
    place, heading = 1e3 * errors.position, np.degrees(errors.heading)
    return (
        case.markers, case.name, f"{np.sqrt(np.mean(place**2)):.2f}", f"{place.max():.2f}", f"{np.sqrt(np.mean(heading**2)):.3f}",
        f"{heading.max():.3f}", f"{errors.missed}", f"{1 / errors.everywhere:.0f}", f"{1 / errors.expected:.0f}",
    )  # fmt: skip


def _picture(markers: str, seed: Seed) -> Image:
    """An image, with what was found in it drawn over it."""
    import cv2

    scene, tracker = _scene(markers, 8.0, 0.6, 0.0)
    rng = np.random.default_rng(seed)
    image = scene.draw(scattered(rng), rng)
    found = finder(tracker, ROBOTS).find(image, np.full((ROBOTS, 3), np.nan)).pose
    floor = scene.plane(tracker.marker_height)
    for robot, (x, y, heading) in enumerate(found):
        ends = np.array([[x, y, 1.0], [x + 0.2 * np.cos(heading), y + 0.2 * np.sin(heading), 1.0]]) @ floor.T
        centre, tip = (tuple(np.rint(end[:2] / end[2]).astype(int).tolist()) for end in ends)
        cv2.arrowedLine(image, centre, tip, (255, 140, 0), 3, cv2.LINE_AA, tipLength=0.25)
        cv2.putText(image, str(robot), (centre[0] + 40, centre[1] - 30), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (255, 140, 0), 2, cv2.LINE_AA)
    return image
