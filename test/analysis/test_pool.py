"""Worker processes end with the process that started them."""

import subprocess
import sys

import pytest

WORK = """
import os, threading, time
if THREAD:
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
from swarm_control.analysis.pool import workers
pool = workers(2)
print(pool.submit(os.getpid).result(), flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("thread", [False, True], ids=["forked", "forked from another process as there are threads"])
def test_workers_end_with_a_parent_that_is_killed(thread):
    parent = subprocess.Popen([sys.executable, "-c", f"THREAD = {thread}{WORK}"], stdout=subprocess.PIPE, text=True)
    assert int(parent.stdout.readline()) != parent.pid
    rest, _ = parent.communicate(timeout=60)  # until everybody who holds the pipe has ended
    assert rest == "" and parent.returncode == -9
