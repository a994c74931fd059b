/* The machines of a deal, group by group: who can use what, and whose it is. */

#include <stdlib.h>
#include <string.h>

#include "deal.h"

enum { NONE, SOME, ALL }; /* of the machines in a box, how many a need can use */

bool can_use(const Deal *d, int32_t row, int32_t slot) {
    return profile_suits(d, row, slot) && (row != d->gang || domain_of(d, row, slot) == d->domain);
}

/* Groups stand by box, cell, configured after the rest, label, kept after loose. */
int compare_groups(const Part *a, const Part *b) {
    if (a->box != b->box) return a->box < b->box ? -1 : 1;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    if (a->label != b->label) return a->label < b->label ? -1 : 1;
    return a->is_kept - b->is_kept;
}

static int compare_parts(const void *left, const void *right) {
    const Part *a = left, *b = right;
    int order = compare_groups(a, b);
    return order ? order : (a->slot > b->slot) - (a->slot < b->slot);
}

void sort_parts(Part *parts, int32_t count) {
    qsort(parts, (size_t)count, sizeof *parts, compare_parts);
}

/* Tell how many of the cells of a box suit, of whose class some can. */
static int count_suiting(const Shard *s, int32_t profile, int32_t box) {
    int32_t k = s->box_class[box];
    bool any = false, every = true;
    for (int32_t c = s->class_cell[k]; c < s->class_cell[k + 1]; c++) {
        if (s->cell_box[c] != box) continue;
        bool suits = cell_suits(s, profile, c);
        any |= suits;
        every &= suits;
    }
    return !any ? NONE : every ? ALL : SOME;
}

static inline int cells_suit(const Shard *s, int32_t profile, int32_t box) {
    if (!class_suits(s, profile, s->box_class[box])) return NONE;
    return s->profile_row[profile] == NOBODY ? ALL : count_suiting(s, profile, box);
}

/* Tell how many of the machines in a box the need can use. */
static inline int box_suits(const Deal *d, int32_t row, int32_t box) {
    const Shard *s = d->s;
    const Need *need = s->need + d->needs[row];
    int suits = cells_suit(s, need->profile, box);
    if (need->ready_profile != need->profile && suits != cells_suit(s, need->ready_profile, box))
        suits = SOME;
    if (row != d->gang || suits == NONE) return suits;
    int32_t domain = s->axis_of_box[(size_t)need->gang_axis * s->boxes + box];
    return domain == d->domain ? suits : domain == -2 ? SOME : NONE;
}

/* Tell whether another need has a machine that its own need had kept. */
static bool is_given(const Deal *d, int32_t giver, int32_t slot) {
    if (!d->given[giver]) return false;
    for (int32_t at = d->kept_from; at < d->used; at++)
        if (d->parts[at].slot == slot) return true;
    return false;
}

static int32_t given_in(const Deal *d, int32_t giver, int32_t box) {
    int32_t count = 0;
    for (int32_t at = d->kept_from; d->given[giver] && at < d->used; at++)
        count += d->parts[at].label == giver && d->parts[at].box == box;
    return count;
}

/* Find the next machine in a box, from `slot` on, that `giver` keeps and `taker` can use. */
static int32_t next_kept(const Deal *d, int32_t taker, int32_t giver, int32_t box, int32_t slot) {
    const Shard *s = d->s;
    int32_t end = s->slab[s->box_class[box] + 1];
    for (;; slot++) {
        slot = next_held(s, d->needs[giver], slot, end);
        if (slot == end) return NOBODY;
        if (box_of(s, slot) == box && can_use(d, taker, slot) && !is_given(d, giver, slot))
            return slot;
    }
}

/* Find the first box in which `giver` keeps a machine that `taker` can use; NOBODY. */
static int32_t first_box(const Deal *d, int32_t taker, int32_t giver) {
    const Holding *h = d->s->holding + d->needs[giver];
    for (int32_t at = 0; at < h->used; at++) {
        int32_t box = h->bins[at].box;
        int suits = box_suits(d, taker, box);
        if (suits == NONE || h->bins[at].count <= given_in(d, giver, box)) continue;
        int32_t first = d->s->slab[d->s->box_class[box]];
        if (suits == ALL || next_kept(d, taker, giver, box, first) != NOBODY) return box;
    }
    return NOBODY;
}

/* Tell whether `giver` keeps a machine that `taker` can use; found out when it is first asked. */
bool keeps_for(Deal *d, int32_t taker, int32_t giver) {
    uint8_t *known = d->edges + (size_t)taker * d->rows + giver;
    if (*known == UNSEEN) *known = first_box(d, taker, giver) == NOBODY ? NO : YES;
    return *known == YES;
}

/* Forget where the answer was this one: a machine that a need keeps no more can turn a yes into a
 * no, one that it keeps again a no into a yes. */
void forget_edges(Deal *d, int32_t giver, int answer) {
    for (int32_t taker = 0; taker < d->rows; taker++) {
        uint8_t *known = d->edges + (size_t)taker * d->rows + giver;
        if (*known == answer) *known = UNSEEN;
    }
}

/* Find the first group that `giver` keeps and `taker` can use: its machines, and which it is. */
int32_t find_kept(Deal *d, int32_t taker, int32_t giver, int32_t *found, Part *group) {
    const Shard *s = d->s;
    int32_t box = keeps_for(d, taker, giver) ? first_box(d, taker, giver) : NOBODY, count = 0;
    if (box == NOBODY) return 0;
    *group = (Part){INT64_MAX, NOBODY, box, giver, giver, true};
    int32_t n = d->needs[giver], left = held_in(s, n, box);
    int32_t slot = s->slab[s->box_class[box]], end = s->slab[s->box_class[box] + 1];
    for (; left; slot++) {
        slot = next_held(s, n, slot, end);
        if (slot == end) break; /* only in a shard that failed */
        if (box_of(s, slot) != box) continue;
        left--;
        int64_t place = place_of(s, slot);
        if (place > group->place || !can_use(d, taker, slot) || is_given(d, giver, slot)) continue;
        if (place < group->place) count = 0;
        group->place = place;
        found[count++] = slot;
    }
    return count;
}

/* Find the first group of parts that `giver` has and that `taker` can have at a cost of `weight`
 * changes: the parts, and which it is. No more of them are looked for than were counted. */
int32_t find_parts(const Deal *d, const Step *step, int32_t weight, int32_t *found, Part *group) {
    const Ways *ways = d->ways + (size_t)step->taker * d->rows + step->giver;
    int32_t count = 0, left = weight < 0 ? ways->back : weight ? ways->away : ways->even;
    for (int32_t at = 0; left && at < d->used; at++) {
        const Part *part = d->parts + at;
        if (part->owner != step->giver) continue;
        int32_t costs = (part->label != step->taker) - (part->label != step->giver);
        if (costs != weight || !suits(d, step->taker, part)) continue;
        int order = count ? compare_groups(part, group) : -1;
        left--;
        if (order > 0) continue;
        if (order < 0) count = 0;
        *group = *part;
        found[count++] = at;
    }
    return count;
}

/* Find the first group of loose machines, from a part on, that `taker` can have at that cost. */
int32_t find_loose(const Deal *d, const Step *step, int32_t costs) {
    int32_t *found = d->found + step->first, count = 0;
    for (int32_t at = d->free_from[step->taker]; at < d->kept_from; at++) {
        const Part *part = d->parts + at;
        if (count && compare_groups(part, d->parts + found[0])) break;
        if (part->owner == NOBODY && (part->label != step->taker) == costs &&
            suits(d, step->taker, part))
            found[count++] = at;
    }
    return count;
}
