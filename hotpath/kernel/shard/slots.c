/* The one door through which a machine changes in the books; keeps every index over the slots. */

#include <string.h>

#include "shard.h"

/* Fetch what the books say of a machine ahead of time: every column of it is a cache miss, and
 * waiting for them one by one was most of what a change took. */
void fetch_slot(const Shard *s, int32_t slot) {
    __builtin_prefetch(s->state + slot, 1);
    __builtin_prefetch(s->flags + slot, 1);
    __builtin_prefetch(s->code + slot, 1);
    __builtin_prefetch(s->serves + slot, 1);
    __builtin_prefetch(s->cluster + slot, 1);
    __builtin_prefetch(s->penalty + slot, 1);
    __builtin_prefetch(s->since + slot, 1);
    __builtin_prefetch(s->cell + slot);
}

/* Count free machines of one box and code in or out of it and of their class. */
static void count_box(Shard *s, int32_t b, uint8_t code, int32_t by) {
    int32_t k = s->box_class[b];
    int32_t *count = s->box_count + (size_t)b * CODES + code;
    uint64_t flag = (uint64_t)1 << code;
    *count += by;
    if (!IS_IDLE_CODE(code) || CLAIM_OF(code) == UNCLAIMED) s->class_free[k] += by;
    if (by > 0) {
        s->class_mask[k] |= flag;
        s->box_mask[b] |= flag;
    } else if (!*count) {
        s->box_mask[b] &= ~flag;
        for (b = s->class_box[k]; b < s->class_box[k + 1]; b++)
            if (s->box_mask[b] & flag) return;
        s->class_mask[k] &= ~flag;
    }
}

static void count_cell(Shard *s, int32_t c, uint8_t code, int32_t by) {
    if (code == SOON) s->cell_soon[c] += by;
    else if (code == LATE) s->cell_late[c] += by;
    else if (CLAIM_OF(code) <= STOOD_BEYOND) s->cell_idle[c] += by;
}

/* Count a free machine in (by 1) or out (by -1) of its class, box and cell. */
static void count_free(Shard *s, int32_t slot, uint8_t code, int32_t by) {
    if (IS_TAKEN(code)) return;
    int32_t c = s->cell[slot], b = s->cell_box[c];
    count_box(s, b, code, by);
    count_cell(s, c, code, by);
    if (by < 0) return;
    int32_t *hint = s->box_hint + (size_t)b * HINTS + HINT_OF(code);
    if (slot < *hint) *hint = slot;
    double *oldest = s->oldest_idle + s->box_class[b];
    if (IS_IDLE_CODE(code) && CLAIM_OF(code) <= STOOD_BEYOND && s->since[slot] < *oldest)
        *oldest = s->since[slot];
}

/* Find the place of a box among a need's bins: where it is, or where it would be. */
int32_t bin_place(const Holding *h, int32_t box) {
    int32_t low = 0, high = h->used;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (h->bins[middle].box < box) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void hold(Shard *s, int32_t n, int32_t box, int32_t count) {
    Holding *h = s->holding + n;
    s->have[n] += count;
    int32_t at = bin_place(h, box);
    if (at < h->used && h->bins[at].box == box) {
        h->bins[at].count += count;
        return;
    }
    h->bins = grown_little(s, h->bins, &h->room, h->used, sizeof *h->bins);
    if (h->used >= h->room) return; /* no memory */
    memmove(h->bins + at + 1, h->bins + at, (size_t)(h->used - at) * sizeof *h->bins);
    h->bins[at] = (Bin){box, count};
    h->used++;
}

static void let_go(Shard *s, int32_t n, int32_t box) {
    Holding *h = s->holding + n;
    s->have[n]--;
    int32_t at = bin_place(h, box);
    if (at >= h->used || h->bins[at].box != box) return; /* only in a shard that failed */
    if (--h->bins[at].count) return;
    h->used--;
    memmove(h->bins + at, h->bins + at + 1, (size_t)(h->used - at) * sizeof *h->bins);
}

/* Count a machine on its way to the need it serves in (by 1) or out (by -1). */
static void count_coming(Shard *s, int32_t slot, int32_t by) {
    int32_t n = s->serves[slot];
    bool is_configuring = s->state[slot] == CONFIGURING;
    if (!is_configuring && s->state[slot] != CREATING) return;
    double *eldest = s->eldest + 2 * (size_t)n;
    s->coming[n] += by;
    if (by > 0) eldest[is_configuring] = fmin(eldest[is_configuring], s->since[slot]);
    else if (!s->coming[n]) eldest[0] = eldest[1] = INFINITY;
}

/* Count what a machine is to the need it serves in (by 1) or out (by -1). */
static void count_serving(Shard *s, int32_t slot, int32_t by) {
    int32_t n = s->serves[slot];
    if (n < 0) return;
    s->settled_at[n] = NOBODY;
    if (s->flags[slot] & LEAVING) s->waiting[n] += by;
    if (!(s->flags[slot] & HELD)) return;
    if (by > 0) hold(s, n, box_of(s, slot), 1);
    else let_go(s, n, box_of(s, slot));
    count_coming(s, slot, by);
    if (IS_IDLE_CODE(s->code[slot])) s->reserved[n] += by;
}

/* Remember how a machine stands, so that the cycle can be taken back; false without memory. */
static bool note_before(Shard *s, int32_t slot) {
    if (!s->journalling) return true;
    s->journal = grown(s, s->journal, &s->journal_room, s->journal_used, sizeof *s->journal);
    if (s->failed) return false;
    s->journal[s->journal_used++] = (Before){slot, s->serves[slot], s->flags[slot], s->code[slot]};
    return true;
}

/* Write what the books say of a machine. Its state and since change only while it is TAKEN and
 * serves nobody. */
void set_slot(Shard *s, int32_t slot, int32_t serves, uint16_t flags, uint8_t code) {
    if (!note_before(s, slot)) return;
    if (IS_TAKEN(code)) code = flags & HELD ? TAKEN_BY(serves) : TAKEN;
    count_serving(s, slot, -1);
    if (s->code[slot] != code) {
        count_free(s, slot, s->code[slot], -1);
        count_free(s, slot, code, 1);
    }
    s->serves[slot] = serves;
    s->flags[slot] = flags;
    s->code[slot] = code;
    count_serving(s, slot, 1);
}

/* Let a need hold machines that are free and that nobody holds: as set_slot would one by one, but
 * counted once for each run of machines alike in box and code. */
void hold_free(Shard *s, int32_t n, const Pick *picks, int32_t count) {
    int32_t most = s->journal_used + count;
    s->journal = grown(s, s->journal, &s->journal_room, most, sizeof *s->journal);
    if (s->failed) return;
    Before *journal = s->journal + s->journal_used;
    if (s->journalling) s->journal_used += count;
    for (int32_t at = 0; at < count;) {
        int32_t b = box_of(s, picks[at].slot), from = at;
        uint8_t code = s->code[picks[at].slot];
        for (; at < count; at++) {
            int32_t slot = picks[at].slot;
            if (s->code[slot] != code || box_of(s, slot) != b) break;
            *journal++ = (Before){slot, s->serves[slot], s->flags[slot], s->code[slot]};
            count_cell(s, s->cell[slot], code, -1);
            s->serves[slot] = n;
            s->flags[slot] = (s->flags[slot] & (uint16_t)~(EXCESS | STOOD | UNREPORTED)) | HELD;
            s->code[slot] = TAKEN_BY(n);
        }
        count_box(s, b, code, from - at);
        hold(s, n, b, at - from);
    }
}

/* Undo what was written since the journal had `journal_from` entries. */
void take_back(Shard *s, int32_t journal_from) {
    bool journalling = s->journalling;
    s->journalling = false;
    while (s->journal_used > journal_from) {
        enum { AHEAD = 8 };
        Before *before = s->journal + --s->journal_used;
        if (s->journal_used >= AHEAD) fetch_slot(s, before[-AHEAD].slot);
        set_slot(s, before->slot, before->serves, before->flags, before->code);
    }
    s->journalling = journalling;
}

/* Give how many machines of a box the need holds. */
int32_t held_in(const Shard *s, int32_t need, int32_t box) {
    const Holding *h = s->holding + need;
    int32_t at = bin_place(h, box);
    return at < h->used && h->bins[at].box == box ? h->bins[at].count : 0;
}

/* The same, where some are idle still: these do not tell by their codes whose they are. */
static int32_t held_one_by_one(const Shard *s, int32_t n, int32_t k, int32_t left, int32_t *found) {
    int32_t used = 0;
    for (int32_t slot = s->slab[k]; slot < s->slab[k + 1] && used < left; slot++)
        if (s->serves[slot] == n && s->flags[slot] & HELD) found[used++] = slot;
    return used;
}

/* List the `left` machines of a class that a need holds, ascending; give how many were found: fewer
 * only in a shard that failed. They tend to stand in runs; the gaps are passed over by the byte. */
int32_t held_of_class(const Shard *s, int32_t n, int32_t k, int32_t left, int32_t *found) {
    if (s->reserved[n]) return held_one_by_one(s, n, k, left, found);
    int32_t used = 0, end = s->slab[k + 1];
    uint8_t code = TAKEN_BY(n);
    for (int32_t slot = s->slab[k]; slot < end && used < left; slot++) {
        if (s->code[slot] != code) {
            const uint8_t *at = memchr(s->code + slot, code, (size_t)(end - slot));
            if (!at) break;
            slot = (int32_t)(at - s->code);
        }
        if (s->serves[slot] != n) continue;
        found[used++] = slot;
        __builtin_prefetch(s->cell + slot);
    }
    return used;
}

/* Add the machines that drain for a need to those found so far; give how many there are then. */
int32_t leaving_for(const Shard *s, int32_t n, int32_t *found, int32_t used, int32_t most) {
    if (!s->waiting[n]) return used;
    for (int32_t at = 0; at < s->watches_used && used < most; at++) {
        int32_t slot = s->watches[at].slot;
        if (s->serves[slot] == n && s->flags[slot] & LEAVING) found[used++] = slot;
    }
    for (int32_t at = 0; at < s->drained_used && used < most; at++)
        if (s->serves[s->drained[at]] == n) found[used++] = s->drained[at];
    return used;
}

/* Give the machines that a need has, those that drain for it among them: their number, and where
 * they stand (in scratch 0: by class and id, then those that drain). */
int32_t members_of(Shard *s, int32_t n, int32_t **members) {
    int32_t most = s->have[n] + s->waiting[n], used = 0;
    int32_t *found = *members = scratch(s, 0, (size_t)(most + 1) * sizeof *found);
    if (!found) return 0;
    const Holding *h = s->holding + n;
    for (int32_t at = 0; at < h->used;) {
        int32_t k = s->box_class[h->bins[at].box], here = 0;
        while (at < h->used && s->box_class[h->bins[at].box] == k) here += h->bins[at++].count;
        used += held_of_class(s, n, k, here < most - used ? here : most - used, found + used);
    }
    return leaving_for(s, n, found, used, most);
}
