/* Fill needs by shortest augmenting paths: hotpath/plain/attribution.py on parts and holdings. */

#include <string.h>

#include "deal.h"

enum { LATER = INT32_MAX }; /* the turn of who is not to be looked at again */

/* Take a way from one need to another that is shorter than what was known, if it exists. */
static bool shorten(Deal *d, int32_t taker, int32_t giver, int32_t round) {
    int32_t weight = *weight_of(d, taker, giver);
    bool is_sure = weight < 1 || d->ways[(size_t)taker * d->rows + giver].away;
    if (!is_sure && !keeps_for(d, taker, giver)) return false;
    /* Who is reached when a round begins takes part in it, as in numpy: ties depend on it. */
    if (d->turn[giver] == LATER) d->turn[giver] = round + (d->distance[giver] == UNREACHED);
    d->distance[giver] = d->bound[giver] = d->distance[taker] + weight;
    d->via[giver] = taker;
    d->weight[giver] = weight;
    return true;
}

/* Try all ways in which one need may take from others; say whether any got shorter. Most do not,
 * which few comparisons tell. */
static bool relax(Deal *d, int32_t taker, int32_t round) {
    const Lanes *weights = (const Lanes *)d->weights + (size_t)taker * d->lanes;
    const Lanes *bound = (const Lanes *)d->bound;
    bool changed = false;
    for (int32_t at = 0; at < d->lanes; at++) {
        Lanes is_shorter = weights[at] + d->distance[taker] < bound[at];
        Halves halves = (Halves)is_shorter;
        if (!(halves[0] | halves[1])) continue;
        for (int32_t lane = 0; lane < LANES; lane++)
            if (is_shorter[lane]) changed |= shorten(d, taker, at * LANES + lane, round);
    }
    return changed;
}

/* Find how few changes it takes from the source to each need (Bellman and Ford, since passing a
 * machine back to the need it serves costs -1). */
static void reach(Deal *d, int32_t source) {
    for (int32_t row = 0; row < d->rows; row++) {
        d->distance[row] = UNREACHED;
        d->turn[row] = LATER;
        d->bound[row] = d->has[row] && !d->is_gang[row] ? UNREACHED : INT32_MIN;
    }
    for (int32_t lane = d->rows; lane < d->lanes * LANES; lane++) d->bound[lane] = INT32_MIN;
    d->distance[source] = d->turn[source] = 0;
    if (d->bound[source] > 0) d->bound[source] = 0;
    d->via[source] = NOBODY;
    bool changed = true;
    for (int32_t round = 0; round < d->rows && changed; round++) {
        changed = false;
        for (int32_t row = 0; row < d->rows; row++) {
            if (d->turn[row] > round) continue;
            d->turn[row] = LATER;
            changed |= relax(d, row, round);
        }
    }
}

/* Find how few changes it costs the need to take a loose machine itself. */
int32_t cost_of_loose(Deal *d, int32_t row) {
    int32_t best = UNREACHED, first = d->kept_from;
    for (int32_t at = d->free_from[row]; at < d->kept_from && best; at++) {
        const Part *part = d->parts + at;
        int32_t costs = part->label != row;
        if (part->owner != NOBODY || costs >= best || !suits(d, row, part)) continue;
        if (best == UNREACHED) first = at;
        best = costs;
        if (!d->own_free[row]) break;
    }
    d->free_from[row] = first;
    return best;
}

/* Find the end of the shortest path: what is loose (ties: of the source itself, the lowest need),
 * or a later need, which loses a machine; the last of those. */
static bool find_end(Deal *d, int32_t source, End *end) {
    int32_t best = UNREACHED;
    for (int32_t turn = -1; d->tally.free && turn < d->rows; turn++) {
        int32_t row = turn < 0 ? source : turn;
        if (d->distance[row] >= UNREACHED || d->distance[row] >= best) continue;
        int32_t costs = cost_of_loose(d, row);
        if (costs == UNREACHED || d->distance[row] + costs >= best) continue;
        best = d->distance[row] + costs;
        *end = (End){row, true};
    }
    for (int32_t row = d->rows - 1; row > source; row--) {
        if (d->distance[row] >= best) continue;
        best = d->distance[row];
        *end = (End){row, false};
    }
    return best < UNREACHED;
}

/* Find the machines that one step of a path may pass on: the first group at its weight. */
static void find_group(Deal *d, Step *step, int32_t weight) {
    int32_t *found = d->found + step->first;
    Part parts, kept;
    step->is_kept = false;
    step->count = find_parts(d, step, weight, found, &parts);
    if (weight != 1) return;
    int32_t count = find_kept(d, step->taker, step->giver, found + step->count, &kept);
    if (!count || (step->count && compare_groups(&parts, &kept) < 0)) return;
    memmove(found, found + step->count, (size_t)count * sizeof *found);
    step->count = count;
    step->is_kept = true;
}

/* List the steps of the path that ends there; give how many there are. */
static int32_t trace(Deal *d, End end) {
    int32_t count = 0, first = 0;
    if (end.takes_loose) {
        Step step = {.taker = end.row, .giver = NOBODY};
        step.count = find_loose(d, &step, cost_of_loose(d, end.row));
        d->steps[count++] = step;
        first = step.count;
    }
    for (int32_t row = end.row; d->via[row] != NOBODY; row = d->via[row]) {
        Step step = {.taker = d->via[row], .giver = row, .first = first};
        find_group(d, &step, d->weight[row]);
        d->steps[count++] = step;
        first += step.count;
    }
    return count;
}

/* Count parts alike but for their slots in (by their number) or out (by less than nothing). */
static void count_owner(Deal *d, const Part *part, int32_t by) {
    bool is_foreign = part->owner != NOBODY && part->owner != part->label;
    d->tally.free += part->owner == NOBODY ? by : 0;
    d->tally.foreign += is_foreign ? by : 0;
    if (is_foreign) d->foreign_of[part->owner] += by;
    if (is_foreign && part->label != NOBODY) {
        d->lent[part->label] += by;
        d->tally.displaced += by;
    }
    if (part->owner == NOBODY && part->label != NOBODY) {
        d->tally.labelled += by;
        d->own_free[part->label] += by;
    }
}

/* The same of the ways by parts that a need has. */
static void count_ways(Deal *d, const Part *part, int32_t by) {
    const uint64_t *users = users_of(d, part);
    int32_t owner = part->owner;
    for (int32_t word = 0; owner != NOBODY && word < d->row_words; word++)
        for (uint64_t left = users[word]; left; left &= left - 1) {
            int32_t taker = word * 64 + __builtin_ctzll(left);
            if (!suits(d, taker, part) || taker == owner) continue;
            Ways *ways = d->ways + (size_t)taker * d->rows + owner;
            if (part->label == taker) ways->back += by;
            else if (part->label == owner) ways->away += by;
            else ways->even += by;
            weigh(d, taker, owner);
        }
}

static void count_parts(Deal *d, const Part *part, int32_t by) {
    count_owner(d, part, by);
    count_ways(d, part, by);
}

/* Find out who can use a part. */
static void find_users(Deal *d, const Part *part) {
    uint64_t *users = users_of(d, part);
    int32_t k = d->s->box_class[part->box];
    memset(users, 0, (size_t)d->row_words * sizeof *users);
    for (int32_t row = 0; row < d->rows; row++) {
        const uint64_t *classes = d->classes[row];
        bool suits = classes ? bit(classes, k) : profile_suits(d, row, part->slot);
        users[row >> 6] |= (uint64_t)suits << (row & 63);
    }
}

static void copy_users(Deal *d, const Part *part, const Part *alike) {
    memmove(users_of(d, part), users_of(d, alike), (size_t)d->row_words * sizeof *d->users);
}

/* Begin with no ways but by what needs may keep. */
static void clear_ways(Deal *d) {
    memset(d->ways, 0, (size_t)d->rows * d->rows * sizeof *d->ways);
    for (int32_t taker = 0; taker < d->rows; taker++) {
        const uint8_t *known = d->edges + (size_t)taker * d->rows;
        int32_t *weights = weight_of(d, taker, 0);
        for (int32_t giver = 0; giver < d->rows; giver++)
            weights[giver] = known[giver] == NO ? IMPASSABLE : 1;
        for (int32_t lane = d->rows; lane < d->lanes * LANES; lane++) weights[lane] = IMPASSABLE;
    }
}

/* Count all ways anew: a gang can use others than before, and what was kept is in another order. */
void recount_ways(Deal *d) {
    clear_ways(d);
    for (int32_t at = 0; at < d->used; at++) {
        if (at >= d->kept_from) find_users(d, d->parts + at);
        count_ways(d, d->parts + at, 1);
    }
}

/* Pass on parts of a group that one need has, or that are loose. */
static void pass_parts(Deal *d, const Step *step, int32_t amount) {
    const int32_t *found = d->found + step->first;
    if (!amount) return;
    count_parts(d, d->parts + found[0], -amount);
    for (int32_t at = 0; at < amount; at++) d->parts[found[at]].owner = step->taker;
    count_parts(d, d->parts + found[0], amount);
}

/* Take machines of a group from those that a need keeps. */
static void pass_kept(Deal *d, const Step *step, int32_t amount) {
    const int32_t *found = d->found + step->first;
    Part *first = d->parts + d->used;
    if (!amount) return;
    for (int32_t at = 0; at < amount; at++) {
        int32_t slot = d->kept[found[at]];
        first[at] = (Part){place_of(d->s, slot), slot, box_of(d->s, slot), step->giver, step->taker,
                           found[at], true};
        if (at) copy_users(d, first + at, first);
        else find_users(d, first);
    }
    d->used += amount;
    mark_given(d, first, amount, true);
    count_parts(d, first, amount);
    forget_edges(d, step->giver, YES, is_used_up(d, first));
}

/* What came back to the need that had kept it is no part any more. */
static void drop_returned(Deal *d) {
    for (int32_t at = d->used - 1; at >= d->kept_from; at--) {
        Part *part = d->parts + at;
        int32_t label = part->label;
        if (part->owner != label) continue;
        count_parts(d, part, -1);
        bool was_used_up = is_used_up(d, part);
        mark_given(d, part, 1, false);
        *part = d->parts[--d->used];
        copy_users(d, part, d->parts + d->used);
        forget_edges(d, label, NO, was_used_up);
    }
}

/* Pass up to `most` machines along the path that ends there; give how many went. */
static int32_t send(Deal *d, int32_t source, End end, int32_t most) {
    int32_t steps = trace(d, end), amount = most;
    for (int32_t at = 0; at < steps; at++)
        if (d->steps[at].count < amount) amount = d->steps[at].count;
    for (int32_t at = 0; at < steps; at++) {
        const Step *step = d->steps + at;
        if (step->is_kept) pass_kept(d, step, amount);
        else pass_parts(d, step, amount);
    }
    drop_returned(d);
    d->has[source] += amount;
    if (!end.takes_loose) d->has[end.row] -= amount;
    return amount;
}

/* Tell whether there is anything that a need could get: loose, or of a need after it. */
static bool may_get(const Deal *d, int32_t source) {
    if (d->tally.free) return true;
    for (int32_t later = source + 1; later < d->rows; later++)
        if (d->has[later] && !d->is_gang[later]) return true;
    return false;
}

/* Give one need up to `lacking` machines more; give how many it got. */
int32_t fill(Deal *d, int32_t source, int32_t lacking) {
    bool is_reached = false;
    int32_t got = 0;
    while (got < lacking && !d->s->failed) {
        End end = {source, true};
        if (is_nearest_itself(d, source)) {
            d->via[source] = NOBODY;
        } else if (find_plain_end(d, source, &end)) {
            is_reached = false;
        } else {
            if (!is_reached) reach(d, source);
            if (!find_end(d, source, &end)) break;
            /* What it takes for itself brings nobody nearer: only what others pass on does. */
            is_reached = end.takes_loose && end.row == source;
        }
        int32_t amount = send(d, source, end, lacking - got);
        if (!amount) break; /* only in a shard that failed */
        got += amount;
    }
    return got;
}

/* List what is loose as parts, group by group. */
static void open_parts(Deal *d) {
    const Shard *s = d->s;
    memset(d->edges, UNSEEN, (size_t)d->rows * d->rows);
    clear_ways(d);
    for (int32_t row = 0; row < d->rows; row++) {
        d->has[row] = s->have[d->needs[row]];
        d->foreign_of[row] = d->lent[row] = 0;
        d->own_free[row] = d->free_from[row] = 0;
    }
    open_trays(d);
    d->tally = (Tally){0};
    d->used = d->kept_from = d->loose_used;
    for (int32_t at = 0; at < d->loose_used; at++) {
        int32_t slot = d->loose[at], n = s->serves[slot];
        int32_t label = n == NOBODY ? NOBODY : d->row_of[n];
        d->parts[at] = (Part){place_of(s, slot), slot, box_of(s, slot), label, NOBODY,
                              NOBODY, false};
        count_owner(d, d->parts + at, 1);
    }
    sort_parts(d->parts, d->used);
    for (int32_t at = 0; at < d->used; at++) find_users(d, d->parts + at);
}

/* Fill all needs in their order, as far as each can be without taking from an earlier one. */
void fill_needs(Deal *d) {
    open_parts(d);
    for (int32_t row = 0; row < d->rows && !d->s->failed; row++) {
        int32_t lacking = d->s->need[d->needs[row]].count - d->has[row];
        if (lacking <= 0 || !may_get(d, row)) continue;
        if (d->is_gang[row]) grow_gang(d, row);
        else fill(d, row, lacking);
    }
    name_machines(d, NOBODY);
}
