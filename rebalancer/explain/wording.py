"""A conflict in a sentence or two, and what a change gives up in a few words."""

from models.rules import Rule
from rebalancer.explain.change import Add, Change, LowerGap, Part, Reduce
from rebalancer.explain.conflict import OF_SEVERAL, Conflict, InConflict
from rebalancer.explain.terms import Term

_OF_FLEET = {
    Rule.UNTOUCHED: "neither pinned nor silent nor in shadow mode",
    Rule.PRIORITY: "free or serving a need that gives way",
    Rule.AVAILABLE: "available",
    Rule.PRICE_KNOWN: "of known price",
    Rule.KEEPS_OWN: "not needed by its own shard",
}


def term_words(term: Term) -> str:
    """Give a term in words: ``gpu >= 8``, ``available``."""
    return _OF_FLEET.get(term.rule, term.text)


def conflict_words(conflict: Conflict, lacks: int) -> str:
    """Say which terms are in conflict, and how many machines each lets pass.

    >>> rack, gpu = Term(Rule.MATCHES, "rack In r7"), Term(Rule.FITS, "gpu >= 8")
    >>> both = (InConflict(rack, 12, 12), InConflict(gpu, 40, 40))
    >>> print(conflict_words(Conflict(both, 0, 52), 4))
    It lacks 4. No machine passes both: rack In r7 (12 pass), gpu >= 8 (40 pass).
    """
    begin = f"It lacks {lacks}."
    terms = conflict.terms
    if not terms:
        return f"{begin} The fleet has {conflict.machines} machines beside its own."
    who = f"Only {conflict.within} of these can pass" if conflict.within else "No machine passes"
    what = {1: "one rule", 2: "both"}.get(len(terms), f"all {len(terms)}")
    told = ", ".join(f"{term_words(each.term)} ({_passing(each)})" for each in terms)
    return f"{begin} {who} {what}: {told}."


def _passing(each: InConflict) -> str:
    if each.term.rule in OF_SEVERAL:
        return f"without it {each.alone} more"
    return f"{each.passes} {'passes' if each.passes == 1 else 'pass'}"


def _given_up(part: Part) -> str:
    """Say what a part costs other than money; "" for machines."""
    match part:
        case Add():
            return ""
        case Reduce():
            return f"{part.by} of {part.name}"
        case LowerGap():
            return "calm between shards"
    return part.text


def given_up(change: Change) -> str:
    """Say what a change gives up: what it drops, and who loses."""
    return ", ".join(text for text in map(_given_up, change.parts) if text)
