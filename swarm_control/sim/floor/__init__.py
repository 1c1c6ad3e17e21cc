"""The lab floor in MuJoCo: R3 robots behind the wheel protocol, under a camera."""
