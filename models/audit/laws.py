"""What must hold of states, orders and plans, beside the rules that allow a machine a need."""

from enum import StrEnum


class Law(StrEnum):
    """What the judge knows and no mask of an engine says. The value is what a person reads."""

    ONE_OWNER = "exactly one owner shard for each machine and each cluster"
    UNIQUE_ID = "no two machines share an id"
    HOST_BY_STATE = "a host where the state needs one, none where it refuses one"
    CLUSTER_BY_STATE = "a cluster where the state needs one, none where it refuses one"
    NO_CLUSTER_WITHOUT_HOST = "no cluster without a host"
    SERVES = "a machine serves a need of its own cluster, and only in a state that can"
    ONE_ACTION = "at most one action a machine"
    OWN_MACHINE = "only the owner shard gives orders"
    OWN_NEED = "a shard provides only for its own clusters"
    TRANSITION = "only what the table of transitions allows from a stable state"
    RECORDED = "an order and the record of what the machine serves agree"
    COUNT = "never more machines than the need asks for"
    WHOLE_GANG = "a gang gets all it is missing, or nothing"
    DEFICIT = "never more drains for a need than it is short"
    EXCESS = "only what no need of the cluster lacks is drained for nobody"
    GRACE = "the grace follows the gap in priority"
    RESERVED = "a reserved machine is not deleted"
    SHORTFALL = "shortfalls add up, one for each short need"
    MOVE_SHAPE = "a move names machines of one class, each moved once"
    MOVE_KIND = "the kind of a move fits the state of its machines"
    MOVE_ROUTE = (
        "from the machine's own shard to that of the need's cluster, by a kind that goes there"
    )
    VICTIM = "a move names whoever loses the machine"
    UNIT = "a gang is one unit from one shard, and a unit holds no other need beside it"
    BLAST_RADIUS = "a shard has few machines drained in a window"
    MAX_MOVES = "no more machines moved than allowed"
    DISPLACED = "what victims lose adds up"
    UNMET = "what stays short adds up"
    LEVELS = "what each priority level is said to get adds up, and lies within its bound"
    NO_MOVES = "a problem without an answer moves nothing and names its conflicts"
