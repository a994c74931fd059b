"""Deal the machines that one cluster holds to its needs, and name those beyond every count."""

from dataclasses import dataclass

import numpy as np

from hotpath.plain.attribution import Groups, fill_some
from hotpath.plain.ledger import Ledger
from hotpath.plain.order import give_back_order
from models.distinct import alike
from models.fleet import Codes, Ints, Mask
from models.machine import NOBODY, State


@dataclass(eq=False, slots=True)
class _Deal:
    """One cluster's machines and needs while they are dealt.

    ``needs`` are in the order of filling; ``members[g]`` are the machines of group ``g`` that are
    not dealt for good; ``label`` is the need that they serve now, by its place in ``needs``;
    ``flow`` has shape ``(n, G)``; ``owner`` has shape ``(m,)``.
    """

    ledger: Ledger
    needs: list[int]
    members: list[Ints]
    label: Ints
    cell: Codes
    groups: Groups
    flow: Ints
    owner: Codes


def deal(ledger: Ledger, needs: list[int], machines: Ints) -> None:
    """Set who serves what, ``held`` and ``excess``, for the machines of one cluster.

    ``needs`` come in the order of filling: priority, fewer free machines that could serve them,
    arrival, name.
    """
    state = _group(ledger, needs, machines)
    pins = {row: _keep_gang(state, row) for row in range(len(needs)) if _is_gang(state, row)}
    done = 0
    for row, pin in [*sorted(pins.items()), (len(needs), -1)]:
        fill_some(state.groups, state.flow, _wanted(state, machines), done, row)
        if row < len(needs):
            _fill_gang(state, row, int(_wanted(state, machines)[row]), pin)
        done = row + 1
    _deal_groups(state)
    plain = [row for row in range(len(needs)) if row not in pins]
    for _ in plain:
        # What one need lets go another may prefer: a few rounds settle it, as many as there are
        # needs at the most.
        if not any([_prefer_settled(state, row) for row in plain]):
            break
    _enter(state, machines)


def _wanted(state: _Deal, machines: Ints) -> Ints:
    """Give what each need lacks of its count beside what is fixed, in the order of filling."""
    owner = state.owner[machines]
    has = np.bincount(owner[owner != NOBODY], minlength=len(state.ledger.needs))
    counts = np.array([state.ledger.needs[need].count for need in state.needs], dtype=np.int64)
    lacking: Ints = np.maximum(counts - has[np.array(state.needs, dtype=np.int64)], 0)
    return lacking


def _is_gang(state: _Deal, row: int) -> bool:
    return state.ledger.needs[state.needs[row]].is_gang


def _group(ledger: Ledger, needs: list[int], machines: Ints) -> _Deal:
    """Sort machines into groups alike in cell, in being configured, in label, in being kept.

    Each need begins with the groups that it keeps; gangs see to their own.
    """
    columns = ledger.inventory.machines
    cell = columns.cell[machines]
    configured = columns.state[machines] == State.CONFIGURED
    label, fits = _labels(needs, columns.serves[machines]), []
    kept = np.zeros(len(machines), dtype=np.bool_)
    for row, need in enumerate(needs):
        ready = ledger.matching.as_configured(ledger.needs[need])[cell]
        blank = ledger.matching.eligible(ledger.needs[need])[cell]
        fits.append(np.where(configured, ready, blank))
        if not ledger.needs[need].is_gang:
            kept |= _kept(ledger, need, machines, (label == row) & fits[row])
    zone, classes = ledger.matching.zones[cell], columns.class_index[machines]
    places = alike((classes, zone, cell, configured, label, kept), len(machines))
    first = np.array([members[0] for members in places], dtype=np.int64)
    group_label, rows = label[first], np.arange(len(needs))[:, None]
    size = np.array([len(members) for members in places], dtype=np.int64)
    return _Deal(
        ledger=ledger,
        needs=needs,
        members=[machines[members] for members in places],
        label=group_label,
        cell=cell[first],
        groups=Groups(
            size,
            np.array(fits, dtype=np.bool_).reshape(len(needs), len(machines))[:, first],
            (group_label != rows).astype(np.int64),
        ),
        flow=np.where((group_label == rows) & kept[first], size, 0),
        owner=np.full(len(ledger.inventory), NOBODY, dtype=np.int32),
    )


def _labels(needs: list[int], serves: Codes) -> Ints:
    """Give the need that each machine serves by its place in ``needs``; NOBODY where in none."""
    order = np.argsort(needs)
    place = np.searchsorted(needs, serves, sorter=order) if needs else np.zeros_like(serves)
    found = order[np.minimum(place, len(needs) - 1)] if needs else place
    return np.where(np.isin(serves, needs), found, NOBODY)


def _kept(ledger: Ledger, need: int, machines: Ints, own: Mask) -> Mask:
    """Mark what a plain need keeps of its own, up to its count: what it would give back last."""
    spec = ledger.needs[need]
    back = give_back_order(ledger.inventory, machines[own], spec.reclamation_penalty)
    return np.isin(machines, back[max(len(back) - spec.count, 0) :])


def _domains(state: _Deal, row: int) -> Codes:
    """Give the domain of each group for a gang."""
    codes = state.ledger.matching.domains(state.ledger.needs[state.needs[row]].same or "")
    domains: Codes = codes[state.cell]
    return domains


def _keep_gang(state: _Deal, row: int) -> int:
    """Keep a gang's members before anybody else is dealt a machine.

    A gang's machines change their need only together, so a higher need cannot take one of them.
    Members outside the domain where most are still serve, as far as the count goes. Returns the
    domain that pins the gang, -1 for a gang without members in any.
    """
    need, domains = state.needs[row], _domains(state, row)
    mine = (state.label == row) & state.groups.fits[row]
    inside = mine & (domains >= 0)
    pin = -1
    if inside.any():
        pin = int(np.bincount(domains[inside], weights=state.groups.size[inside]).argmax())
    here, elsewhere = mine & (domains == pin), mine & (domains != pin)
    members = np.concatenate([_members(state, row, here), _members(state, row, elsewhere)])
    _fix(state, row, members[: state.ledger.needs[need].count])
    return pin


def _members(state: _Deal, row: int, groups: Mask) -> Ints:
    """Give the machines of some groups, those first that the need would give back last."""
    return _last_first(state, row, _pool(state, groups))


def _pool(state: _Deal, groups: Mask) -> Ints:
    """Give the machines of some groups in the order of the inventory."""
    rows = [state.members[group] for group in np.flatnonzero(groups)]
    return np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *rows]))


def _last_first(state: _Deal, row: int, machines: Ints) -> Ints:
    penalty = state.ledger.needs[state.needs[row]].reclamation_penalty
    return give_back_order(state.ledger.inventory, machines, penalty)[::-1]


def _fix(state: _Deal, row: int, machines: Ints) -> None:
    """Give machines to a need for good and take them out of their groups."""
    state.owner[machines] = state.needs[row]
    for group, members in enumerate(state.members):
        left = members[state.owner[members] == NOBODY]
        state.groups.size[group] = len(left)
        state.members[group] = left


def _fill_gang(state: _Deal, row: int, wanted: int, pin: int) -> None:
    """Let a gang grow in its domain, or begin where the cluster's own machines hold all of it.

    What it gets is fixed at once: later needs may not swap single machines of a gang.
    """
    if wanted <= 0:
        return
    domains, fits = _domains(state, row), state.groups.fits[row].copy()
    own = state.groups.size > 0
    candidates = [pin] if pin >= 0 else np.unique(domains[fits & own & (domains >= 0)]).tolist()
    for domain in candidates:
        state.groups.fits[row] = fits & (domains == domain)
        trial = state.flow.copy()
        fill_some(state.groups, trial, np.full(len(state.needs), wanted), row, row + 1)
        got = int(trial[row].sum())
        if got == wanted or (got and (pin >= 0 or _blank_start(state, row, trial, domain))):
            state.flow[:] = trial
            break
    state.groups.fits[row] = fits
    machines = [
        _last_first(state, row, state.members[group])[:amount]
        for group, amount in enumerate(state.flow[row])
        if amount
    ]
    if machines:
        state.flow[row] = 0
        _fix(state, row, np.concatenate(machines))


def _blank_start(state: _Deal, row: int, trial: Ints, domain: int) -> bool:
    """Tell whether a part of a gang may begin: from nobody's machines, where all of it fits.

    An inventory that does not say who serves what must not lose a gang that runs already.
    """
    ledger, need = state.ledger, state.needs[row]
    unlabelled = not (trial[row][state.label != NOBODY]).any()
    domains = ledger.matching.domains(ledger.needs[need].same or "")[ledger.inventory.machines.cell]
    room = np.count_nonzero(ledger.eligible(need) & (domains == domain))
    return bool(unlabelled and room >= ledger.needs[need].count)


def _deal_groups(state: _Deal) -> None:
    """Name the machines behind the counts; inside a group those last to be given back serve."""
    for group, members in enumerate(state.members):
        left = give_back_order(state.ledger.inventory, members)[::-1]
        shares = np.repeat(np.array(state.needs, dtype=np.int32), state.flow[:, group])
        state.owner[left[: len(shares)]] = shares


def _prefer_settled(state: _Deal, row: int) -> bool:
    """Let phase 3's order say which machines are beyond the need's count.

    Machines with the need's label stay ahead of the others; among machines of one kind the need
    keeps those that would be given back last. Tells whether anything changed.
    """
    need, changed = state.needs[row], False
    for labelled in (True, False):
        groups = state.groups.fits[row] & ((state.label == row) == labelled)
        pool = _pool(state, groups)
        pool = pool[np.isin(state.owner[pool], (NOBODY, need))]
        held = int(np.count_nonzero(state.owner[pool] == need))
        if held in (0, len(pool)):
            continue
        settled = _last_first(state, row, pool)
        changed |= bool((state.owner[settled[held:]] == need).any())
        state.owner[settled[held:]] = NOBODY
        state.owner[settled[:held]] = need
    return changed


def _enter(state: _Deal, machines: Ints) -> None:
    """Write the result into the books."""
    ledger, owner = state.ledger, state.owner[machines]
    label = ledger.inventory.machines.serves[machines]
    beyond = owner == NOBODY
    ledger.excess[machines], ledger.held[machines] = beyond, ~beyond
    ledger.names[machines] = np.where(beyond & np.isin(label, state.needs), label, NOBODY)
    ledger.serves[machines] = owner
    np.add.at(ledger.have, owner[~beyond], 1)
