/* How much memory a shard takes. */

#include "victims.h"

/* Bytes of a machine's columns. */
static int64_t of_columns(const Shard *s) {
    return s->slots * (int64_t)(sizeof *s->cell + sizeof *s->serves + sizeof *s->cluster +
                                sizeof *s->id_rank + sizeof *s->state + sizeof *s->code +
                                sizeof *s->flags + sizeof *s->penalty + sizeof *s->since);
}

/* Bytes of what is counted by class, box and cell, and of what these are. */
static int64_t of_places(const Shard *s) {
    int64_t k = s->classes, b = s->boxes, c = s->cells;
    k *= 6 * sizeof(double) + sizeof *s->is_spot + sizeof *s->class_mask +
         (4 + PAUSE_KINDS) * sizeof(int32_t);
    b *= sizeof *s->box_mask + (4 + CODES + HINTS + s->axes_room) * sizeof(int32_t);
    c *= (5 + s->axes_room) * sizeof(int32_t);
    for (int32_t axis = 0; s->domain_start && axis < s->axes; axis++)
        if (s->domain_start[axis]) c += (s->cells + s->axis_width[axis]) * (int64_t)sizeof(int32_t);
    return k + b + c;
}

/* Bytes of needs, of what they hold, and of menus and profiles. */
static int64_t of_needs(const Shard *s) {
    int64_t bytes = s->needs * (int64_t)(sizeof *s->need + sizeof *s->holding +
                                         2 * sizeof *s->eldest + 10 * sizeof(int32_t));
    for (int32_t n = 0; n < s->needs; n++) bytes += s->holding[n].room * (int64_t)sizeof(Bin);
    int64_t menu = s->classes * (int64_t)(2 * sizeof *s->menu_cost + sizeof *s->menu_waste +
                                          sizeof *s->menu_class_rank) +
                   s->boxes * (int64_t)sizeof *s->menu_box_rank;
    int64_t words = s->profiles_room * (int64_t)(s->class_words + 1) +
                    s->cell_rows_room * (int64_t)s->cell_words;
    return bytes + s->spreads * (int64_t)sizeof *s->spread + s->menus_room * menu +
           words * (int64_t)sizeof(uint64_t);
}

/* Bytes of room to work in: what a cycle answers, what it takes back, what it gathers. */
static int64_t of_work(const Shard *s) {
    int64_t bytes = 0;
    for (int at = 0; at < SCRATCHES; at++) bytes += (int64_t)s->scratch_room[at];
    bytes += s->beyond_room * (int64_t)sizeof *s->beyond;
    bytes += s->loose_room * (int64_t)sizeof *s->loose;
    bytes += s->watches_room * (int64_t)sizeof *s->watches;
    bytes += s->begun_room * (int64_t)sizeof *s->begun + s->moved_room * (int64_t)sizeof *s->moved;
    bytes += s->drained_room * (int64_t)sizeof *s->drained;
    bytes += s->orders_room * (int64_t)sizeof *s->orders;
    bytes += s->shorts_room * (int64_t)sizeof *s->shorts;
    bytes += s->journal_room * (int64_t)sizeof *s->journal;
    const Crowd *crowd = s->crowd;
    if (!crowd) return bytes;
    bytes += crowd->slots_room * (int64_t)sizeof *crowd->slots;
    bytes += crowd->runs_room * (int64_t)sizeof *crowd->runs;
    bytes += crowd->ranked_room * (int64_t)sizeof *crowd->ranked;
    bytes += crowd->tallies_room * (int64_t)sizeof *crowd->tallies;
    return bytes + crowd->chosen_room * (int64_t)sizeof *crowd->chosen;
}

/* Give the bytes of the machines' columns, of all that is counted and known besides, and of room to
 * work in, small change aside. */
void bigfleet_shard_bytes(const Shard *s, int64_t *bytes) {
    bytes[0] = of_columns(s);
    bytes[1] = of_places(s) + of_needs(s);
    bytes[2] = of_work(s);
}
