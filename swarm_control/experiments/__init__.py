"""Experiments: each reproduces a figure or table of a paper as a picture and numbers beside the paper's statement.

To add one, write a function ``(lab) → Finding`` and name it in :data:`EXPERIMENTS`; the command line, the page and the tests follow.
"""

from collections.abc import Callable
from dataclasses import dataclass

from swarm_control.experiments import (
    avoidance,
    combined,
    flock_shape,
    formation_loss,
    formation_search,
    formation_speed,
    formations,
    leadership,
    rules,
    safety,
)
from swarm_control.experiments.finding import Finding
from swarm_control.experiments.lab import Lab


@dataclass(frozen=True)
class Experiment:
    """An experiment: one line on it, its function, and the page to which it belongs."""

    help: str
    run: Callable[[Lab], Finding]
    group: str = "reynolds"


VS = "virtual_structures"

EXPERIMENTS: dict[str, Experiment] = {
    "isolated_rules": Experiment("alignment, cohesion and separation, each on its own (Table 1, Fig. 14)", rules.isolated_rules),
    "combined_behaviours": Experiment("all behaviours on the paper's six maps (Table 2, Fig. 23)", combined.combined_behaviours),
    "leaders": Experiment("few leaders against all (Figs 15, 16)", leadership.leaders),
    "line_and_circle": Experiment("steer-to-avoid against the potential field (Figs 17, 18)", avoidance.line_and_circle),
    "goal_beyond_wall": Experiment("a goal that cannot be reached (Fig. 19)", avoidance.goal_beyond_wall),
    "multi_goal": Experiment("one goal after the other (Fig. 21)", combined.multi_goal),
    "field_of_view": Experiment("the flock's shape by field of view (Fig. 22)", flock_shape.field_of_view),
    "steer_step": Experiment("the angle between headings that steering tries (§4.4.1)", avoidance.steer_step),
    "accumulation": Experiment("weighted against prioritised accumulation (§4.2.2)", safety.accumulation),
    "no_collision": Experiment("collisions and arrival in every shipped scenario, with and without the filter", safety.no_collision),
    "maze": Experiment("mazes with and without guidance (Fig. 23f and Appendix)", combined.maze),
    "formation_accuracy": Experiment(
        "precision in translation and rotation, against the naive method (Lewis & Tan §5)", formations.accuracy, VS
    ),
    "formation_docking": Experiment(
        "a third robot is taken in, at once and gradually (Figs 15-18)", formations.docking, VS
    ),
    "formation_failure": Experiment(
        "settled error against commanded speed when a robot fails (Figs 19-23)", formations.failure, VS
    ),
    "formation_circle": Experiment(
        "a hexagon on a circle: shape error and lag", formations.circle, VS
    ),
    "formation_search": Experiment(
        "does displacement find the best pose, and how fast, against generic minimisers", formation_search.search, VS
    ),
    "formation_speed": Experiment(
        "time for fit, displacement and commands, 3 to 1000 robots", formation_speed.speed, VS
    ),
    "formation_loss": Experiment(
        "lost and late odometry; how far the robots' own structures differ", formation_loss.loss, VS
    ),
}

GROUPS = {"reynolds": "Reynolds' rules in Stage", VS: "Virtual structures"}
"""Pages of results: name and title."""
