"""Arrays in, arrays out: the mathematics of the swarm. No input or output, no clock, no ROS."""
