"""A sweep on a real Dask scheduler, with workers as processes of their own, one of which is killed."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import swarm_control as sc
from swarm_control.analysis.cluster import executors
from swarm_control.cli.main import main

distributed = pytest.importorskip("distributed")


@contextlib.contextmanager
def process(*words):
    started = subprocess.Popen([sys.executable, "-m", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        yield started
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
        started.wait()


@pytest.fixture
def cluster(tmp_path):
    """The address of a scheduler with two workers, and their processes' numbers."""
    file = str(tmp_path / "scheduler.json")
    worker = ("distributed.cli.dask_worker", "--scheduler-file", file, "--nthreads", "1", "--no-dashboard", "--no-nanny")
    with process("distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", file):
        while not os.path.exists(file):
            time.sleep(0.05)
        with process(*worker), process(*worker), distributed.Client(scheduler_file=file) as client:
            client.wait_for_workers(2, timeout=120)
            yield client.scheduler.address, client.run(os.getpid)


@pytest.mark.study
def test_a_sweep_survives_the_loss_of_a_worker_and_has_the_same_bits(cluster, tmp_path):
    address, numbers = cluster
    parameters, seeds = {"separation.weight": [0.1, 0.3]}, range(20, 26)
    killed = threading.Event()

    def kill_one():
        while len(list((tmp_path / "far" / "runs").glob("[!.]*.json"))) < 2:
            time.sleep(0.01)
        os.kill(next(iter(numbers.values())), signal.SIGKILL)
        killed.set()

    threading.Thread(target=kill_one, daemon=True).start()
    settings = {"duration": 4, "robots": 6}
    far = sc.sweep("migrate_boxes", parameters, seeds, set=settings, out=tmp_path / "far", executor=executors(cluster=address))
    assert killed.is_set()
    near = sc.sweep("migrate_boxes", parameters, seeds, set=settings, out=tmp_path / "near", executor=executors(1))
    for row in (*far, *near):
        del row["wall_time"], row["real_time_factor"]
    assert far == near


@pytest.mark.parametrize(
    ("cluster", "message"), [("tcp://127.0.0.1:9", "no scheduler found"), ("slurmm", "one of"), ("tcp//x", "one of")]
)
def test_a_cluster_that_is_none_is_one_line(tmp_path, capsys, cluster, message, monkeypatch):
    monkeypatch.setattr("swarm_control.analysis.cluster.PATIENCE", 0.5)
    words = ["sweep", "migrate_boxes", "--param", "robots=2", "--set", "duration=0.5", "--cluster", cluster, "--out", str(tmp_path)]
    assert main(words) == 2
    error = [line for line in capsys.readouterr().err.splitlines() if "·" not in line]
    assert len(error) == 1 and f"--cluster {cluster}" in error[0] and message in error[0]
