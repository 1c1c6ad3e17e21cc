"""Parameters of a formation as scenario files have them."""

from dataclasses import dataclass

from swarm_control.core.parameters import param
from swarm_control.formation.memory import StructureParameters
from swarm_control.formation.shapes import SHAPES


@dataclass(frozen=True)
class FormationParameters(StructureParameters):
    """A formation: which robots, in which shape, and how it moves. With goals in the scenario it goes to them, else at ``velocity``."""

    enabled: bool = param(False, "whether robots keep a formation")
    members: tuple[str, ...] = param((), "names of the robots in it; none: all")
    split: tuple[float, ...] = param((), "robots in each part that moves by itself, of the members in their order; none: one part", low=1)
    shape: str = param("start", "its shape; start: as the robots stand", choices=("start", *SHAPES, "points"))
    spacing: float = param(1.0, "distance between neighbours in the shape, along a diamond's outline", unit="m", low=0.001, high=1000.0)
    points: tuple[float, ...] = param((), "shape points: x0, y0, x1, y1, …; of the members in their order", unit="m", low=-1e6, high=1e6)
    morph_time: float = param(0.0, "how long a change of shape takes; 0: at once", unit="s", low=0.0, high=1e4)
    velocity: tuple[float, ...] = param(
        (0.0, 0.0, 0.0), "without goals: speed ahead, to the left, and turn rate", unit="m/s, m/s, rad/s", size=3, low=-100.0, high=100.0
    )
    trajectory: str = param("", "file that the structure follows: .csv of polynomials or poses with times, or .svg in mm; none: goals")
    repeat: int = param(1, "how often the list of goals is gone through", low=1, high=100000)
    face_ahead: bool = param(False, "whether robots at rest turn to where the structure is heading")
