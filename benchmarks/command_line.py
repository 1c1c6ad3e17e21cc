"""What the benchmarks' command lines have in common."""

import argparse
import os


def asks_for_quick(description: str | None, help: str) -> bool:
    """Tell of the machine, and whether the command line asks for the short version."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help=help)
    quick = bool(parser.parse_args().quick)
    tell_machine()
    return quick


def tell_machine() -> None:
    """Print how many processors there are, and how busy they are."""
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} processors, load {load:.1f}{' (others are at work: expect more)' if load > 0.7 else ''}")
