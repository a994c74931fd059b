"""TLS and mutual TLS, with certificates made here."""

import asyncio
from dataclasses import replace

import pytest
import trustme
from cryptography.hazmat.primitives import serialization
from memory_provider import MemoryProvider, slots

from models.errors import InputFault, ProviderUnavailable
from providers.client import connected
from providers.server import serving
from providers.transport import Security, new_channel


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Give the security of a server, of a client it knows, and of a stranger."""
    folder = tmp_path_factory.mktemp("tls")

    def written(name, authority, *hosts):
        made = authority.issue_cert(*hosts)
        made.private_key_pem.write_to_path(folder / f"{name}.key")
        made.cert_chain_pems[0].write_to_path(folder / f"{name}.pem")
        authority.cert_pem.write_to_path(folder / f"{name}.ca")
        return Security(folder / f"{name}.pem", folder / f"{name}.key", folder / f"{name}.ca")

    ours, theirs = trustme.CA(), trustme.CA()
    return (
        written("server", ours, "localhost", "127.0.0.1"),
        written("client", ours, "client"),
        written("stranger", theirs, "client"),
    )


async def asked(server, client):
    async with (
        serving(MemoryProvider(slots(1)), "localhost:0", server) as port,
        connected(f"localhost:{port}", "p", client, call_seconds=5.0) as provider,
    ):
        return len((await provider.get(["m0"])).machines)


def test_who_trusts_the_authority_is_answered(files):
    server, client, _ = files
    only_server = replace(server, authority=None)
    assert asyncio.run(asked(only_server, Security(authority=client.authority))) == 1


def test_both_sides_may_want_to_know_each_other(files):
    server, client, _ = files
    assert asyncio.run(asked(server, client)) == 1


def test_a_client_without_a_certificate_is_not_heard_where_one_is_wanted(files):
    server, client, _ = files
    with pytest.raises(ProviderUnavailable):
        asyncio.run(asked(server, Security(authority=client.authority)))


def test_a_client_of_another_authority_is_not_heard(files):
    server, client, stranger = files
    with pytest.raises(ProviderUnavailable):
        asyncio.run(asked(server, replace(stranger, authority=client.authority)))


def test_a_server_of_another_authority_is_not_believed(files):
    server, client, stranger = files
    with pytest.raises(ProviderUnavailable):
        asyncio.run(asked(server, replace(client, authority=stranger.authority)))


def test_plain_text_is_not_answered_by_a_server_with_tls(files):
    server, _, _ = files
    with pytest.raises(ProviderUnavailable):
        asyncio.run(asked(server, Security()))


def test_a_server_needs_certificate_and_key(files):
    server, client, _ = files
    with pytest.raises(InputFault, match="needs both a certificate and its key"):
        asyncio.run(asked(replace(server, key=None), client))


def test_a_file_that_cannot_be_read_is_named(files, tmp_path):
    server, client, _ = files
    missing = tmp_path / "none.pem"
    with pytest.raises(InputFault, match=r"none\.pem: cannot be read"):
        asyncio.run(asked(replace(server, certificate=missing), client))
    with pytest.raises(InputFault, match=r"none\.pem: cannot be read"):
        asyncio.run(asked(server, replace(client, authority=missing)))


@pytest.mark.parametrize("missing", ["certificate", "key"])
def test_a_client_with_one_of_certificate_and_key_is_told(files, missing):
    _, client, _ = files
    with pytest.raises(InputFault, match="x:1: TLS needs both a certificate and its key"):
        new_channel("x:1", replace(client, **{missing: None}))


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ("authority", "holds no certificate in PEM"),
        ("certificate", "holds no certificate in PEM"),
        ("key", "is not the key of "),
    ],
)
@pytest.mark.parametrize("content", [b"", b"no PEM", b"\xff\0"])
def test_a_file_that_is_no_pem_is_named_on_both_sides(files, tmp_path, field, says, content):
    server, client, _ = files
    wrong = tmp_path / "wrong.pem"
    wrong.write_bytes(content)
    for pair in (
        (replace(server, **{field: wrong}), client),
        (server, replace(client, **{field: wrong})),
    ):
        with pytest.raises(InputFault) as caught:
            asyncio.run(asked(*pair))
        assert str(caught.value).startswith(f"{wrong}: {says}")


def test_a_key_of_another_certificate_or_under_a_password_is_told(files, tmp_path):
    _, client, stranger = files
    with pytest.raises(InputFault, match=f"{stranger.key}: is not the key of {client.certificate}"):
        new_channel("x:1", replace(client, key=stranger.key))
    key = serialization.load_pem_private_key(client.key.read_bytes(), None)
    locked = tmp_path / "locked.key"
    locked.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"word"),
        )
    )
    with pytest.raises(InputFault, match=f"{locked}: is not the key .* without a password"):
        new_channel("x:1", replace(client, key=locked))
