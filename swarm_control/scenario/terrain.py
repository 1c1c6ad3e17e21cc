"""The ground under robots whose dynamics matter."""

from dataclasses import dataclass

from swarm_control.core.parameters import param


@dataclass(frozen=True)
class Terrain:
    """The ground: level, sloping, or uneven by noise or by an image; how it grips."""

    friction: float = param(1.0, "coefficient of friction of feet and tyres on the ground", low=0.0, high=10.0)
    roughness: float = param(0.0, "height of the ground's unevenness, lowest to highest; 0: level", unit="m", low=0.0, high=10.0)
    wavelength: float = param(1.0, "distance from hill to hill", unit="m", low=0.0001, high=1000.0)
    image: str = param("", "image file whose brightness is the height, in place of noise")
    slope: float = param(0.0, "how steep the ground rises along x", unit="deg", low=-45.0, high=45.0)
    extent: float = param(20.0, "side of the uneven square around the origin; level beyond", unit="m", low=0.001, high=1000.0)
