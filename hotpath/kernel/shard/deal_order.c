/* The order in which a cluster's needs are filled: priority, fewer free machines that could serve
 * them, arrival, name. `cluster_needs` keeps it from deal to deal. */

#include <stdlib.h>

#include "deal.h"

#define STOOD_CODES ((uint64_t)0xff << STOOD_BEYOND * DECADES)

typedef struct { int64_t free; double arrival; int32_t priority, name_rank, need; } Turn;

static int compare_turns(const void *left, const void *right) {
    const Turn *a = left, *b = right;
    if (a->priority != b->priority) return a->priority > b->priority ? -1 : 1;
    if (a->free != b->free) return a->free < b->free ? -1 : 1;
    if (a->arrival != b->arrival) return a->arrival < b->arrival ? -1 : 1;
    return (a->name_rank > b->name_rank) - (a->name_rank < b->name_rank);
}

/* Count what is free in the cells of a class that suit: its cells count what stood beyond a need's
 * count among the idle, since others may have it too; it still has a label. */
static int64_t free_by_cell(const Shard *s, int32_t profile, int32_t k) {
    int64_t free = 0;
    for (int32_t c = s->class_cell[k]; c < s->class_cell[k + 1]; c++)
        if (cell_suits(s, profile, c)) free += s->cell_idle[c] + s->cell_soon[c] + s->cell_late[c];
    if (!(s->class_mask[k] & STOOD_CODES)) return free;
    for (int32_t slot = s->slab[k]; slot < s->slab[k + 1]; slot++)
        free -= CLAIM_OF(s->code[slot]) == STOOD_BEYOND && cell_suits(s, profile, s->cell[slot]);
    return free;
}

/* Count the free machines of the shard that could serve needs of a profile: idle ones that nobody
 * has a claim on, and speculative ones. */
static int64_t free_for(const Shard *s, int32_t profile) {
    const uint64_t *words = s->profile_classes + (size_t)profile * s->class_words;
    bool by_class = s->profile_row[profile] == NOBODY;
    int64_t free = 0;
    for (int32_t word = 0; word < s->class_words; word++) {
        const int32_t *class_free = s->class_free + (size_t)word * 64;
        if (by_class) {
            for (uint64_t left = words[word]; left; left &= left - 1)
                free += class_free[__builtin_ctzll(left)];
            continue;
        }
        for (uint64_t left = words[word]; left; left &= left - 1)
            if (class_free[__builtin_ctzll(left)])
                free += free_by_cell(s, profile, word * 64 + __builtin_ctzll(left));
    }
    return free;
}

/* `free` is left at 0 where it cannot matter: no neighbour in `needs` has the same priority. */
static Turn turn_of(const Shard *s, const int32_t *needs, int32_t count, int32_t at) {
    const Need *need = s->need + needs[at];
    bool is_tied = (at && s->need[needs[at - 1]].priority == need->priority) ||
                   (at + 1 < count && s->need[needs[at + 1]].priority == need->priority);
    return (Turn){is_tied ? free_for(s, need->profile) : 0, need->arrival, need->priority,
                  need->name_rank, needs[at]};
}

static bool is_ordered(const Shard *s, const int32_t *needs, int32_t count) {
    Turn last = {0};
    for (int32_t at = 0; at < count; at++) {
        Turn turn = turn_of(s, needs, count, at);
        if (at && compare_turns(&last, &turn) > 0) return false;
        last = turn;
    }
    return true;
}

void order_cluster(Shard *s, int32_t x) {
    int32_t *needs = s->cluster_needs + s->cluster_start[x];
    int32_t count = s->cluster_start[x + 1] - s->cluster_start[x];
    if (is_ordered(s, needs, count)) return;
    Turn *turns = scratch(s, 9, (size_t)count * sizeof *turns);
    if (!turns) return;
    for (int32_t at = 0; at < count; at++) {
        const Need *need = s->need + needs[at];
        turns[at] = (Turn){free_for(s, need->profile), need->arrival, need->priority,
                           need->name_rank, needs[at]};
    }
    qsort(turns, (size_t)count, sizeof *turns, compare_turns);
    for (int32_t at = 0; at < count; at++) needs[at] = turns[at].need;
}

/* Whether dealing the cluster anew could come to something else, since what is free has changed:
 * only where a need is short or a machine loose does the order of its needs matter. */
bool order_of_filling_changed(Shard *s, int32_t x) {
    const int32_t *needs = s->cluster_needs + s->cluster_start[x];
    int32_t count = s->cluster_start[x + 1] - s->cluster_start[x];
    bool matters = s->loose_start[x] < s->loose_start[x + 1];
    for (int32_t at = 0; at < count && !matters; at++)
        matters = s->have[needs[at]] < s->need[needs[at]].count;
    return matters && !is_ordered(s, needs, count);
}
