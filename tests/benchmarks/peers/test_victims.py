"""Victims: the judge, the program, CP-SAT and the project's own against trying everything."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from peer_answers import judged

from benchmarks.peers import cp_sat, greedy, ours
from benchmarks.peers.problems import Victims, from_json, to_json
from benchmarks.peers.program import program_of


@st.composite
def victims(draw):
    row = lambda values, n: draw(st.lists(values, min_size=n, max_size=n))  # noqa: E731
    gangs, rows = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    works = 2
    row_work, usd = row(st.integers(-1, works - 1), rows), row(st.integers(0, 5), rows)
    return Victims(
        gang_level=row(st.integers(0, 1), gangs),
        gang_size=row(st.integers(1, 3), gangs),
        row_domain=row(st.integers(0, 1), rows),
        row_work=row_work,
        row_count=row(st.integers(0, 2), rows),
        # Nothing is lost where nothing runs.
        row_usd=[each if work >= 0 else 0 for work, each in zip(row_work, usd, strict=True)],
        row_gangs=row(st.sampled_from([list(range(gangs)), [0]]), rows),
        work_level=row(st.integers(0, 2), works),
        work_once=row(st.sampled_from([0, 4]), works),
    )


def plans(problem):
    """Give every way to send up to two machines of any row to any gang."""
    pairs = list(product(range(len(problem.row_count)), range(len(problem.gang_size))))
    for counts in product(range(3), repeat=len(pairs)):
        yield [(*pair, n) for pair, n in zip(pairs, counts, strict=True) if n]


def value(problem, answer):
    """Give what an answer is worth by the plainest reading, None for one that is not allowed."""
    machines = [pair for *pair, count in answer for _ in range(count)]
    for row, most in enumerate(problem.row_count):
        if sum(r == row for r, _ in machines) > most:
            return None
    short, drained, usd = dict.fromkeys(problem.levels, 0), 0, 0
    for gang, size in enumerate(problem.gang_size):
        members = [row for row, g in machines if g == gang]
        domains = {problem.row_domain[row] for row in members}
        if members and (len(members) != size or len(domains) != 1):
            return None
        short[problem.gang_level[gang]] += 0 if members else size
    for row, gang in machines:
        work = problem.row_work[row]
        if gang not in problem.row_gangs[row]:
            return None
        if work >= 0:
            if problem.work_level[work] <= problem.gang_level[gang]:
                return None
            short[problem.work_level[work]] += 1
            drained += 1
        usd += problem.row_usd[row]
    hit = {problem.row_work[row] for row, _ in machines} - {-1}
    return (*short.values(), drained, usd + sum(problem.work_once[work] for work in hit))


@settings(max_examples=40, deadline=None)
@given(victims())
def test_the_judge_values_every_answer_and_cp_sat_proves_the_best(problem):
    values = []
    for answer in plans(problem):
        values.append(value(problem, answer))
        assert judged(problem, answer) == values[-1]
    best = min(found for found in values if found is not None)
    for peer in (cp_sat, ours):
        found = peer.answer(problem, 10.0)
        assert judged(problem, found.triples) == best
        assert found.bounds == best
    assert judged(problem, greedy.answer(problem, 10.0).triples) >= best
    assert from_json(to_json(problem)) == problem
    assert len(program_of(problem).goals) == len(best)
