"""Workers of a Dask cluster, for sweeps that are too large for one machine."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from distributed import Client

from models.errors import Fault, InputFault, Unreachable
from planner.tune.ground import Ground, packed
from planner.tune.solve import result_from
from planner.tune.sweep import Crew, Submit
from planner.tune.trial import Result, Trial

CONNECT_SECONDS = 10

SCHEMES = ("tcp", "tls", "ws", "wss")


def on_dask(grounds: Sequence[Ground], address: str) -> Crew:
    """Give a crew of the cluster whose scheduler is at ``address``; each worker gets the grounds.

    The workers need the same version of BigFleet. A trial that a worker does not survive is tried
    on others, as often as the scheduler allows, and then fails.

    Raises
    ------
    InputFault
        When that is no address.
    Unreachable
        By the block, when no scheduler answers there.
    """
    _check(address)
    content = packed(grounds)

    @contextmanager
    def crew() -> Iterator[Submit]:
        try:
            client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise Unreachable(address, str(error)) from None
        with client:
            sent = client.scatter(content, broadcast=True, hash=True)
            # Not pure: a trial solved anew must not be answered from an earlier run.
            executor = client.get_executor(pure=False)

            def submit(trial: Trial) -> "Future[Result]":
                if client.status != "running":
                    raise Unreachable(address, "the scheduler has gone")
                future: Future[Result] = executor.submit(result_from, sent, trial)
                return future

            yield submit

    return crew


def _check(address: str) -> None:
    """Refuse what is no address: a client that was never begun takes 20 s to end, with a traceback.

    Raises
    ------
    InputFault
        When it has no known scheme, no host or no port.
    """
    with suppress(ValueError):
        parts = urlsplit(address)
        if parts.scheme in SCHEMES and parts.hostname and parts.port:
            return
    message = f"{address!r} is no address of a scheduler; write it like tcp://host:8786."
    raise InputFault([Fault("--dask", message)])
