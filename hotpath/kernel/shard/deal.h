/* One cluster's machines and needs while they are dealt: hotpath/plain/holding.py, compiled.
 *
 * Needs go by their rows, their places in the order of filling. Between the books and the deal
 * stand the parts: the machines that are not where their need keeps them, be it because they are
 * loose or because another need has them now. All others the books name: a need keeps what it
 * holds (`holding`), minus its parts. So a deal costs what changes, not what there is.
 */

#ifndef BIGFLEET_DEAL_H
#define BIGFLEET_DEAL_H

#include "shard.h"

/* `label` and `owner` are rows: the need that it served when the deal began, the one that has it
 * now; NOBODY. `place` tells cells apart, and what is configured in them. Parts alike in all but
 * slot and owner are a group: paths pass the machines of a group on together. */
typedef struct {
    int64_t place;
    int32_t slot, box, label, owner;
    int32_t entry; /* where it stands in `kept`, if its need kept it */
    bool is_kept;  /* its need kept it when the deal began; else it was loose */
} Part;

/* Where the machines of one of a need's bins stand in `kept`, and how many of them others have. */
typedef struct { int32_t first, given; bool is_listed; } Tray;

/* One step of a path: `taker` takes machines of one group from `giver`; NOBODY: from the loose. */
typedef struct {
    int32_t taker, giver, first, count; /* where they stand in `found` */
    bool is_kept; /* `found` has entries of `kept`; else it has parts */
} Step;

/* Where a path ends: with loose machines that `row` takes, or with the loss of `row`. */
typedef struct { int32_t row; bool takes_loose; } End;

/* How many parts are free; how many a need has without being their label, those of these that have
 * one; how many are free and have one. */
typedef struct { int32_t free, foreign, displaced, labelled; } Tally;

/* How many parts one need has that another can use, by the changes that taking one costs: -1 where
 * it comes back to its label, 0, 1 where it leaves it. */
typedef struct { int32_t back, even, away; } Ways;

/* Numbers of an array that are compared at once. */
enum { LANES = 4 };
typedef int32_t Lanes __attribute__((vector_size(LANES * sizeof(int32_t)), may_alias));
typedef int64_t Halves __attribute__((vector_size(sizeof(Lanes))));

enum { SAVED_ROWS = 5 };

#define UNREACHED (INT32_MAX / 4)
#define IMPASSABLE (INT32_MAX / 2) /* no path is so short that with it it would reach anything */

/* What is known of an edge. */
enum { UNSEEN, NO, YES };

typedef struct {
    Shard *s;
    int32_t cluster, rows, size; /* size: machines of the cluster, and so of each list below */
    const int32_t *needs;    /* rows */
    int32_t *row_of;         /* by need; set for those of the cluster */
    int32_t *loose, loose_used; /* slots beyond the counts, as the books say */
    int32_t *pool, *owners;  /* room to sort in */
    int32_t *found;          /* parts, or entries of `kept`, of the steps of a path */
    int32_t *kept;           /* what needs keep, by need and bin; see deal_kept.c */
    bool *is_given;          /* by entry of `kept`: another need has it */
    uint64_t *keeps;         /* rows x class_words  classes of which a need keeps any */
    Tray *trays;             /* by need and bin */
    int32_t *tray_start;     /* rows */
    Part *parts;             /* while paths are sought: the loose first, sorted; then the kept */
    Part *saved;             /* of before a trial */
    int32_t used, kept_from;
    uint64_t *users;         /* by part, row_words each: rows whose profile it suits */
    int32_t row_words;

    Tally tally, saved_tally;

    /* By row; the first five stand in one block, which `saved_rows` is a copy of. */
    int32_t *has;            /* machines */
    int32_t *lent;           /* machines of its label that others have */
    int32_t *foreign_of;     /* machines that it has and that are not of its label */
    int32_t *own_free;       /* free parts of its label */
    int32_t *free_from;      /* no part before it is free that it can use */
    int32_t *saved_rows;
    int32_t *own_loose;      /* loose machines of its label that it can use */
    int32_t *distance, *via, *weight; /* of the shortest path to it, and its last step */
    int32_t *turn;           /* the round of the search from which on it may bring others nearer */
    bool *is_gang;           /* nobody takes single machines from it */
    const uint64_t **classes; /* that suit it, where nothing else of a machine matters; or NULL */
    bool *is_touched;        /* machines of its label went to others, or came back */
    Step *steps;
    uint8_t *edges;          /* rows x rows  see keeps_for */
    Ways *ways;              /* rows x rows  by taker, then giver; recount_ways */
    int32_t lanes;           /* rows / LANES, rounded up */
    int32_t *weights;        /* rows x lanes  of a step, by taker, then giver; see weigh */
    int32_t *bound;          /* lanes  a path must be shorter to be of use: the distance of those
                                who can give, INT32_MIN of others */

    int32_t gang, domain;    /* the row of a gang that is tried in a domain; NOBODY */
} Deal;

/* deal_order.c */
void order_cluster(Shard *s, int32_t cluster);

/* deal_plain.c */
bool is_nearest_itself(Deal *d, int32_t source);
bool find_plain_end(Deal *d, int32_t source, End *end);

/* deal_paths.c */
int32_t cost_of_loose(Deal *d, int32_t row);
void fill_needs(Deal *d);
int32_t fill(Deal *d, int32_t row, int32_t lacking);
void recount_ways(Deal *d);

/* deal_kept.c */
void open_trays(Deal *d);
Tray *tray_of(Deal *d, int32_t row, int32_t bin);
int32_t entry_of(const Deal *d, const Part *part);
void mark_given(Deal *d, const Part *parts, int32_t count, bool is_given);
bool is_used_up(const Deal *d, const Part *part);

/* deal_groups.c */
bool can_use(const Deal *d, int32_t row, int32_t slot);
bool find_edge(Deal *d, int32_t taker, int32_t giver);
int32_t find_kept(Deal *d, int32_t taker, int32_t giver, int32_t *found, Part *group);
int32_t find_parts(const Deal *d, const Step *step, int32_t weight, int32_t *found, Part *group);
int32_t find_loose(const Deal *d, const Step *step, int32_t costs);
void forget_edges(Deal *d, int32_t giver, int answer, bool is_last);
int compare_groups(const Part *a, const Part *b);
void sort_parts(Part *parts, int32_t count);

/* deal_names.c */
void name_machines(Deal *d, int32_t gang);

/* deal_gang.c */
int32_t home_of(Deal *d, int32_t row, const int32_t *slots, int32_t count);
void grow_gang(Deal *d, int32_t row);

/* deal.c */
int32_t gather_held(const Deal *d, int32_t row, double least_price, int32_t *slots);

static inline bool is_loose(const Shard *s, int32_t slot) {
    return s->flags[slot] & (EXCESS | UNREPORTED);
}

static inline int64_t place_in(int32_t cell, bool is_configured) {
    return (int64_t)cell * 2 + is_configured;
}

static inline int64_t place_of(const Shard *s, int32_t slot) {
    return place_in(s->cell[slot], s->state[slot] == CONFIGURED);
}

static inline int32_t domain_of(const Deal *d, int32_t row, int32_t slot) {
    int32_t axis = d->s->need[d->needs[row]].gang_axis;
    return d->s->axis_codes[(size_t)axis * d->s->cells + d->s->cell[slot]];
}

/* Tell whether a machine suits a need; a gang may still not use it outside of a domain. */
static inline bool profile_suits(const Deal *d, int32_t row, int32_t slot) {
    const Shard *s = d->s;
    if (d->classes[row]) return bit(d->classes[row], class_of(s, slot));
    const Need *need = s->need + d->needs[row];
    int32_t profile = s->state[slot] == CONFIGURED ? need->ready_profile : need->profile;
    return cell_suits(s, profile, s->cell[slot]);
}

static inline uint64_t *users_of(const Deal *d, const Part *part) {
    return d->users + (size_t)(part - d->parts) * d->row_words;
}

/* Tell whether a need can use the machine of a part. */
static inline bool suits(const Deal *d, int32_t row, const Part *part) {
    return bit(users_of(d, part), row) &&
           (row != d->gang || domain_of(d, row, part->slot) == d->domain);
}

/* Tell whether it matters to a need which machine of a class it is. */
static inline bool is_picky(const Deal *d, int32_t row) {
    return !d->classes[row] || row == d->gang;
}

static inline uint64_t *keeps_of(const Deal *d, int32_t row) {
    return d->keeps + (size_t)row * d->s->class_words;
}

static inline int32_t *weight_of(const Deal *d, int32_t taker, int32_t giver) {
    return d->weights + (size_t)taker * d->lanes * LANES + giver;
}

/* Note what it costs to take a machine from another need: what comes back to its label costs -1,
 * what leaves it 1, so does what a need keeps; and of that it is not always known yet whether there
 * is any. */
static inline void weigh(Deal *d, int32_t taker, int32_t giver) {
    size_t edge = (size_t)taker * d->rows + giver;
    const Ways *ways = d->ways + edge;
    *weight_of(d, taker, giver) = ways->back ? -1 : ways->even ? 0
                                : ways->away || d->edges[edge] != NO ? 1 : IMPASSABLE;
}

/* Tell whether `giver` keeps a machine that `taker` can use; found out when it is first asked. */
static inline bool keeps_for(Deal *d, int32_t taker, int32_t giver) {
    uint8_t known = d->edges[(size_t)taker * d->rows + giver];
    return known == UNSEEN ? find_edge(d, taker, giver) : known == YES;
}

#endif
