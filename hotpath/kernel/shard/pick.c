/* Pick machines for a need from its lots, cheapest first (hotpath/plain/pick.py). */

#include <stdlib.h>
#include <string.h>

#include "lots.h"

/* Compare how full two places are: emptiest first, outside of all domains last. */
int compare_crowding(const Stall *stall, int32_t a, int32_t b) {
    const Shard *s = stall->s;
    const Need *need = s->need + stall->n;
    if (a == b) return 0;
    for (int32_t i = 0; i < need->spreads; i++) {
        size_t axis = (size_t)s->spread[need->spread_first + i].axis * s->cells;
        int32_t da = s->axis_codes[axis + s->place_cell[a]];
        int32_t db = s->axis_codes[axis + s->place_cell[b]];
        const int32_t *counts = stall->purse->counts + stall->purse->start[i];
        int32_t ca = da < 0 ? INT32_MAX : counts[da], cb = db < 0 ? INT32_MAX : counts[db];
        if (ca != cb) return ca < cb ? -1 : 1;
    }
    return 0;
}

/* Say whether lot a comes before lot b; both have machines left. */
static bool is_before(Stall *stall, Lot *a, Lot *b) {
    if (a->group != b->group) return a->group < b->group;
    int crowding = stall->purse->spreads ? compare_crowding(stall, a->place, b->place) : 0;
    if (crowding) return crowding < 0;
    if (a->flags != b->flags) return a->flags < b->flags;
    if (a->rank != b->rank) return a->rank < b->rank;
    return next_slot(stall, a) < next_slot(stall, b);
}

/* Ask which places the spread leaves open; give how many. */
static int32_t open_places(Stall *stall) {
    const Shard *s = stall->s;
    int32_t count = 0;
    for (int32_t place = 0; place < stall->places; place++)
        count += stall->open[place] = purse_allows(s, stall->purse, s->place_cell[place]);
    return count;
}

static bool is_equal(const Lot *a, const Lot *b) {
    return a->group == b->group && a->flags == b->flags && a->rank == b->rank;
}

/* Give the lot that is next; NOBODY where none is allowed. The lots of a need that is spread are
 * sorted, so the first of each place, and its equals, are the best there. */
static int32_t head_of(Stall *stall, int32_t open) {
    Lot *lots = stall->s->lots;
    bool spread = stall->purse->spreads > 0;
    int32_t head = NOBODY;
    while (stall->first < stall->used && lots[stall->first].left <= 0) stall->first++;
    if (spread) memset(stall->best, -1, (size_t)stall->places * sizeof *stall->best);
    for (int32_t i = stall->first; i < stall->used; i++) {
        Lot *lot = lots + i;
        if (spread && head >= 0 && lot->group > lots[head].group) break;
        if (!is_allowed(stall, lot)) continue;
        if (spread) {
            int32_t *best = stall->best + lot->place;
            if (*best < 0 && open-- > 0) *best = i;
            else if (*best < 0 || !is_equal(lot, lots + *best)) continue;
        }
        if (head < 0 || is_before(stall, lot, lots + head)) head = i;
        if (spread && open <= 0 && i + 1 < stall->used && !is_equal(lot, lot + 1)) break;
    }
    return head;
}

static bool has_traded(const Stall *stall) {
    const Lot *lots = stall->s->lots;
    for (int32_t i = stall->bought_from; i < stall->used; i++)
        if (lots[i].is_spot && is_allowed(stall, lots + i)) return true;
    return false;
}

/* Give how many machines may be taken of a lot at once without asking again. */
static int32_t amount_of(const Stall *stall, const Lot *lot, int32_t wanted) {
    if (stall->purse->spreads) return 1;
    int32_t amount = wanted < lot->left ? wanted : lot->left;
    if (lot->is_risky && stall->purse->risky_left < amount) amount = stall->purse->risky_left;
    return amount;
}

/* Take what is next: some machines of one lot, or a round on the market. Gives how many went. */
static int32_t step(Stall *stall, int32_t wanted) {
    Lot *lots = stall->s->lots;
    int32_t open = open_places(stall), head = head_of(stall, open);
    if (head < 0) return 0;
    bool trades = is_bought(lots + head) && has_traded(stall), passes_over = false;
    if (trades) {
        if (!stall->spot_of_need && !open_market(stall)) return 0;
        passes_over = keep_shares(stall);
        if (passes_over) head = head_of(stall, open);
    }
    int32_t went = 1;
    if (trades && head >= 0 && lots[head].is_spot) {
        went = trade(stall, head, wanted);
    } else if (head >= 0) {
        went = amount_of(stall, lots + head, wanted);
        take(stall, lots + head, went);
        /* Idle spot machines count too, and are not the market's. */
        if (lots[head].is_spot) stall->spot_of_need = NULL;
    }
    for (int32_t i = stall->bought_from; passes_over && i < stall->used; i++)
        lots[i].is_over = false;
    return head < 0 ? 0 : went;
}

static int by_key(const void *left, const void *right) {
    const Lot *a = left, *b = right;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    if (a->flags != b->flags) return a->flags < b->flags ? -1 : 1;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Lay out lots and make room to weigh them. */
static void lay_out(Stall *stall, uint64_t codes) {
    Shard *s = stall->s;
    lay_out_lots(stall, codes);
    size_t places = (size_t)stall->places + 1;
    stall->best = scratch(s, 4, places * (sizeof *stall->best + 2));
    if (s->failed) return;
    stall->open = (uint8_t *)(stall->best + places);
    stall->level = stall->open + places;
    stall->first = 0;
    if (stall->purse->spreads && stall->used)
        qsort(s->lots, (size_t)stall->used, sizeof *s->lots, by_key);
}

/* Pick up to `wanted` machines without ordering anything; the purse counts them in. Gives how many
 * were picked, in the order in which they were. */
int32_t pick(Shard *s, int32_t wanted, Purse *purse, int32_t domain, Pick **picks) {
    int32_t n = purse->need;
    const Need *need = s->need + n;
    Stall stall = {.s = s, .purse = purse, .n = n, .axis = need->gang_axis, .domain = domain,
                   .is_picky = s->profile_row[need->profile] != NOBODY};
    if (wanted > s->slots) wanted = s->slots;
    *picks = stall.picks = scratch(s, 3, (size_t)(wanted + 1) * sizeof *stall.picks);
    lay_out(&stall, IDLE_CODES);
    stall.bought_from = stall.used;
    bool all_laid = false;
    while (stall.picked < wanted && !s->failed) {
        if (step(&stall, wanted - stall.picked) > 0) continue;
        /* Nothing speculative is looked at before nothing idle is allowed. */
        if (all_laid) break;
        lay_out(&stall, SPECULATIVE_CODES);
        all_laid = true;
    }
    return s->failed ? 0 : stall.picked;
}
