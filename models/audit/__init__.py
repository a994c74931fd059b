"""The judge: every hard rule read plainly from the specification, without a look at an engine.

``audit_fleet`` judges a fleet as it stands, ``audit_cycle`` the answer of one shard's cycle,
``audit_plan`` a plan of the rebalancer, ``audit_ownership`` one that says who owns what; each gives
every broken rule it finds and raises nothing.
``require`` turns what they found into an error. An engine's answer that is refused here is a fault
of the engine, or of the judge: never to be worked around.
"""

from models.audit.always import audit_fleet
from models.audit.cycle import CycleAnswer, audit_cycle
from models.audit.laws import Law
from models.audit.ownership import audit_ownership
from models.audit.plan import audit_plan
from models.audit.violation import Violation, require

__all__ = [
    "CycleAnswer",
    "Law",
    "Violation",
    "audit_cycle",
    "audit_fleet",
    "audit_ownership",
    "audit_plan",
    "require",
]
