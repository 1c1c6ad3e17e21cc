"""The short runs whose results are kept: together they use every part of the simulation, at other numbers than the defaults, too.

Where a number is one, to multiply by it and to divide by it is the same, and nobody would notice which of both is done.
"""

from dataclasses import fields, is_dataclass

from swarm_control.robots.bicycle.body_parameters import Bicycle
from swarm_control.robots.hexapod.body_parameters import Hexapod
from swarm_control.robots.hopper.body_parameters import Hopper
from swarm_control.scenario.schema import Control


def odd(of, by, path="", but=()):
    """Changes that put every number in a dataclass of parameters off its default by a factor, but for what is called so."""
    found = {}
    for f in fields(of):
        value, name = getattr(of, f.name), f"{path}{f.name}"
        if is_dataclass(value):
            found |= odd(value, by, f"{name}.", but)
        elif f.name not in but and isinstance(value, float) and value:
            found[name] = by * value
        elif f.name not in but and isinstance(value, tuple) and any(isinstance(number, float) and number for number in value):
            found[name] = [by * number for number in value]
    return found


def odd_control(by):
    """The same of the controllers' parameters, but for those that are at a bound or of which a whole is asked."""
    return odd(Control(), by, but=("period", "max_speed", "max_turn_rate", "field_of_view", "command_delay"))


MODELS = {
    "omni": {}, "car": {"robots.0.model": "car", "robots.0.max_turn_rate": 3.0},
    "differential": {"robots.0.model": "differential", "motion.look_ahead": 0.05},
}  # fmt: skip
RUNS: dict[str, tuple] = {}
"""Name → scenario, how long (s), and what is changed."""


def runs(scenario, duration, **variants):
    """Runs of a scenario: as it is, or in ``variants``."""
    for name, changes in (variants or {"": {}}).items():
        RUNS[f"{scenario}-{name}" if name else scenario] = scenario, duration, changes


LATE = {
    "simulator.delay": 0.12, "simulator.loss": 0.1, "simulator.asynchronous": 1.0, "simulator.noise_position": 0.005,
    "simulator.noise_heading": 1.0, "simulator.noise_velocity": 0.01, "simulator.noise_speed": 0.02, "simulator.noise_turn": 0.02,
}  # fmt: skip
SENSES = {
    "perception.field_of_view": 270.0, "perception.occlusion": True, "perception.delay": 0.1, "perception.loss": 0.1,
    "perception.noise_position": 0.01, "perception.noise_velocity": 0.02,
}  # fmt: skip
FENCE = {"safety.fence": [-4.4, -4.4, -2.6, -4.4, -2.6, -2.9, -3.2, -2.4, -4.4, -2.6], "safety.speed_cap": 0.4}
TABLE = [
    {"acts_on": "guards", "of": "castle", "spring": 2.0, "length": 2.5, "turn": 40.0},
    {"of": "guards", "terms": [-0.3, 2.0, 0.01, 0.5], "near": 0.3, "far": 4.0},
    {"acts_on": "guards", "of": "invader", "equilibrium": 1.0, "repulsion": 2.5, "attraction": 1.5, "turn": -20.0},
]  # fmt: skip

runs("flock_frame", 6.0, **MODELS, velocity={"motion.mode": "velocity", "accumulation.method": "weighted"},
     step={"motion.mode": "step", "accumulation.method": "greatest", "separation.law": "linear"},
     free={"world": None, "separation.law": "unit", "motion.heading_gain": 0.0}, late=LATE)  # fmt: skip
runs("flock_walls", 6.0, **MODELS, senses=SENSES, field={"potential_field.weight": 1.0, "steer_to_avoid.weight": 0.0}, fenced=FENCE,
     late={**MODELS["differential"], **LATE})  # fmt: skip
runs("flock_mixed", 8.0, **MODELS, wide={"robots.0.radius": 0.15, "separation.distance": 0.8})
runs("scale", 3.0, many={"robots": 100}, placed={"robots": 30, "robots.0.start.pattern": "hexagonal", "world": None})
runs("migrate_boxes", 12.0, **MODELS, apart={"leaders.method": "hull", "leaders.everywhere": False, "perception.radius": 0.7})
runs("migrate_mixed", 20.0, near={"goals.0.position": [-1.0, -1.0]}, each={
    "robots": 3, "goals": [{"each": [-2.0, -3.0, -3.0, -1.5, -1.0, -3.6]}], "arrival.weight": 1.0})  # fmt: skip
runs("maze_hard", 20.0, omni={}, differential={**MODELS["differential"], "robots": 4}, seek={"seek.weight": 0.3, "guidance.weight": 0.0})
runs("multi_goal", 20.0, near={"goals": [{"position": [-2.8, -2.8], "fraction": 0.5}, {"position": [-3.8, -2.0]}]})
for scene in ("antipodal", "crossing", "corridor", "doorway"):
    runs(f"traffic_{scene}", 10.0, **{name: {"robots": 10, **changes} for name, changes in MODELS.items()})
runs("traffic_doorway", 8.0, late={"robots": 8, **LATE}, fenced={"robots": 8, "safety.fence": [-2, -4, 2, -4, 2, 4, -2, 4]})
runs("flocks_cross", 7.0)
runs("formation_beside_flock", 4.0)
runs("formation_box", 6.0)
runs("formation_circle", 6.0, naive={"formation.displace.method": "naive"}, omni={"robots.0.model": "omni"})
runs("formation_docking", 4.0, early={"phases.0.start": 1.0})
runs("formation_docking", 2.0, slow={"phases.0.start": 0.5, "formation.morph_time": 3.0})
runs("formation_failure", 8.0, early={"simulator.failures.0.start": 2.0, "simulator.failures.0.end": 5.0},
     dropped={"simulator.failures.0.start": 2.0, "formation.health.drop_after": 1.0})  # fmt: skip
runs("formation_field", 8.0)
runs("formation_gap", 25.0)
runs("formation_maze", 20.0)
runs("formation_merge", 9.0, early={"phases.0.start": 4.0, "phases.1.start": 7.0})
runs("formation_obstacles", 6.0)
runs("formation_rotate", 6.0, huber={"formation.fit.norm": "huber"},
     onboard={"simulator.onboard": True, "simulator.agree": False, "simulator.loss": 0.2},
     led={"formation.fit.norm": "l1", "formation.leader": "robot_0", "formation.pivot": [0.3, 0.1]})  # fmt: skip
runs("formation_trajectory", 6.0, patient={"formation.drive.patience": 0.05, "formation.face_ahead": True})
runs("formation_translate", 6.0, driven={"goals": [], "formation.velocity": [0.1, 0.02, 0.2]},
     line={"formation.shape": "line"}, diamond={"formation.shape": "diamond", "robots.0.model": "omni"})  # fmt: skip
for social in ("bypass_walls", "cluster", "cluster_shape", "demine", "escort", "guard_castle", "harvest_line", "reorganise"):
    runs(social, 4.0)
runs("guard_castle", 4.0, table={"social.laws": TABLE, "phases": []}, perceived={"social.feels": "perceived", "perception.radius": 3.0},
     tree={"social.summation": "tree", "social.threshold": 0.2})  # fmt: skip
runs("reorganise", 6.0, early={"phases.1.start": 2.0, "phases.2.start": 4.0})
runs("demine", 12.0, near={"robots.0.start.center": [-4.0, -4.0], "events.0.time": 1.0})
runs("herd_points_turn", 3.0, early={"robots": 30, "phases.0.start": 0.5, "phases.1.start": 1.5})
runs("herd_points_obstacle", 4.0, near={"robots": 30, "robots.0.start.center": [18.0, 1.0]})
for herd in ("herd_bicycles_turn", "herd_bicycles_obstacle", "herd_crossing"):
    runs(herd, 0.8, few={"robots.0.count": 4})
runs("herd_hoppers_turn", 1.6, few={"robots.0.count": 4, "grouping.heading": 40.0})
runs("herd_mixed", 0.6, few={"robots.0.count": 3, "robots.1.count": 2, "robots.2.count": 3})
runs("hexapod_flock", 0.6, few={"robots": 2})
runs("hexapod_terrain", 0.6)

BICYCLES = [{
    "count": 2, "model": "bicycle", "radius": 0.5, "max_speed": 9, "max_acceleration": 3, "max_turn_rate": 1,
    "start": {"pattern": "line", "spacing": 3, "speed": 6.5, "heading_spread": 20},
}]  # fmt: skip
STARTS = [
    {"count": 7, "radius": 0.06, "max_speed": 0.7,
     "start": {"pattern": "ring", "center": [-3.6, -3.6], "radius": 0.5, "heading": 30, "speed": 0.2}},
    {"count": 3, "model": "car", "max_turn_rate": 3, "radius": 0.05, "max_speed": 0.5,
     "start": {"pattern": "line", "center": [-3.4, -2.6], "spacing": 0.3, "heading": 20}},
]  # fmt: skip
SHAPES = [
    {"group": "castle", "shape": "circle", "center": [0.5, -0.3], "radius": 1.3, "count": 9},
    {"group": "castle", "shape": "line", "points": [2, 2, 3, 2.5, 3, 4], "spacing": 0.3},
    {"group": "castle", "shape": "outline", "points": [-4, -4, -3, -4.5, -3, -3], "spacing": 0.4},
]  # fmt: skip
GROUPING = {f"grouping.{name}": value for name, value in {
    "distance": 4.3, "push": 47.0, "clearance": 1.7, "neighbour_room": 0.05, "rejoin": 0.23, "rejoin_distance": 14.0, "sight": 7.0,
}.items()}  # fmt: skip

runs("herd_bicycles_turn", 0.4, odd={"robots": BICYCLES, "bodies.bicycle.steering": "fork", **odd(Bicycle(), 0.97, "bodies.bicycle.")},
     rigid={"robots": BICYCLES, "bodies.bicycle.rider": "rigid", **odd(Bicycle(), 0.93, "bodies.bicycle.", but=("min_speed",))})
runs("herd_hoppers_turn", 1.2, odd={"robots.0.count": 3, **odd(Hopper(), 1.06, "bodies.hopper."), "bodies.hopper.hip_torque": 60.0,
     "bodies.hopper.thrust_force": 900.0})  # fmt: skip
runs("hexapod_flock", 0.4, odd={"robots": 2, **odd(Hexapod(), 1.05, "bodies.hexapod.", but=("time_step",)),
     "bodies.hexapod.legs.count": 8, "bodies.hexapod.legs.lost": ["left_2"], "bodies.hexapod.feet.adhesion": 300.0})  # fmt: skip
runs("hexapod_walk", 0.4, linear={"bodies.hexapod.springs.law": "linear", "bodies.hexapod.legs.lost": ["right_1"]})
runs("herd_mixed", 0.4, odd={"robots.0.count": 2, "robots.1.count": 1, "robots.2.count": 2, **GROUPING})
runs("herd_points_obstacle", 3.0, odd={"robots": 20, "robots.0.start.center": [18.0, 1.0], "grouping.position_gain": 1.7,
     "grouping.velocity_gain": 2.3, **GROUPING})  # fmt: skip
runs("formation_rotate", 3.0, radio={"simulator.onboard": True, "simulator.radio_range": 0.9, "simulator.loss": 0.1,
     "simulator.delay": 0.05})  # fmt: skip
runs("formation_rotate", 4.0, odd={**odd_control(1.09), "formation.drive.patience": 0.02})
runs("formation_docking", 3.0, radio={"simulator.onboard": True, "simulator.radio_range": 1.0, "phases.0.start": 1.0})
runs("formation_merge", 3.0, onboard={"simulator.onboard": True, "phases.0.start": 1.0, "phases.1.start": 2.0,
     "formation.morph_time": 1.0})  # fmt: skip
runs("formation_translate", 4.0, odd={**odd_control(0.93), "formation.fit.norm": "huber", "formation.leader": "robot_1"},
     car={"robots.0.model": "car", "robots.0.max_turn_rate": 3.0, "formation.drive.corner": 20.0})
runs("formation_field", 4.0, odd=odd(Control().formation.force_field, 1.3, "formation.force_field."))
runs("formation_failure", 6.0, onboard={"simulator.failures.0.start": 1.0, "simulator.failures.0.end": 3.0, "simulator.onboard": True,
     "simulator.loss": 0.05, "formation.health.window": 0.7, "formation.health.drop_after": 0.8})  # fmt: skip
runs("formation_obstacles", 4.0, late=LATE)
runs("formation_box", 3.0, odd={"objects.0.mass": 3.3, "objects.0.friction": 0.37})
runs("flock_walls", 4.0, odd={**odd_control(1.13), "robots.0.start.heading_spread": 50, "cruise.weight": 0.4, "seek.weight": 0.07})
runs("flock_walls", 3.0, starts={"robots": STARTS})
runs("flock_mixed", 4.0, odd={**MODELS["car"], **odd_control(0.9), "potential_field.weight": 0.7, "separation_filter.noise": 0.01,
     "separation_filter.latency": 0.1, "safety.speed_cap": 0.7})  # fmt: skip
runs("traffic_doorway", 4.0, odd={"robots": 10, "human_like.weight": 1.3, "human_like.horizon": 3.1, "human_like.aside": 30,
     "human_like.slowing_time": 0.8, "arrival.weight": 0.0})  # fmt: skip
runs("traffic_corridor", 4.0, odd={"robots": 30, "reciprocal_avoidance.weight": 7.0, "reciprocal_avoidance.horizon": 1.1,
     "reciprocal_avoidance.margin": 0.05, "reciprocal_avoidance.aside": 20, "reciprocal_avoidance.slowing_time": 0.8})  # fmt: skip
runs("guard_castle", 3.0, odd={"social.laws": TABLE, "phases": [], "social.core_radius": 0.4, "social.opening": 0.6,
     "social.summation": "tree", "social.friction": 0.7, "social.threshold": 0.07}, shapes={"landmarks": SHAPES, "phases.1.start": 1.0})
runs("flocks_cross", 4.0, apart={"groups.red.perception.radius": 1.1, "groups.blue.perception.count": 3,
     "groups.blue.potential_field.weight": 0.4})  # fmt: skip
runs("flocks_cross", 1.6, formed={"groups.red.formation": {"enabled": True, "shape": "line", "spacing": 0.4}, "phases": [
     {"start": 1.0, "set": {"groups.blue.cohesion.weight": 0.9, "groups.red.formation.shape": "circle"}}]})  # fmt: skip
runs("migrate_boxes", 4.0, led={"leaders.count": 2, "leaders.per": 4, "separation_filter.margin": 0.04, "perception.occlusion": True,
     "guidance.weight": 0.6, "guidance.comfort": 0.3, "guidance.margin": 0.07, "arrival.slowing_distance": 0.6})  # fmt: skip
