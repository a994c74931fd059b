"""A simulated cloud as a person would tell it: a dictionary of machines, one event at a time.

Knows times that do not vary, failures, hangs, lateness and timeouts; no rates, quotas or prices.
"""

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from math import inf

TARGET = {
    "create": ("CREATING", "IDLE"),
    "configure": ("CONFIGURING", "CONFIGURED"),
    "drain": ("DRAINING", "IDLE"),
    "delete": ("DELETING", "SPECULATIVE"),
}
FROM = {
    "create": {"SPECULATIVE"},
    "configure": {"IDLE", "FAILED CONFIGURING"},
    "drain": {"CONFIGURED", "FAILED DRAINING"},
    "delete": {"IDLE", "FAILED CREATING", "FAILED DELETING"},
}


@dataclass
class Slow:
    """One machine; ``ends`` and ``gives_up`` are None while nothing runs."""

    id: str
    state: str = "SPECULATIVE"
    cluster: str = ""
    reservation: str = ""
    host: bool = False
    operation: int = 0
    ends: float | None = None
    gives_up: float | None = None
    grace: float = -inf
    late: float | None = None


@dataclass
class SlowCloud:
    """``takes`` and ``timeouts`` by rpc; ``fails`` as (rpc, glob, class, since, until, after)."""

    machines: dict[str, Slow]
    takes: dict[str, float]
    timeouts: dict[str, float]
    fails: list[tuple[str, str, str, float, float, float]]
    now: float = 0.0
    bought: dict[str, int] = field(default_factory=dict)

    def advance(self, now: float) -> None:
        while True:
            due = [
                (at, order, m.id, what)
                for m in self.machines.values()
                for order, (at, what) in enumerate(
                    [(m.ends, "end"), (m.gives_up, "give up"), (m.late, "late")]
                )
                if at is not None and at <= now
            ]
            if not due:
                self.now = now
                return
            _, _, name, what = min(due)
            machine = self.machines[name]
            if what == "end":
                running = next(rpc for rpc, (state, _) in TARGET.items() if state == machine.state)
                self._rest(machine, TARGET[running][1])
            elif what == "give up":
                self._rest(machine, f"FAILED {machine.state}")
            else:
                machine.late = None
                if machine.state in ("SPECULATIVE", "CREATING"):
                    self._rest(machine, "IDLE")
                    machine.host = True

    def _rest(self, machine: Slow, state: str) -> None:
        was = machine.state
        machine.state, machine.ends, machine.gives_up, machine.grace = state, None, None, -inf
        if state in ("IDLE", "SPECULATIVE"):
            machine.cluster = ""
        if state == "SPECULATIVE":
            machine.host, machine.reservation = False, ""
        if was == "CREATING" and state == "IDLE":
            machine.host = True

    def order(self, rpc: str, name: str, cluster: str, reservation: str, grace: int) -> str:
        """Give "" where the order was taken, else why not."""
        machine = self.machines[name]
        running, rests = TARGET[rpc]
        if machine.state in (running, rests):
            return self._again(rpc, machine, cluster, reservation, grace)
        if rpc == "drain" and machine.state == "FAILED CONFIGURING":
            self._rest(machine, "IDLE")
            machine.reservation = reservation
            return ""
        if machine.state not in FROM[rpc]:
            return "WRONG_STATE"
        what, after = next(
            (
                (what, after)
                for kind, glob, what, since, until, after in self.fails
                if kind == rpc and fnmatchcase(name, glob) and since <= self.now < until
            ),
            ("", 0.0),
        )
        if what == "late":
            machine.late = min(machine.late or inf, self.now + after)
            return "INTERNAL"
        if what not in ("", "hang"):
            return what
        if rpc == "create":
            self.bought[name] = self.bought.get(name, 0) + 1
        if rpc != "delete":
            machine.reservation = reservation
        if rpc == "configure":
            machine.cluster = cluster
        machine.state, machine.operation = running, machine.operation + 1
        takes = self.takes[rpc]
        if rpc == "drain":
            machine.grace = self.now + grace
            takes = min(takes, grace)
        machine.ends = inf if what == "hang" else self.now + takes
        machine.gives_up = self.now + self.timeouts[rpc]
        self.advance(self.now)
        return ""

    def _again(self, rpc, machine, cluster, reservation, grace) -> str:
        if rpc == "create" and machine.state == "CREATING" and reservation != machine.reservation:
            return "CONFLICT"
        if rpc == "configure" and (
            cluster != machine.cluster
            or (machine.state == "CONFIGURING" and reservation != machine.reservation)
        ):
            return "CONFLICT"
        if rpc == "drain":
            machine.reservation = reservation
            if machine.state == "DRAINING" and self.now + grace < machine.grace:
                machine.grace = self.now + grace
                if machine.ends < inf:
                    machine.ends = min(machine.ends, machine.grace)
                self.advance(self.now)
        return ""
