/* Name the machines behind what was dealt, group by group: those last to be given back go to the
 * first in the order of filling. */

#include <stdlib.h>

#include "deal.h"

/* What a gang got is its own for good, and nobody else's to be named. */
static bool is_fixed(const Deal *d, const Part *part, int32_t gang) {
    return part->owner != NOBODY && part->owner != gang && d->is_gang[part->owner];
}

/* List the parts of a group that may be named, and the machines of it that its need still keeps. */
static int32_t pool_group(Deal *d, int32_t first, int32_t end, int32_t gang, int32_t *named) {
    const Shard *s = d->s;
    int32_t used = 0;
    *named = 0;
    for (int32_t at = first; at < end; at++) {
        const Part *part = d->parts + at;
        if (is_fixed(d, part, gang)) continue;
        d->found[(*named)++] = at;
        d->owners[used] = part->owner;
        d->pool[used++] = part->slot;
    }
    const Part *group = d->parts + first;
    if (!*named || !group->is_kept) return used;
    const Holding *h = s->holding + d->needs[group->label];
    int32_t bin = bin_place(h, group->box);
    const Tray *tray = tray_of(d, group->label, bin);
    for (int32_t at = tray->first; at < tray->first + h->bins[bin].count; at++) {
        if (d->is_given[at] || place_of(s, d->kept[at]) != group->place) continue;
        d->owners[used] = group->label;
        d->pool[used++] = d->kept[at];
    }
    return used;
}

static int compare_numbers(const void *left, const void *right) {
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* Sort owners by their turn: the gang, if any, then the others, then nobody. */
static void sort_owners(int32_t *owners, int32_t count, int32_t gang) {
    for (int32_t at = 0; at < count; at++) {
        if (owners[at] == NOBODY) owners[at] = INT32_MAX;
        else if (owners[at] == gang) owners[at] = NOBODY;
    }
    qsort(owners, (size_t)count, sizeof *owners, compare_numbers);
    for (int32_t at = 0; at < count; at++) {
        if (owners[at] == NOBODY) owners[at] = gang;
        else if (owners[at] == INT32_MAX) owners[at] = NOBODY;
    }
}

static void name_group(Deal *d, int32_t first, int32_t end, int32_t gang) {
    int32_t named, used = pool_group(d, first, end, gang, &named);
    bool differ = false;
    for (int32_t at = 1; at < used; at++) differ |= d->owners[at] != d->owners[0];
    if (!differ) return;
    double penalty = gang == NOBODY ? 0 : d->s->need[d->needs[gang]].reclamation_penalty;
    sort_by_give_back(d->s, d->pool, used, penalty);
    sort_owners(d->owners, used, gang);
    const Part *group = d->parts + first;
    bool is_kept = group->is_kept;
    for (int32_t at = 0; is_kept && at < named; at++)
        mark_given(d, d->parts + d->found[at], 1, false);
    for (int32_t at = 0, next = 0; at < used && next < named; at++) {
        if (is_kept && d->owners[at] == group->label) continue;
        Part *part = d->parts + d->found[next++];
        part->slot = d->pool[used - 1 - at];
        part->owner = d->owners[at];
        if (!is_kept) continue;
        part->entry = entry_of(d, part);
        mark_given(d, part, 1, true);
    }
}

/* Name the machines of all groups; or only of those from which the gang has some. */
void name_machines(Deal *d, int32_t gang) {
    sort_parts(d->parts + d->kept_from, d->used - d->kept_from);
    for (int32_t first = 0, end; first < d->used; first = end) {
        bool concerns = false;
        for (end = first; end < d->used; end++) {
            const Part *part = d->parts + end;
            if (compare_groups(d->parts + first, part)) break;
            concerns |= gang == NOBODY ? part->owner != NOBODY : part->owner == gang;
        }
        if (concerns) name_group(d, first, end, gang);
    }
}
