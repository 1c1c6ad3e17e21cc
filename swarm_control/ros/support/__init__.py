"""What nodes, ``swarm run`` and the dashboard's node share."""
