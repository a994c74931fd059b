/* In which order needs offer their machines to a preemptor, as far as can be told without a look at
 * these (rules/priority.py, score.py). */

#include "victims.h"

/* Add a need below the preemptor to what is ranked: by priority unless only the score counts. */
static void rank_offer(Shard *s, int32_t preemptor, int32_t n, int64_t largest_gap) {
    Crowd *crowd = s->crowd;
    Run best = {.need = n, .loss = s->need[n].reclamation_penalty};
    int64_t score = score_of(s, preemptor, &best, largest_gap);
    crowd->ranked =
        grown(s, crowd->ranked, &crowd->ranked_room, crowd->ranked_used, sizeof *crowd->ranked);
    if (s->failed) return;
    crowd->ranked[crowd->ranked_used++] =
        (Ranked){largest_gap > 0 ? 0 : s->need[n].priority, -(double)score, n, NOBODY};
}

/* List the needs below a preemptor, best offer first: none of their machines scores better, however
 * few are left. The list holds for all preemptors of one priority. */
void list_offers(Shard *s, int32_t preemptor, int64_t largest_gap) {
    Crowd *crowd = s->crowd;
    int32_t priority = s->need[preemptor].priority;
    if (crowd->offers_gap == largest_gap && crowd->offers_priority == priority) return;
    crowd->offers_used = 0;
    crowd->offers_priority = priority;
    crowd->offers_gap = largest_gap;
    for (int32_t at = 0; at < s->walk_length && !s->failed; at++) {
        int32_t n = s->walk[at];
        if (s->have[n] && !s->shadow[s->need[n].cluster] && is_lower(s, n, preemptor))
            rank_offer(s, preemptor, n, largest_gap);
    }
    int32_t count = crowd->ranked_used;
    Ranked *spare = scratch(s, 5, ((size_t)count + 1) * sizeof *spare);
    crowd->ranked_used = 0;
    if (!spare) return;
    sort_ranked(crowd->ranked, spare, count);
    for (int32_t i = 0; i < count; i++) {
        const Ranked *ranked = crowd->ranked + i;
        crowd->offers = grown(s, crowd->offers, &crowd->offers_room, i, sizeof *crowd->offers);
        if (s->failed) return;
        crowd->offers[crowd->offers_used++] =
            (Group){.score = (int64_t)-ranked->value, .need = ranked->id, .run = NOBODY,
                    .priority = (int32_t)ranked->kind};
    }
}
