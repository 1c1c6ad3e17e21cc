"""What runs a swarm, in ``simulate`` and in the nodes alike: controller, missions, formations, groups."""
