"""The reference firmware in C behind the wheel protocol, driven for ten minutes over a link with faults."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from swarm_control.analysis.experiments.finding import Curves, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import Page, experiment
from swarm_control.sim.hardware.firmware import Firmware

from .compiled import CompiledFirmware, HostedBoard, build
from .wheel_drives import CHASSIS, Faults, WheelDrive, drive
from .wheel_node import NodeDrive

PAGE = Page("firmware", "The reference firmware")

SECONDS, QUICK = 600.0, 20.0
"""How long (s) a drive lasts."""

DOMAIN = 85

PLACE, HEADING = 5e-3, 2e-3
"""By how much (m, rad) the odometry may be off at rest: what the tests allow the emulator's own firmware, after 20 s."""

FAULTS = Faults()


@dataclass(frozen=True)
class DriveTask:
    """A drive in a time of its own, with the firmware in C or the one of the emulator."""

    compiled: bool
    seed: Seed
    seconds: float


def fast(task: DriveTask) -> WheelDrive:
    """Make one drive."""
    if not task.compiled:
        return drive(lambda base, now: Firmware(base, CHASSIS.ticks_per_turn, 1, now), FAULTS, task.seed, task.seconds)
    with tempfile.TemporaryDirectory() as folder, HostedBoard(build(Path(folder))) as board:
        board.start(boot=1)
        board.motors(24.0, 26.0, 0.03)
        return drive(lambda base, now: CompiledFirmware(board, base, now), FAULTS, task.seed, task.seconds)


@experiment("wheel_firmware", "the firmware in C, driven for ten minutes over a link with faults", PAGE)
def wheel_firmware(lab: Lab) -> Finding:
    """The driver's code with the emulator's firmware and with that in C, as fast as it goes; and the real node in real time."""
    seeds, seconds = lab.seeds(quick=1), QUICK if lab.quick else SECONDS
    made = lab.map(fast, [DriveTask(compiled, seed, seconds) for compiled in (False, True) for seed in seeds])
    with tempfile.TemporaryDirectory() as folder:
        node = NodeDrive(build(Path(folder)), FAULTS, seeds[0], DOMAIN)
        real = node.drive(seconds)
    ways = {
        ("Python (the emulator's)", "the node's code, time simulated"): made[: len(seeds)],
        ("C", "the node's code, time simulated"): made[len(seeds) :],
        ("C", "the node `wheel_driver` over a pseudo-terminal, real time"): [real],
    }
    compiled = [*made[len(seeds) :], real]
    return Finding(
        f"Drives of {seconds:g} s over a link with faults",
        "Not in the papers.",
        ("firmware", "driven by", "drives", "way (m)", "off at rest (mm)", "of the way (ppm)", "heading off at rest (mrad)",
         "most off under way (mm)", "lines spoilt", "link broken"),
        tuple((*who, *_row(drives)) for who, drives in ways.items()),
        {
            f"in C: odometry is off by at most {1e3 * PLACE:g} mm and {1e3 * HEADING:g} mrad at rest, as the emulator's tests ask":
                all(one.place <= PLACE and one.heading <= HEADING for one in compiled),
            "no encoder count is refused by the node": node.status.get("counts_rejected") == "0",
        },
        (Curves("odometry's distance from the truth", "time (s)", "mm", {
            "real node, firmware in C": (real.time, 1e3 * real.away, None)}),),
        {"real_place": real.place, "real_way": real.way, "real_underway": float(real.away.max())},
        _note(node.status),
    )  # fmt: skip


def _row(drives: Sequence[WheelDrive]) -> tuple[str, ...]:
    """Largest errors of the drives, and sums of what they had to bear."""
    worst = max(drives, key=lambda one: one.place)
    return (
        f"{len(drives)}", f"{sum(one.way for one in drives):.1f}", f"{1e3 * worst.place:.2f}",
        f"{1e6 * max(one.place / one.way for one in drives):.1f}", f"{1e3 * max(one.heading for one in drives):.2f}",
        f"{1e3 * max(float(one.away.max()) for one in drives):.2f}",
        f"{sum(one.lines for one in drives)} of {sum(one.sent for one in drives)}", f"{sum(one.outages for one in drives)}",
    )  # fmt: skip


def _note(status: dict[str, str]) -> str:
    told = ", ".join(f"{name} {status.get(name, '–')}" for name in ("lines_bad", "lines_lost", "reconnects", "counts_rejected"))
    return (
        f"{FAULTS.drop:.0%} of the lines are dropped and {FAULTS.garble:.0%} of the others garbled, each way, and once a minute on average "
        "the link is dead for a second; these are the emulator's own faults. The robot gets another twist every 4 s and "
        f"drives at up to {CHASSIS.max_speed:g} m/s. Its wheels do not slip: what odometry is off by comes from the link, the encoders' "
        f"{CHASSIS.ticks_per_turn} ticks to a turn and the arcs that the driver puts between two lines that it has heard. The motors are "
        "equations (`firmware/host/host.c`): 4 % slower and faster than the firmware takes them to be, and friction takes 3 % of the duty. "
        "Errors are the largest of a row's drives. Under way an error has in it how late lines and processes are: "
        f"{1e3 * CHASSIS.max_speed * 0.01:g} mm for each 10 ms at top speed. What the process that plays the robot has no time to send "
        f"counts as lost, too, and other work wanted the processors. In its status the node says at the end: {told}."
    )
