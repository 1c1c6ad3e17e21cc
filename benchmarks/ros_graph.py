"""How many robots the ROS 2 nodes serve in real time on this machine.

    python benchmarks/ros_graph.py [--robots 100 200 300] [--onboard | --one-by-one] [--seconds 20] [--scenario scale]

For each number of robots all processes run at 20 Hz, the robots' nodes hosted or each robot's by itself. Hosted, the simulator of 100
robots or more is told of all of them in one message, or ``--one-by-one``. Printed are how long it took until robots moved, late ticks
(started more than half a period late), the times from publishing odometry to hearing the commands for it, ticks at which the commands were
made from older odometry than the newest, the real-time factor, and how much of a core each kind of process used.
"""

import argparse
import os
import time
from collections import Counter
from dataclasses import replace

from swarm_control.ros.graph.plan import plan
from swarm_control.ros.support.observer import Observer
from swarm_control.ros.support.supervisor import Supervisor
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare
from swarm_control.world.names import robot_names

TICK = os.sysconf("SC_CLK_TCK")


def cpu(pid):
    """Processor time of a process so far, s."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def used(supervisor):
    """Processor time of each kind of process so far, s."""
    found = Counter()
    for node in supervisor.nodes:
        found[node.spec.executable] += cpu(node.process.pid)
    return found


def measure(scenario, robots, seconds, onboard, one_by_one):
    """Run the graph and return a row of the table, and the kinds of processes of its last columns."""
    changes, started = [f"robots={robots}", "duration=100000"], time.monotonic()
    loaded = load(scenario, changes)
    setup = prepare(loaded.scenario, loaded.source)
    names = robot_names(setup.fleet.names) if onboard else []
    specs = plan(scenario, changes, watchers=1, onboard=names)
    if one_by_one:
        specs = [replace(spec, parameters={k: v for k, v in spec.parameters.items() if k != "gathered"}) for spec in specs]
    supervisor = Supervisor(specs, print)
    supervisor.start()
    observer = Observer(loaded, setup, "swarm_state", onboard=names)
    try:
        while observer.time < 0.5:
            observer.spin(0.1)
            supervisor.poll()
        before, began = used(supervisor), time.monotonic()
        while time.monotonic() < began + seconds:
            observer.spin(0.1)
        shares = {kind: 100.0 * (time_used - before[kind]) / seconds for kind, time_used in used(supervisor).items()}
        behind = sum(int(said.get("ticks_behind", 0)) for name, said in observer.values.items() if name.endswith("/motion_model"))
        value = observer.value
        ticks, late = value("simulator", "ticks", 0), value("simulator", "late_ticks", 0)
        row = [
            robots, f"{began - started - 0.5:.0f}", int(ticks), f"{100 * late / max(ticks, 1):.2f}",
            f"{value('simulator', 'latency_p50_ms', float('nan')):.1f}", f"{value('simulator', 'latency_p99_ms', float('nan')):.1f}",
            behind, f"{value('simulator', 'real_time_factor', 0.0):.3f}",
        ]  # fmt: skip
        return row + [f"{share:.0f}" for share in shares.values()], list(shares)
    finally:
        supervisor.stop()
        observer.close()


HEAD = ("robots", "begun after s", "ticks", "late %", "p50 ms", "p99 ms", "behind", "real time")


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--robots", type=int, nargs="+", default=[10, 100, 200, 300])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--scenario", default="scale")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--onboard", action="store_true")
    how.add_argument("--one-by-one", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    for position, robots in enumerate(options.robots):
        row, kinds = measure(options.scenario, robots, options.seconds, options.onboard, options.one_by_one)
        if position == 0:
            head = (*HEAD, *(f"{kind} %" for kind in kinds))
            print("| " + " | ".join(head) + " |\n|" + " ---: |" * len(head))
        print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
