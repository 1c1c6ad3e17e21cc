"""Experiments: each reproduces a figure or table of a paper as a picture and numbers beside the paper's statement.

To add one, write a function ``(lab) → Finding`` and name it in :data:`EXPERIMENTS`; the command line, the page and the tests follow.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from swarm_control.experiments import (
    avoidance,
    combined,
    flock_shape,
    floor,
    formation_bandwidth,
    formation_loss,
    formation_search,
    formation_speed,
    formation_valleys,
    formations,
    herd,
    herd_beyond,
    herd_ground,
    herd_numerics,
    herd_paths,
    herd_response,
    herd_spacing,
    herd_turn,
    hexapod,
    hexapod_numerics,
    hexapod_reflexes,
    hexapod_springs,
    hexapod_terrain,
    hexapod_tuning,
    hexapod_walking,
    leadership,
    rules,
    safety,
    social,
    social_carry,
    social_crowd,
    social_disc,
    social_guard,
    social_harvest,
    social_mines,
    social_minima,
    social_robust,
    social_springs,
    social_theory,
    tracking,
    tuned,
    wireless,
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
FLOOR = "floor"
AIR = "wireless"
SOCIAL = "social"
HEXAPOD = "hexapod"
DYNAMICS = "dynamics"

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
    "formation_docking": Experiment("a third robot is taken in, at once and gradually (Figs 15-18)", formations.docking, VS),
    "formation_failure": Experiment("settled error against commanded speed when a robot fails (Figs 19-23)", formations.failure, VS),
    "formation_circle": Experiment("a hexagon on a circle: shape error and lag", formations.circle, VS),
    "formation_search": Experiment(
        "does displacement find the best pose, and how fast, against generic minimisers", formation_search.search, VS
    ),
    "formation_valleys": Experiment("where the cost has several valleys: does the search stick", formation_valleys.valleys, VS),
    "formation_speed": Experiment("time for fit, displacement and commands, 3 to 1000 robots", formation_speed.speed, VS),
    "formation_loss": Experiment("lost and late odometry; how far the robots' own structures differ", formation_loss.loss, VS),
    "formation_bandwidth": Experiment("bytes that onboard robots really send, on machines of their own", formation_bandwidth.bandwidth, VS),
    "floor": Experiment("the paper's two formation experiments on a floor in MuJoCo, under a camera (Lewis & Tan §5)", floor.floor, FLOOR),
    "tracking": Experiment("errors and speed of the overhead camera's tracker, on rendered images", tracking.accuracy, "tracking"),
    "tuning": Experiment("from bad weights to arrival without collision, by `swarm tune`", tuned.tuning, "tuning"),
    "wireless": Experiment("formation, cut-off and recovery over loss and delay, in network namespaces", wireless.wireless, AIR),
    "social_clusters": Experiment("a free cluster, and one within landmarks (Reif & Wang §3.3)", social.clusters, SOCIAL),
    "social_walls": Experiment("a group goes round walls to a goal (§3.4)", social.walls, SOCIAL),
    "social_guard": Experiment("guards round a castle against an invader who seeks the weak side (§3.5)", social_guard.guarding, SOCIAL),
    "social_escort": Experiment("guards round a leading robot on the march (§3.5)", social.escorting, SOCIAL),
    "social_reorganise": Experiment("units of an army mix and take their places (§3.6)", social.reorganising, SOCIAL),
    "social_demine": Experiment("mines are found, made safe and left (§3.7)", social_mines.demining, SOCIAL),
    "social_minima": Experiment("how often forces balance too early, and ways out", social_minima.minima, SOCIAL),
    "social_robustness": Experiment("three behaviours under noise, latency, loss, asynchrony", social_robust.robustness, SOCIAL),
    "social_crowd": Experiment("200 robots guard a castle as ROS 2 nodes, in real time", social_crowd.crowd, SOCIAL),
    "social_disc": Experiment("20,000 robots form a disc, forces summed by the tree (§3.3)", social_disc.forming, SOCIAL),
    "social_density": Experiment("density of a cluster from its law, against simulated (Reif & Wang §4)", social_theory.density, SOCIAL),
    "social_synthesis": Experiment("laws found for wished densities (Reif & Wang §4)", social_theory.synthesis, SOCIAL),
    "social_springs": Experiment("structures of springs: rigidity, and where starts end (Reif & Wang §5)", social_springs.design, SOCIAL),
    "social_carry": Experiment("leading robots turn, scale and reshape structures of springs (§5)", social_carry.carry, SOCIAL),
    "social_harvest": Experiment("a line on springs sweeps a field: covered share and evenness (§5)", social_harvest.harvest, SOCIAL),
    **{
        f"herd_{name}_{kind}": Experiment(f"{word.word}: {help}", partial(run, kind=kind), DYNAMICS)
        for kind, word in herd.HERDS.items()
        for name, help, run in (
            ("steady", "from a grid to a steady group (Brogan & Hodgins, Fig. 8)", herd.steady),
            ("turn", "to the left, and to the right (Fig. 9)", herd_turn.turning),
            ("obstacle", "a disc in the middle of the way (Figs 10, 11)", herd_paths.obstacle),
            ("aside", "a disc to the side of the way (Fig. 12)", herd_paths.off_centre),
            ("sizes", "groups of 20 to 80 pass a disc (Fig. 13)", herd_paths.sizes),
            ("spacing", "separation by visible neighbours (Fig. 14)", herd_spacing.separation),
        )
        if kind != "bicycles" or name in ("steady", "turn", "obstacle", "aside")
    },
    "herd_ground": Experiment("one-legged robots on rough and slippery ground", herd_ground.ground, DYNAMICS),
    "herd_motors": Experiment("one-legged robots whose motors are bounded", herd_ground.motors, DYNAMICS),
    "herd_response": Experiment("how each kind answers a change of command (Fig. 6)", herd_response.responses, DYNAMICS),
    "herd_numerics": Experiment("cost by number of robots; time steps, energy and momentum", herd_numerics.numerics, DYNAMICS),
    "herd_reflex": Experiment("hoppers avoid imminent collisions by reflex", herd_beyond.reflex, DYNAMICS),
    "herd_senses": Experiment("hoppers with noisy, late and hidden neighbours", herd_beyond.senses, DYNAMICS),
    "herd_mixed": Experiment("hoppers, bicyclists and wheels in one herd", herd_beyond.mixed, DYNAMICS),
    "hexapod_gaits": Experiment("gaits against Wilson's rules (McKenna & Zeltzer §4.1, Figs 4, 5)", hexapod.gaits, HEXAPOD),
    "hexapod_walking": Experiment("speed, wobble and stability of the tripod; sticky feet (§4.2)", hexapod_walking.walking, HEXAPOD),
    "hexapod_springs": Experiment("linear against exponential springs (§4.2)", hexapod_springs.springs, HEXAPOD),
    "hexapod_command": Experiment("speeds and turn rates as commanded", hexapod_springs.command, HEXAPOD),
    "hexapod_reflexes": Experiment("calibration of the reflexes, and lost legs (§3.2)", hexapod_reflexes.reflexes, HEXAPOD),
    "hexapod_terrain": Experiment("success against roughness, with and without reflexes (Fig. 8)", hexapod_terrain.terrain, HEXAPOD),
    "hexapod_tuning": Experiment("motor programs tuned from poor ones", hexapod_tuning.tuning, HEXAPOD),
    "hexapod_numerics": Experiment("time steps, balance of energy, cost by the number of legs", hexapod_numerics.numerics, HEXAPOD),
    "hexapod_flock": Experiment("ten insects flock to a goal", hexapod_reflexes.flock, HEXAPOD),
}

GROUPS = {
    "reynolds": "Reynolds' rules in Stage", VS: "Virtual structures", FLOOR: "The lab floor", "tracking": "The tracker",
    "tuning": "Automatic tuning", AIR: "The wireless network", SOCIAL: "Social potential fields",
    DYNAMICS: "Groups with significant dynamics", HEXAPOD: "A walking hexapod",
}  # fmt: skip
"""Pages of results: name and title."""
