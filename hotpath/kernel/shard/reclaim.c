/* Phase 3: give back what is beyond every count, once that has stood for a while
 * (hotpath/plain/reclaim.py). */

#include "shard.h"

/* Forget since when a machine was excess that is so no more, now that phases 1 and 2 are over. */
void remember_excess(Shard *s) {
    for (int32_t at = 0; at < s->beyond_used; at++)
        if (!(s->flags[s->beyond[at].slot] & EXCESS)) s->beyond[at].begun = NAN;
}

static bool is_ready(const Shard *s, int32_t slot) {
    const uint16_t needed = EXCESS | STOOD;
    return (s->flags[slot] & needed) == needed && !(s->flags[slot] & PINNED) &&
           is_configured(s, slot) && !(s->hands_off && s->hands_off[slot]);
}

/* Order Drain, for nobody, of every configured machine whose excess has stood. */
void reclaim(Shard *s) {
    int32_t *ready = scratch(s, 5, ((size_t)s->beyond_used + 1) * sizeof *ready), used = 0;
    if (!ready) return;
    for (int32_t at = 0; at < s->beyond_used; at++)
        if (is_ready(s, s->beyond[at].slot)) ready[used++] = s->beyond[at].slot;
    sort_by_give_back(s, ready, used, 0);
    double grace = s->grace_seconds[s->grace_steps - 1];
    for (int32_t at = 0; at < used && !s->failed; at++) {
        int32_t named = s->serves[ready[at]];
        drain(s, NOBODY, ready[at], grace, named >= 0 ? BEYOND_COUNT : SERVES_NOTHING, named);
    }
}
