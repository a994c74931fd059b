/* Lay out the free machines that a need may have in lots, by counts where counts can tell. */

#include <string.h>

#include "lots.h"

/* Say whether the need may have a machine on which somebody has a claim. */
static bool may_have(const Stall *stall, int32_t slot) {
    const Shard *s = stall->s;
    uint8_t code = s->code[slot];
    if (!IS_IDLE_CODE(code) || CLAIM_OF(code) < LAPSING) return true;
    return is_lower(s, s->serves[slot], stall->n);
}

/* Say whether a free machine is among those that all lots of the stall share. */
static bool passes(const Stall *stall, int32_t slot) {
    const Shard *s = stall->s;
    int32_t c = s->cell[slot];
    if (stall->is_picky && !cell_suits(s, s->need[stall->n].profile, c)) return false;
    if (stall->domain >= 0 &&
        s->axis_codes[(size_t)stall->axis * s->cells + c] != stall->domain)
        return false;
    return may_have(stall, slot);
}

static uint32_t group_of(uint8_t code) {
    if (!IS_IDLE_CODE(code)) return SPECULATIVE_GROUP;
    return CLAIM_OF(code) == RESERVED ? RESERVED_GROUP : IDLE_GROUP;
}

static bool in_lot(const Stall *stall, const Lot *lot, int32_t slot) {
    const Shard *s = stall->s;
    uint8_t code = s->code[slot];
    if (IS_TAKEN(code) || group_of(code) != lot->group) return false;
    if ((IS_IDLE_CODE(code) ? code % DECADES : code) != lot->code) return false;
    if (lot->cell >= 0 ? s->cell[slot] != lot->cell
                       : lot->box >= 0 && box_of(s, slot) != lot->box)
        return false;
    return passes(stall, slot);
}

/* Give the lowest slot where a machine of an untouched lot may be. */
static int32_t hint(const Shard *s, const Lot *lot) {
    int32_t first = lot->box >= 0 ? lot->box : s->class_box[lot->k];
    int32_t end = lot->box >= 0 ? lot->box + 1 : s->class_box[lot->k + 1];
    int32_t from = INT32_MAX;
    for (int32_t b = first; b < end; b++) {
        const int32_t *hints = s->box_hint + (size_t)b * HINTS;
        int claims = is_bought(lot) ? 1 : CLAIMS;
        for (int claim = 0; claim < claims; claim++) {
            int code = claim * DECADES + lot->code, at = HINT_OF(code);
            if (s->box_mask[b] >> code & 1 && hints[at] < from) from = hints[at];
        }
    }
    return from > s->slab[lot->k] ? from : s->slab[lot->k];
}

/* Remember that no slot of the class below `slot` has the code, where no other shares its hint. */
static void raise_hints(Shard *s, const Lot *lot, uint8_t code, int32_t slot) {
    int32_t first = lot->box >= 0 ? lot->box : s->class_box[lot->k];
    int32_t end = lot->box >= 0 ? lot->box + 1 : s->class_box[lot->k + 1];
    uint64_t others = 0;
    if (IS_IDLE_CODE(code)) others = (((uint64_t)1 << DECADES) - 1) << (code - code % DECADES);
    others &= ~((uint64_t)1 << code);
    for (int32_t b = first; b < end; b++) {
        int32_t *at = s->box_hint + (size_t)b * HINTS + HINT_OF(code);
        if (*at < slot && !(s->box_mask[b] & others)) *at = slot;
    }
}

/* The one code that machines of the lot can have; TAKEN where there are several. */
static uint8_t only_code(const Shard *s, const Lot *lot) {
    if (is_bought(lot)) return lot->code;
    if (lot->group == RESERVED_GROUP) return (uint8_t)(RESERVED * DECADES + lot->code);
    uint64_t mask = s->class_mask[lot->k] >> lot->code;
    bool others = (mask >> (STOOD_BEYOND * DECADES) & 1) || (mask >> (LAPSING * DECADES) & 1);
    return others ? TAKEN : lot->code;
}

/* Find the next machine of a lot that is not empty: the lowest slot from its cursor on. */
int32_t next_slot(Stall *stall, Lot *lot) {
    Shard *s = stall->s;
    int32_t end = s->slab[lot->k + 1];
    uint8_t code = only_code(s, lot);
    bool fresh = lot->cursor < 0;
    int32_t slot = fresh ? hint(s, lot) : lot->cursor;
    for (; slot < end; slot++) {
        if (!IS_TAKEN(code)) {
            const uint8_t *found = memchr(s->code + slot, code, (size_t)(end - slot));
            if (!found) break;
            slot = (int32_t)(found - s->code);
            if (fresh && (lot->box < 0 || box_of(s, slot) == lot->box)) {
                raise_hints(s, lot, code, slot);
                fresh = false;
            }
        }
        if (in_lot(stall, lot, slot)) {
            lot->cursor = slot;
            return slot;
        }
    }
    lot->left = 0; /* only in a shard that failed */
    return NOBODY;
}

/* Take machines off a lot that counts could tell of, lowest id first; give how many. */
static int32_t take_run(Stall *stall, Lot *lot, uint8_t code, int32_t amount) {
    Shard *s = stall->s;
    int32_t slot = next_slot(stall, lot), end = s->slab[lot->k + 1], from = stall->picked;
    for (; slot >= 0 && slot < end && stall->picked - from < amount; slot++) {
        const uint8_t *found = memchr(s->code + slot, code, (size_t)(end - slot));
        if (!found) break;
        slot = (int32_t)(found - s->code);
        if (lot->box >= 0 && box_of(s, slot) != lot->box) continue;
        stall->picks[stall->picked++] = (Pick){slot, is_bought(lot), lot->cost};
        lot->cursor = slot + 1;
    }
    return stall->picked - from;
}

/* Take machines off a lot, lowest id first. */
void take(Stall *stall, Lot *lot, int32_t amount) {
    Shard *s = stall->s;
    uint8_t code = only_code(s, lot);
    bool plain = !IS_TAKEN(code) && lot->group != RESERVED_GROUP && lot->cell < 0 &&
                 !stall->is_picky && stall->domain < 0 && !stall->purse->spreads;
    if (plain) {
        int32_t taken = take_run(stall, lot, code, amount);
        lot->left -= taken;
        stall->purse->risky_left -= lot->is_risky ? taken : 0;
        return;
    }
    for (int32_t i = 0; i < amount; i++) {
        int32_t slot = next_slot(stall, lot);
        if (slot < 0) return;
        lot->cursor = slot + 1;
        lot->left--;
        stall->picks[stall->picked++] = (Pick){slot, is_bought(lot), lot->cost};
        purse_take(s, stall->purse, slot);
    }
}

/* Give the place of a cell: by the domains of the need's constraints. Far beyond a few places it
 * does not pay to look for the same one, and two numbers for one place do no harm. */
static int32_t place_of(Stall *stall, int32_t cell) {
    enum { LOOKED_AT = 32 };
    Shard *s = stall->s;
    const Need *need = s->need + stall->n;
    int32_t from = stall->places > LOOKED_AT ? stall->places - LOOKED_AT : 0;
    for (int32_t place = stall->places - 1; place >= from; place--) {
        bool same = true;
        for (int32_t i = 0; same && i < need->spreads; i++) {
            size_t axis = (size_t)s->spread[need->spread_first + i].axis * s->cells;
            same = s->axis_codes[axis + cell] == s->axis_codes[axis + s->place_cell[place]];
        }
        if (same) return place;
    }
    s->place_cell = grown(s, s->place_cell, &s->place_room, stall->places, sizeof cell);
    if (s->failed) return 0;
    s->place_cell[stall->places] = cell;
    return stall->places++;
}

static void add_lot(Stall *stall, uint8_t code, int32_t k, int32_t box, int32_t cell,
                    int32_t sample, int32_t left) {
    Shard *s = stall->s;
    s->lots = grown(s, s->lots, &s->lots_room, stall->used, sizeof *s->lots);
    if (s->failed) return;
    size_t at = (size_t)s->need[stall->n].menu;
    uint32_t group = group_of(code), waste = s->menu_waste[at * s->classes + k];
    uint32_t second = IS_IDLE_CODE(code) ? isnan(s->price[k]) != 0 : code == LATE;
    uint8_t shown = IS_IDLE_CODE(code) ? code % DECADES : code;
    s->lots[stall->used++] = (Lot){
        .group = group,
        .flags = waste << 4 | second << 3 | (IS_IDLE_CODE(code) ? shown : 0u),
        .rank = IS_IDLE_CODE(code) ? s->menu_class_rank[at * s->classes + k]
                                   : s->menu_box_rank[at * s->boxes + box],
        .k = k, .box = box, .cell = cell,
        .place = stall->purse->spreads ? place_of(stall, sample) : 0,
        .left = left, .cursor = NOBODY,
        .cost = s->menu_cost[at * s->classes + k],
        .code = shown,
        .is_spot = s->is_spot[k], .is_risky = s->probability[k] > 0,
    };
}

/* Add a lot for each code of a mask by counts: of the box, or of the class without one. */
static void add_counted(Stall *stall, int32_t k, int32_t box, uint64_t mask) {
    const Shard *s = stall->s;
    int32_t sample = s->class_cell[k];
    if (!mask) return; /* there may be a box without cells, but none with machines */
    if (stall->purse->spreads && box >= 0)
        while (s->cell_box[sample] != box) sample++;
    for (; mask; mask &= mask - 1) {
        uint8_t code = (uint8_t)__builtin_ctzll(mask);
        uint8_t shown = IS_IDLE_CODE(code) ? code % DECADES : code;
        int32_t last = stall->used - 1;
        int32_t count = box >= 0 ? s->box_count[(size_t)box * CODES + code]
                                 : free_of(s, k, (uint64_t)1 << code);
        /* Unclaimed and long beyond a count are one lot. */
        if (CLAIM_OF(code) == STOOD_BEYOND && IS_IDLE_CODE(code)) {
            for (; last >= 0 && s->lots[last].k == k && s->lots[last].box == box; last--)
                if (s->lots[last].group == IDLE_GROUP && s->lots[last].code == shown) break;
            if (last >= 0 && s->lots[last].k == k && s->lots[last].box == box) {
                s->lots[last].left += count;
                continue;
            }
        }
        add_lot(stall, code, k, box, NOBODY, sample, count);
    }
}

/* Add the lots of a class by looking at its free machines, for counts cannot tell. */
static void add_seen(Stall *stall, int32_t k, uint64_t codes, bool by_cell) {
    Shard *s = stall->s;
    bool spread = stall->purse->spreads > 0;
    int32_t first = stall->used, guess = first;
    for (int32_t slot = s->slab[k]; slot < s->slab[k + 1]; slot++) {
        uint8_t code = s->code[slot];
        if (IS_TAKEN(code) || !(codes >> code & 1) || !passes(stall, slot)) continue;
        if (guess < stall->used && in_lot(stall, s->lots + guess, slot)) {
            s->lots[guess].left++;
            continue;
        }
        for (guess = first; guess < stall->used; guess++)
            if (in_lot(stall, s->lots + guess, slot)) break;
        if (guess < stall->used) {
            s->lots[guess].left++;
            continue;
        }
        int32_t c = s->cell[slot];
        bool by_box = spread || !IS_IDLE_CODE(code);
        add_lot(stall, code, k, by_box ? s->cell_box[c] : NOBODY, by_cell ? c : NOBODY, c, 1);
        if (s->failed) return;
        s->lots[guess].cursor = slot;
    }
}

/* Say whether all cells of each box of the class are in one domain of each constraint. */
static bool even_boxes(const Stall *stall, int32_t k) {
    const Shard *s = stall->s;
    const Need *need = s->need + stall->n;
    for (int32_t i = 0; i < need->spreads; i++) {
        const int32_t *of_box =
            s->axis_of_box + (size_t)s->spread[need->spread_first + i].axis * s->boxes;
        for (int32_t b = s->class_box[k]; b < s->class_box[k + 1]; b++)
            if (of_box[b] == DIFFERS) return false;
    }
    return true;
}

static void add_class(Stall *stall, int32_t k, uint64_t codes) {
    const Shard *s = stall->s;
    codes &= s->class_mask[k];
    if (!codes) return;
    bool spread = stall->purse->spreads > 0, by_cell = spread && !even_boxes(stall, k);
    if (by_cell || stall->is_picky || stall->domain >= 0 || codes & CLAIMED_CODES) {
        add_seen(stall, k, codes, by_cell);
        return;
    }
    if (!spread && codes & IDLE_CODES)
        add_counted(stall, k, NOBODY, codes & IDLE_CODES);
    if (!spread) codes &= ~IDLE_CODES;
    if (!codes) return;
    for (int32_t b = s->class_box[k]; b < s->class_box[k + 1]; b++)
        add_counted(stall, k, b, s->box_mask[b] & codes);
}

/* Lay out, beside what is laid out already, the free machines of some codes that may serve the
 * stall's need. Tier 1 does not wait for what is long in coming. */
void lay_out_lots(Stall *stall, uint64_t codes) {
    Shard *s = stall->s;
    int32_t profile = s->need[stall->n].profile;
    if (s->need[stall->n].priority >= s->tier1) codes &= ~((uint64_t)1 << LATE);
    if (stall->domain < 0) {
        const uint64_t *classes = s->profile_classes + (size_t)profile * s->class_words;
        for (int32_t word = 0; word < s->class_words; word++)
            for (uint64_t bits = classes[word]; bits; bits &= bits - 1)
                add_class(stall, word * 64 + __builtin_ctzll(bits), codes);
        return;
    }
    const int32_t *cells;
    int32_t count = cells_of(s, stall->axis, stall->domain, &cells), last = NOBODY;
    for (int32_t at = 0; at < count; at++) {
        int32_t k = s->box_class[s->cell_box[cells[at]]];
        if (k != last && class_suits(s, profile, k)) add_class(stall, k, codes);
        last = k;
    }
}
