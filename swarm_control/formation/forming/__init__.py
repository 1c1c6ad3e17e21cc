"""How robots take their places: ways from anywhere to anywhere on which none touches another or a wall."""
