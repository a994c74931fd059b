"""Transfer: the judge, the program, CP-SAT and the project's own against trying everything."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from peer_answers import goals, is_kept, judged

from benchmarks.peers import cp_sat, greedy, ours
from benchmarks.peers.instances import transfer_of
from benchmarks.peers.problems import DRAIN, Transfer, from_json, to_json
from benchmarks.peers.program import program_of
from rebalancer.problems.transfer.entry import entry_levels

PRIORITIES = [300_000, 200_000, 0]


@st.composite
def transfers(draw):
    """Give a transfer of a few machines; donors want nothing themselves."""
    row = lambda values, n: draw(st.lists(values, min_size=n, max_size=n))  # noqa: E731
    kinds = draw(
        st.lists(
            st.tuples(st.integers(0, 1), st.integers(0, 1), st.sampled_from([0, 1, 2, 3, 4])),
            min_size=1,
            max_size=3,
            unique=True,
        )
    )
    wanted = draw(st.integers(1, 2))
    # A kind of offer is idle, speculative, or drained of the work of a level or of none.
    tiers = [min(kind, DRAIN) for _, _, kind in kinds]
    levels = [-1 if kind < DRAIN else kind - DRAIN - 1 for _, _, kind in kinds]
    # Work is lost to what is 100,000 more important at least; nothing is above level 0.
    lowest = [2 if level < 0 else level - 1 for level in levels]
    return Transfer(
        priorities=PRIORITIES,
        thing_cost=row(st.integers(1, 9), 2),
        thing_risk=row(st.integers(0, 2), 2),
        profile_things=[[0, 1], draw(st.sampled_from([[0], [1]]))],
        offer_donor=[donor for donor, _, _ in kinds],
        offer_thing=[thing for _, thing, _ in kinds],
        offer_tier=tiers,
        offer_level=levels,
        offer_lowest=lowest,
        offer_count=row(st.integers(0, 2), len(kinds)),
        wanted_receiver=[2] * wanted,
        wanted_profile=row(st.integers(0, 1), wanted),
        wanted_level=row(st.integers(0, 2), wanted),
        wanted_penalty=row(st.integers(0, 3), wanted),
        wanted_short=row(st.integers(0, 2), wanted),
        most_drains=[*row(st.integers(0, 2), 2), 0],
    )


def plans(problem):
    """Give every way to send up to two machines along each pair that exists at all."""
    pairs = list(product(range(len(problem.offer_count)), range(len(problem.wanted_short))))
    for counts in product(range(3), repeat=len(pairs)):
        yield [(*pair, n) for pair, n in zip(pairs, counts, strict=True) if n]


def value(problem, answer):
    """Give what an answer is worth by the plainest reading, None for one that is not allowed."""
    machines = [pair for *pair, count in answer for _ in range(count)]
    short = [0, 0, 0]
    for count, level in zip(problem.wanted_short, problem.wanted_level, strict=True):
        short[level] += count
    cost = 0
    for offer, wanted in machines:
        thing, level = problem.offer_thing[offer], problem.wanted_level[wanted]
        if thing not in problem.profile_things[problem.wanted_profile[wanted]]:
            return None
        if level > problem.offer_lowest[offer]:
            return None
        short[level] -= 1
        if problem.offer_level[offer] >= 0:
            short[problem.offer_level[offer]] += 1
        cost += problem.thing_cost[thing]
        cost += problem.thing_risk[thing] * problem.wanted_penalty[wanted]
    tiers = [problem.offer_tier[offer] for offer, _ in machines]
    for at, most in enumerate(problem.offer_count):
        if sum(offer == at for offer, _ in machines) > most:
            return None
    for at, most in enumerate(problem.wanted_short):
        if sum(wanted == at for _, wanted in machines) > most:
            return None
    for donor, most in enumerate(problem.most_drains):
        drains = [
            problem.offer_donor[offer] == donor and problem.offer_tier[offer] == 2
            for offer, _ in machines
        ]
        if sum(drains) > most:
            return None
    return (*short, tiers.count(2), tiers.count(1), cost)


@settings(max_examples=30, deadline=None)
@given(transfers())
def test_judge_and_program_value_every_answer_by_the_plainest_reading(problem):
    program = program_of(problem)
    for answer in plans(problem):
        plain = value(problem, answer)
        assert judged(problem, answer) == plain
        counts = {(offer, wanted): n for offer, wanted, n in answer}
        values = [counts.get(pair, 0) for pair in program.pairs]
        if counts.keys() <= set(program.pairs):
            assert is_kept(program, values) == (plain is not None)
            assert plain is None or goals(program, values) == plain


@settings(max_examples=25, deadline=None)
@given(transfers())
def test_cp_sat_and_ours_prove_the_best_there_is_and_greedy_is_an_answer(problem):
    best = min(found for answer in plans(problem) if (found := value(problem, answer)) is not None)
    for peer in (cp_sat, ours):
        found = peer.answer(problem, 10.0)
        assert judged(problem, found.triples) == best
        assert tuple(round(bound) for bound in found.bounds) == best
    triples = greedy.answer(problem, 10.0).triples
    assert judged(problem, triples) >= best
    # It leaves nothing that could still be added.
    assert not any(judged(problem, [*triples, (*pair, 1)]) for pair in problem.pairs)


@given(transfers())
def test_a_problem_crosses_as_json_and_to_the_engine_and_back(problem):
    assert from_json(to_json(problem)) == problem
    question = ours.transfer_question(problem)
    assert transfer_of(question) == problem
    assert (2 - entry_levels(question)).tolist() == problem.offer_lowest
