"""All checks, in the order in which they run: what costs nothing first."""

from providers.conformance.checks import (
    changes,
    drains,
    fences,
    hangs,
    inventory,
    life,
    limits,
    load,
    refusals,
    repeats,
    served,
)
from providers.conformance.verdict import Check

CHECKS = (
    Check("health", "gRPC health says SERVING, for the server and the service.", served.health),
    Check("reflection", "gRPC reflection names the service.", served.reflection),
    Check(
        "newer-caller",
        "A message with fields of a newer minor version is answered as ever.",
        served.newer_caller,
    ),
    Check(
        "list-whole",
        "A List without a cursor ends with `end`, `full` and a cursor, and has each machine once.",
        inventory.whole,
    ),
    Check("list-pages", "A page has at most page_size machines.", inventory.pages),
    Check("list-columns", "Columns say the same as rows.", inventory.columns),
    Check(
        "list-shard",
        "A List for a shard has its machines and those of nobody, and no others.",
        inventory.of_a_shard,
    ),
    Check(
        "list-lost-cursor",
        "A cursor that is not known is answered with all machines, and `full`.",
        inventory.lost_cursor,
    ),
    Check(
        "enumerations",
        "State and capacity type are specified for every machine.",
        inventory.numbers,
    ),
    Check(
        "hosts-and-clusters",
        "A machine has a host and a cluster in the states that have one, and in no others.",
        inventory.hosts_and_clusters,
    ),
    Check(
        "price",
        "A price that is not known is absent; 0 means that the machine is free.",
        inventory.price,
    ),
    Check("unknown-get", "Get names in `unknown` what it does not know.", refusals.unknown_get),
    Check(
        "unknown-machine",
        "An order for a machine that is not listed is INVALID, UNKNOWN_MACHINE; no snapshot.",
        refusals.unknown_machine,
    ),
    Check(
        "without-a-sender",
        "A call without fence.shard is INVALID_ARGUMENT as a whole, with a text.",
        refusals.without_a_sender,
    ),
    Check(
        "malformed-order",
        "An order without a machine is INVALID, MALFORMED, and does not touch the others.",
        refusals.malformed,
    ),
    Check(
        "unreadable",
        "A message that cannot be read is INVALID_ARGUMENT.",
        limits.unreadable,
    ),
    Check(
        "big-get",
        "1000 ids in a Get are answered, each once; more are too, or are INVALID_ARGUMENT.",
        limits.big_get,
    ),
    Check(
        "life",
        "SPECULATIVE, CREATING, IDLE, CONFIGURING, CONFIGURED, DRAINING, IDLE, DELETING, "
        "SPECULATIVE: a machine takes these ways and no others.",
        life.life,
    ),
    Check(
        "create-repeats",
        "A repeated Create is the operation that runs or has ended: nothing is bought twice.",
        repeats.create,
    ),
    Check("configure-repeats", "A repeated Configure is the same operation.", repeats.configure),
    Check("drain-repeats", "A repeated Drain is the same operation.", repeats.drain),
    Check("delete-repeats", "A repeated Delete is the same operation.", repeats.delete),
    Check(
        "create-conflict",
        "A Create that runs is not taken for another need: INVALID, CONFLICT.",
        repeats.create_conflict,
    ),
    Check(
        "configure-conflict",
        "A machine of one cluster is not configured for another: INVALID, CONFLICT.",
        repeats.configure_conflict,
    ),
    Check(
        "wrong-state",
        "An order that cannot begin in the machine's state is INVALID, WRONG_STATE.",
        refusals.wrong_state,
    ),
    Check("grace-shorter", "A shorter grace shortens the Drain that runs.", drains.shorter),
    Check("grace-longer", "A longer grace changes nothing.", drains.longer),
    Check(
        "delete-fixed",
        "Delete of what is paid for anyway is UNIMPLEMENTED, or INVALID, UNSUPPORTED.",
        refusals.delete_of_fixed,
    ),
    Check("tags", "Owner, version, cluster and reservation are kept and listed.", life.tags),
    Check("secret", "The bootstrap blob is in no answer.", life.secret),
    Check("revision", "The revision rises with each change of a machine.", life.revision),
    Check("stale-epoch", "An older epoch of a shard is INVALID, STALE.", fences.stale_epoch),
    Check(
        "stale-sequence",
        "An older sequence for a machine is INVALID, STALE; the same one is a repeat.",
        fences.stale_sequence,
    ),
    Check(
        "sequence-per-machine",
        "Orders of one shard for two machines that overtake each other are both taken.",
        fences.sequence_per_machine,
    ),
    Check("stale-version", "An older ownership version is INVALID, STALE.", fences.stale_version),
    Check(
        "other-owner",
        "Under the version of the owner another shard is INVALID, NOT_OWNER.",
        fences.other_owner,
    ),
    Check(
        "new-owner",
        "A newer ownership version names a new owner, whose epochs are its own.",
        fences.new_owner,
    ),
    Check(
        "list-changes",
        "A List since a cursor has every machine that changed since, each time it is asked.",
        changes.changes,
    ),
    Check(
        "list-moved",
        "A List of changes for a shard has the machines that another shard took since.",
        changes.moved,
    ),
    Check(
        "list-while-changing",
        "A full List is whole while machines change, and the next List of changes has them.",
        changes.while_changing,
    ),
    Check(
        "batch",
        "Of 64 orders in a call one bad one is refused, and the others are taken.",
        load.batch,
    ),
    Check(
        "big-call",
        "1000 orders in a call are answered one by one; a message too big is refused, no more.",
        load.big_call,
    ),
    Check(
        "long-texts",
        "A text that is too long is INVALID, MALFORMED; whatever is kept, a page is below 4 MiB.",
        limits.long_texts,
    ),
    Check(
        "deadline",
        "An order whose caller has given up is one operation when it is repeated.",
        load.deadline,
    ),
    Check("callers", "100 callers at once are answered; they buy one machine.", load.callers),
    Check(
        "timeout-create",
        "A Create that never ends is FAILED in the end, with the reason; Delete clears it.",
        hangs.create,
    ),
    Check(
        "timeout-configure",
        "A Configure that never ends is FAILED with the reason; another is a new operation, and a "
        "Drain releases the machine.",
        hangs.configure,
    ),
)
