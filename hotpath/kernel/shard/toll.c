/* Who gives next of victims that score alike: it depends on what was taken so far in this cycle
 * (Toll of hotpath/plain/victims.py), of which the books tell: `given` of each cluster, `lost` of
 * gangs. */

#include "victims.h"

static bool is_of_gang(const Shard *s, int32_t n, bool is_excess) {
    return !is_excess && n >= 0 && is_gang(s, n);
}

/* A gang that has lost a member: losing another costs no further interruption. */
static bool is_broken(const Shard *s, const Queue *q) {
    return is_of_gang(s, q->need, q->is_excess) && s->lost[q->need] > 0;
}

static int32_t head_id(const Shard *s, const Queue *q) {
    return s->id_rank[s->crowd->slots[q->head]];
}

/* Say whether a queue's cluster gives before another's. */
static bool gives_before(const Shard *s, const Queue *a, const Queue *b) {
    const Crowd *crowd = s->crowd;
    const int32_t *given = s->given;
    bool torn = crowd->is_torn[a->cluster];
    if (torn != crowd->is_torn[b->cluster]) return torn;
    if (given[a->cluster] != given[b->cluster]) return given[a->cluster] > given[b->cluster];
    return crowd->lowest[a->cluster] < crowd->lowest[b->cluster];
}

/* Give the queue of the block that is next: of a cluster where a gang is broken, that gives most
 * already, that has the lowest id; there of a broken gang, with the lowest id. NULL: all are
 * empty. */
Queue *next_queue(const Shard *s) {
    Crowd *crowd = s->crowd;
    Queue *owner = NULL, *next = NULL;
    for (int32_t i = 0; i < crowd->block_used; i++) {
        const Queue *q = crowd->queues + crowd->block[i];
        if (q->head == q->end) continue;
        if (head_id(s, q) < crowd->lowest[q->cluster]) crowd->lowest[q->cluster] = head_id(s, q);
        crowd->is_torn[q->cluster] |= is_broken(s, q);
    }
    for (int32_t i = 0; i < crowd->block_used; i++) {
        Queue *q = crowd->queues + crowd->block[i];
        if (q->head < q->end && (!owner || gives_before(s, q, owner))) owner = q;
    }
    for (int32_t i = 0; i < crowd->block_used; i++) {
        Queue *q = crowd->queues + crowd->block[i];
        if (q->head == q->end || q->cluster != owner->cluster) continue;
        if (crowd->is_torn[q->cluster] && !is_broken(s, q)) continue;
        if (!next || head_id(s, q) < head_id(s, next)) next = q;
    }
    for (int32_t i = 0; i < crowd->block_used; i++) {
        int32_t x = crowd->queues[crowd->block[i]].cluster;
        crowd->lowest[x] = INT32_MAX;
        crowd->is_torn[x] = 0;
    }
    return next;
}

/* Charge what was chosen to its cluster and its gang, or take that back. */
void charge(Shard *s, int32_t slot, int32_t by) {
    s->given[s->cluster[slot]] += by;
    int32_t n = s->serves[slot];
    if (is_of_gang(s, n, is_spare(s, slot))) s->lost[n] += by;
}
