"""What stands between ROS and hardware: the wheel link and the pose tracker. Nothing here imports ROS."""
