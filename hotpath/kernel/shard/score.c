/* Who is the better victim, and how long its drain may take (hotpath/plain/score.py). */

#include "victims.h"

#define MILLIONTHS 1e6

/* Give the grace for a priority gap; the steps hold the widest gap first. */
double grace_for(const Shard *s, int64_t gap) {
    for (int32_t i = 0; i < s->grace_steps; i++)
        if (gap >= s->grace_gap[i]) return s->grace_seconds[i];
    return s->grace_seconds[s->grace_steps - 1];
}

/* Give by how much a preemptor is above a need; 0 for nobody's. */
int64_t gap_to(const Shard *s, int32_t preemptor, int32_t n) {
    return n < 0 ? 0 : (int64_t)s->need[preemptor].priority - s->need[n].priority;
}

/* Say whether a tier-1 preemptor meets a shard whose hosts are nearly all held by a cluster. */
bool is_saturated(const Shard *s, int32_t preemptor) {
    if (s->need[preemptor].priority < s->tier1) return false;
    double in_use = (double)s->hosts_in_use / (double)(s->hosts > 1 ? s->hosts : 1);
    return 0 < in_use && in_use >= s->saturation;
}

/* Score the machines of a run, in millionths; `largest_gap` 0: by the score of a shard that is not
 * full. Nobody is interrupted on an excess machine. */
int64_t score_of(const Shard *s, int32_t preemptor, const Run *run, int64_t largest_gap) {
    const double *weight = s->weight[largest_gap > 0];
    int64_t gap = gap_to(s, preemptor, run->need);
    double grace = grace_for(s, gap), seconds = 0, interruption = 0;
    if (run->need >= 0) seconds = s->need[run->need].drain_seconds;
    if (run->need >= 0 && !run->is_excess)
        interruption = s->need[run->need].interruption_penalty;
    double score = weight[0] / (1 + (seconds < grace ? seconds : grace) / 60) +
                   weight[1] / (1 + interruption / 10) + weight[2] / (1 + run->loss / 1000);
    if (largest_gap > 0 && !run->is_excess) score += (double)(2 * gap) / (double)largest_gap;
    return (int64_t)nearbyint(score * MILLIONTHS);
}
