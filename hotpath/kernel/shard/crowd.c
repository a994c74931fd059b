/* Gather the machines that may have to give way, in runs that are alike but for their ids.
 *
 * A preemptor takes from needs that come later in the walk: until their turn they only lose
 * machines, so what was gathered stays good for the rest of the walk, less what is gone. Where a
 * spare machine steps in, the need is gathered anew (evict).
 */

#include <stdlib.h>
#include <string.h>

#include "victims.h"

/* Free what was gathered, for good. */
void free_crowd(Shard *s) {
    Crowd *crowd = s->crowd;
    if (!crowd) return;
    free(crowd->first_run);
    free(crowd->slots);
    free(crowd->runs);
    free(crowd->ranked);
    free(crowd->offers);
    free(crowd->tallies);
    free(crowd->queues);
    free(crowd->groups);
    free(crowd->block);
    free(crowd->chosen);
    free(crowd);
    s->crowd = NULL;
}

void forget_crowd(Shard *s) {
    if (s->crowd) s->crowd->is_begun = false;
}

/* Lay out the columns by need, cluster and class, in one piece. */
static bool lay_out(Shard *s, Crowd *crowd) {
    size_t n = (size_t)s->needs, x = (size_t)s->clusters;
    size_t bytes = (3 * n + x) * sizeof(int32_t) + x + (size_t)s->classes + 1;
    if (bytes > crowd->columns_room) {
        free(crowd->first_run);
        crowd->first_run = malloc(bytes);
        crowd->columns_room = crowd->first_run ? bytes : 0;
        if (!crowd->first_run) {
            s->failed = true;
            return false;
        }
    }
    crowd->end_run = crowd->first_run + n;
    crowd->place = crowd->end_run + n;
    crowd->lowest = crowd->place + n;
    crowd->is_torn = (uint8_t *)(crowd->lowest + x);
    memset(crowd->first_run, 0xff, 3 * n * sizeof(int32_t)); /* NOBODY */
    for (size_t i = 0; i < x; i++) crowd->lowest[i] = INT32_MAX;
    memset(crowd->is_torn, 0, x);
    crowd->is_tallied = crowd->is_torn + x;
    return true;
}

/* Rank every excess machine of clusters that may have to give way. */
static void rank_excess(Shard *s) {
    for (int32_t x = 0; x < s->clusters; x++) {
        if (!s->mine[x] || s->shadow[x]) continue;
        for (int32_t at = s->loose_start[x]; at < s->loose_start[x + 1]; at++) {
            int32_t slot = s->loose[at];
            if (s->flags[slot] & EXCESS && is_movable(s, slot)) rank_machine(s, slot);
        }
    }
}

/* Give what this walk gathered so far, at least the excess machines; NULL without memory. */
Crowd *crowd_of(Shard *s) {
    if (!s->crowd && !(s->crowd = calloc(1, sizeof *s->crowd))) {
        s->failed = true;
        return NULL;
    }
    Crowd *crowd = s->crowd;
    if (!crowd->is_begun) {
        if (!lay_out(s, crowd)) return NULL;
        crowd->slots_used = crowd->runs_used = crowd->ranked_used = 0;
        crowd->offers_gap = -1;
        crowd->tallied_to = NOBODY;
        rank_excess(s);
        add_runs(s);
        crowd->end_of_excess = crowd->runs_used;
        crowd->is_begun = true;
    }
    return s->failed ? NULL : crowd;
}

/* Say what a machine is alike to, its id aside. */
static Ranked ranked_of(const Shard *s, int32_t slot) {
    int32_t n = s->serves[slot], stood = !!(s->flags[slot] & STOOD);
    bool excess = is_spare(s, slot);
    int64_t of_whom = (int64_t)(n + 1) * s->clusters + s->cluster[slot];
    double own = s->penalty[slot], its = excess || n < 0 ? 0 : s->need[n].reclamation_penalty;
    return (Ranked){.kind = 4 * of_whom + 2 * excess + stood, .value = own > its ? own : its,
                    .id = s->id_rank[slot], .slot = slot};
}

/* Note a machine that will be in one of the next runs. */
void rank_machine(Shard *s, int32_t slot) {
    Crowd *crowd = s->crowd;
    crowd->ranked =
        grown(s, crowd->ranked, &crowd->ranked_room, crowd->ranked_used, sizeof *crowd->ranked);
    if (!s->failed) crowd->ranked[crowd->ranked_used++] = ranked_of(s, slot);
}

static void begin_run(Shard *s, const Ranked *ranked) {
    Crowd *crowd = s->crowd;
    crowd->runs = grown(s, crowd->runs, &crowd->runs_room, crowd->runs_used, sizeof *crowd->runs);
    if (s->failed) return;
    int32_t slot = ranked->slot, at = crowd->slots_used;
    crowd->runs[crowd->runs_used++] = (Run){
        .loss = ranked->value, .need = s->serves[slot], .cluster = s->cluster[slot], .first = at,
        .end = at, .is_excess = is_spare(s, slot), .has_stood = s->flags[slot] & STOOD};
}

/* Add what is sorted as runs. */
static void lay_runs(Shard *s, const Ranked *ranked, int32_t count) {
    Crowd *crowd = s->crowd;
    for (int32_t i = 0; i < count && !s->failed; i++) {
        const Ranked *last = i ? ranked + i - 1 : NULL;
        if (!last || last->kind != ranked[i].kind || last->value != ranked[i].value)
            begin_run(s, ranked + i);
        crowd->slots = grown(s, crowd->slots, &crowd->slots_room, crowd->slots_used,
                             sizeof *crowd->slots);
        if (s->failed) return;
        crowd->slots[crowd->slots_used++] = ranked[i].slot;
        crowd->runs[crowd->runs_used - 1].end = crowd->slots_used;
    }
}

/* Make runs of what was ranked; give the first, they are the last ones there are. */
int32_t add_runs(Shard *s) {
    Crowd *crowd = s->crowd;
    int32_t count = crowd->ranked_used, first = crowd->runs_used;
    Ranked *spare = scratch(s, 5, ((size_t)count + 1) * sizeof *spare);
    crowd->ranked_used = 0;
    if (!spare || !count) return first;
    sort_ranked(crowd->ranked, spare, count);
    lay_runs(s, crowd->ranked, count);
    return first;
}

/* Forget the last runs, from `first` on. */
void drop_runs(Shard *s, int32_t first) {
    Crowd *crowd = s->crowd;
    if (first >= crowd->runs_used) return;
    crowd->slots_used = crowd->runs[first].first;
    crowd->runs_used = first;
}

/* Say whether a machine still serves a need, or is excess, and may be drained. */
bool is_there(const Shard *s, int32_t n, bool is_excess, int32_t slot) {
    uint16_t flags = s->flags[slot];
    if (s->serves[slot] != n || !is_movable(s, slot)) return false;
    return is_excess ? flags & EXCESS : flags & HELD;
}

/* Rank what serves the needs that have a place, each need's where its place is. */
static void rank_serving(Shard *s, Ranked *ranked, const uint8_t *is_asked) {
    int32_t *place = s->crowd->place;
    for (int32_t k = 0; k < s->classes; k++) {
        if (!is_asked[k]) continue;
        for (int32_t slot = s->slab[k]; slot < s->slab[k + 1]; slot++) {
            int32_t n = s->serves[slot];
            if (n >= 0 && place[n] >= 0 && is_there(s, n, false, slot))
                ranked[place[n]++] = ranked_of(s, slot);
        }
    }
}

/* Gather what serves some needs, in one pass over the classes that they have machines of. */
void gather(Shard *s, const int32_t *needs, int32_t count) {
    Crowd *crowd = s->crowd;
    size_t most = 0, longest = 0;
    for (int32_t i = 0; i < count; i++) {
        size_t have = (size_t)s->have[needs[i]];
        most += have;
        if (have > longest) longest = have;
    }
    Ranked *ranked = scratch(s, 6, (most + longest + 1) * sizeof *ranked);
    uint8_t *is_asked = scratch(s, 7, (size_t)s->classes + 1);
    if (!ranked || !is_asked) return;
    memset(is_asked, 0, (size_t)s->classes);
    int32_t at = 0;
    for (int32_t i = 0; i < count; i++) {
        const Holding *h = s->holding + needs[i];
        for (int32_t b = 0; b < h->used; b++) is_asked[s->box_class[h->bins[b].box]] = 1;
        crowd->place[needs[i]] = at;
        at += s->have[needs[i]];
    }
    rank_serving(s, ranked, is_asked);
    at = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t n = needs[i], found = crowd->place[n] - at;
        sort_ranked(ranked + at, ranked + most, found);
        crowd->first_run[n] = crowd->runs_used;
        lay_runs(s, ranked + at, found);
        crowd->end_run[n] = crowd->runs_used;
        crowd->place[n] = NOBODY;
        at += s->have[n];
    }
}
