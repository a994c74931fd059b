/* What outlives a cycle, in and out: a shard that another process led goes on as it left off. */

#include "order.h"
#include "tables.h"

#include <stdlib.h>
#include <string.h>

static int check_memory(Shard *s, const int32_t *short_cycles, const double *rate,
                        const double *rate_at, int64_t beyond, const Beyond *excess,
                        int64_t watches, const Watch *watch) {
    for (int32_t n = 0; n < s->needs; n++)
        if (!is_in(short_cycles[n], 0, MOST)) return refuse(s, SENSELESS, n);
    for (int32_t k = 0; k < s->classes; k++)
        if (!is_amount(rate[k]) || !isfinite(rate_at[k])) return refuse(s, SENSELESS, k);
    for (int64_t at = 0; at < beyond; at++) {
        if (!is_in(excess[at].slot, 0, s->slots)) return refuse(s, OUT_OF_RANGE, at);
        if (at && excess[at].slot <= excess[at - 1].slot) return refuse(s, UNSORTED, at);
        if (isnan(excess[at].begun)) return refuse(s, SENSELESS, at);
    }
    for (int64_t at = 0; at < watches; at++) {
        if (!is_in(watch[at].slot, 0, s->slots)) return refuse(s, OUT_OF_RANGE, at);
        if (at && watch[at].slot <= watch[at - 1].slot) return refuse(s, UNSORTED, at);
        if (!is_in(watch[at].cycles, 0, MOST) || !(watch[at].grace >= 0))
            return refuse(s, SENSELESS, at);
    }
    return FINE;
}

/* Put in since when machines have been excess, those too that will be so when they are dealt. */
static void enter_excess(Shard *s, int64_t count, const Beyond *excess) {
    for (int32_t at = 0; at < s->beyond_used && count; at++) {
        const Beyond *entry = s->beyond + at;
        const Beyond *known = bsearch(entry, excess, (size_t)count, sizeof *excess, by_slot);
        if (known) s->beyond[at] = *known;
    }
    for (int64_t at = 0; at < count && !s->failed; at++) {
        if (s->flags[excess[at].slot] & LISTED) continue;
        s->beyond = grown(s, s->beyond, &s->beyond_room, s->beyond_used, sizeof *s->beyond);
        if (s->failed) return;
        s->beyond[s->beyond_used++] = excess[at];
        s->flags[excess[at].slot] |= LISTED;
    }
}

/* Put in how long drains have been waited for; those of 0 cycles were ordered by the last one. */
static void enter_watches(Shard *s, int64_t count, const Watch *watch) {
    s->begun_used = 0;
    for (int64_t at = 0; at < count && !s->failed; at++) {
        if (watch[at].cycles) continue;
        s->begun = grown(s, s->begun, &s->begun_room, s->begun_used, sizeof *s->begun);
        if (!s->failed) s->begun[s->begun_used++] = watch[at];
    }
    for (int32_t at = 0; at < s->watches_used && count; at++) {
        const Watch *known = bsearch(s->watches + at, watch, (size_t)count, sizeof *watch, by_slot);
        if (known && known->cycles) s->watches[at] = *known;
    }
}

/* Remember what another process did; machines are entered already. Arrivals come with the needs. */
int bigfleet_shard_remember(Shard *s, double last_cycle, const int32_t *short_cycles,
                            const double *rate, const double *rate_at, int64_t beyond,
                            const Beyond *excess, int64_t watches, const Watch *watch) {
    if (!s->cell) return refuse(s, OUT_OF_TURN, 0);
    int fault = check_memory(s, short_cycles, rate, rate_at, beyond, excess, watches, watch);
    if (fault) return fault;
    s->last_cycle = last_cycle;
    memcpy(s->short_cycles, short_cycles, (size_t)s->needs * sizeof *short_cycles);
    memcpy(s->rate, rate, (size_t)s->classes * sizeof *rate);
    memcpy(s->rate_at, rate_at, (size_t)s->classes * sizeof *rate_at);
    enter_excess(s, beyond, excess);
    enter_watches(s, watches, watch);
    return s->failed ? NO_MEMORY : FINE;
}

/* Say what is remembered: of each need and class; then up to as many entries as there is room for,
 * see bigfleet_shard_lengths. */
int bigfleet_shard_recall(const Shard *s, double *arrival, int32_t *short_cycles, double *rate,
                          double *rate_at, int64_t beyond, Beyond *excess, int64_t watches,
                          Watch *watch, int64_t begun, Watch *fresh) {
    if (beyond != s->beyond_used || watches != s->watches_used || begun != s->begun_used)
        return OUT_OF_RANGE;
    for (int32_t n = 0; n < s->needs; n++) arrival[n] = s->need[n].arrival;
    memcpy(short_cycles, s->short_cycles, (size_t)s->needs * sizeof *short_cycles);
    memcpy(rate, s->rate, (size_t)s->classes * sizeof *rate);
    memcpy(rate_at, s->rate_at, (size_t)s->classes * sizeof *rate_at);
    if (beyond) memcpy(excess, s->beyond, (size_t)beyond * sizeof *excess);
    if (watches) memcpy(watch, s->watches, (size_t)watches * sizeof *watch);
    if (begun) memcpy(fresh, s->begun, (size_t)begun * sizeof *fresh);
    return FINE;
}
