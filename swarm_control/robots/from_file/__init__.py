"""Robots from URDF and MJCF files: what describes them, what moves their joints, what they can do."""
