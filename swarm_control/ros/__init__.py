"""ROS 2 nodes: the only importers of rclpy. They carry messages to and from ``core`` and ``sim``, and compute nothing themselves."""
