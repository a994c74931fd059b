"""Hooks that are real processes: what they are given, how they end, and what is left of them."""

import asyncio
import sys
import time
from pathlib import Path

import pytest

from providers.metal.commands import run
from providers.metal.hooks import Call, Kind
from providers.metal.strays import end_strays

BLOB = b"#cloud-config\njoin: --token abcdef.0123456789abcdef\n"
CALL = Call(Kind.DRAIN, "r 0", "-bmc", "r0#1", "a;b $(c)", "c/n", 30)
CONFIGURE = Call(Kind.CONFIGURE, "r0", "bmc", user_data=BLOB)


def ran(folder, *command, call=CALL, seconds=20.0):
    began = time.monotonic()
    outcome = asyncio.run(run(command, call, seconds, str(folder), str(folder)))
    return outcome, time.monotonic() - began


def script(folder, text, call=CALL, seconds=20.0):
    return ran(folder, "sh", "-c", text, call=call, seconds=seconds)[0]


def is_alive(process):
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def test_no_shell_sees_what_it_is_given(tmp_path):
    outcome, _ = ran(
        tmp_path, "printf", "%s|%s|%s", "{machine}", "{cluster}", "{{{grace_seconds}}}"
    )
    assert (outcome.failure, outcome.said) == ("", "r 0|a;b $(c)|{30}")
    outcome = script(
        tmp_path,
        "echo no; pwd >&2",
    )
    assert (outcome.failure, outcome.said) == ("", str(tmp_path))
    outcome = script(
        tmp_path,
        'echo "$BIGFLEET_HOOK,$BIGFLEET_HOST,$BIGFLEET_KEY,$BIGFLEET_RESERVATION,$BIGFLEET_STORE"',
    )
    assert outcome.said == f"drain,-bmc,r0#1,c/n,{tmp_path}"


def test_the_blob_comes_on_standard_input_and_nowhere_else(tmp_path):
    text = "cat > blob; tr '\\0' '\\n' < /proc/self/environ > env; cat /proc/self/cmdline >> env"
    assert script(tmp_path, text, CONFIGURE).failure == ""
    assert (tmp_path / "blob").read_bytes() == BLOB
    assert "abcdef" not in (tmp_path / "env").read_text()
    assert "BIGFLEET_MACHINE=r0" in (tmp_path / "env").read_text()
    assert "abcdef" not in repr(CONFIGURE)


def test_a_large_blob_that_nobody_reads_does_no_harm(tmp_path):
    call = Call(Kind.CONFIGURE, "r0", "bmc", user_data=b"x" * 5_000_000)
    assert script(tmp_path, "exit 0", call).failure == ""
    assert script(tmp_path, "wc -c", call).said == "5000000"


@pytest.mark.parametrize(
    ("text", "failure", "said"),
    [
        ("echo a; echo b; echo; exit 0", "", "b"),
        ("echo broken disk >&2; exit 7", "It ended with status 7.", "broken disk"),
        ("kill -9 $$", "It was ended by SIGKILL.", ""),
        ("printf 'a\\tb\\033[1mc\\377'", "", "a b [1mc\ufffd"),
    ],
)  # fmt: skip
def test_how_a_command_ends(tmp_path, text, failure, said):
    outcome = script(tmp_path, text)
    assert (outcome.failure, outcome.said) == (failure, said)


def test_what_cannot_be_started_is_a_failure(tmp_path):
    (tmp_path / "text").write_text("no program")
    assert ran(tmp_path, "./none")[0].failure == (
        "'./none' could not be started (No such file or directory)."
    )
    assert "Permission denied" in ran(tmp_path, "./text")[0].failure
    assert "could not be started" in ran(tmp_path, "true", "x" * 3_000_000)[0].failure


def test_only_the_end_of_the_output_is_kept(tmp_path):
    text = "head -c 30000000 /dev/zero | tr '\\0' 'a'; echo; echo end"
    assert script(tmp_path, text).said == "end"
    line = script(tmp_path, "head -c 30000000 /dev/zero | tr '\\0' 'a'; exit 1")
    assert set(line.said) == {"a"}
    assert len(line.message()) == 500


def test_when_time_is_up_the_whole_group_ends(tmp_path):
    text = "sleep 600 & echo $! > child; trap '' TERM; echo waiting; while :; do sleep 600; done"
    outcome, seconds = ran(tmp_path, "sh", "-c", text, seconds=0.5)
    assert outcome.failure == "drain took longer than 0.5 s and was ended."
    assert outcome.said == "waiting"
    assert seconds < 10
    assert not is_alive(int((tmp_path / "child").read_text()))


def test_whoever_cleans_up_is_given_time(tmp_path):
    text = "trap 'echo cleaned > cleaned; exit 1' TERM; sleep 600 & wait"
    assert "longer than" in ran(tmp_path, "sh", "-c", text, seconds=0.5)[0].failure
    assert (tmp_path / "cleaned").read_text() == "cleaned\n"


def test_children_do_not_outlive_a_command_that_has_ended(tmp_path):
    outcome, seconds = ran(tmp_path, "sh", "-c", "sleep 600 & echo $! > child; exit 4")
    assert outcome.failure == "It ended with status 4."
    assert seconds < 10
    assert not is_alive(int((tmp_path / "child").read_text()))


def test_a_child_that_left_the_group_and_holds_the_output_is_not_waited_for(tmp_path):
    leaves = "setsid sh -c 'echo $$ > child; exec sleep 600' &"
    text = f"{leaves} while [ ! -s child ]; do sleep 0.01; done; echo done"
    outcome, seconds = ran(tmp_path, "sh", "-c", text)
    assert (outcome.failure, outcome.said) == ("", "done")
    assert seconds < 10
    child = int((tmp_path / "child").read_text())
    assert is_alive(child)
    assert end_strays("another-mark") == 0
    assert is_alive(child)
    assert end_strays(str(tmp_path)) == 1
    assert not is_alive(child)


def test_a_cancelled_call_ends_its_command(tmp_path):
    async def cancelled():
        command = ["sh", "-c", "echo $$ > child; exec sleep 600"]
        task = asyncio.ensure_future(run(command, CALL, 60.0, str(tmp_path), "m"))
        while not (tmp_path / "child").exists() or not (tmp_path / "child").read_text():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert not is_alive(int((tmp_path / "child").read_text()))


def test_many_at_a_time(tmp_path):
    async def all_of_them():
        calls = [Call(Kind.DRAIN, f"r{n}", "h") for n in range(40)]
        return await asyncio.gather(
            *(run(["echo", "{machine}"], call, 20.0, str(tmp_path), "m") for call in calls)
        )

    assert [each.said for each in asyncio.run(all_of_them())] == [f"r{n}" for n in range(40)]


if sys.platform != "linux":  # pragma: no cover
    pytestmark = pytest.mark.skip(reason="processes are looked at in /proc")
