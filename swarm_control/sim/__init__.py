"""Engines behind one protocol, the headless runner, metrics and recording."""
