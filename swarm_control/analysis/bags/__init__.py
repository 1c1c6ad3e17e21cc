"""Recorded messages of ROS 2 in MCAP files, as ``ros2 bag`` and Foxglove read them; nothing here needs ROS."""
