"""First fit decreasing: nothing overfull, nothing lost, the same whatever the order."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from planner.importers.packing import Bin, Load, Shape, first_fit_decreasing, fullest

SHAPES = [
    Shape("small", {"cpu": 4, "memory": 4}, 1),
    Shape("large", {"cpu": 8, "memory": 16}, 4),
    Shape("bare", {"cpu": 6, "memory": 20}),
]


@st.composite
def load_lists(draw):
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(0, 10),
                st.integers(0, 10),
                st.integers(0, 5),
                st.sampled_from([0, 1, 300, 500, 501, 1000]),
            ),
            max_size=25,
        )
    )
    return [
        Load(f"l{i:02}", {"cpu": cpu, "memory": memory}, gpus, thousandths)
        for i, (cpu, memory, gpus, thousandths) in enumerate(rows)
    ]


def recount(filled: Bin) -> None:
    """Add a bin up from its loads alone."""
    for key, room in filled.shape.amounts.items():
        assert sum(load.amounts.get(key, 0) for load in filled.loads) <= room
    held = Counter()
    for load, gpus in zip(filled.loads, filled.gpus_of, strict=True):
        assert len(set(gpus)) == len(gpus) == load.gpus
        assert all(0 <= g < filled.shape.gpus for g in gpus)
        for g in gpus:
            held[g] += load.gpu_thousandths
    assert all(taken <= 1000 for taken in held.values())
    assert filled.gpus_used == sum(taken > 0 for taken in held.values())


def fits_alone(load: Load, shape: Shape) -> bool:
    roomy = all(shape.amounts[key] >= amount for key, amount in load.amounts.items())
    return roomy and load.gpus <= shape.gpus


@given(load_lists(), st.permutations(SHAPES))
def test_every_load_is_in_one_bin_or_fits_no_shape(loads, shapes):
    bins, left = first_fit_decreasing(loads, shapes)
    names = [load.name for filled in bins for load in filled.loads] + [load.name for load in left]
    assert sorted(names) == [load.name for load in loads]
    for filled in bins:
        assert filled.loads
        recount(filled)
    for load in loads:
        assert (load in left) == (not any(fits_alone(load, shape) for shape in shapes))


@given(load_lists(), st.fixed_dictionaries({s.name: st.integers(0, 4) for s in SHAPES}))
def test_no_more_bins_than_nodes(loads, nodes_left):
    bins, left = first_fit_decreasing(loads, SHAPES, nodes_left)
    opened = Counter(filled.shape.name for filled in bins)
    assert all(opened[name] <= count for name, count in nodes_left.items())
    for load in left:
        usable = [s for s in SHAPES if nodes_left[s.name] > opened[s.name] and fits_alone(load, s)]
        assert not usable
    assert sum(len(filled.loads) for filled in bins) + len(left) == len(loads)


@given(load_lists(), st.data())
def test_the_order_of_loads_does_not_matter(loads, data):
    shuffled = data.draw(st.permutations(loads))
    assert first_fit_decreasing(loads, SHAPES) == first_fit_decreasing(shuffled, SHAPES)


@given(load_lists())
def test_first_fit_leaves_no_earlier_bin_that_would_have_taken_a_load(loads):
    bins, _ = first_fit_decreasing(loads, SHAPES)
    for number, filled in enumerate(bins):
        # What opened this bin came after everything that was in the earlier ones by then, so an
        # earlier bin with room for it even now would have had room for it then.
        assert not any(_copy(earlier).put(filled.loads[0]) for earlier in bins[:number])


def _copy(filled: Bin) -> Bin:
    again = Bin(filled.shape)
    for load in filled.loads:
        assert again.put(load)
    return again


def test_halves_share_a_gpu_and_larger_parts_do_not():
    shape = [Shape("s", {"cpu": 100}, 2)]
    halves = [Load(f"l{i}", {"cpu": 1}, 1, 500) for i in range(4)]
    bins, _ = first_fit_decreasing(halves, shape)
    assert [filled.gpu_free for filled in bins] == [[0, 0]]
    # Three times 0.6 are 1.8 GPUs, but no two of them fit on one.
    parts = [Load(f"l{i}", {"cpu": 1}, 1, 600) for i in range(3)]
    bins, _ = first_fit_decreasing(parts, shape)
    assert [len(filled.loads) for filled in bins] == [2, 1]


def test_a_load_takes_the_gpu_with_the_least_room_that_is_enough():
    shape = [Shape("s", {"cpu": 100}, 2)]
    loads = [Load(f"l{size}", {"cpu": 1}, 1, size) for size in (600, 500, 450, 40)]
    bins, _ = first_fit_decreasing(loads, shape)
    assert [filled.gpu_free for filled in bins] == [[400, 10]]


def test_fullest_is_taken_resource_by_resource():
    shape = Shape("s", {"cpu": 10, "memory": 10})
    one, other = Bin(shape), Bin(shape)
    assert one.put(Load("a", {"cpu": 9, "memory": 1}))
    assert other.put(Load("b", {"cpu": 2, "memory": 7}))
    assert fullest([one, other]) == {"cpu": 9, "memory": 7}
