/* Machines that may have to give way: who they are, how they score, who goes first. */

#ifndef BIGFLEET_VICTIMS_H
#define BIGFLEET_VICTIMS_H

#include "order.h"
#include "shard.h"

/* Machines of one need and one cluster that are alike but for their ids, in the order of these. An
 * excess machine's need is the one it was serving, or NOBODY. */
typedef struct {
    double loss;          /* USD: the reclamation penalty that holds */
    int32_t need, cluster;
    int32_t first, end;   /* in Crowd.slots */
    bool is_excess, has_stood;
} Run;

/* A run as one preemptor sees it. */
typedef struct {
    int64_t score;
    int32_t need, cluster, priority;
    int32_t next, end;    /* in Crowd.slots; what is before `next` is gone */
    int32_t head;         /* the first that may be taken now; `end`: none */
    bool is_excess;
} Queue;

/* A need of which not all runs are queues yet; none of these scores better than `score`. */
typedef struct {
    int64_t score;
    int32_t need, priority;
    int32_t run, end;     /* in Crowd.runs; NOBODY: not looked at */
} Group;

/* What a gang could have somewhere: what is free, what drains already, excess; victims that do no
 * damage, and others, of which the cheapest does so much. */
typedef struct {
    int32_t free, leaving, excess, costless, costly;
    double cheapest;      /* USD */
} Tally;

/* What was gathered of the machines in a walk: it only gets less, see forget_crowd. */
typedef struct Crowd {
    bool is_begun;
    size_t columns_room;          /* bytes from first_run on, for all columns by a number */
    int32_t *slots, slots_used, slots_room;
    Run *runs;
    int32_t runs_used, runs_room;
    int32_t *first_run, *end_run; /* n  runs of what serves each need; NOBODY: not gathered */
    int32_t end_of_excess;        /* the first runs are those of excess machines */
    Ranked *ranked;               /* to become runs */
    int32_t ranked_used, ranked_room;
    int32_t *place;               /* n  of use to gather() */
    Group *offers;                /* needs below a preemptor, the next to give first */
    int32_t offers_used, offers_room, offers_priority;
    int64_t offers_gap;           /* to whom: its priority, and the largest gap for its score */
    Tally *tallies;               /* c  for whom is above all needs below tallied_priority */
    int32_t tallies_room, tallied_priority;
    int32_t tallied_to;           /* in the journal; NOBODY: nothing is tallied */
    uint8_t *is_tallied;          /* k */
    /* Of one choice. */
    Queue *queues;
    int32_t queues_used, queues_room;
    Group *groups;
    int32_t groups_used, groups_room;
    int32_t *block, block_used, block_room;
    int32_t *lowest;              /* x */
    uint8_t *is_torn;             /* x */
    int32_t *chosen, chosen_used, chosen_room;
} Crowd;

/* score.c */
double grace_for(const Shard *s, int64_t gap);
int64_t gap_to(const Shard *s, int32_t preemptor, int32_t need);
bool is_saturated(const Shard *s, int32_t preemptor);
int64_t score_of(const Shard *s, int32_t preemptor, const Run *run, int64_t largest_gap);

/* crowd.c, offers.c */
Crowd *crowd_of(Shard *s);
void rank_machine(Shard *s, int32_t slot);
int32_t add_runs(Shard *s);
void drop_runs(Shard *s, int32_t first);
void gather(Shard *s, const int32_t *needs, int32_t count);
void list_offers(Shard *s, int32_t preemptor, int64_t largest_gap);
bool is_there(const Shard *s, int32_t need, bool is_excess, int32_t slot);

/* toll.c: the queue of Crowd.block that is next, NULL: none is left; and its charge, or its end */
Queue *next_queue(const Shard *s);
void charge(Shard *s, int32_t slot, int32_t by);

/* victims.c: both add to Crowd.chosen, and give how many they chose */
int32_t choose_among(Shard *s, int32_t preemptor, int32_t first_run, int32_t wanted, bool saturated,
                     Purse *purse);
int32_t choose_anywhere(Shard *s, int32_t preemptor, int32_t wanted, bool saturated, Purse *purse);
double damage_usd(Shard *s, const int32_t *slots, int32_t count);

/* tally.c: what a gang could have of each domain, or of the one that pins it; NULL: nothing that
 * would do */
Tally *tally_domains(Shard *s, int32_t gang, int32_t missing, int32_t pin);

/* preempt.c, schemes.c */
void evict(Shard *s, int32_t preemptor, const int32_t *slots, int32_t count);
void preempt_for_gang(Shard *s, int32_t need, int32_t missing);

/* An excess machine, or one that drains for nobody: costs nobody anything. */
static inline bool is_spare(const Shard *s, int32_t slot) {
    return s->flags[slot] & EXCESS || s->serves[slot] == NOBODY;
}

/* Whether a machine drains for nobody or for a strictly lower need. */
static inline bool is_leaving_for(const Shard *s, int32_t preemptor, int32_t slot) {
    if (!(s->flags[slot] & LEAVING) || s->cluster[slot] < 0) return false;
    return s->serves[slot] == NOBODY || is_lower(s, s->serves[slot], preemptor);
}

/* Whether a machine is not kept from the preemptor by whom it serves: a young excess still belongs
 * to the need that it was serving, an excess that has stood to nobody. */
static inline bool gives_way(const Shard *s, int32_t preemptor, int32_t slot) {
    uint16_t flags = s->flags[slot];
    if (!is_movable(s, slot)) return false;
    if (flags & EXCESS && (flags & STOOD || s->serves[slot] == NOBODY)) return true;
    return flags & (EXCESS | HELD) && is_lower(s, s->serves[slot], preemptor);
}

#endif
