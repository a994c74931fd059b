"""The judge of receivers: no more than they lack, gangs whole, spreads and floors kept."""

from builders import RACK, need
from plan_twins import CONFIGURED, Twin, far, judged, near

from models import labels
from models.audit import Law
from models.machine import State
from models.rules import Rule

TWINS = [
    Twin(
        "no more than short",
        Law.COUNT,
        [far("m"), far("o")],
        [need("a/n", 2)],
        "transfer-idle m a/n; transfer-idle o a/n",
        broken_needs=[need("a/n", 1)],
        also=(Law.LEVELS,),
    ),
    Twin(
        "a gang is one unit",
        Law.UNIT,
        [far("m", rack="r1"), far("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "transfer-idle m a/n u; transfer-idle o a/n u",
        broken_moves="transfer-idle m a/n u; transfer-idle o a/n v",
    ),
    Twin(
        "and nothing else is of it",
        Law.UNIT,
        [far("m", rack="r1"), far("o", rack="r1")],
        [need("a/n", same=RACK), need("a/o")],
        "transfer-idle m a/n u; transfer-idle o a/o v",
        broken_moves="transfer-idle m a/n u; transfer-idle o a/o u",
    ),
    Twin(
        "a gang from one shard",
        Law.UNIT,
        [far("m", rack="r1"), far("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "transfer-idle m a/n u; transfer-idle o a/n u",
        broken_machines=[far("m", rack="r1"), far("o", rack="r1", shard="s2")],
    ),
    Twin(
        "a gang in one domain",
        Rule.DOMAIN,
        [far("m", rack="r1"), far("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "transfer-idle m a/n u; transfer-idle o a/n u",
        broken_machines=[far("m", rack="r1"), far("o", rack="r2")],
    ),
    Twin(
        "a gang where it is",
        Rule.DOMAIN,
        [near("m", CONFIGURED, "a/n", rack="r1"), far("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "transfer-idle o a/n u",
        broken_machines=[near("m", CONFIGURED, "a/n", rack="r1"), far("o", rack="r2")],
    ),
    Twin(
        "a gang whole",
        Law.WHOLE_GANG,
        [far("m", rack="r1"), far("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "transfer-idle m a/n u; transfer-idle o a/n u",
        broken_moves="transfer-idle m a/n u",
    ),
    Twin(
        "a gang whole with what is free beside it, if that is named",
        Law.WHOLE_GANG,
        [near("m", CONFIGURED, rack="r1"), near("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "drain m a/n u; transfer-idle o a/n u",
        broken_moves="drain m a/n u",
    ),
    Twin(
        "evenly spread",
        Rule.SPREAD,
        [far("m"), far("o", zone="z2"), far("p"), near("q", State.FAILED, zone="z2")],
        [need("a/n", 2, spread=labels.ZONE)],
        "transfer-idle m a/n; transfer-idle o a/n",
        broken_moves="transfer-idle m a/n; transfer-idle p a/n",
    ),
    Twin(
        "evenly beside what it holds",
        Rule.SPREAD,
        [
            near("m", CONFIGURED, "a/n"),
            far("o", zone="z2"),
            far("p"),
            near("q", State.FAILED, zone="z2"),
        ],
        [need("a/n", 2, spread=labels.ZONE)],
        "transfer-idle o a/n",
        broken_moves="transfer-idle p a/n",
    ),
    Twin(
        "the floor",
        Rule.FLOOR,
        [far("m", risk=0.1)],
        [need("a/n", 2, floor=1)],
        "transfer-idle m a/n",
        broken_needs=[need("a/n", 2, floor=2)],
    ),
    Twin(
        "a gang whole from another shard, whatever is free at home",
        Law.WHOLE_GANG,
        [far("m", rack="r1"), far("o", rack="r1"), near("p", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "transfer-idle m a/n u; transfer-idle o a/n u",
        broken_moves="transfer-idle m a/n u",
    ),
    Twin(
        "what is free beside it is its own shard's",
        Law.UNIT,
        [near("m", CONFIGURED, rack="r1"), near("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "drain m a/n u; transfer-idle o a/n u",
        broken_machines=[near("m", CONFIGURED, rack="r1"), far("o", rack="r1")],
    ),
    Twin(
        "what is free beside it suits it",
        Rule.FITS,
        [near("m", CONFIGURED, rack="r1"), near("o", rack="r1")],
        [need("a/n", 2, gpu=8, same=RACK)],
        "drain m a/n u; transfer-idle o a/n u",
        broken_machines=[near("m", CONFIGURED, rack="r1"), near("o", gpu=4, rack="r1")],
    ),
    Twin(
        "what arrives for others opens a domain",
        Rule.SPREAD,
        [far("m"), far("o"), far("p", zone="z2")],
        [need("a/n", 2, spread=labels.ZONE), need("a/o")],
        "transfer-idle m a/n; transfer-idle o a/n",
        broken_moves="transfer-idle m a/n; transfer-idle o a/n; transfer-idle p a/o",
    ),
    Twin(
        "what leaves for others closes one",
        Rule.SPREAD,
        [far("m"), far("o"), near("q", zone="z2")],
        [need("a/n", 2, spread=labels.ZONE), need("b/o", priority=-1)],
        "transfer-idle m a/n; transfer-idle o a/n; transfer-idle q b/o",
        broken_moves="transfer-idle m a/n; transfer-idle o a/n",
    ),
]


test_the_sound_plan_passes, test_the_broken_twin_is_refused = judged(TWINS)
