"""Nothing changes unnoticed what a fence makes of the twists of robots that move near it.

``drawn_fences.json`` keeps what drawn twists of six models come to; where a change is meant,
``PYTHONPATH=test/support python test/safety/test_drawn_fences.py`` writes it anew.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from kept_numbers import short, write
from test_fence import crowd, star

from swarm_control.safety.fence import keep_inside

FILE = Path(__file__).with_name("drawn_fences.json")
MODELS = ("omni", "differential", "car", "point_mass", "hopper", "hexapod")
SEEDS = range(4)


def fenced(model, seed):
    """What becomes of the twists of robots that move near a fence: sums over those that are changed, each with another weight."""
    rng, n = np.random.default_rng(seed), 60
    corners = 0.7 * star(rng, 7)
    robots, pose = crowd(rng, corners, model, n, 0.02)
    robots = replace(robots, max_turn_rate=rng.uniform(0.5, 6.0, n), wheel_base=1.5 * robots.radius)
    heading, speed = pose[:, 2], rng.uniform(0.0, 1.0, n) * robots.max_speed
    course = heading if model in ("differential", "car") else rng.uniform(-np.pi, np.pi, n)
    velocity = np.column_stack((speed * np.cos(course), speed * np.sin(course), rng.normal(0.0, 1.0, n)))
    wish = np.column_stack((speed * rng.choice((-0.5, 1.0, 1.5), n), rng.normal(0.0, 0.5, n), rng.normal(0.0, 2.0, n)))
    twist, changed = keep_inside(wish, pose, velocity, robots, corners, 0.02, 0.1)
    return [*map(float, np.cos(np.arange(n))[changed] @ twist[changed]), int(changed.sum())]


def found(model):
    return [number for seed in SEEDS for number in fenced(model, seed)]


@pytest.mark.parametrize("model", MODELS)
def test_what_a_fence_makes_of_twists_is_what_it_was(model):
    assert found(model) == pytest.approx(json.loads(FILE.read_text(encoding="utf-8"))[model], rel=1e-6, abs=1e-6)


if __name__ == "__main__":
    write(FILE, {model: short(found(model)) for model in MODELS})
