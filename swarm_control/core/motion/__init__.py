"""Motion models: from a wished acceleration to a velocity command that the robot can obey."""

from types import ModuleType

from swarm_control.core.motion import bicycle, car, differential, hexapod, hopper, omni, point_mass

MODELS: dict[str, ModuleType] = {
    "omni": omni, "differential": differential, "car": car, "point_mass": point_mass,
    "hopper": hopper, "bicycle": bicycle, "hexapod": hexapod,
}  # fmt: skip
"""Each model is a module with ``control_point``, ``twist`` and ``predict``; for target points see :mod:`.targets`."""
