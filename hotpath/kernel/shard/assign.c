/* Phase 1 (hotpath/plain/assign.py), and the orders of both phases (hotpath/plain/ledger.py). */

#include "gang.h"
#include "shard.h"

void give_order(Shard *s, Order order) {
    s->orders = grown(s, s->orders, &s->orders_room, s->orders_used, sizeof *s->orders);
    if (!s->failed) s->orders[s->orders_used++] = order;
}

/* Order Configure for idle machines and Create for speculative ones. */
void order_picked(Shard *s, int32_t n, const Pick *picks, int32_t count) {
    int32_t free_from = 0;
    s->orders = grown(s, s->orders, &s->orders_room, s->orders_used + count, sizeof *s->orders);
    if (s->failed) return;
    for (int32_t at = 0; at < count; at++) {
        int32_t slot = picks[at].slot, label = s->serves[slot] >= 0 ? s->serves[slot] : NOBODY;
        bool creates = picks[at].is_speculative;
        s->created[n] += creates;
        s->orders[s->orders_used++] = (Order){
            .slot = slot, .need = n, .other = label, .cost = picks[at].cost,
            .verb = creates ? CREATE : CONFIGURE,
            .why = creates ? FROM_SPECULATIVE : FROM_IDLE};
        if (!(s->flags[slot] & HELD)) continue;
        hold_free(s, n, picks + free_from, at - free_from);
        set_slot(s, slot, n, s->flags[slot], TAKEN);
        free_from = at + 1;
    }
    hold_free(s, n, picks + free_from, count - free_from);
}

/* Let an excess machine of its cluster serve the need; nothing has to be ordered for that. */
void adopt(Shard *s, int32_t n, int32_t slot) {
    uint16_t flags = s->flags[slot] & (uint16_t)~(EXCESS | STOOD | UNREPORTED);
    set_slot(s, slot, n, flags | HELD, s->code[slot]);
}

/* Give the need the reservation of a machine that drains already. */
void take_over(Shard *s, int32_t n, int32_t slot) {
    set_slot(s, slot, n, s->flags[slot], TAKEN);
}

/* Order Drain of a configured machine, for a need or for nobody. */
void drain(Shard *s, int32_t n, int32_t slot, double grace, int why, int32_t other) {
    int32_t victim = serving(s, slot);
    if (victim >= 0) s->lost[victim]++;
    if (s->cluster[slot] >= 0) s->given[s->cluster[slot]]++;
    give_order(s, (Order){.slot = slot, .need = n, .other = other, .verb = DRAIN,
                          .why = (uint8_t)why, .grace = grace});
    s->drained = grown(s, s->drained, &s->drained_room, s->drained_used, sizeof *s->drained);
    if (s->failed) return;
    s->drained[s->drained_used++] = slot;
    uint16_t flags = s->flags[slot] & (uint16_t)~(HELD | EXCESS | STOOD | UNREPORTED);
    set_slot(s, slot, n, flags | LEAVING, TAKEN);
}

/* Order Configure for idle machines that were reserved for the need and count already. */
static void configure_reserved(Shard *s, int32_t n) {
    int32_t last = NOBODY;
    for (int32_t at = 0; s->reserved[n] && at < s->holding[n].used; at++) {
        int32_t k = s->box_class[s->holding[n].bins[at].box];
        if (k == last) continue;
        last = k;
        for (int32_t slot = s->slab[k]; slot < s->slab[k + 1]; slot++) {
            if (IS_TAKEN(s->code[slot]) || s->serves[slot] != n) continue;
            if (!(s->flags[slot] & HELD)) continue;
            set_slot(s, slot, n, s->flags[slot], TAKEN);
            give_order(s, (Order){.slot = slot, .need = n, .other = NOBODY, .verb = CONFIGURE,
                                  .why = READY});
        }
    }
}

/* Let its cluster's own excess make good what a higher need took of its reservations. */
static void step_in(Shard *s, int32_t n) {
    int32_t lacks = missing(s, n);
    if (!lacks) return;
    int32_t *spares, count = spares_of(s, n, &spares);
    for (int32_t at = count > lacks ? count - lacks : 0; at < count; at++) adopt(s, n, spares[at]);
}

/* Order what the need can have now: part of it, or for a gang all of it or nothing. */
void assign(Shard *s, int32_t n) {
    configure_reserved(s, n);
    step_in(s, n);
    int32_t lacks = missing(s, n);
    if (!lacks) return;
    if (is_gang(s, n)) {
        assign_gang(s, n, lacks);
        return;
    }
    Purse purse = open_purse(s, n);
    Pick *picks;
    int32_t picked = pick(s, lacks, &purse, NOBODY, &picks);
    order_picked(s, n, picks, picked);
}
