/* A cycle of the shard (hotpath/cycle.py), in four steps: open the books, serve the needs, give
 * back, and take back what was only written into the books. */

#include <string.h>

#include "tables.h"

/* Give back what a cycle of many orders, such as the first, had to have room for. */
static void shrink(Shard *s) {
    s->journal = shrunk(s->journal, &s->journal_room, s->journal_used, sizeof *s->journal);
    s->orders = shrunk(s->orders, &s->orders_room, s->orders_used, sizeof *s->orders);
}

/* Take back what the last cycle wrote, so that machines can change and books be opened. */
void bigfleet_shard_close(Shard *s) {
    if (s->journalling) shrink(s);
    s->journalling = false;
    take_back(s, 0);
    s->drained_used = 0;
    memset(s->created, 0, (size_t)s->needs * sizeof *s->created);
    memset(s->lost, 0, (size_t)s->needs * sizeof *s->lost);
    memset(s->given, 0, (size_t)s->clusters * sizeof *s->given);
}

int bigfleet_shard_open(Shard *s, double now) {
    if (s->failed) return NO_MEMORY;
    if (!s->cell) return refuse(s, OUT_OF_TURN, 0);
    if (!isfinite(now)) return refuse(s, SENSELESS, 0);
    bigfleet_shard_close(s);
    s->orders_used = s->shorts_used = 0;
    s->shadowed_from = s->shadowed_to = 0;
    open_books(s, now);
    return s->failed ? NO_MEMORY : FINE;
}

/* Walk the needs of active clusters, or of those in shadow mode. */
static void walk(Shard *s, bool shadow) {
    forget_crowd(s);
    for (int32_t at = 0; at < s->walk_length && !s->failed; at++) {
        int32_t n = s->walk[at];
        if (s->shadow[s->need[n].cluster] != shadow) continue;
        if (!missing(s, n) && !s->reserved[n]) continue;
        assign(s, n);
        preempt(s, n);
    }
}

static bool has_shadow(const Shard *s) {
    for (int32_t x = 0; x < s->clusters; x++)
        if (s->shadow[x]) return true;
    return false;
}

/* Decide for clusters in shadow mode, in books of their own: what is only reported must not keep
 * anything from a need that is acted on. */
static void walk_shadows(Shard *s) {
    size_t needs = (size_t)s->needs * sizeof(int32_t);
    size_t clusters = (size_t)s->clusters * sizeof(int32_t);
    int32_t journal = s->journal_used, drained = s->drained_used;
    char *kept = scratch(s, 11, 2 * needs + clusters + 1);
    if (!kept) return;
    memcpy(kept, s->created, needs);
    memcpy(kept + needs, s->lost, needs);
    memcpy(kept + 2 * needs, s->given, clusters);
    walk(s, true);
    report_shortfalls(s, true);
    take_back(s, journal);
    s->drained_used = drained;
    memcpy(s->created, kept, needs);
    memcpy(s->lost, kept + needs, needs);
    memcpy(s->given, kept + 2 * needs, clusters);
}

/* Serve the needs; the books must be open. */
int bigfleet_shard_serve(Shard *s) {
    if (s->failed) return NO_MEMORY;
    if (!s->journalling) return refuse(s, OUT_OF_TURN, 0);
    walk(s, false);
    report_shortfalls(s, false);
    s->shadowed_from = s->orders_used;
    if (has_shadow(s)) walk_shadows(s);
    s->shadowed_to = s->orders_used;
    return s->failed ? NO_MEMORY : FINE;
}

/* What was never heard of before has arrived now: that is after all others, so the walk's order
 * stays. */
static void note_arrivals(Shard *s) {
    for (int32_t n = 0; n < s->needs; n++)
        if (isinf(s->need[n].arrival)) s->need[n].arrival = s->now;
}

/* Give back what nobody wants any more; the books must be open. */
int bigfleet_shard_give_back(Shard *s) {
    if (s->failed) return NO_MEMORY;
    if (!s->journalling) return refuse(s, OUT_OF_TURN, 0);
    remember_excess(s);
    reclaim(s);
    release(s);
    escalate(s);
    learn_rates(s);
    note_arrivals(s);
    s->last_cycle = s->now;
    return s->failed ? NO_MEMORY : FINE;
}
