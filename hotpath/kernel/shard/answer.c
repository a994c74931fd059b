/* The answer of a cycle, and the books as they stand, copied out. */

#include "tables.h"

#include <string.h>

/* Give how long what can be copied out is: orders, the reported ones' start and end, shortfalls,
 * entries of `beyond`, watches, drains begun. */
void bigfleet_shard_lengths(const Shard *s, int32_t *lengths) {
    lengths[0] = s->orders_used;
    lengths[1] = s->shadowed_from;
    lengths[2] = s->shadowed_to;
    lengths[3] = s->shorts_used;
    lengths[4] = s->beyond_used;
    lengths[5] = s->watches_used;
    lengths[6] = s->begun_used;
}

/* Copy the orders and shortfalls; the sizes are what the caller takes for those of one. */
int bigfleet_shard_answer(const Shard *s, int64_t order_size, int64_t orders, Order *order,
                          int64_t short_size, int64_t shorts, Short *found) {
    if (order_size != sizeof *order || short_size != sizeof *found) return OTHER_LAYOUT;
    if (orders != s->orders_used || shorts != s->shorts_used) return OUT_OF_RANGE;
    if (orders) memcpy(order, s->orders, (size_t)orders * sizeof *order);
    if (shorts) memcpy(found, s->shorts, (size_t)shorts * sizeof *found);
    return FINE;
}

/* Give the need that each machine serves, is reserved for or drains for. */
int bigfleet_shard_serving(const Shard *s, int64_t slots, int32_t *serves) {
    if (slots != s->slots) return OUT_OF_RANGE;
    for (int32_t slot = 0; slot < s->slots; slot++) serves[slot] = serving(s, slot);
    return FINE;
}

/* What the books say of machines and needs, as hotpath.plain.ledger has it. */
int bigfleet_shard_books(const Shard *s, int64_t slots, int32_t *serves, int32_t *names,
                         uint8_t *held, uint8_t *idle, uint8_t *speculative, uint8_t *excess,
                         uint8_t *stood, uint8_t *draining, int64_t needs, int64_t *have,
                         int64_t *waiting, int64_t *created, int64_t *lost, int64_t clusters,
                         int64_t *given) {
    if (slots != s->slots || needs != s->needs || clusters != s->clusters) return OUT_OF_RANGE;
    for (int32_t slot = 0; slot < s->slots; slot++) {
        uint16_t flags = s->flags[slot];
        uint8_t code = s->code[slot];
        serves[slot] = serving(s, slot);
        names[slot] = flags & (EXCESS | UNREPORTED) ? s->serves[slot] : NOBODY;
        held[slot] = (flags & HELD) != 0;
        idle[slot] = IS_IDLE_CODE(code);
        speculative[slot] = code == SOON || code == LATE;
        excess[slot] = (flags & EXCESS) != 0;
        stood[slot] = (flags & EXCESS) && (flags & STOOD);
        draining[slot] = (flags & LEAVING) != 0;
    }
    for (int32_t n = 0; n < s->needs; n++) {
        have[n] = (int64_t)s->have[n] + s->lost[n];
        waiting[n] = s->waiting[n];
        created[n] = s->created[n];
        lost[n] = s->lost[n];
    }
    for (int32_t x = 0; x < s->clusters; x++) given[x] = s->given[x];
    return FINE;
}
