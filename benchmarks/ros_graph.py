"""How many robots the five ROS 2 nodes serve in real time on this machine.

    python benchmarks/ros_graph.py [--robots 100 200 300] [--seconds 20] [--scenario scale]

For each number of robots all five processes run at 20 Hz; printed are late ticks (started more than half a period late), the times from
publishing odometry to hearing the commands for it, ticks at which the commands were made from older odometry than the newest,
the real-time factor, and how much of a core each process used.
"""

import argparse
import os
import time

from swarm_control.ros.graph.plan import plan
from swarm_control.ros.support.observer import Observer
from swarm_control.ros.support.supervisor import Supervisor
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare

TICK = os.sysconf("SC_CLK_TCK")


def cpu(pid):
    """Processor time of a process so far, s."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def measure(scenario, robots, seconds):
    """Run the graph and return a row of the table."""
    changes = [f"robots={robots}", "duration=100000"]
    loaded = load(scenario, changes)
    supervisor = Supervisor(plan(scenario, changes), print)
    supervisor.start()
    observer = Observer(loaded, prepare(loaded.scenario, loaded.source), "swarm_state")
    try:
        while observer.time < 0.5:
            observer.spin(0.1)
            supervisor.poll()
        before, began = {node.spec.name: cpu(node.process.pid) for node in supervisor.nodes}, time.monotonic()
        while time.monotonic() < began + seconds:
            observer.spin(0.1)
        used = {node.spec.name: (cpu(node.process.pid) - before[node.spec.name]) / seconds for node in supervisor.nodes}
        value = observer.value
        ticks, late = value("simulator", "ticks", 0), value("simulator", "late_ticks", 0)
        row = [
            robots, int(ticks), f"{100 * late / max(ticks, 1):.2f}", f"{value('simulator', 'latency_p50_ms', float('nan')):.1f}",
            f"{value('simulator', 'latency_p99_ms', float('nan')):.1f}", int(value("motion_model", "ticks_behind", 0)),
            f"{value('simulator', 'real_time_factor', 0.0):.3f}",
        ]  # fmt: skip
        return row + [f"{100 * used[name]:.0f}" for name in NODES]
    finally:
        supervisor.stop()
        observer.close()


NODES = ("simulator", "neighbourhood", "behaviours", "motion_model", "director")
HEAD = ("robots", "ticks", "late %", "p50 ms", "p99 ms", "behind", "real time", *(f"{name} %" for name in NODES))


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--robots", type=int, nargs="+", default=[10, 100, 200, 300])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--scenario", default="scale")
    options = parser.parse_args()
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    print("| " + " | ".join(HEAD) + " |")
    print("|" + " ---: |" * len(HEAD))
    for robots in options.robots:
        print("| " + " | ".join(map(str, measure(options.scenario, robots, options.seconds))) + " |", flush=True)


if __name__ == "__main__":
    main()
