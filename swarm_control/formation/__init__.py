"""Virtual structures (Lewis & Tan 1997): robots move as if they were particles of one rigid body.

The loop, once per period: fit the structure to the robots; displace it as far towards its destination as the robots can follow;
each robot's point is its target; the targets become commands. The structure follows the robots as the robots follow it, so the
formation waits for a robot that falls behind.
"""
