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

/* Few, and mostly in order already: qsort takes several times as long for them. */
static void insert_parts(Part *parts, int32_t count) {
    for (int32_t i = 1; i < count; i++) {
        Part moved = parts[i];
        int32_t at = i;
        for (; at && compare_parts(&moved, parts + at - 1) < 0; at--) parts[at] = parts[at - 1];
        parts[at] = moved;
    }
}

void sort_parts(Part *parts, int32_t count) {
    enum { FEW = 16 };
    if (count <= FEW) insert_parts(parts, count);
    else qsort(parts, (size_t)count, sizeof *parts, compare_parts);
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
    if (!is_picky(d, row)) return bit(d->classes[row], s->box_class[box]) ? ALL : NONE;
    int suits = cells_suit(s, need->profile, box);
    if (need->ready_profile != need->profile && suits != cells_suit(s, need->ready_profile, box))
        suits = SOME;
    if (row != d->gang || suits == NONE) return suits;
    int32_t domain = s->axis_of_box[(size_t)need->gang_axis * s->boxes + box];
    return domain == d->domain ? suits : domain == -2 ? SOME : NONE;
}

/* Tell whether a need still has a machine of one of its bins that `taker` can use. */
static bool has_entry(Deal *d, int32_t taker, int32_t giver, int32_t bin) {
    const Tray *tray = tray_of(d, giver, bin);
    int32_t end = tray->first + d->s->holding[d->needs[giver]].bins[bin].count;
    for (int32_t entry = tray->first; entry < end; entry++)
        if (!d->is_given[entry] && can_use(d, taker, d->kept[entry])) return true;
    return false;
}

/* Find the first bin in which `giver` keeps a machine that `taker` can use; NOBODY. */
static int32_t first_bin(Deal *d, int32_t taker, int32_t giver) {
    const Holding *h = d->s->holding + d->needs[giver];
    const Tray *trays = d->trays + d->tray_start[giver];
    for (int32_t bin = 0; bin < h->used; bin++) {
        int suits = box_suits(d, taker, h->bins[bin].box);
        if (suits == NONE || trays[bin].given >= h->bins[bin].count) continue;
        if (suits == ALL || has_entry(d, taker, giver, bin)) return bin;
    }
    return NOBODY;
}

/* Tell whether a need keeps a machine of some classes. */
static bool keeps_of_classes(const Deal *d, int32_t row, const uint64_t *classes) {
    const uint64_t *keeps = keeps_of(d, row);
    uint64_t common = 0;
    for (int32_t word = 0; word < d->s->class_words; word++) common |= keeps[word] & classes[word];
    return common;
}

/* Find out what keeps_for tells. */
bool find_edge(Deal *d, int32_t taker, int32_t giver) {
    bool keeps = is_picky(d, taker) ? first_bin(d, taker, giver) != NOBODY
                                    : keeps_of_classes(d, giver, d->classes[taker]);
    d->edges[(size_t)taker * d->rows + giver] = keeps ? YES : NO;
    if (!keeps) weigh(d, taker, giver);
    return keeps;
}

/* Forget where the answer was this one: a machine that a need keeps no more can turn a yes into a
 * no, one that it keeps again a no into a yes. To whom all machines of a class are alike that only
 * happens with the last one that the need keeps in a bin. */
void forget_edges(Deal *d, int32_t giver, int answer, bool is_last) {
    for (int32_t taker = 0; taker < d->rows; taker++) {
        uint8_t *known = d->edges + (size_t)taker * d->rows + giver;
        if (*known != answer || !(is_last || is_picky(d, taker))) continue;
        *known = UNSEEN;
        weigh(d, taker, giver);
    }
}

/* Find the first group that `giver` keeps and `taker` can use: its entries, and which it is. */
int32_t find_kept(Deal *d, int32_t taker, int32_t giver, int32_t *found, Part *group) {
    const Shard *s = d->s;
    int32_t bin = keeps_for(d, taker, giver) ? first_bin(d, taker, giver) : NOBODY, count = 0;
    if (bin == NOBODY) return 0;
    const Bin *of = s->holding[d->needs[giver]].bins + bin;
    const Tray *tray = tray_of(d, giver, bin);
    bool are_configured = !s->coming[d->needs[giver]] && !s->reserved[d->needs[giver]];
    *group = (Part){INT64_MAX, NOBODY, of->box, giver, giver, NOBODY, true};
    for (int32_t entry = tray->first; entry < tray->first + of->count; entry++) {
        int32_t slot = d->kept[entry];
        int64_t place = are_configured ? place_in(s->cell[slot], true) : place_of(s, slot);
        if (d->is_given[entry] || place > group->place) continue;
        if (place < group->place && !can_use(d, taker, d->kept[entry])) continue;
        if (place < group->place) count = 0;
        group->place = place;
        found[count++] = entry;
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
