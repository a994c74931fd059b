/* Clusters and needs: all of them at first, later what a roll-up says of some. */

#include "tables.h"

#include <stdlib.h>
#include <string.h>

/* Say which clusters are heard from and of this shard, and which are only reported on. */
int bigfleet_shard_clusters(Shard *s, int64_t clusters, const uint8_t *mine,
                            const uint8_t *shadow) {
    if (!s->price || s->mine) return refuse(s, OUT_OF_TURN, 0);
    if (!is_length(clusters)) return refuse(s, OUT_OF_RANGE, 0);
    s->clusters = (int32_t)clusters;
    s->mine = copied(s, mine, clusters, 1);
    s->shadow = copied(s, shadow, clusters, 1);
    s->dirty = table(s, clusters, 1);
    s->given = table(s, clusters, sizeof *s->given);
    s->cluster_start = table(s, clusters + 1, sizeof *s->cluster_start);
    s->loose_start = table(s, clusters + 1, sizeof *s->loose_start);
    return s->failed ? NO_MEMORY : FINE;
}

static bool is_sound(const Shard *s, const Need *need, int64_t spreads) {
    return is_in(need->cluster, 0, s->clusters) && is_in(need->menu, 0, s->menus) &&
           is_in(need->profile, 0, s->profiles) && is_in(need->ready_profile, 0, s->profiles) &&
           is_in(need->gang_axis, NOBODY, s->axes) && is_in(need->spread_first, 0, spreads + 1) &&
           is_in(need->spreads, 0, spreads - need->spread_first + 1);
}

static bool is_sensible(const Need *need) {
    return is_in(need->count, 0, (int64_t)MOST + 1) && need->floor >= 0 && need->spot_cap >= 0 &&
           !isnan(need->arrival) && is_amount(need->drain_seconds) &&
           is_amount(need->interruption_penalty) && is_amount(need->reclamation_penalty);
}

static int check_needs(Shard *s, int64_t needs, const Need *need, int64_t spreads,
                       const Spread *spread) {
    int64_t named = 0;
    if (!is_length(needs) || !is_length(spreads)) return refuse(s, OUT_OF_RANGE, 0);
    for (int64_t n = 0; n < needs; n++) {
        if (!is_sound(s, need + n, spreads)) return refuse(s, OUT_OF_RANGE, n);
        /* No two needs share a constraint: with_spreads gives each its own. */
        if ((named += need[n].spreads) > spreads) return refuse(s, OUT_OF_RANGE, n);
        if (!is_sensible(need + n)) return refuse(s, SENSELESS, n);
    }
    for (int64_t i = 0; i < spreads; i++) {
        if (!is_in(spread[i].axis, 0, s->axes)) return refuse(s, OUT_OF_RANGE, i);
        if (spread[i].max_skew < 0) return refuse(s, SENSELESS, i);
    }
    return FINE;
}

/* A need's place in the walk. */
typedef struct { int32_t priority, name_rank, n; double arrival; } Turn;

static int by_turn(const void *left, const void *right) {
    const Turn *a = left, *b = right;
    if (a->priority != b->priority) return a->priority > b->priority ? -1 : 1;
    if (a->arrival != b->arrival) return a->arrival < b->arrival ? -1 : 1;
    if (a->name_rank != b->name_rank) return a->name_rank < b->name_rank ? -1 : 1;
    return (a->n > b->n) - (a->n < b->n);
}

/* Put the needs that may attract capacity into the order of the walk: priority, the highest first,
 * then arrival, then name. */
static void order_needs(Shard *s) {
    Turn *turns = scratch(s, 5, ((size_t)s->needs + 1) * sizeof *turns);
    if (!turns) return;
    int32_t used = 0;
    for (int32_t n = 0; n < s->needs; n++) {
        const Need *need = s->need + n;
        if (!s->mine[need->cluster]) continue;
        turns[used++] = (Turn){need->priority, need->name_rank, n, need->arrival};
    }
    qsort(turns, (size_t)used, sizeof *turns, by_turn);
    for (int32_t at = 0; at < used; at++) s->walk[at] = turns[at].n;
    s->walk_length = used;
}

/* Lay out the needs by cluster. */
static void sort_by_cluster(Shard *s) {
    int32_t *start = s->cluster_start;
    for (int32_t n = 0; n < s->needs; n++) start[s->need[n].cluster + 1]++;
    for (int32_t x = 0; x < s->clusters; x++) start[x + 1] += start[x];
    for (int32_t n = s->needs - 1; n >= 0; n--)
        s->cluster_needs[--start[s->need[n].cluster + 1]] = n;
    /* Filled from the back, so each start stands where the cluster before ended. */
    for (int32_t x = 0; x < s->clusters; x++) start[x] = start[x + 1];
    start[s->clusters] = s->needs;
}

/* Enter all needs; `size` is what the caller takes for that of a need. */
int bigfleet_shard_needs(Shard *s, int64_t size, int64_t needs, const Need *need, int64_t spreads,
                         const Spread *spread) {
    if (size != sizeof *need) return refuse(s, OTHER_LAYOUT, 0);
    if (!s->mine || s->need) return refuse(s, OUT_OF_TURN, 0);
    int fault = check_needs(s, needs, need, spreads, spread);
    if (fault) return fault;
    s->needs = (int32_t)needs;
    s->spreads = (int32_t)spreads;
    s->need = copied(s, need, needs, sizeof *need);
    s->spread = copied(s, spread, spreads, sizeof *spread);
    s->cluster_needs = table(s, needs, sizeof *s->cluster_needs);
    s->walk = table(s, needs, sizeof *s->walk);
    s->holding = table(s, needs, sizeof *s->holding);
    s->have = table(s, needs, sizeof *s->have);
    s->waiting = table(s, needs, sizeof *s->waiting);
    s->created = table(s, needs, sizeof *s->created);
    s->lost = table(s, needs, sizeof *s->lost);
    s->reserved = table(s, needs, sizeof *s->reserved);
    s->coming = table(s, needs, sizeof *s->coming);
    s->settled_at = table(s, needs, sizeof *s->settled_at);
    s->eldest = table(s, 2 * needs, sizeof *s->eldest);
    s->short_cycles = table(s, needs, sizeof *s->short_cycles);
    if (s->failed) return NO_MEMORY;
    sort_by_cluster(s);
    order_needs(s);
    return s->failed ? NO_MEMORY : FINE;
}

/* Put machines of a need beyond every count whose cells do not suit it any more. */
static void let_unsuited_go(Shard *s, int32_t n) {
    const Need *need = s->need + n;
    int32_t *members, used = members_of(s, n, &members);
    for (int32_t at = 0; at < used; at++) {
        int32_t slot = members[at];
        int32_t profile = s->state[slot] == CONFIGURED ? need->ready_profile : need->profile;
        if (s->flags[slot] & HELD && !cell_suits(s, profile, s->cell[slot]))
            put_beyond(s, slot, n, need->cluster);
    }
}

/* Give all spread constraints with those of `count` needs replaced by the ones in `given`, and let
 * the needs, old and new, say where theirs are now; NULL without memory. */
static Spread *with_spreads(Shard *s, int64_t count, const int32_t *numbers, Need *fresh,
                            const Spread *given, int64_t spreads) {
    Spread *all = table(s, s->spreads + spreads, sizeof *all);
    int32_t used = 0;
    if (!all) return NULL;
    for (int64_t at = 0; at < count; at++) s->need[numbers[at]].spreads = 0;
    for (int32_t n = 0; n < s->needs; n++) {
        Need *need = s->need + n;
        memcpy(all + used, s->spread + need->spread_first, (size_t)need->spreads * sizeof *all);
        need->spread_first = used;
        used += need->spreads;
    }
    for (int64_t at = 0; at < count; at++) {
        memcpy(all + used, given + fresh[at].spread_first, (size_t)fresh[at].spreads * sizeof *all);
        fresh[at].spread_first = used;
        used += fresh[at].spreads;
    }
    s->spreads = used;
    return all;
}

/* Write what a roll-up says of some needs, each named once. A need stays in its cluster, and has
 * arrived when it had. */
int bigfleet_shard_ask(Shard *s, int64_t size, int64_t count, const int32_t *numbers,
                       const Need *need, int64_t spreads, const Spread *spread) {
    if (size != sizeof *need) return refuse(s, OTHER_LAYOUT, 0);
    if (!s->cell) return refuse(s, OUT_OF_TURN, 0);
    int fault = check_needs(s, count, need, spreads, spread);
    if (fault) return fault;
    if (!is_length(s->spreads + spreads)) return refuse(s, OUT_OF_RANGE, 0);
    for (int64_t at = 0; at < count; at++) {
        if (!is_in(numbers[at], 0, s->needs)) return refuse(s, OUT_OF_RANGE, at);
        if (at && numbers[at] <= numbers[at - 1]) return refuse(s, UNSORTED, at);
        if (s->need[numbers[at]].cluster != need[at].cluster) return refuse(s, OUT_OF_RANGE, at);
    }
    bigfleet_shard_close(s);
    Need *fresh = copied(s, need, count, sizeof *need);
    Spread *all = fresh ? with_spreads(s, count, numbers, fresh, spread, spreads) : NULL;
    if (!all) {
        free(fresh);
        return NO_MEMORY;
    }
    free(s->spread);
    s->spread = all;
    bool walk_changes = false;
    for (int64_t at = 0; at < count; at++) {
        Need *now = s->need + numbers[at], before = *now;
        *now = fresh[at];
        now->arrival = before.arrival;
        walk_changes |= now->priority != before.priority || now->name_rank != before.name_rank;
        s->dirty[now->cluster] = 1;
        s->settled_at[numbers[at]] = NOBODY;
        bool suited = now->profile == before.profile && now->ready_profile == before.ready_profile;
        if (s->mine[now->cluster] && !suited) let_unsuited_go(s, numbers[at]);
    }
    free(fresh);
    if (walk_changes) order_needs(s);
    return s->failed ? NO_MEMORY : FINE;
}

/* Write new counts of some needs, and how much spot a box should hold of them then. */
int bigfleet_shard_counts(Shard *s, int64_t count, const int32_t *numbers, const int32_t *counts,
                          const int32_t *spot_caps) {
    if (!s->cell) return refuse(s, OUT_OF_TURN, 0);
    for (int64_t at = 0; at < count; at++) {
        if (!is_in(numbers[at], 0, s->needs)) return refuse(s, OUT_OF_RANGE, at);
        if (!is_in(counts[at], 0, (int64_t)MOST + 1) || spot_caps[at] < 0)
            return refuse(s, SENSELESS, at);
    }
    bigfleet_shard_close(s);
    for (int64_t at = 0; at < count; at++) {
        Need *need = s->need + numbers[at];
        if (need->count == counts[at]) continue;
        need->count = counts[at];
        need->spot_cap = spot_caps[at];
        s->dirty[need->cluster] = 1;
    }
    return FINE;
}
