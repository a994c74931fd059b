"""The overview, wrong verbs, exit statuses and what is never shown."""

import pytest
from click.testing import CliRunner

from models.errors import Fault, InputFault, RuleBroken
from planner.cli import main as program
from planner.cli.main import VERBS, bigfleet


def run(*arguments: str):
    return CliRunner().invoke(bigfleet, list(arguments))


def test_the_overview_names_every_verb():
    done = run("--help")
    assert done.exit_code == 0
    assert [verb for verb in VERBS if f"  {verb} " not in done.stdout] == []
    assert "Exit status: 0 done" in done.stdout


def test_no_verb_at_all_shows_the_overview_as_a_usage_error():
    done = run()
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.rstrip() == run("--help").stdout.rstrip()


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_each_verb_has_examples_and_the_common_options(verb):
    done = run(verb, "--help")
    assert done.exit_code == 0
    assert f"Examples:\n    bigfleet {verb}" in done.stdout
    if verb not in ("import", "serve", "settings"):
        for option in ("-o, --output", "--settings FILE", "--set PATH=VALUE"):
            assert option in done.stdout


@pytest.mark.parametrize("source", ["openb", "prices", "kubectl"])
def test_the_help_of_each_importer_has_examples(source):
    assert f"bigfleet import {source}" in run("import", source, "--help").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cycel", "x"], "there is no verb 'cycel'; did you mean 'cycle'?"),
        (["zzzzz"], "there is no verb 'zzzzz'."),
        (["cycle"], "Missing argument 'FLEET'"),
        (["cycle", "x", "y"], "unexpected extra argument"),
        (["cycle", "x", "-o", "xml"], "'xml' is not one of"),
        (["cycle", "x", "--shrad", "s0"], "No such option"),
        (["cycle", "x", "--set", "reclaim.delay"], "not of the form path=value"),
        (["cycle", "x", "--set", "=3"], "not of the form path=value"),
        (["plan", "x", "--deadline", "soon"], "'soon' is not a duration"),
        (["plan", "x", "--seed", "one"], "is not a whole number"),
        (["plan", "x", "--seed", "1_0"], "'1_0' is not a whole number"),
        (["plan", "x", "--workers", "\u0661"], "'\u0661' is not a whole number"),
        (
            ["tune", "x", "--weight", "moves=0:1", "--seed", "9" * 5000],
            "999' is not a whole number",
        ),
        (["plan", "x", "--seed", str(2**63)], "is not a whole number"),
        (
            ["explain", "x", "ned/a"],
            "'ned/a' is not need/ID, machine/ID, move/ID, room/N or plan; did you mean 'need'?",
        ),
        (["explain", "x", "need/"], "is not need/ID, machine/ID, move/ID, room/N or plan."),
        (["import", "openb"], "Missing argument 'FOLDER'"),
    ],
)
def test_wrong_usage(arguments, said):
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.fixture
def verb_that_raises(monkeypatch):
    """Let the verb ``version`` raise what it is given."""

    def arrange(error: BaseException):
        def fail(common):
            raise error

        monkeypatch.setattr("planner.cli.version.show", lambda answer, form: fail(None))
        return run("version")

    return arrange


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (InputFault([Fault("f.yaml: needs[0]", "is wrong.")]), 1, "f.yaml: needs[0]: is wrong.\n"),
        (InputFault([Fault("", "a\x1b[31m\nb")]), 1, "a\\x1b[31m\\nb\n"),
        (RuleBroken(["m: no", "n: no"]), 70, "this is a fault of BigFleet, please report: m: no;"),
        (ZeroDivisionError("by\nzero"), 70, "please report: ZeroDivisionError: by\\nzero\n"),
        (RecursionError(), 70, "please report: RecursionError"),
        (MemoryError(), 1, "not enough memory"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_errors_end_in_a_status_and_a_line(verb_that_raises, error, status, said):
    done = verb_that_raises(error)
    assert (done.exit_code, done.stdout) == (status, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 1


def test_a_developer_may_ask_for_the_traceback(verb_that_raises, monkeypatch):
    monkeypatch.setenv("BIGFLEET_TRACEBACK", "1")
    assert isinstance(verb_that_raises(ZeroDivisionError()).exception, ZeroDivisionError)


def test_the_verbs_hold_what_the_overview_promises():
    for name in VERBS:
        command = program.bigfleet.get_command(None, name)
        assert command.name == name
