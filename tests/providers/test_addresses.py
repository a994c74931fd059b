"""Where servers listen and clients call: what is an address, and where plain text is heard."""

import asyncio
import socket

import pytest
from memory_provider import MemoryProvider, slots

from models.errors import InputFault
from providers.client import connected
from providers.server import serving
from providers.transport import Security, check_address, is_loopback


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "example.com:1"])
def test_plain_text_is_heard_on_loopback_only_unless_asked_for_by_name(address):
    async def run():
        with pytest.raises(InputFault, match="--plain-text"):
            async with serving(MemoryProvider({}), address):
                pass
        with pytest.raises(InputFault, match="--plain-text"):
            async with connected(address):
                pass

    asyncio.run(run())


def test_plain_text_asked_for_by_name_is_heard_anywhere():
    async def run():
        security = Security(plain_text=True)
        async with (
            serving(MemoryProvider(slots(1)), "0.0.0.0:0", security) as port,
            connected(f"127.0.0.1:{port}") as provider,
        ):
            assert len((await provider.get(["m0"])).machines) == 1

    asyncio.run(run())


@pytest.mark.parametrize(
    ("address", "wanted"),
    [
        ("127.0.0.1:5", True),
        ("127.9.9.9:5", True),
        ("localhost:5", True),
        ("[::1]:5", True),
        ("unix:/run/x", True),
        ("0.0.0.0:5", False),
        ("[::]:5", False),
        ("10.0.0.1:5", False),
        ("localhost.example.com:5", False),
        (":5", False),
    ],
)
def test_only_what_cannot_be_heard_elsewhere_is_loopback(address, wanted):
    assert is_loopback(address) is wanted


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as tried:
            tried.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="there is no IPv6 here")
def test_the_loopback_of_ipv6_serves():
    async def run():
        async with (
            serving(MemoryProvider(slots(1)), "[::1]:0") as port,
            connected(f"[::1]:{port}") as provider,
        ):
            assert len((await provider.get(["m0"])).machines) == 1

    asyncio.run(run())


def test_a_unix_socket_serves(tmp_path):
    async def run():
        address = f"unix:{tmp_path / 'p.sock'}"
        async with serving(MemoryProvider(slots(1)), address), connected(address) as provider:
            assert len((await provider.get(["m0"])).machines) == 1

    asyncio.run(run())


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("127.0.0.1:99999", "port 99999 is not 0 to 65535."),
        ("127.0.0.1:65536", "port 65536 is not 0 to 65535."),
        (f"localhost:{'9' * 5000}", "is not 0 to 65535."),
        ("127.0.0.1", "is not HOST:PORT"),
        ("127.0.0.1:", "is not HOST:PORT"),
        ("127.0.0.1:x", "is not HOST:PORT"),
        ("127.0.0.1:-1", "is not HOST:PORT"),
        (":5", "is not HOST:PORT"),
        ("", "is not HOST:PORT"),
        ("::1:5", "is not HOST:PORT"),
        ("[::1]", "is not HOST:PORT"),
        ("[localhost]:5", "is no address of IPv6."),
        ("http://localhost:5", "is not HOST:PORT"),
        ("unix:", "names no socket"),
    ],
)
def test_what_is_no_address_is_told_in_a_line_on_both_sides(address, says):
    async def serve():
        async with serving(MemoryProvider({}), address, Security(plain_text=True)):
            pass

    async def call():
        async with connected(address, security=Security(plain_text=True)):
            pass

    for side in (serve, call):
        with pytest.raises(InputFault) as caught:
            asyncio.run(side())
        assert says in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "address",
    ["localhost:0", "h.example.com:65535", "0.0.0.0:7", "[::]:7", "[fe80::1%eth0]:7", "unix:/x:y"],
)
def test_addresses_are_taken(address):
    check_address(address)
