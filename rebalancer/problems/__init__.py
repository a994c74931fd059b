"""What the rebalancer may decide, and the engines for it.

    assignment  lanes and limits of one draft: transfers, and packing and victims inside a shard
    transfer    shortfalls of plain needs among shards, in counts: one flow and its proof
    packing     gangs into racks and spines, in counts of slots
    ownership   who owns which domain: like shares, by closed forms and one flow
    replace     cheaper machines for needs that run on dear ones: one flow, and a search for gangs

A plan is always made from a draft, and ``replace`` adds to it what is still worth a move;
``transfer`` and ``packing`` help where there are too many pairs to draw up all
(``rebalancer.wide``). ``ownership`` stands alone. Victims have no engine: they are lanes inside a
shard, opened by ``rules.route``; ``planner.bench.rebalancing.victims`` measures how well they are
chosen.
"""
