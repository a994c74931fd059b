"""Work in a thread of its own gives and raises what it would here."""

import signal
import threading

import pytest

from planner.cli.interruptible import interruptible


def mask():
    return signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_the_result_comes_back_and_the_signal_is_heard_again():
    before = mask()
    assert interruptible(lambda: threading.current_thread() is threading.main_thread()) is False
    assert mask() == before


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3), KeyboardInterrupt()])
def test_errors_come_back(error):
    def fail():
        raise error

    before = mask()
    with pytest.raises(type(error)) as caught:
        interruptible(fail)
    assert caught.value is error
    assert mask() == before


def test_in_another_thread_the_work_is_just_done():
    names = []

    def run():
        names.append(interruptible(lambda: threading.current_thread().name))

    thread = threading.Thread(target=run, name="other")
    thread.start()
    thread.join()
    assert names == ["other"]
