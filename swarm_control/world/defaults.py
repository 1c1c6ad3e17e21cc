"""What Stage 4.3 assumes where a world file is silent, and the names it knows (from files of libstage/)."""

import math

SIZE = (0.4, 0.4)
"""Model size x, y, m (``Size()`` in stage.hh; the manual in model.cc says 0.1)."""
VELOCITY_BOUNDS = ((-1.0, 1.0), (-1.0, 1.0), (-math.pi / 2, math.pi / 2))
"""Lowest and highest vx, vy in m/s and yaw rate in rad/s (constructor in model_position.cc)."""
ACCELERATION_BOUNDS = ((-1.0, 1.0), (-1.0, 1.0), (-math.pi / 2, math.pi / 2))
"""The same of accelerations, m/s² and rad/s² (model_position.cc)."""
WHEELBASE = 1.0
"""Distance of the axles of a ``car``, m (model_position.cc)."""
DRIVE = "diff"
LOCALIZATION = "gps"
COLOR = "red"
"""Colour of a model (constructors in model.cc and color.cc)."""
INTERVAL_SIM = 100.0
"""Simulation step, ms (constructor in world.cc)."""
RESOLUTION = 0.02
"""Cell of Stage's own collision and ray-trace map, m (``DEFAULT_PPM`` 50 per m in stage.hh)."""
BOUNDARY_THICKNESS = 0.01
"""Thickness of the four bars of ``boundary 1``, m (``epsilon`` in ``Model::Load``, model.cc)."""
BITMAP_THRESHOLD = 127
"""A pixel whose first channel is above this is free (``polys_from_image_file`` in stage.cc)."""

BODY_TYPES = frozenset({"model", "position"})
"""Types of models that are walls or robots here."""
# fmt: off
DEVICE_TYPES = frozenset((
    "actuator", "blinkenlight", "blobfinder", "bumper", "camera", "fiducial", "gripper", "lightindicator",
    "ranger",
))
"""Stage's other types of models (typetable.cc): sensors and gadgets, not used here."""

USED_KEYS = frozenset((
    "unit_length", "unit_angle", "interval_sim", "resolution", "name", "pose", "size", "origin", "color",
    "color_rgba", "bitmap", "boundary", "noblocks", "obstacle_return", "points", "point", "z", "drive",
    "velocity_bounds", "acceleration_bounds", "localization", "localization_origin", "odom_error",
    "wheelbase",
))
UNUSED_KEYS = frozenset((
    "alwayson", "blob_return", "confirm_on_quit", "ctrl", "debug", "event_queue", "fiducial_key",
    "fiducial_return", "friction", "give_watts", "gripper_return", "gui_grid", "gui_move", "gui_nose",
    "gui_outline", "interval_real", "joules", "joules_capacity", "kjoules", "kjoules_capacity",
    "map_resolution", "mass", "paused", "quit_time", "ranger_return", "say", "show_clock",
    "show_clock_interval", "speedup", "stack_children", "take_watts", "test", "threads", "trail_interval",
    "trail_length", "update_interval", "velocity", "watts",
))
"""Keys that Stage reads and that have no meaning here (model.cc, world.cc, worldgui.cc)."""
