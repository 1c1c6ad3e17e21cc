"""MJCF of a bicyclist's rider: 15 segments, 22 angles that are controlled, and the hinge of the saddle."""

from swarm_control.robots.bicycle import body as body
from swarm_control.robots.bicycle.body import ARM, SIDES, Segment, Vector, minus, mirrored, numbers
from swarm_control.robots.bicycle.look import DARK, SHOE, SHORTS, SKIN, blob, tube
from swarm_control.robots.bicycle.mjcf import Writer, inertial

ZERO = (0.0, 0.0, 0.0)


def rider(w: Writer) -> str:
    """The rider, who is attached by a hinge between saddle and pelvis."""
    b, (sx, sz), seat = w.bicycle, w.at.saddle, body.PELVIS.proximal
    waist, neck = minus(body.WAIST, seat), minus(body.NECK, body.TORSO.proximal)
    hold = (b.body_gain, b.body_damping)
    face = minus((0.01, 0.0, 0.03), body.HEAD.proximal)
    return f"""
  <body name="{w.name}/pelvis" pos="{numbers(sx, 0.0, sz)}">
    {w.joint("saddle", "0 1 0", *hold)}{_mass(body.PELVIS)}{blob((0.0, 0.0, 0.1), (0.11, 0.16, 0.13), SHORTS)}
    <body name="{w.name}/torso" pos="{numbers(*waist)}">
      {w.joint("waist", "0 1 0", *hold)}{_mass(body.TORSO)}{_chest(w, neck)}
      <body name="{w.name}/head" pos="{numbers(*neck)}">
        {w.joint("neck", "0 1 0", *hold)}{_mass(body.HEAD)}{tube((0.0, 0.0, -0.05), (0.005, 0.0, 0.02), 0.05, SKIN)}
        {blob(face, (0.095, 0.075, 0.12), SKIN)}{blob((face[0] - 0.015, 0.0, face[2] + 0.06), (0.13, 0.095, 0.085), w.looks.paint)}
      </body>{"".join(_arm(w, *side) for side in SIDES)}
    </body>{"".join(_leg(w, *side) for side in SIDES)}
  </body>"""


def _chest(w: Writer, neck: Vector) -> str:
    c = w.looks.jersey
    chest = blob((-0.02, 0.0, 0.33), (0.12, 0.165, 0.19), c)
    return chest + blob((0.0, 0.0, 0.1), (0.11, 0.14, 0.2), c) + tube((-0.06, -0.14, 0.35), (-0.06, 0.14, 0.35), 0.065, c)


def _mass(segment: Segment, side: float = 1.0) -> str:
    return inertial(segment.mass, segment.inertia, minus((0.0, 0.0, 0.0), segment.proximal, side))


def _arm(w: Writer, name: str, side: float) -> str:
    """Shoulder of three axes, elbow of one, wrist of two."""
    b = w.bicycle
    shoulder, elbow = minus(body.SHOULDER, mirrored(body.TORSO.proximal, 1.0), side), minus(body.ELBOW, body.UPPER_ARM.proximal, side)
    wrist, palm = minus(body.WRIST, body.LOWER_ARM.proximal, side), minus(body.PALM, body.HAND.proximal, side)
    hinges = [w.joint(f"{joint}_{name}", axis, 0.0, b.arm_damping) for joint, axis in zip(ARM[:4], ("0 1 0", "1 0 0", "0 0 1", "0 1 0"))]
    hand = [w.joint(f"{joint}_{name}", axis, b.limb_gain, b.limb_damping) for joint, axis in zip(ARM[4:], ("0 1 0", "1 0 0"))]
    return f"""
      <body name="{w.name}/upper_arm_{name}" pos="{numbers(*shoulder)}">
        {"".join(hinges[:3])}{_mass(body.UPPER_ARM, side)}{tube(ZERO, elbow, 0.045, SKIN)}
        {tube(ZERO, (0.55 * elbow[0], 0.55 * elbow[1], 0.55 * elbow[2]), 0.056, w.looks.jersey)}
        <body name="{w.name}/lower_arm_{name}" pos="{numbers(*elbow)}">
          {hinges[3]}{_mass(body.LOWER_ARM, side)}{tube(ZERO, wrist, 0.036, SKIN)}
          <body name="{w.name}/hand_{name}" pos="{numbers(*wrist)}">
            {"".join(hand)}{_mass(body.HAND, side)}{tube(ZERO, palm, 0.034, DARK)}<site name="{w.name}/palm_{name}" pos="{numbers(*palm)}"/>
          </body>
        </body>
      </body>"""


def _leg(w: Writer, name: str, side: float) -> str:
    """Hip of two axes, knee and ankle of one."""
    b = w.bicycle
    hip, knee = minus(body.HIP, body.PELVIS.proximal, 1.0), minus(body.KNEE, body.UPPER_LEG.proximal, side)
    ankle, sole = minus(body.ANKLE, body.LOWER_LEG.proximal, side), minus(body.SOLE, body.FOOT.proximal, side)
    loose = 0.3 * b.limb_damping
    heel = (-0.05, 0.0, sole[2] + 0.015)
    return f"""
    <body name="{w.name}/upper_leg_{name}" pos="{numbers(*mirrored(hip, side))}">
      {w.joint(f"hip_y_{name}", "0 1 0", 0.0, loose)}{w.joint(f"hip_x_{name}", "1 0 0", b.body_gain, b.body_damping)}
      {_mass(body.UPPER_LEG, side)}{tube(ZERO, knee, 0.072, SKIN)}
          {tube(ZERO, (0.65 * knee[0], 0.65 * knee[1], 0.65 * knee[2]), 0.083, SHORTS)}
      <body name="{w.name}/lower_leg_{name}" pos="{numbers(*knee)}">
        {w.joint(f"knee_{name}", "0 1 0", 0.0, loose)}{_mass(body.LOWER_LEG, side)}{tube(ZERO, ankle, 0.048, SKIN)}
        <body name="{w.name}/foot_{name}" pos="{numbers(*ankle)}">
          {w.joint(f"ankle_{name}", "0 1 0", 0.0, b.limb_damping)}{_mass(body.FOOT, side)}{tube(ZERO, heel, 0.04, SHOE)}
          {tube(heel, (sole[0] + 0.04, sole[1], sole[2] + 0.025), 0.037, SHOE)}<site name="{w.name}/sole_{name}" pos="{numbers(*sole)}"/>
        </body>
      </body>
    </body>"""
