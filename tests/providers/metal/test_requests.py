"""Hooks over HTTP, against a real server on loopback."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hook_server import says, served

from providers.metal.hooks import Call, Kind
from providers.metal.requests import ask

BLOB = b"#cloud-config\njoin: --token abcdef.0123456789abcdef\n"
CALL = Call(Kind.CONFIGURE, "r/ö 0", "bmc-0", "r0#1", "a&b", "c/n", 30, BLOB)


def asked(url, call=CALL, seconds=20.0, headers=None):
    async def run(threads):
        return await ask(url, headers or {}, call, seconds, threads)

    with ThreadPoolExecutor(1) as threads:
        return asyncio.run(run(threads))


def test_it_is_told_in_headers_and_the_blob_is_the_body():
    with served(says(200, b"fine\nOK\n")) as (port, came):
        url = f"http://127.0.0.1:{port}/hooks/{{machine}}/configure?cluster={{cluster}}"
        outcome = asked(url, headers={"Authorization": "Bearer x"})
    assert (outcome.failure, outcome.said) == ("", "OK")
    [(path, headers, body)] = came
    assert path == "/hooks/r%2F%C3%B6%200/configure?cluster=a%26b"
    assert body == BLOB
    assert "abcdef" not in str(headers)
    told = {name: value for name, value in headers.items() if name.startswith("Bigfleet")}
    assert told == {
        "Bigfleet-Hook": "configure", "Bigfleet-Machine": "r%2F%C3%B6%200",
        "Bigfleet-Host": "bmc-0", "Bigfleet-Key": "r0%231", "Bigfleet-Cluster": "a%26b",
        "Bigfleet-Reservation": "c%2Fn", "Bigfleet-Grace-Seconds": "30",
    }  # fmt: skip
    assert headers["Authorization"] == "Bearer x"


@pytest.mark.parametrize(
    ("status", "reason"), [(404, "Not Found"), (500, "Internal Server Error"), (302, "Found")]
)
def test_another_status_is_a_failure_and_nobody_is_led_elsewhere(status, reason):
    with served(says(status, b"no such host\n", Location="/elsewhere")) as (port, came):
        outcome = asked(f"http://127.0.0.1:{port}/x")
    assert outcome.failure == f"127.0.0.1:{port} answered {status} {reason}."
    assert outcome.said == "no such host"
    assert len(came) == 1


def test_a_server_that_hangs_is_given_up_and_the_connection_closed():
    is_cut = threading.Event()

    def hangs(handler):
        handler.connection.settimeout(20)
        if handler.connection.recv(1) == b"":
            is_cut.set()

    with served(hangs) as (port, came):
        began = time.monotonic()
        outcome = asked(f"http://127.0.0.1:{port}/x", seconds=0.3)
        assert outcome.failure == "configure took longer than 0.3 s and was given up."
        assert time.monotonic() - began < 10
        assert is_cut.wait(10)
        assert len(came) == 1


def test_a_server_that_drips_is_given_up_too():
    def drips(handler):
        try:
            for _ in range(1000):
                handler.wfile.write(b"H")
                handler.wfile.flush()
                time.sleep(0.05)
        except OSError:
            pass

    with served(drips) as (port, _):
        began = time.monotonic()
        assert "given up" in asked(f"http://127.0.0.1:{port}/x", seconds=0.3).failure
        assert time.monotonic() - began < 10


def test_a_long_answer_is_not_read_to_its_end():
    def floods(handler):
        handler.send_response(200)
        handler.end_headers()
        try:
            for _ in range(1_000_000):
                handler.wfile.write(b"x" * 65536)
        except OSError:
            pass

    with served(floods) as (port, _):
        outcome = asked(f"http://127.0.0.1:{port}/x")
    assert (outcome.failure, set(outcome.said)) == ("", {"x"})
    assert len(outcome.said) <= 4096


def test_nobody_there_and_no_http_are_failures():
    with served(says(200)) as (port, _):
        pass
    assert "gave no answer (" in asked(f"http://127.0.0.1:{port}/x").failure

    def babbles(handler):
        handler.wfile.write(b"220 smtp ready\r\n")

    with served(babbles) as (port, _):
        assert "gave no answer" in asked(f"http://127.0.0.1:{port}/x").failure
    with served(babbles) as (port, _):
        assert "gave no answer" in asked(f"https://127.0.0.1:{port}/x").failure


def test_what_waits_for_a_thread_beyond_its_time_is_never_sent():
    async def run(port, threads, gate):
        threads.submit(gate.wait)
        outcome = await ask(f"http://127.0.0.1:{port}/x", {}, CALL, 0.2, threads)
        gate.set()
        return outcome

    with served(says(200)) as (port, came):
        with ThreadPoolExecutor(1) as threads:
            outcome = asyncio.run(run(port, threads, threading.Event()))
        assert "given up" in outcome.failure
        assert came == []
