/* Phase 2: take machines from lower needs for one that is still short, and never in vain
 * (hotpath/plain/preempt.py). */

#include "victims.h"

static bool is_ready_for(Shard *s, int32_t n, int32_t slot) {
    return s->flags[slot] & EXCESS && is_configured(s, slot) &&
           cell_suits(s, s->need[n].ready_profile, s->cell[slot]);
}

/* Give the excess machines of the need's cluster that could serve it as they are: their number,
 * and where they stand (in scratch 1, in the order in which they would be given back). For a gang,
 * those in the domain that pins it. */
int32_t spares_of(Shard *s, int32_t n, int32_t **spares) {
    const Need *need = s->need + n;
    int32_t x = need->cluster, used = 0;
    int32_t most = s->loose_start[x + 1] - s->loose_start[x];
    int32_t *found = *spares = scratch(s, 1, ((size_t)most + 1) * sizeof *found);
    if (!found) return 0;
    for (int32_t at = s->loose_start[x]; at < s->loose_start[x + 1]; at++)
        if (is_ready_for(s, n, s->loose[at])) found[used++] = s->loose[at];
    if (used && is_gang(s, n)) {
        const int32_t *codes = s->axis_codes + (size_t)need->gang_axis * s->cells;
        int32_t pin = pinned_domain(s, n), left = 0;
        for (int32_t at = 0; at < used && s->have[n] + s->lost[n]; at++) {
            int32_t domain = codes[s->cell[found[at]]];
            if (domain >= 0 && (pin < 0 || domain == pin)) found[left++] = found[at];
        }
        used = left;
    }
    sort_by_give_back(s, found, used, need->reclamation_penalty);
    return used;
}

/* Give the excess machine that can step in for a victim's, so that the victim loses nothing. */
static int32_t spare_for(Shard *s, int32_t victim) {
    int32_t x = s->need[victim].cluster, any = 0, *spares;
    for (int32_t at = s->loose_start[x]; at < s->loose_start[x + 1] && !any; at++)
        any = s->serves[s->loose[at]] == victim && is_ready_for(s, victim, s->loose[at]);
    if (!any) return NOBODY;
    for (int32_t at = spares_of(s, victim, &spares); at; at--)
        if (s->serves[spares[at - 1]] == victim) return spares[at - 1];
    return NOBODY;
}

/* Let the excess machine serve, and the serving one be excess. */
static void swap(Shard *s, int32_t slot, int32_t spare, int32_t victim) {
    adopt(s, victim, spare);
    uint16_t flags = s->flags[slot] & (uint16_t)~HELD;
    set_slot(s, slot, victim, flags | EXCESS, s->code[slot]);
    s->crowd->first_run[victim] = s->crowd->end_run[victim] = NOBODY;
}

/* Who has a machine as it is chosen: a spare that steps in may be one of the chosen. */
typedef struct { int32_t need; bool is_excess; } Loser;

static void evict_one(Shard *s, int32_t preemptor, int32_t slot, Loser loser) {
    double grace = grace_for(s, gap_to(s, preemptor, loser.need));
    int32_t spare = loser.is_excess ? NOBODY : spare_for(s, loser.need);
    if (spare != NOBODY) swap(s, slot, spare, loser.need);
    int why = loser.is_excess || spare != NOBODY ? BEYOND_AND_WANTED : PREEMPTED;
    drain(s, preemptor, slot, grace, why, loser.need);
}

/* Order the drains. */
void evict(Shard *s, int32_t preemptor, const int32_t *slots, int32_t count) {
    Loser *losers = scratch(s, 7, ((size_t)count + 1) * sizeof *losers);
    if (!losers) return;
    for (int32_t i = 0; i < count; i++)
        losers[i] = (Loser){s->serves[slots[i]], is_spare(s, slots[i])};
    for (int32_t i = 0; i < count && !s->failed; i++)
        evict_one(s, preemptor, slots[i], losers[i]);
}

static void rank_if_leaving(Shard *s, int32_t n, int32_t slot) {
    if (is_leaving_for(s, n, slot) && cell_suits(s, s->need[n].profile, s->cell[slot]))
        rank_machine(s, slot);
}

/* Give the need machines that drain already, the lowest claim first. */
static void take_over_leaving(Shard *s, int32_t n, Purse *purse) {
    for (int32_t at = 0; at < s->watches_used; at++) rank_if_leaving(s, n, s->watches[at].slot);
    for (int32_t at = 0; at < s->drained_used; at++) rank_if_leaving(s, n, s->drained[at]);
    int32_t runs = add_runs(s), first = s->crowd->chosen_used;
    int32_t count = choose_among(s, n, runs, missing(s, n), false, purse);
    drop_runs(s, runs);
    for (int32_t i = 0; i < count; i++) take_over(s, n, s->crowd->chosen[first + i]);
}

/* Drain for a need what its deficit asks for: nobody's machines first, then lower needs'. A need
 * for which a Create was ordered in this cycle waits for its outcome first. */
void preempt(Shard *s, int32_t n) {
    int32_t lacks = missing(s, n);
    if (!lacks || s->created[n] || !crowd_of(s)) return;
    s->crowd->chosen_used = 0;
    if (is_gang(s, n)) {
        preempt_for_gang(s, n, lacks);
        return;
    }
    Purse purse = open_purse(s, n);
    take_over_leaving(s, n, &purse);
    int32_t first = s->crowd->chosen_used;
    int32_t count = choose_anywhere(s, n, missing(s, n), is_saturated(s, n), &purse);
    evict(s, n, s->crowd->chosen + first, count);
}
