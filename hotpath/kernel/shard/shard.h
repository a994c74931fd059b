/* What the compiled hot path knows of one shard, from cycle to cycle.
 *
 * Machines stand in slots sorted by (class, id), so that a class is a slab of slots and the order
 * of slots inside it is that of the ids. A box is a (class, zone) pair, a cell a (class, topology
 * domain) pair inside a box; both are sorted by class. Needs, clusters, cells, ... are numbers that
 * were checked when they came in (see tables.h); every index used later is one of them, a loop
 * counter below a length, or was computed here from these.
 *
 * The books (who has what) are opened by intake.c and deal.c and written on by the walk. All that
 * goes through set_slot and the journal (slots.c), so that it can be taken back when the cycle is
 * over: what was ordered comes true only when the provider says so.
 */

#ifndef BIGFLEET_SHARD_H
#define BIGFLEET_SHARD_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOBODY (-1)
#define UNKNOWN_NEED (-2) /* reserved for a need of which no roll-up told: hands off */

/* States, with the codes of models.machine.State. */
enum { SPECULATIVE, CREATING, IDLE, CONFIGURING, CONFIGURED, DRAINING, DELETING, FAILED, STATES };

/* Verbs, reasons of orders and of shortfalls: hotpath/kernel/orders.py has the same lists. */
enum { CONFIGURE, CREATE, DRAIN, DELETE };
enum { READY, FROM_IDLE, FROM_SPECULATIVE, BEYOND_AND_WANTED, PREEMPTED, BEYOND_COUNT,
       SERVES_NOTHING, DRAGS_ON, HELD_LONG_ENOUGH };
enum { WAITING_FOR_DRAIN, WAITING_FOR_CREATE, NO_MATCHING_MACHINE, TOPOLOGY_UNSATISFIABLE,
       SPREAD_UNSATISFIABLE, PRICE_UNKNOWN, QUOTA_EXHAUSTED, ADDRESSES_EXHAUSTED, STOCKED_OUT,
       CAPACITY_EXHAUSTED };

/* Who has a claim on an idle machine: nobody; nobody any more, its need's count is exceeded for
 * long enough; the same, but too short a time; the need it is reserved for. */
enum { UNCLAIMED, STOOD_BEYOND, LAPSING, RESERVED, CLAIMS };

/* Where a free machine stands: code of claim c and decade d is 8 c + d; then the speculative ones.
 * `decade` is that of its reclamation penalty: 0, to 1, to 10, ... to 100,000, more. What is not
 * free has a code from TAKEN on. If a need holds it, set_slot adds 1 and the low bits of the need:
 * so machines of a need are looked for in a column of bytes (held_of_class). */
enum { DECADES = 8, SOON = CLAIMS * DECADES, LATE, CODES, TAKEN = 127 };
#define IS_TAKEN(code) ((code) >= TAKEN)
#define TAKEN_BY(need) ((uint8_t)(TAKEN + 1 + (need) % (TAKEN + 1)))
#define IS_IDLE_CODE(code) ((code) < SOON)
#define CLAIM_OF(code) ((code) / DECADES)

/* Codes share a hint where their machines begin: those of a claim do, a speculative one has its. */
enum { HINTS = CLAIMS + CODES - SOON };
#define HINT_OF(code) (IS_IDLE_CODE(code) ? CLAIM_OF(code) : CLAIMS + (code) - SOON)

/* Sets of codes, as in class_mask: idle; those of them with a claim that only a higher need may
 * pass over; speculative. */
#define IDLE_CODES (((uint64_t)1 << SOON) - 1)
#define CLAIMED_CODES (IDLE_CODES & ~(((uint64_t)1 << (LAPSING * DECADES)) - 1))
#define SPECULATIVE_CODES ((uint64_t)1 << SOON | (uint64_t)1 << LATE)

/* Flags of a machine. */
enum {
    PINNED = 1,
    NOTICED = 2,    /* the provider announced that it takes it back */
    SLOW = 4,       /* longer in coming than tier 1 waits */
    HOSTED = 8,
    HELD = 16,      /* counts for the need it serves */
    EXCESS = 32,    /* held by a cluster that was heard from, beyond every count; `serves` is then
                       the need it was serving, or NOBODY: what the ledger calls its name */
    STOOD = 64,     /* excess for as long as reclaim.delay */
    LEAVING = 128,  /* drains, by an order of this cycle or an earlier one, and may be waited for */
    LISTED = 256,   /* has an entry in `beyond` */
    PAUSED = 512,   /* times 1 to 4: the kind of back-off that keeps it, see PAUSE_KIND */
    UNREPORTED = 4096, /* as EXCESS, but of a cluster in shadow mode and not idle: it stays */
    WATCHED = 8192, /* has an entry in `watches` */
};
#define PAUSE_KIND(flags) (((flags) / PAUSED) & 7) /* 0 none, 1 quota, 2 subnet, 3 class, 4 slot */
#define PAUSE_KINDS 8

#define DIFFERS (-2) /* in axis_of_box: cells of the box have several values */

enum { MOST_STEPS = 16, SCRATCHES = 15 };

typedef struct {
    int32_t cluster, priority, count, floor;
    int32_t menu;          /* order of classes and boxes for its penalty and what it asks for */
    int32_t profile;       /* cells that can serve it once they are unconfigured */
    int32_t ready_profile; /* cells of which a configured machine serves it as it is */
    int32_t spot_cap;      /* spot machines of it that one box should hold at the most */
    int32_t gang_axis;     /* NOBODY where it is no gang */
    int32_t spread_first, spreads;
    int32_t name_rank;     /* place of its name among all needs' */
    double arrival, drain_seconds, interruption_penalty, reclamation_penalty;
} Need;

typedef struct { int32_t axis, max_skew, is_hard; } Spread;

/* What limits the next pick of a need; it changes with each machine that the need takes. Counters
 * of all constraints stand one after the other, those of constraint i from start[i]. */
typedef struct {
    int32_t need, risky_left;  /* machines with p > 0 it may still take, so that its floor is met */
    int32_t spreads;
    const int32_t *start;
    int32_t *counts;           /* machines the need has in each domain */
    uint8_t *present;          /* a machine of the shard, in any state, matches there */
    int32_t *least;            /* per constraint: fewest in any present domain; -1 without any */
} Purse;

/* A machine that a need could have. */
typedef struct { int32_t slot, is_speculative; int64_t cost; } Pick;

/* How many machines of a box a need holds; a need's bins are sorted by box, none is empty. */
typedef struct { int32_t box, count; } Bin;
typedef struct { Bin *bins; int32_t used, room; } Holding;

/* A machine beyond every count, and since when; NAN until the cycle that first sees it. */
typedef struct { int32_t slot; double begun; } Beyond;

/* A machine in state DRAINING without a notice; how long a need has waited for it. At 0
 * cycles nothing is remembered of it, and `grace` says nothing. */
typedef struct { int32_t slot, cycles; double grace; } Watch;

typedef struct {
    int32_t slot, need, other; /* other: a victim's need, the one an excess machine was serving,
                                  the one that an idle machine was reserved for; of what DRAGS_ON
                                  the cycles for which a need has waited */
    uint8_t verb, why;
    double grace;
    int64_t cost;              /* nano-USD an hour, of what phase 1 picks */
} Order;

typedef struct { int32_t need, count, reason, age; } Short;

/* An idle machine that the opening dealt to another need than the one it was reserved for. */
typedef struct { int32_t slot, label; } Moved;

/* What set_slot must restore when the cycle is taken back. */
typedef struct { int32_t slot, serves; uint16_t flags; uint8_t code; } Before;

typedef struct Shard {
    /* Classes (k), boxes (b), cells (c), axes (labels whose values cells have). */
    int32_t classes, boxes, cells, axes, axes_room;
    double *price;              /* k  USD an hour, NAN unknown */
    double *probability;        /* k */
    double *hold;               /* k  seconds an idle machine is kept; INFINITY where fixed */
    uint8_t *is_spot;           /* k */
    int32_t *box_class, *box_zone;
    int32_t *class_box;         /* k + 1  first box of each class */
    int32_t *cell_box;
    int32_t *class_cell;        /* k + 1  first cell of each class */
    int32_t *box_by_risk;       /* b  boxes by (probability, zone, class): menus.c begins with it */
    int32_t *axis_codes;        /* axes x c  value of the label in each cell, NOBODY without one */
    int32_t *axis_width;        /* axes  codes are below this */
    int32_t **domain_start, **domain_cells; /* axes  cells by domain, see domains.c */
    int32_t *axis_of_box;       /* axes x b  the value all cells of the box have; DIFFERS */

    /* Menus: for a penalty and a set of scarce resources left unasked. */
    int32_t menus, menus_room;
    int64_t *menu_cost, *menu_limit; /* m x k  effective cost; what is alike to it on the market */
    uint8_t *menu_waste;        /* m x k */
    int32_t *menu_class_rank;   /* m x k  place by (cost, p and price where saturated, class) */
    int32_t *menu_box_rank;     /* m x b  place by (cost, ..., p, zone, class) */

    /* Profiles: which cells can serve. */
    int32_t profiles, profiles_room;
    uint64_t *profile_classes;  /* p x class_words  classes of which a cell can */
    int32_t *profile_row;       /* p  row in profile_cells; NOBODY: all cells of the classes can */
    int32_t *own_row;           /* p  row in profile_cells that is its to write; NOBODY */
    uint64_t *profile_cells;    /* rows x cell_words */
    int32_t cell_rows, cell_rows_room;
    int32_t class_words, cell_words;

    int32_t clusters;
    uint8_t *mine, *shadow;     /* x  heard from and of this shard; only reported on */
    uint8_t *dirty;             /* x  to be dealt anew before the next walk */

    int32_t needs, spreads;
    Need *need;
    Spread *spread;
    int32_t *cluster_start, *cluster_needs; /* x + 1, n  needs of each cluster, in the order in
                                               which deal.c filled them last */
    int32_t *walk;              /* needs that may attract capacity, in the order of the walk */
    int32_t walk_length;

    /* Machines; their columns are one piece of memory. */
    int32_t slots;
    int32_t *slab;              /* k + 1  first slot of each class */
    void *columns;
    int32_t *cell, *serves, *cluster;
    int32_t *id_rank;           /* place of the id among all ids */
    uint8_t *state, *code;
    uint16_t *flags;
    double *penalty, *since;    /* USD; seconds */

    /* Indices over the slots; all of them kept by set_slot and the intake. */
    int32_t *box_count;         /* b x CODES  free machines by code */
    uint64_t *class_mask, *box_mask;  /* k, b  bit set where the count is not 0 */
    int32_t *class_free;        /* k  free: idle without a label, or speculative */
    int32_t *speculative;       /* k x PAUSE_KINDS  in that state, without a notice: count_paused */
    double *oldest_idle;        /* k  none that is idle and claimed by nobody is so since before;
                                      INFINITY to begin with */
    int32_t *box_hint;          /* b x HINTS  no machine of these codes is in a lower slot */
    int32_t *cell_idle;         /* c  free: idle and claimed by nobody */
    int32_t *cell_soon, *cell_late; /* c  free: speculative */
    int32_t *cell_machines, *box_machines; /* c, b  in any state */
    Holding *holding;           /* n */
    int32_t *have, *waiting, *created, *lost; /* n; have counts those that are HELD */
    int32_t *reserved;          /* n  HELD and idle still */
    int32_t *coming;            /* n  HELD and CREATING or CONFIGURING */
    double *eldest;             /* n x 2  of those CREATING, CONFIGURING none is so since before;
                                          INFINITY to begin with */
    int32_t *settled_at;        /* n  the count for which phase 3's order has said which of its own
                                      machines it keeps; NOBODY since one of them changed */
    int32_t *given;             /* x  machines taken from each in this cycle */
    int64_t hosts, hosts_in_use;

    Beyond *beyond;
    int32_t beyond_used, beyond_room;
    Watch *watches;
    int32_t watches_used, watches_room;
    bool watches_sorted;
    Watch *begun;               /* drains that the last cycle began, by slot */
    int32_t begun_used, begun_room;
    Moved *moved;               /* since the books began to open; deal.c adds by note_moved */
    int32_t moved_used, moved_room;
    int32_t *drained;           /* slots drained by this cycle's orders */
    int32_t drained_used, drained_room;
    int32_t *loose_start;       /* x + 1  where each holder's part of `loose` begins */
    int32_t *loose;             /* machines beyond the counts, by holder, as the books opened */
    int32_t loose_room;

    /* Settings. */
    double reclaim_delay, saturation, creating_timeout, configuring_timeout, hold_max;
    double window, half_life;
    int32_t tier1, grace_steps;
    int32_t grace_gap[MOST_STEPS];
    double grace_seconds[MOST_STEPS];
    double weight[2][3];        /* normal, saturated: speed, interruption, reclamation */

    /* Memory and answer of the cycle. */
    double now, last_cycle;     /* last_cycle: NAN before the first */
    uint8_t *hands_off;         /* slots  what a plan moves: not to be given back; or NULL */
    double *rate, *rate_at;     /* k  forecast: assignments a minute, as of when */
    int32_t *short_cycles;      /* n */
    Order *orders;
    int32_t orders_used, orders_room;
    int32_t shadowed_from, shadowed_to; /* orders between the two are only reported */
    Short *shorts;
    int32_t shorts_used, shorts_room;
    struct Lot *lots;           /* see lots.h */
    int32_t lots_room;
    int32_t *place_cell, place_room;
    struct Crowd *crowd;        /* see victims.h */
    Before *journal;
    int32_t journal_used, journal_room;
    bool journalling;
    bool failed;                /* no memory: the shard is of no use any more */
    int32_t fault_row;          /* the first row that a setter refused */
    void *scratch[SCRATCHES];   /* see scratch() */
    size_t scratch_room[SCRATCHES];
} Shard;

/* memory.c */
void *grown(Shard *s, void *array, int32_t *room, int32_t used, size_t size);
void *shrunk(void *array, int32_t *room, int32_t used, size_t size);
void *grown_little(Shard *s, void *array, int32_t *room, int32_t used, size_t size);
void *scratch(Shard *s, int which, size_t bytes);
void use_large_pages(void *array, size_t bytes);

/* slots.c */
void fetch_slot(const Shard *s, int32_t slot);
void set_slot(Shard *s, int32_t slot, int32_t serves, uint16_t flags, uint8_t code);
void hold_free(Shard *s, int32_t need, const Pick *picks, int32_t count);
void take_back(Shard *s, int32_t journal_from);
int32_t bin_place(const Holding *h, int32_t box);
int32_t held_in(const Shard *s, int32_t need, int32_t box);
int32_t held_of_class(const Shard *s, int32_t n, int32_t k, int32_t left, int32_t *found);
int32_t members_of(Shard *s, int32_t need, int32_t **members);
int32_t leaving_for(const Shard *s, int32_t need, int32_t *found, int32_t used, int32_t most);

/* order.c: the first is the first to be given back */
void sort_by_give_back(Shard *s, int32_t *slots, int32_t count, double served_penalty);
void bring_first_to_go(Shard *s, int32_t *slots, int32_t count, int32_t wanted,
                       double served_penalty);
void sort_keys(uint64_t *keys, int32_t count);

/* domains.c: the cells of a domain, ascending; their number */
int32_t cells_of(Shard *s, int32_t axis, int32_t domain, const int32_t **cells);
void forget_domains(Shard *s); /* call before axes change or go */

/* intake.c, deal.c */
void enter_machines(Shard *s); /* all of them, from their columns, into empty indices */
void change_machine(Shard *s, int32_t slot, uint8_t state, int32_t label, int32_t cluster,
                    double penalty, double since, uint16_t flags);
void open_books(Shard *s, double now);
void list_beyond(Shard *s, int32_t slot);
void put_beyond(Shard *s, int32_t slot, int32_t label, int32_t cluster);
void deal(Shard *s, int32_t cluster);
bool order_of_filling_changed(Shard *s, int32_t cluster);

/* purse.c */
Purse open_purse(Shard *s, int32_t need);
bool purse_allows(const Shard *s, const Purse *purse, int32_t cell); /* hard constraints only */
void purse_take(Shard *s, Purse *purse, int32_t slot);
int32_t risky_left(Shard *s, int32_t need);

/* pick.c: up to `wanted` free machines, in `domain` of the gang's axis (NOBODY: anywhere) */
int32_t pick(Shard *s, int32_t wanted, Purse *purse, int32_t domain, Pick **picks);

/* crowd.c: to be called before each walk; and when the shard goes */
void forget_crowd(Shard *s);
void free_crowd(Shard *s);

/* assign.c, preempt.c: phases 1 and 2 */
void assign(Shard *s, int32_t need);
void preempt(Shard *s, int32_t need);
int32_t pinned_domain(Shard *s, int32_t need); /* where a gang has machines; NOBODY */
int32_t spares_of(Shard *s, int32_t need, int32_t **spares);
void order_picked(Shard *s, int32_t need, const Pick *picks, int32_t count);
void adopt(Shard *s, int32_t need, int32_t slot);
void take_over(Shard *s, int32_t need, int32_t slot);
void drain(Shard *s, int32_t need, int32_t slot, double grace, int why, int32_t other);
void give_order(Shard *s, Order order);

/* shortfalls.c; a machine enters (1) or leaves (-1) the speculative ones, with its flags */
void report_shortfalls(Shard *s, bool shadow);
void count_paused(Shard *s, int32_t slot, int32_t by);

/* reclaim.c, release.c, escalate.c: on the books after phases 1 and 2, in this order. The first
 * forgets what is not excess any more, the last is for when all orders are given. */
void remember_excess(Shard *s);
void reclaim(Shard *s);
void release(Shard *s);
void escalate(Shard *s);
void learn_rates(Shard *s);
void note_moved(Shard *s, int32_t slot, int32_t label);

/* The code of an idle machine; decades as in stock.DECADES. */
static inline uint8_t idle_code(const Shard *s, int32_t slot, int claim) {
    static const double ends[DECADES - 1] = {0, 1, 10, 100, 1e3, 1e4, 1e5};
    int decade = 0;
    while (decade < DECADES - 1 && s->penalty[slot] > ends[decade]) decade++;
    return (uint8_t)(claim * DECADES + decade);
}

static inline int32_t class_of(const Shard *s, int32_t slot) {
    return s->box_class[s->cell_box[s->cell[slot]]];
}

static inline int32_t box_of(const Shard *s, int32_t slot) { return s->cell_box[s->cell[slot]]; }

/* Free machines of a class that have one of some codes. */
static inline int32_t free_of(const Shard *s, int32_t k, uint64_t codes) {
    int32_t count = 0;
    for (int32_t b = s->class_box[k]; b < s->class_box[k + 1]; b++)
        for (uint64_t left = s->box_mask[b] & codes; left; left &= left - 1)
            count += s->box_count[(size_t)b * CODES + __builtin_ctzll(left)];
    return count;
}

static inline bool bit(const uint64_t *words, int32_t at) {
    return words[at >> 6] >> (at & 63) & 1;
}

static inline bool class_suits(const Shard *s, int32_t profile, int32_t k) {
    return bit(s->profile_classes + (size_t)profile * s->class_words, k);
}

/* Whether machines of the cell can serve needs of the profile. */
static inline bool cell_suits(const Shard *s, int32_t profile, int32_t c) {
    int32_t row = s->profile_row[profile];
    if (row == NOBODY) return class_suits(s, profile, s->box_class[s->cell_box[c]]);
    return bit(s->profile_cells + (size_t)row * s->cell_words, c);
}

/* The cluster that holds a machine: configured or reserved for it; NOBODY. */
static inline int32_t holder_of(const Shard *s, int32_t slot) {
    if (s->flags[slot] & NOTICED) return NOBODY;
    switch (s->state[slot]) {
    case CONFIGURED: case CONFIGURING: return s->cluster[slot];
    case CREATING: case IDLE:
        return s->serves[slot] >= 0 ? s->need[s->serves[slot]].cluster : NOBODY;
    default: return NOBODY;
    }
}

static inline int32_t missing(const Shard *s, int32_t n) {
    int64_t lacks = (int64_t)s->need[n].count - s->have[n] - s->lost[n] - s->waiting[n];
    return lacks > 0 ? (int32_t)lacks : 0;
}

static inline bool is_gang(const Shard *s, int32_t n) { return s->need[n].gang_axis >= 0; }

/* Whether `other` is a need of strictly lower priority. */
static inline bool is_lower(const Shard *s, int32_t other, int32_t n) {
    return other >= 0 && s->need[other].priority < s->need[n].priority;
}

/* The need that a machine serves, is reserved for or drains for; NOBODY for an excess one. */
static inline int32_t serving(const Shard *s, int32_t slot) {
    return s->flags[slot] & (EXCESS | UNREPORTED) ? NOBODY : s->serves[slot];
}

/* Configured and not drained yet. */
static inline bool is_configured(const Shard *s, int32_t slot) {
    return s->state[slot] == CONFIGURED && !(s->flags[slot] & (NOTICED | LEAVING));
}

/* May be drained for another need. */
static inline bool is_movable(const Shard *s, int32_t slot) {
    int32_t x = s->cluster[slot];
    return is_configured(s, slot) && x >= 0 && s->mine[x] && !s->shadow[x] &&
           !(s->flags[slot] & PINNED);
}

#endif
