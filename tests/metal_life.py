"""One life of a provider of bare metal, to be killed: FOLDER, hooks as JSON, orders as words."""

import asyncio
import json
import sys
from pathlib import Path

from metal_racks import fence, racked

from providers.orders import ConfigureOrder, CreateOrder, DrainOrder


async def live(folder, hooks, words):
    async with racked(folder, **hooks) as provider:
        for sequence, word in enumerate(words, 1000):
            verb, name = word.split(":")
            heard = fence(sequence)
            match verb:
                case "create":
                    acks = await provider.create(heard, [CreateOrder(name, 1)])
                case "configure":
                    blob = b"join token=very-secret-words\n"
                    order = ConfigureOrder(name, "c", 1, user_data=blob)
                    acks = await provider.configure(heard, [order])
                case "drain":
                    acks = await provider.drain(heard, [DrainOrder(name, 0, 1)])
            sys.stdout.write(f"{acks[0].operation or acks[0].failure.message}\n")
            sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]))
