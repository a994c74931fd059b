/* Let a gang grow in its domain, or begin where the cluster's own machines hold all of it. */

#include <string.h>

#include "deal.h"

/* Give the domain in which most of the machines stand, the lowest of several; NOBODY. */
int32_t home_of(Deal *d, int32_t row, const int32_t *slots, int32_t count) {
    int32_t width = d->s->axis_width[d->s->need[d->needs[row]].gang_axis], home = NOBODY, most = 0;
    int32_t *there = scratch(d->s, 10, ((size_t)width + 1) * sizeof *there);
    if (!there) return NOBODY;
    memset(there, 0, (size_t)width * sizeof *there);
    for (int32_t at = 0; at < count; at++) {
        int32_t domain = domain_of(d, row, slots[at]);
        if (domain >= 0) there[domain]++;
    }
    for (int32_t domain = 0; domain < width; domain++)
        if (there[domain] > most) most = there[home = domain];
    return home;
}

static void save(Deal *d) {
    memcpy(d->saved, d->parts, (size_t)d->used * sizeof *d->parts);
    memcpy(d->saved_rows, d->has, SAVED_ROWS * (size_t)d->rows * sizeof *d->has);
    d->saved_tally = d->tally;
}

static void restore(Deal *d, int32_t used) {
    for (int32_t at = d->kept_from; at < d->used; at++) mark_given(d, d->parts + at, 1, false);
    memcpy(d->parts, d->saved, (size_t)used * sizeof *d->parts);
    memcpy(d->has, d->saved_rows, SAVED_ROWS * (size_t)d->rows * sizeof *d->has);
    d->tally = d->saved_tally;
    d->used = used;
    for (int32_t at = d->kept_from; at < d->used; at++) mark_given(d, d->parts + at, 1, true);
    memset(d->edges, 0, (size_t)d->rows * d->rows);
}

/* What the cluster has in a domain that a gang could use: all of it, and what nobody had. */
typedef struct { int32_t all, blank; } Supply;

static void count_slot(const Deal *d, int32_t row, int32_t slot, bool is_blank, Supply *supply) {
    if (!can_use(d, row, slot)) return;
    int32_t domain = domain_of(d, row, slot);
    if (domain < 0) return;
    supply[domain].all++;
    supply[domain].blank += is_blank;
}

/* Count what a plain need holds for the gang, whoever has it just now. */
static void count_holding(Deal *d, int32_t row, int32_t giver, Supply *supply) {
    const Shard *s = d->s;
    const Need *need = s->need + d->needs[row];
    const Holding *h = s->holding + d->needs[giver];
    for (int32_t at = 0; at < h->used; at++) {
        int32_t box = h->bins[at].box, k = s->box_class[box];
        int32_t domain = s->axis_of_box[(size_t)need->gang_axis * s->boxes + box];
        if (domain == NOBODY || !class_suits(s, need->profile, k)) continue;
        if (domain >= 0) {
            supply[domain].all += h->bins[at].count;
            continue;
        }
        const Tray *tray = tray_of(d, giver, at);
        for (int32_t entry = tray->first; entry < tray->first + h->bins[at].count; entry++)
            count_slot(d, row, d->kept[entry], false, supply);
    }
}

/* Count per domain what the cluster has for the gang at the most. */
static Supply *count_supply(Deal *d, int32_t row) {
    int32_t width = d->s->axis_width[d->s->need[d->needs[row]].gang_axis];
    Supply *supply = scratch(d->s, 10, ((size_t)width + 1) * sizeof *supply);
    if (!supply) return NULL;
    memset(supply, 0, (size_t)width * sizeof *supply);
    for (int32_t at = 0; at < d->kept_from; at++)
        count_slot(d, row, d->parts[at].slot, d->parts[at].label == NOBODY, supply);
    for (int32_t giver = 0; giver < d->rows; giver++)
        if (!d->is_gang[giver]) count_holding(d, row, giver, supply);
    return supply;
}

/* Tell whether a part of a gang may begin there: from nobody's machines, where all of it fits. An
 * inventory that does not say who serves what must not lose a gang that runs already. */
static bool may_begin(Deal *d, int32_t row, int32_t domain) {
    const Shard *s = d->s;
    const Need *need = s->need + d->needs[row];
    for (int32_t at = 0; at < d->used; at++)
        if (d->parts[at].owner == row && d->parts[at].label != NOBODY) return false;
    const int32_t *cells;
    int32_t count = cells_of(d->s, need->gang_axis, domain, &cells);
    int64_t room = 0;
    for (int32_t at = 0; at < count; at++)
        if (cell_suits(s, need->profile, cells[at])) room += s->cell_machines[cells[at]];
    return room >= need->count;
}

/* Fill the gang from one domain; give how many machines it got. */
static int32_t try_in(Deal *d, int32_t row, int32_t domain, int32_t lacking) {
    d->domain = domain;
    d->free_from[row] = 0;
    memset(d->edges + (size_t)row * d->rows, 0, (size_t)d->rows);
    recount_ways(d);
    return fill(d, row, lacking);
}

/* Begin in the first domain that holds all of the gang, or from which a part of it may begin. */
static void begin(Deal *d, int32_t row, int32_t lacking) {
    int32_t width = d->s->axis_width[d->s->need[d->needs[row]].gang_axis], used = d->used;
    d->gang = NOBODY;
    const Supply *supply = count_supply(d, row);
    d->gang = row;
    for (int32_t domain = 0; supply && domain < width; domain++) {
        if (supply[domain].all < lacking && !supply[domain].blank) continue;
        save(d);
        int32_t got = try_in(d, row, domain, lacking);
        if (got == lacking || (got && may_begin(d, row, domain))) return;
        restore(d, used);
    }
}

/* Fill a gang in its turn. What it gets is named at once: later needs may not swap single machines
 * of a gang. */
void grow_gang(Deal *d, int32_t row) {
    int32_t lacking = d->s->need[d->needs[row]].count - d->has[row];
    int32_t members = gather_held(d, row, -INFINITY, d->pool);
    int32_t home = home_of(d, row, d->pool, members);
    d->gang = row;
    if (home == NOBODY) begin(d, row, lacking);
    else try_in(d, row, home, lacking);
    d->gang = d->domain = NOBODY;
    memset(d->edges + (size_t)row * d->rows, 0, (size_t)d->rows);
    name_machines(d, row);
    memset(d->free_from, 0, (size_t)d->rows * sizeof *d->free_from);
    recount_ways(d);
}
