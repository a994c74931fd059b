"""A copy of this process says what it finds, and is gone when its time is up, whatever it does."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from planner.fence.copied import Copy, Ended, Said, copied
from planner.fence.wire import Kind, frame

pytestmark = pytest.mark.xdist_group("fence")

PATIENCE = 20.0


def heard(work):
    """Give all that a copy says, to its end."""
    values = []
    with copied(work) as copy:
        while isinstance(said := copy.hear(PATIENCE), Said):
            values.append(said.value)
    return values, said


def is_running(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def is_gone_soon(pid: int) -> bool:
    until = time.monotonic() + PATIENCE
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not is_running(pid)


def test_it_says_things_in_order_and_ends_with_what_the_work_returns():
    def work(say):
        for number in range(100):
            say((number, "x" * number))
        return {"done": True}

    values, end = heard(work)
    assert values == [(number, "x" * number) for number in range(100)]
    assert end == Ended({"done": True}, "")


def test_large_things_arrive_whole_and_threads_do_not_mix():
    large = list(range(300_000))

    def work(say):
        threads = [threading.Thread(target=say, args=((n, large),)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    values, _ = heard(work)
    assert sorted(n for n, _ in values) == [0, 1, 2, 3]
    assert all(value == large for _, value in values)


def test_what_it_changes_is_its_own():
    here = [1]

    def work(say):
        here.append(2)
        say(here)

    assert heard(work)[0] == [[1, 2]]
    assert here == [1]


def raises(say):
    raise ValueError("no such thing")


def is_killed(say):
    os.kill(os.getpid(), signal.SIGKILL)


def leaves(say):
    os._exit(3)


def cannot_be_sent(say):
    say(1)
    say(lambda: None)


@pytest.mark.parametrize(
    ("work", "values", "complaint"),
    [
        (raises, [], "ValueError: no such thing"),
        (is_killed, [], "the copy that draws up the plan has died"),
        (leaves, [], "the copy that draws up the plan has died"),
        (cannot_be_sent, [1], "pickle"),
    ],
)
def test_one_that_fails_is_heard_up_to_then(work, values, complaint):
    said, end = heard(work)
    assert said == values
    assert isinstance(end, Ended)
    assert end.value is None
    assert complaint in end.complaint


@pytest.mark.parametrize(
    "hang", [lambda: time.sleep(60), lambda: ctypes.PyDLL(None).sleep(60)], ids=["python", "c"]
)
def test_one_that_hangs_is_ended_at_once_and_leaves_nothing(hang):
    before = (len(os.listdir("/proc/self/fd")), threading.active_count())

    def work(say):
        say(os.getpid())
        hang()

    with copied(work) as copy:
        pid = copy.hear(PATIENCE)
        assert pid == Said(copy.pid)
        begun = time.monotonic()
        assert copy.hear(0.05) is None
        assert copy.hear(-1.0) is None
    assert time.monotonic() - begun < 2.0
    assert not is_running(copy.pid)
    with pytest.raises(ChildProcessError):
        os.waitpid(copy.pid, os.WNOHANG)
    assert (len(os.listdir("/proc/self/fd")), threading.active_count()) == before


def test_one_that_is_always_about_to_say_something_is_not_waited_for_longer():
    ours, theirs = socket.socketpair()
    whole, done = frame(Kind.BETTER, bytes(1000)), threading.Event()

    def dribble():
        for byte in whole:
            theirs.sendall(bytes([byte]))
            if done.wait(0.05):
                return

    thread = threading.Thread(target=dribble)
    thread.start()
    begun = time.monotonic()
    assert Copy(0, ours).hear(0.2) is None
    assert time.monotonic() - begun < 5.0
    done.set()
    thread.join()
    ours.close()
    theirs.close()


def test_a_terminal_does_not_reach_it():
    def work(say):
        say(os.getsid(0) == os.getpid() == os.getpgrp())

    assert heard(work)[0] == [True]


ORIGINAL = """
import sys, time
sys.path[:] = {path!r}
from planner.fence.copied import copied

def work(say):
    time.sleep(60)

with copied(work) as copy:
    print(copy.pid, flush=True)
    time.sleep(60)
"""


def test_it_ends_with_the_original():
    program = ORIGINAL.format(path=sys.path)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as original:
        assert original.stdout is not None
        pid = int(original.stdout.readline())
        assert is_running(pid)
        original.kill()
    assert is_gone_soon(pid)
