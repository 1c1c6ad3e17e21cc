"""Time for one period of a virtual structure, 3 to 1000 robots, beside scipy's minimisers: ``python benchmarks/formation.py``."""

import sys

from swarm_control.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["experiment", "formation_speed", *sys.argv[1:]]))
