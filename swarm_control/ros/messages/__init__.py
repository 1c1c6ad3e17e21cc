"""Messages as bytes and as ROS objects, and the arrays that they stand for."""
