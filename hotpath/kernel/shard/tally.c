/* Count what a gang could have of each domain, and the least that it would cost.
 *
 * Counts are kept by cell, for they are the same for all gangs of one priority; a class of which
 * the walk wrote since is counted anew.
 */

#include <string.h>

#include "tables.h"
#include "victims.h"

/* Say whether a machine is free for the need: unclaimed, or claimed by a strictly lower one. */
static bool is_free_for(const Shard *s, int32_t n, int32_t slot) {
    uint8_t code = s->code[slot];
    if (IS_TAKEN(code) || code == LATE) return code == LATE && s->need[n].priority < s->tier1;
    return code == SOON || CLAIM_OF(code) < LAPSING || is_lower(s, s->serves[slot], n);
}

static void count_victim(const Shard *s, int32_t slot, Tally *tally) {
    const Need *victim = s->need + s->serves[slot];
    double own = s->penalty[slot], its = victim->reclamation_penalty, cost = own > its ? own : its;
    if (victim->gang_axis < 0) cost += victim->interruption_penalty;
    if (cost > 0) {
        tally->costly++;
        if (cost < tally->cheapest) tally->cheapest = cost;
    } else {
        tally->costless++;
    }
}

static void count_class(Shard *s, int32_t n, int32_t k) {
    Tally *tallies = s->crowd->tallies;
    s->crowd->is_tallied[k] = 1;
    for (int32_t c = s->class_cell[k]; c < s->class_cell[k + 1]; c++)
        tallies[c] = (Tally){.cheapest = INFINITY};
    for (int32_t slot = s->slab[k]; slot < s->slab[k + 1]; slot++) {
        Tally *tally = tallies + s->cell[slot];
        if (gives_way(s, n, slot)) {
            if (is_spare(s, slot)) tally->excess++;
            else count_victim(s, slot, tally);
        } else if (is_free_for(s, n, slot)) {
            tally->free++;
        } else if (is_leaving_for(s, n, slot)) {
            tally->leaving++;
        }
    }
}

/* Forget the counts of classes that changed; say whether there is memory to count them in. */
static bool refresh(Shard *s, int32_t n) {
    Crowd *crowd = s->crowd;
    if (crowd->tallies_room < s->cells) {
        if (!widened(s, &crowd->tallies, s->cells, sizeof *crowd->tallies)) return false;
        crowd->tallies_room = s->cells;
    }
    if (crowd->tallied_to < 0 || crowd->tallied_priority != s->need[n].priority)
        memset(crowd->is_tallied, 0, (size_t)s->classes);
    else
        for (int32_t at = crowd->tallied_to; at < s->journal_used; at++)
            crowd->is_tallied[class_of(s, s->journal[at].slot)] = 0;
    crowd->tallied_priority = s->need[n].priority;
    crowd->tallied_to = s->journal_used;
    return !s->failed;
}

static void add_cell(Shard *s, int32_t n, int32_t c, Tally *tallies) {
    int32_t domain = s->axis_codes[(size_t)s->need[n].gang_axis * s->cells + c];
    if (domain < 0 || !cell_suits(s, s->need[n].profile, c)) return;
    int32_t k = s->box_class[s->cell_box[c]];
    if (!s->crowd->is_tallied[k]) count_class(s, n, k);
    const Tally *more = s->crowd->tallies + c;
    Tally *tally = tallies + domain;
    tally->free += more->free;
    tally->leaving += more->leaving;
    tally->excess += more->excess;
    tally->costless += more->costless;
    tally->costly += more->costly;
    if (more->cheapest < tally->cheapest) tally->cheapest = more->cheapest;
}

static bool may_use(const Shard *s, int32_t n, int32_t k, bool safe_only) {
    return class_suits(s, s->need[n].profile, k) && !(safe_only && s->probability[k] > 0);
}

/* Say whether any domain has machines enough, whoever has them. */
static bool may_fit(Shard *s, int32_t n, int32_t lacks, bool safe_only) {
    const Need *need = s->need + n;
    const int32_t *codes = s->axis_codes + (size_t)need->gang_axis * s->cells;
    size_t width = (size_t)s->axis_width[need->gang_axis];
    int32_t *there = scratch(s, 6, (width + 1) * sizeof *there);
    if (!there) return false;
    memset(there, 0, (width + 1) * sizeof *there);
    for (int32_t k = 0; k < s->classes; k++) {
        if (!may_use(s, n, k, safe_only)) continue;
        for (int32_t c = s->class_cell[k]; c < s->class_cell[k + 1]; c++) {
            if (codes[c] < 0 || !cell_suits(s, need->profile, c)) continue;
            there[codes[c]] += s->cell_machines[c];
            if (there[codes[c]] >= lacks) return true;
        }
    }
    return false;
}

Tally *tally_domains(Shard *s, int32_t n, int32_t lacks, int32_t pin) {
    int32_t axis = s->need[n].gang_axis, width = s->axis_width[axis];
    bool safe_only = risky_left(s, n) <= 0;
    if ((pin < 0 && !may_fit(s, n, lacks, safe_only)) || !refresh(s, n)) return NULL;
    Tally *tallies = scratch(s, 6, ((size_t)width + 1) * sizeof *tallies);
    if (!tallies) return NULL;
    for (int32_t d = 0; d < width; d++) tallies[d] = (Tally){.cheapest = INFINITY};
    const int32_t *cells = NULL;
    int32_t count = pin >= 0 ? cells_of(s, axis, pin, &cells) : 0;
    for (int32_t at = 0; at < count; at++)
        if (may_use(s, n, s->box_class[s->cell_box[cells[at]]], safe_only))
            add_cell(s, n, cells[at], tallies);
    for (int32_t k = 0; pin < 0 && k < s->classes; k++) {
        if (!may_use(s, n, k, safe_only)) continue;
        for (int32_t c = s->class_cell[k]; c < s->class_cell[k + 1]; c++)
            add_cell(s, n, c, tallies);
    }
    return tallies;
}
