"""Speed of walking insects in MuJoCo, against targets: ``python benchmarks/hexapods.py [--quick]``.

A walk in the tripod at 5.5 cm/s, with time steps of 0.5 ms. Times real time is simulated time over processor time, in all threads of the
process: what one core gives where nothing else runs. The control's share is that of the gait controllers, springs included.
"""

import time

import numpy as np
from command_line import asks_for_quick

from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.terrain import Terrain
from swarm_control.sim.mujoco.hexapod_walk import Insects

TARGETS = {1: 3.0, 10: 1.0}
"""How many times as fast as real time so many insects in one world are to be: one on one core, ten on two."""
GROUNDS = {"level": Terrain(friction=0.7), "uneven": Terrain(friction=0.7, roughness=0.006, wavelength=0.03, extent=1.0)}


def run(insects: Insects, steps: int) -> tuple[float, float]:
    """Let the insects walk for so many time steps: times real time, and the control's share of the time."""
    import mujoco

    kind, model, data = insects.kind, insects.model, insects.data
    twist = np.tile([0.055, 0.0, 0.0], (len(kind.names), 1))
    controlled, begun = 0, time.process_time_ns()
    for _ in range(steps):
        before = time.process_time_ns()
        kind.control(data, twist)
        controlled += time.process_time_ns() - before
        mujoco.mj_step(model, data)
    spent = time.process_time_ns() - begun
    return steps * kind.step / (1e-9 * spent), controlled / spent


def main() -> None:
    quick = asks_for_quick(__doc__, "fewer insects and steps")
    print("insects   ground    × real time   target   control's share")
    for ground, terrain in GROUNDS.items():
        for count in (1, 10) if quick else (1, 3, 10, 20):
            insects = Insects(Bodies(terrain=terrain), count)
            run(insects, 400)
            speed, share = max(run(insects, 200 if quick else 1000) for _ in range(1 if quick else 3))
            target = f"≥ {TARGETS[count]:g}" if count in TARGETS and ground == "level" else ""
            print(f"{count:7}   {ground:8} {speed:12.2f} {target:>8} {share:16.0%}", flush=True)


if __name__ == "__main__":
    main()
