/* Machines, settings and what is remembered: all of it at first, later what changes. */

#include "tables.h"

#include <stdlib.h>
#include <string.h>

enum { FROM_OUTSIDE = PINNED | NOTICED | SLOW | HOSTED, LAST_KIND = 4 };

/* What is said of one machine, whatever its place. */
typedef struct {
    const uint8_t *state;
    const int32_t *serves, *cluster;
    const double *penalty, *since;
    const uint16_t *flags;
} Report;

static int check_report(Shard *s, int64_t count, const Report *of) {
    for (int64_t at = 0; at < count; at++) {
        uint16_t flags = of->flags[at];
        if (of->state[at] >= STATES || !is_in(of->serves[at], UNKNOWN_NEED, s->needs) ||
            !is_in(of->cluster[at], NOBODY, s->clusters))
            return refuse(s, OUT_OF_RANGE, at);
        if (flags & (uint16_t)~FROM_OUTSIDE || !(of->penalty[at] >= 0) || isnan(of->since[at]))
            return refuse(s, SENSELESS, at);
    }
    return FINE;
}

/* Machines must come by class, and inside a class by id. */
static int check_order(Shard *s, int64_t slots, const int32_t *cell, const int32_t *id_rank) {
    int32_t last = 0;
    for (int64_t slot = 0; slot < slots; slot++) {
        if (!is_in(cell[slot], 0, s->cells) || id_rank[slot] < 0)
            return refuse(s, OUT_OF_RANGE, slot);
        int32_t k = s->box_class[s->cell_box[cell[slot]]];
        if (k < last || (slot && k == last && id_rank[slot] <= id_rank[slot - 1] &&
                         k == s->box_class[s->cell_box[cell[slot - 1]]]))
            return refuse(s, UNSORTED, slot);
        last = k;
    }
    return FINE;
}

/* Make the columns, in one piece: the wider come first, so that each is aligned. */
static bool lay_out_columns(Shard *s, size_t slots) {
    const size_t row = 2 * sizeof *s->penalty + 4 * sizeof *s->cell + sizeof *s->flags + 2;
    s->columns = table(s, (int64_t)slots, row);
    if (!s->columns) return false;
    use_large_pages(s->columns, slots * row);
    s->penalty = s->columns;
    s->since = s->penalty + slots;
    s->cell = (int32_t *)(s->since + slots);
    s->serves = s->cell + slots;
    s->cluster = s->serves + slots;
    s->id_rank = s->cluster + slots;
    s->flags = (uint16_t *)(s->id_rank + slots);
    s->state = (uint8_t *)(s->flags + slots);
    s->code = s->state + slots;
    return true;
}

/* Enter all machines; once, when places, needs and settings are there. */
int bigfleet_shard_machines(Shard *s, int64_t slots, const int32_t *cell, const int32_t *id_rank,
                            const uint8_t *state, const int32_t *serves, const int32_t *cluster,
                            const double *penalty, const double *since, const uint16_t *flags) {
    if (!s->need || !s->grace_steps || s->cell) return refuse(s, OUT_OF_TURN, 0);
    if (!is_length(slots)) return refuse(s, OUT_OF_RANGE, 0);
    Report report = {state, serves, cluster, penalty, since, flags};
    int fault = check_report(s, slots, &report);
    if (!fault) fault = check_order(s, slots, cell, id_rank);
    if (fault) return fault;
    if (!lay_out_columns(s, (size_t)slots)) return NO_MEMORY;
    s->slots = (int32_t)slots;
    if (slots) {
        memcpy(s->penalty, penalty, (size_t)slots * sizeof *penalty);
        memcpy(s->since, since, (size_t)slots * sizeof *since);
        memcpy(s->cell, cell, (size_t)slots * sizeof *cell);
        memcpy(s->serves, serves, (size_t)slots * sizeof *serves);
        memcpy(s->cluster, cluster, (size_t)slots * sizeof *cluster);
        memcpy(s->id_rank, id_rank, (size_t)slots * sizeof *id_rank);
        memcpy(s->flags, flags, (size_t)slots * sizeof *flags);
        memcpy(s->state, state, (size_t)slots * sizeof *state);
    }
    for (int32_t slot = 0; slot < s->slots; slot++) s->slab[class_of(s, slot) + 1]++;
    for (int32_t k = 0; k < s->classes; k++) s->slab[k + 1] += s->slab[k];
    enter_machines(s);
    return s->failed ? NO_MEMORY : FINE;
}

static int check_slots(Shard *s, int64_t count, const int32_t *slots) {
    if (!s->cell) return refuse(s, OUT_OF_TURN, 0);
    for (int64_t at = 0; at < count; at++)
        if (!is_in(slots[at], 0, s->slots)) return refuse(s, OUT_OF_RANGE, at);
    return FINE;
}

/* Say whether a report says again of a machine that serves its need what the books know already,
 * but for since when: nothing hangs on that while it is configured. */
static bool is_known(const Shard *s, int32_t slot, uint8_t state, int32_t label, int32_t cluster,
                     double penalty, uint16_t flags) {
    return state == CONFIGURED && s->state[slot] == CONFIGURED && s->serves[slot] == label &&
           s->cluster[slot] == cluster && s->penalty[slot] == penalty &&
           s->flags[slot] == (flags | HELD);
}

/* Write what the provider says of some machines now. */
int bigfleet_shard_change(Shard *s, int64_t count, const int32_t *slots, const uint8_t *state,
                          const int32_t *serves, const int32_t *cluster, const double *penalty,
                          const double *since, const uint16_t *flags) {
    Report report = {state, serves, cluster, penalty, since, flags};
    int fault = check_slots(s, count, slots);
    if (!fault) fault = check_report(s, count, &report);
    if (fault) return fault;
    bigfleet_shard_close(s);
    for (int64_t at = 0; at < count && !s->failed; at++) {
        enum { AHEAD = 8 };
        if (at + AHEAD < count) fetch_slot(s, slots[at + AHEAD]);
        int32_t slot = slots[at];
        uint16_t reported = (uint16_t)(flags[at] | (s->flags[slot] & 7 * PAUSED));
        if (is_known(s, slot, state[at], serves[at], cluster[at], penalty[at], reported))
            s->since[slot] = since[at];
        else
            change_machine(s, slot, state[at], serves[at], cluster[at], penalty[at], since[at],
                           reported);
    }
    return s->failed ? NO_MEMORY : FINE;
}

/* Write which kind of back-off keeps a machine; nothing else of it changes. */
static void set_pause(Shard *s, int32_t slot, int kind) {
    uint16_t flags = (uint16_t)((s->flags[slot] & ~(7 * PAUSED)) | kind * PAUSED);
    /* What is not speculative waits for nothing, and its flag until it is. */
    if (s->state[slot] != SPECULATIVE) s->flags[slot] = flags;
    else change_machine(s, slot, SPECULATIVE, s->serves[slot], s->cluster[slot], s->penalty[slot],
                        s->since[slot], flags);
}

/* Say what back-off keeps: by cell the kind of it, 0 for none, and single machines, ascending,
 * where that of their cell is 0. What was kept before and is not said to be is free. */
int bigfleet_shard_pause(Shard *s, int64_t cells, const uint8_t *kinds, int64_t count,
                         const int32_t *single) {
    int fault = check_slots(s, count, single);
    if (fault) return fault;
    if (cells != s->cells) return refuse(s, OUT_OF_RANGE, cells);
    for (int64_t c = 0; c < cells; c++)
        if (kinds[c] >= LAST_KIND) return refuse(s, OUT_OF_RANGE, c);
    for (int64_t at = 1; at < count; at++)
        if (single[at] <= single[at - 1]) return refuse(s, UNSORTED, at);
    bigfleet_shard_close(s);
    int64_t at = 0;
    for (int32_t slot = 0; slot < s->slots && !s->failed; slot++) {
        bool is_single = at < count && single[at] == slot;
        int kind = kinds[s->cell[slot]];
        if (is_single) at++;
        if (is_single && !kind) kind = LAST_KIND;
        if (kind != PAUSE_KIND(s->flags[slot])) set_pause(s, slot, kind);
    }
    return s->failed ? NO_MEMORY : FINE;
}

/* Say what a plan moves and nothing may be given back of; none where `count` is 0. */
int bigfleet_shard_hands_off(Shard *s, int64_t count, const uint8_t *mask) {
    if (count && count != s->slots) return refuse(s, OUT_OF_RANGE, count);
    free(s->hands_off);
    s->hands_off = NULL;
    if (!count) return FINE;
    s->hands_off = copied(s, mask, count, 1);
    return s->failed ? NO_MEMORY : FINE;
}

/* Numbers come as: reclaim.delay, preempt.saturation, timeouts creating and configuring,
 * release.hold_max, window and half_life, then the weights, normal and saturated. */
enum { NUMBERS = 13 };

int bigfleet_shard_settings(Shard *s, int64_t tier1, int64_t count, const double *numbers,
                            int64_t steps, const int32_t *gap, const double *grace) {
    if (count != NUMBERS || !is_in(steps, 1, MOST_STEPS + 1) || tier1 != (int32_t)tier1)
        return refuse(s, OUT_OF_RANGE, 0);
    for (int64_t at = 0; at < count; at++)
        if (!is_amount(numbers[at])) return refuse(s, SENSELESS, at);
    for (int64_t at = 0; at < steps; at++) {
        if (!is_amount(grace[at])) return refuse(s, SENSELESS, at);
        if (at && gap[at] >= gap[at - 1]) return refuse(s, UNSORTED, at);
    }
    if (gap[steps - 1] != 0 || !(numbers[6] > 0)) return refuse(s, SENSELESS, steps - 1);
    s->tier1 = (int32_t)tier1;
    s->reclaim_delay = numbers[0];
    s->saturation = numbers[1];
    s->creating_timeout = numbers[2];
    s->configuring_timeout = numbers[3];
    s->hold_max = numbers[4];
    s->window = numbers[5];
    s->half_life = numbers[6];
    memcpy(s->weight, numbers + 7, sizeof s->weight);
    s->grace_steps = (int32_t)steps;
    memcpy(s->grace_gap, gap, (size_t)steps * sizeof *gap);
    memcpy(s->grace_seconds, grace, (size_t)steps * sizeof *grace);
    return FINE;
}
