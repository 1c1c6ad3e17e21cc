"""Robots whose dynamics matter, in MuJoCo: R3s on a lab floor under a camera."""
