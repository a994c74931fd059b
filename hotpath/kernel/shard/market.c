/* The spot market of a need (hotpath/plain/market.py): alike prices go where the cluster has fewest
 * spot machines, none over its share of one (class, zone), which is a box. */

#include <string.h>

#include "lots.h"

/* Count the spot machines that a need and its cluster hold in each box, those of `picks` too. */
bool open_market(Stall *stall) {
    Shard *s = stall->s;
    size_t bytes = 2 * (size_t)s->boxes * sizeof(int32_t);
    int32_t *room = scratch(s, 9, bytes);
    if (!room) return false;
    memset(room, 0, bytes);
    stall->spot_of_need = room;
    stall->spot_of_cluster = room + s->boxes;
    int32_t x = s->need[stall->n].cluster;
    for (int32_t at = s->cluster_start[x]; at < s->cluster_start[x + 1]; at++) {
        int32_t n = s->cluster_needs[at];
        const Holding *h = s->holding + n;
        for (int32_t i = 0; i < h->used; i++) {
            int32_t b = h->bins[i].box;
            if (!s->is_spot[s->box_class[b]]) continue;
            stall->spot_of_cluster[b] += h->bins[i].count;
            if (n == stall->n) stall->spot_of_need[b] += h->bins[i].count;
        }
    }
    for (int32_t i = 0; i < stall->picked; i++) {
        int32_t b = box_of(s, stall->picks[i].slot);
        if (!s->is_spot[s->box_class[b]]) continue;
        stall->spot_of_cluster[b]++;
        stall->spot_of_need[b]++;
    }
    return true;
}

static int64_t room_of(const Stall *stall, const Lot *lot) {
    return (int64_t)stall->s->need[stall->n].spot_cap - stall->spot_of_need[lot->box];
}

/* Pass over what has its share while another could be taken instead: one below its own share and
 * cheaper than the cheapest candidate that is not spot. Say whether anything is passed over. */
bool keep_shares(const Stall *stall) {
    Lot *lots = stall->s->lots;
    int64_t ceiling = INT64_MAX, cheapest = INT64_MAX;
    bool has_ceiling = false, has_taker = false, has_full = false;
    for (int32_t i = stall->bought_from; i < stall->used; i++) {
        const Lot *lot = lots + i;
        if (!is_allowed(stall, lot)) continue;
        if (!lot->is_spot) {
            if (lot->cost < ceiling) ceiling = lot->cost;
            has_ceiling = true;
        } else if (room_of(stall, lot) > 0) {
            if (lot->cost < cheapest) cheapest = lot->cost;
            has_taker = true;
        } else {
            has_full = true;
        }
    }
    if (!has_full || !has_taker || (has_ceiling && cheapest >= ceiling)) return false;
    for (int32_t i = stall->bought_from; i < stall->used; i++)
        lots[i].is_over = lots[i].is_spot && room_of(stall, lots + i) <= 0;
    return true;
}

/* Give for how many rounds, in each of which every lot of `fewest` gives one machine, nothing
 * changes but the counts; 0 for not even a whole one. */
static int32_t rounds_of(const Stall *stall, const int32_t *fewest, int32_t count, int32_t head,
                         int32_t next_has, int32_t wanted) {
    const Lot *lots = stall->s->lots;
    if (stall->purse->spreads) return 0;
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < i; j++)
            if (lots[fewest[i]].box == lots[fewest[j]].box) return 0;
    int64_t rounds = wanted / count;
    for (int32_t i = 0; i < count; i++) {
        const Lot *lot = lots + fewest[i];
        int64_t room = room_of(stall, lot), turns = lot->left;
        /* What has no room has none to lose: nobody else has any, or it would not be allowed. */
        if (room > 0 && room < turns) turns = room;
        /* The head's last turn ends its being the head, and another may come before the rest. */
        if (fewest[i] == head) turns--;
        if (turns < rounds) rounds = turns;
        if (lot->is_risky) {
            int32_t left = stall->purse->risky_left > 0 ? stall->purse->risky_left : 0;
            if (left / count < rounds) rounds = left / count;
        }
    }
    int32_t has = stall->spot_of_cluster[lots[fewest[0]].box];
    if (next_has != INT32_MAX && next_has - has < rounds) rounds = next_has - has;
    return (int32_t)(rounds > 0 ? rounds : 0);
}

static void sell(Stall *stall, Lot *lot, int32_t amount) {
    stall->spot_of_cluster[lot->box] += amount;
    stall->spot_of_need[lot->box] += amount;
    take(stall, lot, amount);
}

static bool comes_before(const Lot *a, const Lot *b) { return a->rank < b->rank; }

/* Say whether a lot competes with the head: spot, alike but for the cost, in a place as full. */
static bool is_alike(const Stall *stall, const Lot *lot, const Lot *head) {
    return lot->is_spot && lot->flags == head->flags && is_allowed(stall, lot) &&
           (!stall->purse->spreads || stall->level[lot->place]);
}

/* Take machines from the lots whose turn it is: among those alike to the head, and within the
 * price tolerance of the cheapest, where the cluster has the fewest; equals by rank. Gives how many
 * machines went. */
int32_t trade(Stall *stall, int32_t head, int32_t wanted) {
    Shard *s = stall->s;
    Lot *lots = s->lots;
    int32_t *fewest = scratch(s, 10, 2 * (size_t)(stall->used + 1) * sizeof *fewest);
    if (!fewest) return 0;
    int32_t *alike = fewest + stall->used + 1, alikes = 0, count = 0, cheapest = head;
    for (int32_t place = 0; place < stall->places; place++)
        stall->level[place] = !compare_crowding(stall, place, lots[head].place);
    for (int32_t i = stall->bought_from; i < stall->used; i++) {
        if (!is_alike(stall, lots + i, lots + head)) continue;
        alike[alikes++] = i;
        if (lots[i].cost < lots[cheapest].cost) cheapest = i;
    }
    int64_t limit = s->menu_limit[(size_t)s->need[stall->n].menu * s->classes + lots[cheapest].k];
    int32_t has = INT32_MAX, next_has = INT32_MAX;
    for (int32_t j = 0; j < alikes; j++) {
        const Lot *lot = lots + alike[j];
        if (lot->cost > limit) continue;
        int32_t here = stall->spot_of_cluster[lot->box];
        if (here < has) {
            next_has = has;
            has = here;
            count = 0;
        } else if (here > has && here < next_has) {
            next_has = here;
        }
        if (here != has) continue;
        int32_t at = count++;
        for (; at > 0 && comes_before(lot, lots + fewest[at - 1]); at--)
            fewest[at] = fewest[at - 1];
        fewest[at] = alike[j];
    }
    int32_t rounds = rounds_of(stall, fewest, count, head, next_has, wanted);
    if (!rounds) {
        sell(stall, lots + fewest[0], 1);
        return 1;
    }
    for (int32_t j = 0; j < count; j++) sell(stall, lots + fewest[j], rounds);
    return rounds * count;
}
