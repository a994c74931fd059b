/* Machines as the provider reports them, and the books as a cycle opens them. */

#include <string.h>

#include "shard.h"

enum { REPORTED = PINNED | NOTICED | SLOW | HOSTED | LISTED | WATCHED | 7 * PAUSED };

void list_beyond(Shard *s, int32_t slot) {
    if (s->flags[slot] & LISTED) return;
    s->beyond = grown(s, s->beyond, &s->beyond_room, s->beyond_used, sizeof *s->beyond);
    if (s->failed) return;
    s->beyond[s->beyond_used++] = (Beyond){slot, NAN};
    s->flags[slot] |= LISTED;
}

/* Put what cluster x of this shard holds beyond every count; `label` is the need it was serving. */
void put_beyond(Shard *s, int32_t slot, int32_t label, int32_t x) {
    bool idle = s->state[slot] == IDLE;
    list_beyond(s, slot);
    uint16_t flags = s->flags[slot] & (uint16_t)~HELD;
    flags |= s->shadow[x] && !idle ? UNREPORTED : EXCESS;
    set_slot(s, slot, label, flags, idle ? idle_code(s, slot, LAPSING) : TAKEN);
}

static void watch(Shard *s, int32_t slot) {
    if (s->flags[slot] & WATCHED) return;
    s->watches = grown(s, s->watches, &s->watches_room, s->watches_used, sizeof *s->watches);
    if (s->failed) return;
    s->watches[s->watches_used++] = (Watch){slot, 0, s->grace_seconds[s->grace_steps - 1]};
    s->watches_sorted = false;
    s->flags[slot] |= WATCHED;
}

/* Put what a cluster holds under the need that its label names, or beyond all counts: deal.c then
 * says who keeps what. What is held for a cluster that is silent or not of this shard stays. */
static void enter_held(Shard *s, int32_t slot, int32_t label, int32_t x) {
    uint16_t flags = s->flags[slot];
    if (!s->mine[x]) {
        bool counts = label >= 0 && s->need[label].cluster == x;
        set_slot(s, slot, label, counts ? flags | HELD : flags, TAKEN);
        return;
    }
    bool idle = s->state[slot] == IDLE, named = label >= 0 && s->need[label].cluster == x;
    s->dirty[x] = 1;
    if (named) {
        const Need *need = s->need + label;
        int32_t profile = s->state[slot] == CONFIGURED ? need->ready_profile : need->profile;
        if (cell_suits(s, profile, s->cell[slot])) {
            set_slot(s, slot, label, flags | HELD, idle ? idle_code(s, slot, RESERVED) : TAKEN);
            return;
        }
    }
    put_beyond(s, slot, named ? label : NOBODY, x);
}

/* Enter one machine, of which the books say nothing yet. */
static void enter(Shard *s, int32_t slot, int32_t label) {
    int32_t k = class_of(s, slot);
    uint16_t flags = s->flags[slot];
    s->serves[slot] = label; /* holder_of reads it */
    int32_t x = holder_of(s, slot);
    s->serves[slot] = NOBODY;
    if (x >= 0) {
        enter_held(s, slot, label, x);
        return;
    }
    uint8_t code = TAKEN;
    if (!(flags & NOTICED)) {
        if (s->state[slot] == SPECULATIVE) {
            count_paused(s, slot, 1);
            if (label == NOBODY && !isnan(s->price[k]) && !PAUSE_KIND(flags))
                code = flags & SLOW ? LATE : SOON;
        } else if (s->state[slot] == IDLE && label == NOBODY) {
            code = idle_code(s, slot, UNCLAIMED);
        } else if (s->state[slot] == DRAINING) {
            watch(s, slot);
        }
    }
    set_slot(s, slot, label, s->flags[slot], code);
}

/* Count the hosts, and those in use, in (by 1) or out (by -1). */
static void count_host(Shard *s, int32_t slot, int32_t by) {
    if (!(s->flags[slot] & HOSTED)) return;
    s->hosts += by;
    if (s->cluster[slot] >= 0) s->hosts_in_use += by;
}

/* Empty every index over the slots. */
static void clear_books(Shard *s) {
    s->journalling = false;
    s->journal_used = 0;
    s->hosts = s->hosts_in_use = 0;
    s->beyond_used = s->watches_used = s->drained_used = 0;
    memset(s->speculative, 0, (size_t)s->classes * PAUSE_KINDS * sizeof *s->speculative);
    memset(s->box_count, 0, (size_t)s->boxes * CODES * sizeof *s->box_count);
    memset(s->class_free, 0, (size_t)s->classes * sizeof *s->class_free);
    memset(s->class_mask, 0, (size_t)s->classes * sizeof *s->class_mask);
    memset(s->box_mask, 0, (size_t)s->boxes * sizeof *s->box_mask);
    for (size_t at = 0; at < (size_t)s->boxes * HINTS; at++) s->box_hint[at] = INT32_MAX;
    memset(s->cell_idle, 0, (size_t)s->cells * sizeof *s->cell_idle);
    memset(s->cell_soon, 0, (size_t)s->cells * sizeof *s->cell_soon);
    memset(s->cell_late, 0, (size_t)s->cells * sizeof *s->cell_late);
    memset(s->cell_machines, 0, (size_t)s->cells * sizeof *s->cell_machines);
    memset(s->box_machines, 0, (size_t)s->boxes * sizeof *s->box_machines);
    for (int32_t n = 0; n < s->needs; n++) {
        s->have[n] = s->waiting[n] = s->reserved[n] = s->created[n] = s->lost[n] = 0;
        s->coming[n] = 0;
        s->settled_at[n] = NOBODY;
        s->eldest[2 * (size_t)n] = s->eldest[2 * (size_t)n + 1] = INFINITY;
        s->holding[n].used = 0;
    }
    for (int32_t k = 0; k < s->classes; k++) s->oldest_idle[k] = INFINITY;
}

void enter_machines(Shard *s) {
    clear_books(s);
    for (int32_t slot = 0; slot < s->slots && !s->failed; slot++) {
        int32_t label = s->serves[slot];
        s->flags[slot] &= REPORTED & ~(LISTED | WATCHED);
        s->code[slot] = TAKEN;
        s->cell_machines[s->cell[slot]]++;
        s->box_machines[box_of(s, slot)]++;
        count_host(s, slot, 1);
        enter(s, slot, label);
    }
}

/* Write what a provider says of a machine now; `label` is the need it serves or is reserved for. */
void change_machine(Shard *s, int32_t slot, uint8_t state, int32_t label, int32_t cluster,
                    double penalty, double since, uint16_t flags) {
    int32_t before = holder_of(s, slot);
    if (before >= 0) s->dirty[before] = 1;
    count_host(s, slot, -1);
    if (s->state[slot] == SPECULATIVE && !(s->flags[slot] & NOTICED)) count_paused(s, slot, -1);
    set_slot(s, slot, NOBODY, s->flags[slot] & (LISTED | WATCHED), TAKEN);
    s->state[slot] = state;
    s->cluster[slot] = cluster;
    s->penalty[slot] = penalty;
    s->since[slot] = since;
    s->flags[slot] |= flags & (PINNED | NOTICED | SLOW | HOSTED | 7 * PAUSED);
    count_host(s, slot, 1);
    enter(s, slot, label);
}

/* Lay out what is beyond every count by holder, and forget what is so no more. Before machines are
 * dealt, what was so in the last cycle is kept as well: it may be so again. */
static void sort_beyond(Shard *s, bool dealt) {
    int32_t kept = 0, used;
    for (int32_t at = 0; at < s->beyond_used; at++) {
        Beyond entry = s->beyond[at];
        if (!(s->flags[entry.slot] & (EXCESS | UNREPORTED))) continue;
        s->beyond[at] = s->beyond[kept];
        s->beyond[kept++] = entry;
    }
    used = kept;
    for (int32_t at = kept; at < s->beyond_used; at++) {
        if (!dealt && !isnan(s->beyond[at].begun)) s->beyond[used++] = s->beyond[at];
        else s->flags[s->beyond[at].slot] &= ~LISTED;
    }
    s->beyond_used = used;
    while (s->loose_room < kept && !s->failed)
        s->loose = grown(s, s->loose, &s->loose_room, s->loose_room, sizeof *s->loose);
    if (s->failed) return;
    int32_t *start = s->loose_start;
    memset(start, 0, ((size_t)s->clusters + 1) * sizeof *start);
    for (int32_t at = 0; at < kept; at++) start[holder_of(s, s->beyond[at].slot) + 1]++;
    for (int32_t x = 0; x < s->clusters; x++) start[x + 1] += start[x];
    /* Filled from the back, so that each start ends where its cluster begins. */
    for (int32_t at = kept - 1; at >= 0; at--)
        s->loose[--start[holder_of(s, s->beyond[at].slot) + 1]] = s->beyond[at].slot;
    for (int32_t x = 0; x < s->clusters; x++) start[x] = start[x + 1];
    start[s->clusters] = kept;
}

/* Say which excess has stood for as long as the delay. Before the first cycle nothing is
 * remembered, so timers count from the last change of state. */
static void mark_stood(Shard *s) {
    for (int32_t at = 0; at < s->beyond_used; at++) {
        Beyond *entry = s->beyond + at;
        int32_t slot = entry->slot;
        if (!(s->flags[slot] & EXCESS)) continue;
        if (isnan(s->last_cycle)) entry->begun = s->since[slot];
        else if (isnan(entry->begun)) entry->begun = s->now;
        bool stood = s->now - entry->begun >= s->reclaim_delay;
        uint16_t flags = stood ? s->flags[slot] | STOOD : s->flags[slot] & ~STOOD;
        uint8_t code = s->code[slot];
        if (!IS_TAKEN(code)) code = idle_code(s, slot, stood ? STOOD_BEYOND : LAPSING);
        if (flags != s->flags[slot] || code != s->code[slot])
            set_slot(s, slot, s->serves[slot], flags, code);
    }
}

/* Leave out of the watches what drains no more, and sort the rest by id. */
static void sort_watches(Shard *s) {
    int32_t kept = 0;
    for (int32_t at = 0; at < s->watches_used; at++) {
        Watch entry = s->watches[at];
        bool drains = s->state[entry.slot] == DRAINING && !(s->flags[entry.slot] & NOTICED);
        if (drains) s->watches[kept++] = entry;
        else s->flags[entry.slot] &= ~WATCHED;
    }
    s->watches_used = kept;
    if (s->watches_sorted || !kept) return;
    uint64_t *keys = scratch(s, 5, (size_t)(kept + 1) * sizeof *keys);
    Watch *sorted = scratch(s, 6, (size_t)(kept + 1) * sizeof *sorted);
    if (!keys || !sorted) return;
    for (int32_t at = 0; at < kept; at++)
        keys[at] = (uint64_t)s->id_rank[s->watches[at].slot] << 32 | (uint64_t)at;
    sort_keys(keys, kept);
    for (int32_t at = 0; at < kept; at++) sorted[at] = s->watches[keys[at] & UINT32_MAX];
    memcpy(s->watches, sorted, (size_t)kept * sizeof *sorted);
    s->watches_sorted = true;
}

/* Let machines that drain for a need be waited for, as far as it still wants them. The others
 * drain for nobody; what drains for a silent or foreign cluster stays as it is. */
static void settle_draining(Shard *s) {
    for (int32_t at = 0; at < s->watches_used; at++) {
        int32_t slot = s->watches[at].slot, n = s->serves[slot];
        uint16_t leaving = s->flags[slot] | LEAVING;
        if (n == UNKNOWN_NEED || (n >= 0 && !s->mine[s->need[n].cluster])) continue;
        bool waited = n >= 0 && missing(s, n) > 0 &&
                      cell_suits(s, s->need[n].profile, s->cell[slot]);
        set_slot(s, slot, waited ? n : NOBODY, leaving, TAKEN);
    }
}

/* Fetch what a deal of the cluster begins with ahead of time: its needs, and what they hold. */
static void fetch_needs(const Shard *s, int32_t x) {
    enum { A_LINE = 64 / sizeof(Bin) };
    for (int32_t at = s->cluster_start[x]; at < s->cluster_start[x + 1]; at++) {
        int32_t n = s->cluster_needs[at];
        const Bin *bins = s->holding[n].bins;
        __builtin_prefetch(s->need + n);
        __builtin_prefetch((const char *)(s->need + n + 1) - 1);
        for (int32_t bin = 0; bin < s->holding[n].used; bin += A_LINE)
            __builtin_prefetch(bins + bin);
    }
}

void open_books(Shard *s, double now) {
    s->now = now;
    s->moved_used = 0;
    sort_beyond(s, false);
    bool dealt = false;
    for (int32_t x = 0; x < s->clusters && !s->failed; x++) {
        if (!s->mine[x] || !(s->dirty[x] || order_of_filling_changed(s, x))) continue;
        if (x + 1 < s->clusters) fetch_needs(s, x + 1);
        deal(s, x);
        dealt = true;
    }
    if (dealt || s->beyond_used > s->loose_start[s->clusters]) sort_beyond(s, true);
    mark_stood(s);
    sort_watches(s);
    s->journalling = true;
    settle_draining(s);
}
