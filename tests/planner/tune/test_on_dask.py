"""A real Dask cluster on this machine."""

import os
import signal

import pytest
from distributed import Client, LocalCluster

from models.errors import InputFault, Unreachable
from planner.tune.on_dask import on_dask
from planner.tune.solve import result_of
from planner.tune.sweep import sweep
from tests.planner.tune.test_processes import here, told, trials

__all__ = ["here"]


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None) as running:
        yield running


def test_a_cluster_answers_as_this_process_does(here, cluster):
    found = list(sweep(trials(), on_dask([here], cluster.scheduler_address), 256))
    found.sort(key=lambda result: result.trial.number)
    assert list(map(told, found)) == [told(result_of([here], trial)) for trial in trials()]


def test_when_a_worker_is_killed_others_take_over(here, cluster):
    with Client(cluster.scheduler_address, set_as_default=False) as client:
        pid = next(iter(client.run(os.getpid).values()))
    found = []
    for result in sweep(trials() * 3, on_dask([here], cluster.scheduler_address), 4):
        if not found:
            os.kill(pid, signal.SIGKILL)
        found.append(told(result))
    expected = [told(result_of([here], trial)) for trial in trials()] * 3
    assert sorted(found, key=str) == sorted(expected, key=str)


def test_where_nobody_listens_that_is_said(here, monkeypatch):
    monkeypatch.setattr("planner.tune.on_dask.CONNECT_SECONDS", 0.2)
    with (
        pytest.raises(Unreachable, match=r"^tcp://127\.0\.0\.1:1: "),
        on_dask([here], "tcp://127.0.0.1:1")(),
    ):
        pass


@pytest.mark.parametrize("address", ["", "rubbish", "tcp://", "tcp://h", "tcp://h:x", "ftp://h:1"])
def test_what_is_no_address_is_refused(here, address):
    with pytest.raises(InputFault, match="is no address of a scheduler"):
        on_dask([here], address)
