"""Worker processes end with the process that started them."""

import subprocess
import sys

WORK = """
import os
from swarm_control.analysis.pool import workers
pool = workers(2)
print(pool.submit(os.getpid).result(), flush=True)
os.kill(os.getpid(), 9)
"""


def test_workers_end_with_a_parent_that_is_killed():
    parent = subprocess.Popen([sys.executable, "-c", WORK], stdout=subprocess.PIPE, text=True)
    assert int(parent.stdout.readline()) != parent.pid
    rest, _ = parent.communicate(timeout=60)  # until everybody who holds the pipe has ended
    assert rest == "" and parent.returncode == -9
