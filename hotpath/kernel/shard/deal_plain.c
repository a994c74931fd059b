/* Shortest paths whose end is plain to see, so that none has to be sought (deal_paths.c). */

#include "deal.h"

/* Tell whether the need's own way to a loose machine is plainly a shortest one, so that no other
 * has to be looked at. No step costs less than nothing where nobody has another's machine; none
 * costs nothing but to those who have what nobody had. */
bool is_nearest_itself(Deal *d, int32_t source) {
    if (d->tally.displaced || (d->tally.foreign && d->tally.labelled)) return false;
    for (int32_t row = source + 1; d->tally.foreign && row < d->rows; row++)
        if (d->foreign_of[row]) return false;
    return cost_of_loose(d, source) != UNREACHED;
}

/* Tell whether every path costs at least 1, and to whoever has nothing of another's. A need on the
 * way gives a machine and takes one: that saves a change only where it gives what is foreign to it,
 * or takes back its own, from others or from what is loose. Nobody on the way may do both. */
static bool are_paths_plain(Deal *d, int32_t source) {
    if (d->gang != NOBODY || d->lent[source]) return false;
    for (int32_t row = 0; row < d->rows; row++) {
        if (!d->foreign_of[row] || row == source) continue;
        if (d->lent[row] || row > source) return false;
        if (d->own_free[row] && !cost_of_loose(d, row)) return false;
    }
    return true;
}

/* Tell whether `taker` can take from `giver` at the cost of a change. */
static bool can_change(Deal *d, int32_t taker, int32_t giver) {
    return d->ways[(size_t)taker * d->rows + giver].away || keeps_for(d, taker, giver);
}

/* Tell whether a need that could cost nothing to reach can take from `giver` at a change's cost. */
static bool is_behind_others(Deal *d, int32_t source, int32_t giver) {
    for (int32_t row = 0; row < d->rows; row++)
        if (d->foreign_of[row] && row != source && can_change(d, row, giver)) return true;
    return false;
}

/* Tell whether a need that has what is foreign to it could cost nothing to reach, though not from
 * the source: by others like it, or by those who take back what is theirs. */
static bool may_be_near(Deal *d, int32_t source, int32_t giver) {
    for (int32_t row = 0; row < d->rows; row++) {
        const Ways *ways = d->ways + (size_t)row * d->rows + giver;
        if (row == source) continue;
        if (ways->even && d->foreign_of[row]) return true;
        if (ways->back && (can_change(d, source, row) || is_behind_others(d, source, row)))
            return true;
    }
    return false;
}

enum { NOWHERE, HERE, UNCLEAR };

/* Tell whether a path at the cost of 1 ends there, one step from the source, and at which weight of
 * that step; unclear where others might lead there at the same cost. */
static int is_plain_end(Deal *d, int32_t source, End end, int32_t *weight) {
    int32_t row = end.row;
    if (row == source || !d->has[row] || d->is_gang[row]) return NOWHERE;
    bool is_foreign = d->foreign_of[row];
    *weight = !is_foreign;
    if (is_foreign) {
        if (!end.takes_loose || cost_of_loose(d, row) == UNREACHED) return NOWHERE;
        if (d->ways[(size_t)source * d->rows + row].even) return HERE;
        return may_be_near(d, source, row) ? UNCLEAR : NOWHERE;
    }
    if (end.takes_loose && (!d->own_free[row] || cost_of_loose(d, row))) return NOWHERE;
    if (can_change(d, source, row)) return HERE;
    return is_behind_others(d, source, row) ? UNCLEAR : NOWHERE;
}

/* Find the end of the shortest path where it is plain to see: what is loose, for the source itself
 * or one step away, for the first need; else the last need. */
bool find_plain_end(Deal *d, int32_t source, End *end) {
    int is_end = NOWHERE;
    int32_t weight = 0;
    if (!are_paths_plain(d, source)) return false;
    *end = (End){source, true};
    if (d->tally.free && cost_of_loose(d, source) != UNREACHED) {
        d->via[source] = NOBODY;
        return true;
    }
    for (int32_t row = 0; d->tally.free && row < d->rows && is_end == NOWHERE; row++) {
        *end = (End){row, true};
        is_end = is_plain_end(d, source, *end, &weight);
    }
    for (int32_t row = d->rows - 1; row > source && is_end == NOWHERE; row--) {
        *end = (End){row, false};
        is_end = is_plain_end(d, source, *end, &weight);
    }
    if (is_end != HERE) return false;
    d->via[source] = NOBODY;
    d->via[end->row] = source;
    d->weight[end->row] = weight;
    return true;
}
