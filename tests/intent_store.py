"""A store of intents in memory, which a test may keep from one life to the next."""

from dataclasses import dataclass, field


@dataclass
class MemoryIntents:
    """``kept`` by machine; ``writes`` counts."""

    kept: dict = field(default_factory=dict)
    writes: int = 0

    def load(self):
        return [*self.kept.values()]

    def write(self, kept, ended):
        self.writes += 1
        self.kept |= {intent.order.machine: intent for intent in kept}
        for machine in ended:
            del self.kept[machine]
