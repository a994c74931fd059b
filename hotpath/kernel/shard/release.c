/* Release: delete idle machines that are billed while they run, unless they will be wanted soon
 * (hotpath/plain/release.py). */

#include <stdlib.h>

#include "order.h"
#include "shard.h"

#define SECONDS_PER_MINUTE 60.0

/* Idle and claimed by nobody: the codes below this one. */
enum { CLAIMED = LAPSING * DECADES };

static double decayed(const Shard *s, int32_t k) {
    double age = s->now - s->rate_at[k];
    double halvings = (age > 0.0 ? age : 0.0) / s->half_life;
    return s->rate[k] * pow(0.5, halvings);
}

/* Give the assignments of a class expected over the window. */
static double forecast(const Shard *s, int32_t k) {
    if (s->rate[k] <= 0) return 0.0;
    return decayed(s, k) * s->window / SECONDS_PER_MINUTE;
}

/* Give how many machines of the class are idle; 0 where none can have been so for its hold. */
static int32_t due(const Shard *s, int32_t k) {
    if (!isfinite(s->hold[k]) || !(s->now - s->oldest_idle[k] >= s->hold[k])) return 0;
    return free_of(s, k, IDLE_CODES & ~CLAIMED_CODES);
}

/* Add those of the `left` idle machines of a class that have been so for its hold, unless the
 * forecast asks for all of them; give how many others there are, and sharpen the bound. */
static int32_t collect(Shard *s, int32_t k, int32_t left, double expected, Ranked *found,
                       int32_t *used) {
    int32_t young = 0, first = *used;
    double oldest = INFINITY;
    for (int32_t slot = s->slab[k]; left && slot < s->slab[k + 1]; slot++) {
        if (s->code[slot] >= CLAIMED) continue;
        left--;
        oldest = fmin(oldest, s->since[slot]);
        if (s->flags[slot] & PINNED || (s->hands_off && s->hands_off[slot])) continue;
        if (s->now - s->since[slot] < s->hold[k]) young++;
        else found[(*used)++] = (Ranked){0, -s->since[slot], s->id_rank[slot], slot};
    }
    s->oldest_idle[k] = oldest;
    if (expected >= young + *used - first && s->now - oldest < s->hold_max) *used = first;
    return young;
}

static void order_delete(Shard *s, int32_t slot) {
    set_slot(s, slot, s->serves[slot], s->flags[slot], TAKEN);
    give_order(s, (Order){.slot = slot, .need = NOBODY, .other = NOBODY, .verb = DELETE,
                          .why = HELD_LONG_ENOUGH});
}

/* Order Delete of unclaimed idle elastic machines that have been idle for their hold. The k-th of a
 * class is held on while the forecast is at least k, at most for hold_max. */
void release(Shard *s) {
    int32_t most = 0;
    for (int32_t k = 0; k < s->classes; k++) most += due(s, k);
    if (!most) return;
    int32_t *seen = scratch(s, 5, (size_t)s->classes * sizeof *seen), used = 0;
    double *expected = scratch(s, 6, (size_t)s->classes * sizeof *expected);
    Ranked *found = scratch(s, 7, 2 * (size_t)most * sizeof *found);
    if (!seen || !expected || !found) return;
    for (int32_t k = 0; k < s->classes; k++) {
        int32_t idle = due(s, k);
        if (!idle) continue;
        expected[k] = forecast(s, k);
        seen[k] = collect(s, k, idle, expected[k], found, &used);
    }
    sort_ranked(found, found + most, used); /* the latest to become idle first */
    for (int32_t at = 0; at < used && !s->failed; at++) {
        int32_t k = class_of(s, found[at].slot);
        seen[k]++;
        if (expected[k] >= seen[k] && s->now - s->since[found[at].slot] < s->hold_max) continue;
        order_delete(s, found[at].slot);
    }
}

void note_moved(Shard *s, int32_t slot, int32_t label) {
    s->moved = grown(s, s->moved, &s->moved_room, s->moved_used, sizeof *s->moved);
    if (!s->failed) s->moved[s->moved_used++] = (Moved){slot, label};
}

/* Say whether an order assigns a machine; to configure what is reserved for the need carries out an
 * assignment made before. */
static bool is_assignment(const Shard *s, const Order *order) {
    if (order->verb != CONFIGURE && order->verb != CREATE) return false;
    const Moved *moved = NULL;
    if (s->moved_used)
        moved = bsearch(&order->slot, s->moved, (size_t)s->moved_used, sizeof *moved, by_slot);
    if (moved) return moved->label != order->need;
    return order->why != READY && order->other != order->need;
}

/* Put this cycle's assignments into the rates: each adds its weight, 1 + priority / 1e6 within 1 to
 * 2, x ln 2 / half-life, so that a steady stream of one a minute settles at 1. */
void learn_rates(Shard *s) {
    double per_assignment = log(2.0) * SECONDS_PER_MINUTE / s->half_life;
    double *added = scratch(s, 5, ((size_t)s->classes + 1) * sizeof *added);
    if (!added) return;
    for (int32_t k = 0; k < s->classes; k++) added[k] = 0.0;
    if (s->moved_used) qsort(s->moved, (size_t)s->moved_used, sizeof *s->moved, by_slot);
    for (int32_t at = 0; at < s->orders_used; at++) {
        const Order *order = s->orders + at;
        bool is_reported = at >= s->shadowed_from && at < s->shadowed_to;
        if (is_reported || !is_assignment(s, order)) continue;
        double weight = fmin(2.0, fmax(1.0, 1 + s->need[order->need].priority / 1e6));
        added[class_of(s, order->slot)] += weight * per_assignment;
    }
    for (int32_t k = 0; k < s->classes; k++) {
        s->rate[k] = decayed(s, k) + added[k];
        s->rate_at[k] = s->now;
    }
}
