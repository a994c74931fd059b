/* Choose victims: excess first, then the lowest need, the best score, the worst-hit cluster
 * (hotpath/plain/victims.py).
 *
 * What is chosen is charged to its cluster and its gang at once, in the books, and taken back at
 * the end. Machines that only their clusters, gangs and ids tell apart are a block.
 */

#include "victims.h"

#define NONE INT64_MIN

typedef struct { bool is_excess; int32_t priority; int64_t score; } Block;

typedef struct {
    Shard *s;
    Crowd *crowd;
    Purse *purse;
    int32_t preemptor, profile;
    int64_t largest_gap; /* above 0: only the score counts, and that of a full shard */
    bool is_listed;      /* all candidates are queues: none has gone or does not suit */
    bool is_bound;       /* spread or floor say which ones are allowed, anew after each */
    int32_t offered;     /* place in Crowd.offers: those before are groups */
} Choice;

static bool comes_before(Block a, Block b) {
    if (a.is_excess != b.is_excess) return a.is_excess;
    if (a.priority != b.priority) return a.priority < b.priority;
    return a.score > b.score;
}

static bool is_same(Block a, Block b) { return !comes_before(a, b) && !comes_before(b, a); }

static Block block_of_queue(const Queue *q) { return (Block){q->is_excess, q->priority, q->score}; }

static Block block_of_group(const Group *g) { return (Block){false, g->priority, g->score}; }

/* Say whether a machine will not do for this preemptor any more. */
static bool is_out(const Choice *c, const Queue *q, int32_t slot) {
    const Shard *s = c->s;
    if (c->is_bound && c->purse->risky_left <= 0 && s->probability[class_of(s, slot)] > 0)
        return true;
    if (c->is_listed) return false;
    return !is_there(s, q->need, q->is_excess, slot) || !cell_suits(s, c->profile, s->cell[slot]);
}

/* Find the first machine of a queue that is allowed now. */
static void seek(const Choice *c, Queue *q) {
    for (q->head = q->next; q->head < q->end; q->head++) {
        int32_t slot = c->crowd->slots[q->head];
        if (is_out(c, q, slot)) {
            if (q->head == q->next) q->next++;
        } else if (!c->is_bound || purse_allows(c->s, c->purse, c->s->cell[slot])) {
            return;
        }
    }
}

/* Take the head off a queue; those that were passed over keep their order. */
static int32_t pop(const Choice *c, Queue *q) {
    int32_t *slots = c->crowd->slots, slot = slots[q->head];
    for (int32_t at = q->head; at > q->next; at--) slots[at] = slots[at - 1];
    slots[q->next++] = slot;
    return slot;
}

static void add_queue(Choice *c, Run *run) {
    Crowd *crowd = c->crowd;
    Shard *s = c->s;
    while (!c->is_listed && run->first < run->end &&
           !is_there(s, run->need, run->is_excess, crowd->slots[run->first]))
        run->first++;
    if (run->first == run->end) return;
    crowd->queues =
        grown(s, crowd->queues, &crowd->queues_room, crowd->queues_used, sizeof *crowd->queues);
    if (s->failed) return;
    Queue *q = crowd->queues + crowd->queues_used++;
    *q = (Queue){.score = score_of(s, c->preemptor, run, c->largest_gap), .need = run->need,
                 .cluster = run->cluster, .next = run->first, .end = run->end,
                 .priority = run->is_excess || c->largest_gap > 0 ? 0 : s->need[run->need].priority,
                 .is_excess = run->is_excess};
    seek(c, q);
}

/* Say whether a need holds any machine of a class that suits the preemptor. */
static bool may_suit(const Choice *c, int32_t n) {
    const Shard *s = c->s;
    const Holding *h = s->holding + n;
    for (int32_t at = 0; at < h->used; at++)
        if (class_suits(s, c->profile, s->box_class[h->bins[at].box])) return true;
    return false;
}

/* Say whether spread and floor allow a machine of a box now, as far as that can be told. */
static bool may_allow(const Choice *c, int32_t box) {
    const Shard *s = c->s;
    const Need *need = s->need + c->preemptor;
    int32_t k = s->box_class[box];
    if (!class_suits(s, c->profile, k)) return false;
    if (c->purse->risky_left <= 0 && s->probability[k] > 0) return false;
    for (int32_t i = 0; i < c->purse->spreads; i++) {
        const Spread *spread = s->spread + need->spread_first + i;
        int32_t domain = s->axis_of_box[(size_t)spread->axis * s->boxes + box];
        if (!spread->is_hard || domain == DIFFERS) continue;
        if (domain < 0 || c->purse->least[i] < 0) return false;
        int64_t count = c->purse->counts[c->purse->start[i] + domain];
        if (count + 1 - c->purse->least[i] > spread->max_skew) return false;
    }
    return true;
}

/* Say whether any machine may be allowed before another one is taken. Without it a need that its
 * spread keeps short would have the whole shard gathered in each cycle, for nothing. */
static bool may_begin(const Choice *c) {
    const Shard *s = c->s;
    for (int32_t i = 0; i < c->crowd->queues_used; i++)
        if (c->crowd->queues[i].head < c->crowd->queues[i].end) return true;
    for (int32_t i = 0; i < c->crowd->offers_used; i++) {
        const Holding *h = s->holding + c->crowd->offers[i].need;
        for (int32_t at = 0; at < h->used; at++)
            if (may_allow(c, h->bins[at].box)) return true;
    }
    return false;
}

/* Score a group by its next run. */
static void rescore(const Choice *c, Group *g) {
    const Run *runs = c->crowd->runs;
    g->score = g->run < g->end ? score_of(c->s, c->preemptor, runs + g->run, c->largest_gap) : NONE;
}

/* Make groups of the needs that offer the block; say whether there were any. */
static bool take_offers(Choice *c, Block block) {
    Crowd *crowd = c->crowd;
    int32_t first = c->offered;
    for (; c->offered < crowd->offers_used; c->offered++) {
        const Group *offer = crowd->offers + c->offered;
        if (!is_same(block_of_group(offer), block)) break;
        if (!may_suit(c, offer->need)) continue;
        crowd->groups =
            grown(c->s, crowd->groups, &crowd->groups_room, crowd->groups_used, sizeof *offer);
        if (c->s->failed) return false;
        crowd->groups[crowd->groups_used++] = *offer;
    }
    return c->offered > first;
}

/* Gather the machines of groups of which nobody has asked before. */
static void gather_groups(Choice *c) {
    Crowd *crowd = c->crowd;
    crowd->block_used = 0;
    for (int32_t i = 0; i < crowd->groups_used; i++) {
        const Group *g = crowd->groups + i;
        if (g->run != NOBODY || crowd->first_run[g->need] != NOBODY) continue;
        crowd->block = grown(c->s, crowd->block, &crowd->block_room, crowd->block_used,
                             sizeof *crowd->block);
        if (c->s->failed) return;
        crowd->block[crowd->block_used++] = g->need;
    }
    if (crowd->block_used) gather(c->s, crowd->block, crowd->block_used);
}

/* Make queues of the runs that could be in the block; say whether there were any. */
static bool open_groups(Choice *c, Block block) {
    Crowd *crowd = c->crowd;
    bool any = take_offers(c, block);
    gather_groups(c);
    for (int32_t i = 0; i < crowd->groups_used && !c->s->failed; i++) {
        Group *g = crowd->groups + i;
        if (g->score == NONE || !is_same(block_of_group(g), block)) continue;
        any = true;
        if (g->run == NOBODY) {
            g->run = crowd->first_run[g->need];
            g->end = crowd->end_run[g->need];
            rescore(c, g);
            if (!is_same(block_of_group(g), block)) continue;
        }
        add_queue(c, crowd->runs + g->run++);
        rescore(c, g);
    }
    return any;
}

/* Keep in `best` which block comes first. */
static void prefer(Block *best, bool *any, Block block) {
    if (!*any || comes_before(block, *best)) *best = block;
    *any = true;
}

/* Find the block that is next; what it could consist of becomes queues. */
static bool find_block(Choice *c, Block *block) {
    const Crowd *crowd = c->crowd;
    while (!c->s->failed) {
        bool any = false;
        for (int32_t i = 0; i < crowd->queues_used; i++) {
            const Queue *q = crowd->queues + i;
            if (q->head < q->end) prefer(block, &any, block_of_queue(q));
        }
        for (int32_t i = 0; i < crowd->groups_used; i++) {
            const Group *g = crowd->groups + i;
            if (g->score != NONE) prefer(block, &any, block_of_group(g));
        }
        if (c->offered < crowd->offers_used && !c->is_listed)
            prefer(block, &any, block_of_group(crowd->offers + c->offered));
        if (!any) return false;
        if (c->is_listed || !open_groups(c, *block)) return true;
    }
    return false;
}

/* List the queues of the block. */
static void list_block(Choice *c, Block block) {
    Crowd *crowd = c->crowd;
    crowd->block_used = 0;
    for (int32_t i = 0; i < crowd->queues_used; i++) {
        const Queue *q = crowd->queues + i;
        if (q->head == q->end || !is_same(block_of_queue(q), block)) continue;
        crowd->block = grown(c->s, crowd->block, &crowd->block_room, crowd->block_used,
                             sizeof *crowd->block);
        if (c->s->failed) return;
        crowd->block[crowd->block_used++] = i;
    }
}

static void choose_head(Choice *c, Queue *q) {
    Crowd *crowd = c->crowd;
    crowd->chosen = grown(c->s, crowd->chosen, &crowd->chosen_room, crowd->chosen_used,
                          sizeof *crowd->chosen);
    if (c->s->failed) return;
    int32_t slot = pop(c, q);
    crowd->chosen[crowd->chosen_used++] = slot;
    charge(c->s, slot, 1);
    if (!c->is_bound) {
        seek(c, q);
        return;
    }
    purse_take(c->s, c->purse, slot);
    for (int32_t i = 0; i < crowd->queues_used; i++) seek(c, crowd->queues + i);
}

/* Put a block that was taken whole into the order of ids: only where a part of it is wanted does it
 * matter who gives most. */
static void sort_by_id(Choice *c, int32_t from) {
    Crowd *crowd = c->crowd;
    int32_t count = crowd->chosen_used - from;
    uint64_t *keys = scratch(c->s, 5, ((size_t)count + 1) * sizeof *keys);
    if (!keys) return;
    for (int32_t i = 0; i < count; i++) {
        int32_t slot = crowd->chosen[from + i];
        keys[i] = (uint64_t)c->s->id_rank[slot] << 32 | (uint32_t)slot;
    }
    sort_keys(keys, count);
    for (int32_t i = 0; i < count; i++) crowd->chosen[from + i] = (int32_t)(keys[i] & UINT32_MAX);
}

/* Choose up to `wanted`; give how many. */
static int32_t choose(Choice *c, int32_t wanted) {
    Crowd *crowd = c->crowd;
    int32_t first = crowd->chosen_used, from = first;
    Block block = {0};
    while (crowd->chosen_used - first < wanted && find_block(c, &block)) {
        if (!c->is_bound && crowd->chosen_used > from) sort_by_id(c, from);
        from = crowd->chosen_used;
        list_block(c, block);
        Queue *q;
        while (crowd->chosen_used - first < wanted && !c->s->failed && (q = next_queue(c->s))) {
            choose_head(c, q);
            if (c->is_bound) break;
        }
    }
    for (int32_t at = first; at < crowd->chosen_used; at++) charge(c->s, crowd->chosen[at], -1);
    return crowd->chosen_used - first;
}

static Choice begin(Shard *s, int32_t preemptor, int32_t wanted, Purse *purse) {
    s->crowd->queues_used = s->crowd->groups_used = 0;
    return (Choice){.s = s, .crowd = s->crowd, .purse = purse, .preemptor = preemptor,
                    .profile = s->need[preemptor].profile,
                    .is_bound = purse->spreads || purse->risky_left < wanted};
}

/* Choose among the last runs, all of which are candidates. */
int32_t choose_among(Shard *s, int32_t preemptor, int32_t first_run, int32_t wanted, bool saturated,
                     Purse *purse) {
    Choice c = begin(s, preemptor, wanted, purse);
    c.is_listed = true;
    c.largest_gap = saturated;
    for (int32_t at = first_run; saturated && at < s->crowd->runs_used; at++) {
        const Run *run = s->crowd->runs + at;
        int64_t gap = gap_to(s, preemptor, run->need);
        if (!run->is_excess && gap > c.largest_gap) c.largest_gap = gap;
    }
    for (int32_t at = first_run; at < s->crowd->runs_used; at++) add_queue(&c, s->crowd->runs + at);
    return choose(&c, wanted);
}

/* Say whether a machine that serves the need could be a victim. */
static bool has_victim(const Choice *c, int32_t n) {
    Shard *s = c->s;
    const Crowd *crowd = c->crowd;
    if (!s->have[n] || !may_suit(c, n)) return false;
    if (crowd->first_run[n] == NOBODY) gather(s, &n, 1);
    for (int32_t at = crowd->first_run[n]; at < crowd->end_run[n]; at++)
        for (int32_t i = crowd->runs[at].first; i < crowd->runs[at].end; i++) {
            int32_t slot = crowd->slots[i];
            if (is_there(s, n, false, slot) && cell_suits(s, c->profile, s->cell[slot]))
                return true;
        }
    return false;
}

/* Give the gap to the lowest need that could lose a machine, at least 1. */
static int64_t find_largest_gap(const Choice *c) {
    const Shard *s = c->s;
    for (int32_t at = s->walk_length; at; at--) {
        int32_t n = s->walk[at - 1];
        if (s->shadow[s->need[n].cluster]) continue;
        if (!is_lower(s, n, c->preemptor)) break;
        if (has_victim(c, n)) return gap_to(s, c->preemptor, n);
    }
    return 1;
}

/* Choose among all machines of the shard that the preemptor may drain. */
int32_t choose_anywhere(Shard *s, int32_t preemptor, int32_t wanted, bool saturated, Purse *purse) {
    Choice c = begin(s, preemptor, wanted, purse);
    if (!wanted) return 0;
    if (saturated) c.largest_gap = find_largest_gap(&c);
    list_offers(s, preemptor, c.largest_gap);
    for (int32_t at = 0; at < s->crowd->end_of_excess; at++) {
        Run *run = s->crowd->runs + at;
        /* A young one still belongs to the need that it was serving. */
        if (run->has_stood || run->need == NOBODY || is_lower(s, run->need, preemptor))
            add_queue(&c, run);
    }
    return c.is_bound && !may_begin(&c) ? 0 : choose(&c, wanted);
}

/* Give what an eviction costs: interruptions, a gang's once, and each machine's reclamation. */
double damage_usd(Shard *s, const int32_t *slots, int32_t count) {
    double total = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t slot = slots[i], n = s->serves[slot];
        if (is_spare(s, slot)) continue;
        const Need *need = s->need + n;
        if (!(is_gang(s, n) && s->lost[n])) total += need->interruption_penalty;
        s->lost[n]++;
        double own = s->penalty[slot], its = need->reclamation_penalty;
        total += own > its ? own : its;
    }
    for (int32_t i = 0; i < count; i++)
        if (!is_spare(s, slots[i])) s->lost[s->serves[slots[i]]]--;
    return total;
}
