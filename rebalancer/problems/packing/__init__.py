"""Gangs into domains: each whole in one rack, or in one spine of racks, or not at all.

The mathematics. Racks a of machines that nothing tells apart, f_a free, of type t(a), under spine
v(a); the racks of one spine and type are a *pool*. Gangs i of size s_i at priority p_i, each bound
to a rack or to a spine, each with a set E_i of types. A gang takes s_i machines of one rack, or of
one pool, of one type in E_i.

    y_ia in {0, 1}   a rack-bound gang takes rack a     sum_i s_i y_ia <= f_a
    z_iv in {0, 1}   a spine-bound one takes pool v     both sums in a pool <= its free machines

Nothing else binds: a gang of a spine may stand in whatever its rack-bound neighbours leave in any
of the pool's racks. Goals, one after the other, each held for those that follow:

    1. for each priority from the highest down    max  machines that serve gangs of it
    2.                                            max  machines of racks that nobody touched

Only counts matter to either, so the model is one of rack classes (type, free) and gang classes
(priority, types, size): an arc flow per type (J. M. Valerio de Carvalho, "Exact solution of
bin-packing problems using column generation and branch-and-bound", 1999), see ``model``. Only the
slots of the flow need be whole numbers; who takes which slot is a matching, see ``slots``. Every
bound is recomputed in integers from the prices of the linear relaxation, see ``bound``: no status,
value or bound of a solver is believed.
"""
