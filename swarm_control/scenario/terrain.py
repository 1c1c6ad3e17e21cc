"""The ground under robots whose dynamics matter."""

from dataclasses import dataclass

from swarm_control.core.parameters import param

FORMS = ("hills", "blocks", "checks", "steps", "gaps")


@dataclass(frozen=True)
class Terrain:
    """The ground: level, sloping, or uneven by a form of its own or by an image; how it grips."""

    friction: float = param(1.0, "coefficient of friction of feet and tyres on the ground", low=0.0, high=10.0)
    roughness: float = param(0.0, "height of the ground's unevenness, lowest to highest; 0: level", unit="m", low=0.0, high=10.0)
    form: str = param(
        "hills", "hills: smooth noise; blocks: squares, each of a height of its own; checks: squares, high and low in turn; "
        "steps: up and down along x by all of the roughness; gaps: trenches across x, a third of the ground", choices=FORMS,
    )  # fmt: skip
    wavelength: float = param(1.0, "distance from hill to hill, or from gap to gap; side of a block, length of a step", unit="m",
        low=0.0001, high=1000.0)  # fmt: skip
    image: str = param("", "image file whose brightness is the height, in place of a form")
    slope: float = param(0.0, "how steep the ground rises along x", unit="deg", low=-45.0, high=45.0)
    extent: float = param(20.0, "side of the uneven square around the origin; level beyond", unit="m", low=0.001, high=1000.0)
