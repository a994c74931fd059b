"""Sites against every cell looked at on its own."""

from builders import fleet, machine
from hypothesis import given, settings
from strategies import fleets

from hotpath.matching import Matching
from models.columns import fleet_of
from models.need import Need
from rebalancer.sites import sites_of


@given(rows=fleets(max_machines=12, max_needs=6))
@settings(max_examples=80, deadline=None)
def test_cells_share_a_site_if_no_need_tells_them_apart(rows):
    fleet = fleet_of(rows)
    matching, needs = Matching(fleet, ()), fleet.needs
    sites = sites_of(matching, needs)
    keys = sorted({need.same for need in needs if need.same})
    labels = sorted({s.key for need in needs for s in need.spread if s.is_hard})
    seen: dict[int, tuple[object, ...]] = {}
    for cell in range(len(fleet.cells)):
        serves = tuple(bool(matching.eligible(need)[cell]) for need in needs)
        site = int(sites.of_cell[cell])
        assert tuple(sites.serves[sites.kind[cell]].tolist()) == serves
        places = tuple(int(matching.domains(key)[cell]) for key in keys)
        values = tuple(int(matching.values(key)[cell]) for key in labels)
        assert seen.setdefault(site, (serves, places, values)) == (serves, places, values)
    # No two sites are alike, and they are numbered in the order of what tells them apart.
    told_apart = [seen[site] for site in sorted(seen)]
    assert told_apart == sorted(set(told_apart))
    assert sorted(seen) == list(range(len(seen)))


def test_without_needs_all_cells_are_one_site():
    built = fleet().machines(machine("a", rack="r1")).machines(machine("b", rack="r2")).build()
    sites = sites_of(Matching(built, ()), ())
    assert (set(sites.of_cell.tolist()), sites.serves.shape) == ({0}, (1, 0))


def test_without_machines_there_is_no_site():
    need = Need("n", cluster="a", name="n", count=1)
    built = fleet().needs(need).build()
    sites = sites_of(Matching(built, ()), (need,))
    assert (len(sites.of_cell), sites.serves.shape) == (0, (0, 1))
