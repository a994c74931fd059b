"""A simulated cloud as a person would tell it: a dictionary of machines, one event at a time.

Knows times that do not vary, failures, hangs, lateness, timeouts, a quota and reclaims with notice;
no rates, subnets, prices or slots that are withdrawn.
"""

from dataclasses import dataclass
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
    """One machine; times are None where nothing of the kind is to come."""

    id: str
    state: str = "SPECULATIVE"
    cluster: str = ""
    reservation: str = ""
    host: bool = False
    operation: int = 0
    since: float = 0.0
    ends: float | None = None
    gives_up: float | None = None
    grace: float = -inf
    late: float | None = None
    due: float | None = None


@dataclass
class SlowCloud:
    """``takes`` and ``timeouts`` by rpc; ``fails`` as (rpc, glob, class, since, until, after)."""

    machines: dict[str, Slow]
    takes: dict[str, float]
    timeouts: dict[str, float]
    fails: list[tuple[str, str, str, float, float, float]]
    quota: float = inf
    now: float = 0.0

    def advance(self, now: float, *, is_included: bool = True) -> None:
        self.now = now
        while True:
            coming = [
                (at, order, m.id, what)
                for m in self.machines.values()
                for order, (at, what) in enumerate(
                    [(m.ends, "end"), (m.gives_up, "give up"), (m.late, "late"), (m.due, "due")]
                )
                if at is not None and (at <= now if is_included else at < now)
            ]
            if not coming:
                return
            at, _, name, what = min(coming)
            self._happens(self.machines[name], what, at)

    def _happens(self, machine: Slow, what: str, at: float) -> None:
        match what:
            case "end":
                running = next(rpc for rpc, (state, _) in TARGET.items() if state == machine.state)
                self._rest(machine, TARGET[running][1], at)
            case "give up":
                self._rest(machine, f"FAILED {machine.state}", at)
            case "late":
                machine.late = None
                if machine.state in ("SPECULATIVE", "CREATING"):
                    self._rest(machine, "IDLE", at)
                    machine.host = True
            case "due":
                self._rest(machine, "SPECULATIVE", at)

    def _rest(self, machine: Slow, state: str, at: float) -> None:
        was = machine.state
        machine.state, machine.since = state, at
        machine.ends, machine.gives_up, machine.grace = None, None, -inf
        if state in ("IDLE", "SPECULATIVE"):
            machine.cluster = ""
        if state == "SPECULATIVE":
            machine.host, machine.reservation, machine.due = False, "", None
        if was == "CREATING" and state == "IDLE":
            machine.host = True

    def reclaim(self, notice: float, now: float) -> list[str]:
        """Take back all that have a host; what ends at this very instant has not ended yet."""
        self.advance(now, is_included=False)
        some = [machine for machine in self.machines.values() if machine.host]
        for machine in some:
            machine.due = min(inf if machine.due is None else machine.due, now + notice)
        return sorted(machine.id for machine in some)

    def order(self, rpc: str, name: str, cluster: str, reservation: str, grace: int) -> str:
        """Give "" where the order was taken, else why not. Time passes after the whole call."""
        machine = self.machines[name]
        running, rests = TARGET[rpc]
        if machine.state in (running, rests):
            return self._again(rpc, machine, cluster, reservation, grace)
        if rpc == "drain" and machine.state == "FAILED CONFIGURING":
            self._rest(machine, "IDLE", self.now)
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
            machine.late = min(inf if machine.late is None else machine.late, self.now + after)
            return "INTERNAL"
        if what not in ("", "hang"):
            return what
        used = sum(each.state != "SPECULATIVE" for each in self.machines.values())
        if rpc == "create" and used >= self.quota:
            return "QUOTA"
        if rpc != "delete":
            machine.reservation = reservation
        if rpc == "configure":
            machine.cluster = cluster
        machine.state, machine.since = running, self.now
        machine.operation += 1
        takes = self.takes[rpc]
        if rpc == "drain":
            machine.grace = self.now + grace
            takes = min(takes, grace)
        machine.ends = inf if what == "hang" else self.now + takes
        machine.gives_up = self.now + self.timeouts[rpc]
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
        return ""
