/* The candidates of one need, in lots that are alike to it (hotpath/plain/candidates.py). */

#ifndef BIGFLEET_LOTS_H
#define BIGFLEET_LOTS_H

#include "shard.h"

/* Lots are taken by (group, crowding of the place where the need is spread, flags, rank, next id).
 * Which machines are in one: those of class k, of `box` and `cell` unless NOBODY, that stand where
 * `code` says (reserved: with a claim of a lower need), and pass what all lots share. */
typedef struct Lot {
    uint32_t group;      /* 0 idle, 1 idle but reserved for a lower need, 2 speculative */
    uint32_t flags;      /* scarce, then unknown price or late, then decade of the penalty */
    int32_t rank;        /* in the need's menu: by cost and what breaks its ties */
    int32_t k, box, cell, place;
    int32_t left;        /* machines not taken yet */
    int32_t cursor;      /* those are in slots from here on; NOBODY: not looked for yet */
    int64_t cost;        /* effective, nano-USD an hour */
    uint8_t code;        /* decade of idle ones; SOON or LATE */
    bool is_spot, is_risky;
    bool is_over;        /* has its share of the need's spot machines; others have room */
} Lot;

/* All lots of a need, and the places they are in: by the domains of its spread constraints. */
typedef struct {
    Shard *s;
    Purse *purse;
    int32_t n, axis, domain; /* only machines in `domain` of `axis`; NOBODY: anywhere */
    bool is_picky;           /* not all cells of a class suit */
    int32_t used;
    int32_t first;           /* lots before it are empty */
    int32_t bought_from;     /* lots from here on are speculative; until these are there, `used` */
    int32_t places;          /* s->place_cell has a cell of each */
    uint8_t *open;           /* places  the spread allows one more */
    uint8_t *level;          /* places  as full as that of the head */
    int32_t *best;           /* places  the first lot there that is allowed */
    int32_t *spot_of_need, *spot_of_cluster; /* b  NULL while the market is closed */
    Pick *picks;
    int32_t picked;
} Stall;

enum { IDLE_GROUP, RESERVED_GROUP, SPECULATIVE_GROUP };

static inline bool is_bought(const Lot *lot) { return lot->group == SPECULATIVE_GROUP; }

/* Say whether the need may take one more of a lot now. */
static inline bool is_allowed(const Stall *stall, const Lot *lot) {
    return lot->left > 0 && !lot->is_over && (!stall->purse->spreads || stall->open[lot->place]) &&
           !(lot->is_risky && stall->purse->risky_left <= 0);
}

static inline bool is_traded(const Lot *lot) { return is_bought(lot) && lot->is_spot; }

/* lots.c */
void lay_out_lots(Stall *stall, uint64_t codes);
int32_t next_slot(Stall *stall, Lot *lot);
void take(Stall *stall, Lot *lot, int32_t amount);

/* market.c */
bool open_market(Stall *stall);
bool keep_shares(const Stall *stall);
int32_t trade(Stall *stall, int32_t head, int32_t wanted);

/* pick.c */
int compare_crowding(const Stall *stall, int32_t a, int32_t b);

#endif
