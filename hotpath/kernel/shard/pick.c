/* Pick machines for a need from its lots, cheapest first (hotpath/pick.py). */

#include <stdlib.h>
#include <string.h>

#include "lots.h"

/* Take machines off a lot, lowest id first. */
void take(Stall *stall, Lot *lot, int32_t amount) {
    Shard *s = stall->s;
    for (int32_t i = 0; i < amount; i++) {
        int32_t slot = next_slot(stall, lot);
        if (slot < 0) return;
        lot->cursor = slot + 1;
        lot->left--;
        stall->picks[stall->picked++] = (Pick){slot, is_bought(lot), lot->cost};
        purse_take(s, stall->purse, slot);
    }
}

/* Compare how full two places are: emptiest first, outside of all domains last. */
static int compare_crowding(const Stall *stall, int32_t a, int32_t b) {
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

/* Mark the lots from which the need may take one more now. */
static void mark_allowed(const Stall *stall, uint8_t *allowed, uint8_t *open) {
    const Shard *s = stall->s;
    for (int32_t place = 0; place < stall->places; place++)
        open[place] = purse_allows(s, stall->purse, s->place_cell[place]);
    for (int32_t i = 0; i < stall->used; i++) {
        const Lot *lot = s->lots + i;
        allowed[i] = lot->left > 0 && (!stall->purse->spreads || open[lot->place]) &&
                     !(lot->is_risky && stall->purse->risky_left <= 0);
    }
}

/* Give the lot that is next; NOBODY where none is allowed. */
static int32_t head_of(Stall *stall, const uint8_t *allowed) {
    Lot *lots = stall->s->lots;
    int32_t head = NOBODY;
    for (int32_t i = 0; i < stall->used; i++)
        if (allowed[i] && (head < 0 || is_before(stall, lots + i, lots + head))) head = i;
    return head;
}

static bool has_traded(const Stall *stall, const uint8_t *allowed) {
    const Lot *lots = stall->s->lots;
    for (int32_t i = 0; i < stall->used; i++)
        if (allowed[i] && is_bought(lots + i) && lots[i].is_spot) return true;
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
static int32_t step(Stall *stall, uint8_t *allowed, uint8_t *open, int32_t wanted) {
    Lot *lots = stall->s->lots;
    mark_allowed(stall, allowed, open);
    int32_t head = head_of(stall, allowed);
    if (head < 0) return 0;
    if (is_bought(lots + head) && has_traded(stall, allowed)) {
        if (!stall->spot_of_need && !open_market(stall)) return 0;
        within_share(stall, allowed);
        head = head_of(stall, allowed);
        if (head < 0) return 0;
    }
    if (is_bought(lots + head) && lots[head].is_spot && stall->spot_of_need) {
        for (int32_t i = 0; stall->purse->spreads && i < stall->used; i++)
            if (allowed[i] && compare_crowding(stall, lots[i].place, lots[head].place))
                allowed[i] = 0;
        return trade(stall, allowed, head, wanted);
    }
    int32_t amount = amount_of(stall, lots + head, wanted);
    take(stall, lots + head, amount);
    /* Idle spot machines count too, and are not the market's. */
    if (lots[head].is_spot) stall->spot_of_need = NULL;
    return amount;
}

/* Pick up to `wanted` machines without ordering anything; the purse counts them in. Gives how many
 * were picked, in the order in which they were. */
int32_t pick(Shard *s, int32_t wanted, Purse *purse, int32_t domain, Pick **picks) {
    int32_t n = purse->need;
    Stall stall = {.s = s, .purse = purse, .n = n, .axis = s->need[n].gang_axis, .domain = domain};
    if (wanted > s->slots) wanted = s->slots;
    *picks = stall.picks = scratch(s, 3, (size_t)(wanted + 1) * sizeof *stall.picks);
    lay_out_lots(&stall);
    size_t lots = (size_t)stall.used + 1, places = (size_t)stall.places + 1;
    uint8_t *allowed = scratch(s, 4, lots + places);
    if (s->failed) return 0;
    while (stall.picked < wanted) {
        int32_t went = step(&stall, allowed, allowed + lots, wanted - stall.picked);
        if (went <= 0 || s->failed) break;
    }
    return s->failed ? 0 : stall.picked;
}
