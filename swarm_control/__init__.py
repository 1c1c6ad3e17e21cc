"""Move swarms of mobile robots: flocking, formations and herds on ROS 2 or in a fast simulation."""

__version__ = "0.1.0"
