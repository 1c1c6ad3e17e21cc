"""The web page that shows a running swarm and steers it, and its server, which knows nothing of ROS."""
