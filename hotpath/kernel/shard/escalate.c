/* Drains that drag on: shorten their grace, step by step, while a need waits for them
 * (hotpath/plain/escalate.py). */

#include <stdlib.h>

#include "order.h"
#include "shard.h"

#define CYCLES_PER_STEP 5

/* Give the grace that a drain was ordered with in the last cycle, else the longest. */
static double first_grace(const Shard *s, int32_t slot) {
    const Watch *begun = NULL;
    if (s->begun_used)
        begun = bsearch(&slot, s->begun, (size_t)s->begun_used, sizeof *begun, by_slot);
    return begun ? begun->grace : s->grace_seconds[s->grace_steps - 1];
}

/* Give the longest grace that is shorter; the same where there is none. */
static double next_grace(const Shard *s, double grace) {
    double next = -1;
    for (int32_t at = 0; at < s->grace_steps; at++)
        if (s->grace_seconds[at] < grace && s->grace_seconds[at] > next)
            next = s->grace_seconds[at];
    return next < 0 ? grace : next;
}

/* Count a cycle more of waiting; give whether the grace got shorter. */
static bool wait_on(const Shard *s, Watch *watch) {
    if (!watch->cycles) watch->grace = first_grace(s, watch->slot);
    watch->cycles++;
    if (watch->cycles % CYCLES_PER_STEP) return false;
    double grace = watch->grace;
    watch->grace = next_grace(s, grace);
    return watch->grace < grace;
}

/* Keep what this cycle's orders drain for the next cycle. */
static void remember_begun(Shard *s, int32_t orders) {
    s->begun_used = 0;
    for (int32_t at = 0; at < orders; at++) {
        const Order *order = s->orders + at;
        if (order->verb != DRAIN || (at >= s->shadowed_from && at < s->shadowed_to)) continue;
        s->begun = grown(s, s->begun, &s->begun_room, s->begun_used, sizeof *s->begun);
        if (s->failed) return;
        s->begun[s->begun_used++] = (Watch){order->slot, 0, order->grace};
    }
    if (s->begun_used) qsort(s->begun, (size_t)s->begun_used, sizeof *s->begun, by_slot);
}

/* Order the next shorter grace of each drain that a need has waited 5 cycles more for. */
void escalate(Shard *s) {
    int32_t orders = s->orders_used;
    for (int32_t at = 0; at < s->watches_used && !s->failed; at++) {
        Watch *watch = s->watches + at;
        int32_t slot = watch->slot, n = s->serves[slot];
        bool is_waited = s->state[slot] == DRAINING && n >= 0 && s->flags[slot] & LEAVING &&
                         !(s->flags[slot] & NOTICED);
        if (!is_waited) watch->cycles = 0;
        else if (wait_on(s, watch))
            give_order(s, (Order){.slot = slot, .need = n, .other = watch->cycles, .verb = DRAIN,
                                  .why = DRAGS_ON, .grace = watch->grace});
    }
    if (s->orders_used > orders)
        qsort(s->orders + orders, (size_t)(s->orders_used - orders), sizeof *s->orders, by_slot);
    remember_begun(s, orders);
}
