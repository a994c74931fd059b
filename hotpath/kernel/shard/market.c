/* The spot market of a need (hotpath/market.py): alike prices go where the cluster has fewest
 * spot machines, none over its share of one (class, zone), which is a box. */

#include <string.h>

#include "lots.h"

static bool is_traded(const Lot *lot) { return is_bought(lot) && lot->is_spot; }

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
 * cheaper than the cheapest candidate that is not spot. */
void within_share(const Stall *stall, uint8_t *allowed) {
    const Lot *lots = stall->s->lots;
    int64_t ceiling = INT64_MAX;
    bool has_ceiling = false, has_taker = false;
    for (int32_t i = 0; i < stall->used; i++) {
        if (!allowed[i] || !is_bought(lots + i) || lots[i].is_spot) continue;
        if (!has_ceiling || lots[i].cost < ceiling) ceiling = lots[i].cost;
        has_ceiling = true;
    }
    for (int32_t i = 0; i < stall->used && !has_taker; i++)
        has_taker = allowed[i] && is_traded(lots + i) && room_of(stall, lots + i) > 0 &&
                    (!has_ceiling || lots[i].cost < ceiling);
    if (!has_taker) return;
    for (int32_t i = 0; i < stall->used; i++)
        if (is_traded(lots + i) && room_of(stall, lots + i) <= 0) allowed[i] = 0;
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

/* Take machines from the lots whose turn it is: among those alike to the head, and within the
 * price tolerance of the cheapest, where the cluster has the fewest; equals by rank. Lots that are
 * not `alike` are not to be looked at. Gives how many machines went. */
int32_t trade(Stall *stall, const uint8_t *alike, int32_t head, int32_t wanted) {
    Shard *s = stall->s;
    Lot *lots = s->lots;
    int32_t *fewest = scratch(s, 10, (size_t)(stall->used + 1) * sizeof *fewest), count = 0;
    if (!fewest) return 0;
    int32_t cheapest = NOBODY, has = INT32_MAX, next_has = INT32_MAX;
    for (int32_t i = 0; i < stall->used; i++)
        if (alike[i] && is_traded(lots + i) && lots[i].flags == lots[head].flags &&
            (cheapest < 0 || lots[i].cost < lots[cheapest].cost))
            cheapest = i;
    if (cheapest < 0) return 0;
    size_t menu = (size_t)s->need[stall->n].menu * s->classes;
    int64_t limit = s->menu_limit[menu + lots[cheapest].k];
    for (int32_t i = 0; i < stall->used; i++) {
        if (!alike[i] || !is_traded(lots + i) || lots[i].flags != lots[head].flags) continue;
        if (lots[i].cost > limit) continue;
        int32_t here = stall->spot_of_cluster[lots[i].box];
        if (here < has) {
            next_has = has;
            has = here;
            count = 0;
        } else if (here > has && here < next_has) {
            next_has = here;
        }
        if (here != has) continue;
        int32_t at = count++;
        for (; at > 0 && comes_before(lots + i, lots + fewest[at - 1]); at--)
            fewest[at] = fewest[at - 1];
        fewest[at] = i;
    }
    int32_t rounds = rounds_of(stall, fewest, count, head, next_has, wanted);
    if (!rounds) {
        sell(stall, lots + fewest[0], 1);
        return 1;
    }
    for (int32_t i = 0; i < count; i++) sell(stall, lots + fewest[i], rounds);
    return rounds * count;
}
