"""Settings of hooks: what they may be, and what is wrong with them."""

import pytest

from models.errors import InputFault
from providers.metal.hooks import Kind, hooks_from

TRUE = {"command": ["true"]}
LEAST = {"configure": TRUE, "drain": TRUE}


def refused(mapping):
    with pytest.raises(InputFault) as fault:
        hooks_from(mapping)
    return str(fault.value).splitlines()


def test_what_is_left_out_has_its_default():
    hooks = hooks_from(
        {"configure": {"command": ["a", "{machine}"]}, "drain": TRUE, "health": None}
    )
    assert hooks.configure.command == ("a", "{machine}")
    assert (hooks.configure.timeout, hooks.configure.expected) == (300.0, None)
    assert hooks.configure.idempotent
    assert [kind for kind in Kind if hooks.of(kind) is None] == ["commission", "release", "health"]
    health = hooks_from(LEAST | {"health": TRUE | {"every": "10s"}}).health
    assert (health.every, health.at_once) == (10.0, 8)
    assert hooks_from(LEAST).at_once == 64


def test_a_secret_in_a_header_is_not_shown():
    hook = {"url": "https://maas.example.org/x", "headers": {"Authorization": "Bearer secret"}}
    hooks = hooks_from({"configure": hook, "drain": TRUE})
    assert "secret" not in repr(hooks)
    assert hooks.configure.headers == {"Authorization": "Bearer secret"}


def test_all_faults_at_once():
    assert refused({"configure": {"command": []}, "relese": TRUE, "at_once": 0}) == [
        "configure.command: [] is not a list of a program and its arguments.",
        "drain: is required, and null or absent.",
        "at_once: 0 is out of range: should be greater than or equal to 1.",
        "relese: unknown field (value {'command': ['true']}); did you mean 'release'?",
    ]
    assert refused([]) == ["[] is not a mapping of hooks."]


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        ({}, "says neither or both of command and url; give one."),
        (TRUE | {"url": "https://h/x"}, "says neither or both of command and url; give one."),
        (TRUE | {"headers": {"A": "b"}}, "has headers; only a url has."),
        ({"command": ["a", "{hosts}"]}, "{hosts}, which no hook is told; did you mean 'host'?"),
        ({"command": ["a", "{machine!r}"]}, "has {machine}, which no hook is told"),
        ({"command": ["a", "{machine.x}"]}, "has {machine.x}, which no hook is told"),
        ({"command": ["a", "{"]}, "write {{ for a brace."),
        ({"command": [""]}, "has an empty text for a program."),
        ({"command": ["a"], "timeout": 0}, "0 is out of range"),
        ({"command": ["a"], "timeout": "soon"}, "'soon' is not a duration"),
        ({"command": "a b"}, "'a b' is not a list of a program and its arguments."),
        ({"url": "http://maas.example.org/x"}, "is neither https nor loopback."),
        ({"url": "http://127.0.0.1.example.org/x"}, "is neither https nor loopback."),
        ({"url": "ftp://localhost/x"}, "is no URL as in https://maas.example.org/drain."),
        ({"url": "https://{host}/x"}, "is no URL as in https://maas.example.org/drain."),
        ({"url": "https://localhost:x/"}, "is no URL ("),
        ({"url": "https://u:p@h/x"}, "has a user or a fragment; use headers."),
        ({"url": "https://h/a b"}, "holds what must be percent-encoded."),
        ({"url": "https://h/x", "headers": {"A\n": "b"}}, "cannot be sent; mend its name or text."),
        ({"url": "https://h/x", "headers": {"A": "b\r\nC: d"}}, "cannot be sent"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(hook, said):
    [line] = refused({"configure": hook, "drain": TRUE})
    assert line.startswith("configure")
    assert said in line


@pytest.mark.parametrize(
    "url",
    ["http://localhost:80/x", "http://127.0.0.1/x", "http://[::1]:8080/x", "https://h/{host}?m={machine}"],
)  # fmt: skip
def test_https_and_loopback_are_taken(url):
    assert hooks_from({"configure": {"url": url}, "drain": TRUE}).configure.url == url
