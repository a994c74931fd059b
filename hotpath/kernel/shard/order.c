/* In which order machines are given back; and what sorts them, and keys. */

#include <string.h>

#include "order.h"
#include "shard.h"

#define FEW 16          /* up to so many are sorted by insertion */

static bool comes_before(const Ranked *a, const Ranked *b) {
    if (a->kind != b->kind) return a->kind < b->kind;
    if (a->value != b->value) return a->value < b->value;
    return a->id < b->id;
}

static void insert_ranked(Ranked *ranked, int32_t count) {
    for (int32_t i = 1; i < count; i++) {
        Ranked moved = ranked[i];
        int32_t at = i;
        for (; at && comes_before(&moved, ranked + at - 1); at--) ranked[at] = ranked[at - 1];
        ranked[at] = moved;
    }
}

/* Sort by merging; what is in order already is only looked at. */
void sort_ranked(Ranked *ranked, Ranked *spare, int32_t count) {
    if (count <= FEW) {
        insert_ranked(ranked, count);
        return;
    }
    int32_t half = count / 2;
    sort_ranked(ranked, spare, half);
    sort_ranked(ranked + half, spare, count - half);
    if (!comes_before(ranked + half, ranked + half - 1)) return;
    memcpy(spare, ranked, (size_t)half * sizeof *spare);
    int32_t left = 0, right = half, to = 0;
    while (left < half && right < count)
        ranked[to++] = comes_before(ranked + right, spare + left) ? ranked[right++] : spare[left++];
    while (left < half) ranked[to++] = spare[left++];
}

/* What costs nothing to let go first, then what is not yet configured, then the rest. */
static int64_t stage_of(const Shard *s, int32_t slot) {
    switch (s->state[slot]) {
    case IDLE: case CREATING: return 0;
    case CONFIGURING: return 1;
    default: return 2;
    }
}

static double price_of(const Shard *s, int32_t slot) {
    double price = s->price[class_of(s, slot)];
    return isnan(price) ? INFINITY : price;
}

static Ranked ranked_by_penalty(const Shard *s, int32_t slot, double served_penalty) {
    double own = s->penalty[slot];
    return (Ranked){0, own > served_penalty ? own : served_penalty, s->id_rank[slot], slot};
}

/* Bring the `wanted` machines of lowest penalty, of which there are few, to the front. */
static void bring_least(const Shard *s, int32_t *slots, int32_t count, int32_t wanted,
                        double served_penalty) {
    Ranked least[FEW];
    int32_t known = 0;
    for (int32_t at = 0; at < count; at++) {
        Ranked next = ranked_by_penalty(s, slots[at], served_penalty);
        if (known == wanted && !comes_before(&next, least + known - 1)) continue;
        int32_t to = known < wanted ? known++ : known - 1;
        for (; to && comes_before(&next, least + to - 1); to--) least[to] = least[to - 1];
        least[to] = next;
    }
    for (int32_t at = 0, done = 0; done < wanted && at < count; at++) {
        Ranked next = ranked_by_penalty(s, slots[at], served_penalty);
        if (comes_before(least + wanted - 1, &next)) continue;
        slots[at] = slots[done];
        slots[done++] = next.slot;
    }
}

/* Sort machines of like price by penalty. */
static void sort_by_penalty(Shard *s, int32_t *slots, int32_t count, double served_penalty) {
    Ranked *ranked = scratch(s, 14, 2 * (size_t)count * sizeof *ranked);
    if (!ranked) return;
    for (int32_t at = 0; at < count; at++)
        ranked[at] = ranked_by_penalty(s, slots[at], served_penalty);
    sort_ranked(ranked, ranked + count, count);
    for (int32_t at = 0; at < count; at++) slots[at] = ranked[at].slot;
}

/* Rank runs of machines alike in stage and class, by price: `id` is where a run begins, `slot` its
 * end. Give how many there are. */
static int32_t rank_runs(const Shard *s, const int32_t *slots, int32_t count, Ranked *runs) {
    int32_t used = 0, last_class = NOBODY;
    int64_t last_stage = 0;
    for (int32_t at = 0; at < count; at++) {
        int32_t k = class_of(s, slots[at]);
        int64_t stage = stage_of(s, slots[at]);
        if (k != last_class || stage != last_stage)
            runs[used++] = (Ranked){stage, -price_of(s, slots[at]), at, at};
        runs[used - 1].slot = at + 1;
        last_class = k;
        last_stage = stage;
    }
    return used;
}

/* Sort machines so that the first is the first to go: not yet configured before configured; then
 * dearest first, in groups that start at the dearest left and take everything alike; in a group
 * the lower penalty, which is no less than that of the need they serve; then the id.
 *
 * Where only the first `wanted` matter, in any order, no more is sorted than it takes to say which
 * they are. Runs of one class are ranked as one. */
static void sort_first(Shard *s, int32_t *slots, int32_t count, int32_t wanted, bool in_order,
                       double served_penalty) {
    Ranked *runs = scratch(s, 12, (size_t)count * (2 * sizeof *runs + sizeof *slots));
    if (!runs) return;
    int32_t used = rank_runs(s, slots, count, runs), done = 0;
    int32_t *before = (int32_t *)(runs + 2 * (size_t)count);
    sort_ranked(runs, runs + count, used);
    memcpy(before, slots, (size_t)count * sizeof *slots);
    for (int32_t at = 0; at < used;) {
        int32_t first = done;
        int64_t stage = runs[at].kind;
        double least_price = LIKE_PRICE * -runs[at].value;
        for (; at < used && runs[at].kind == stage && -runs[at].value >= least_price; at++) {
            int32_t size = runs[at].slot - runs[at].id;
            memcpy(slots + done, before + runs[at].id, (size_t)size * sizeof *slots);
            done += size;
        }
        int32_t few = wanted - first, size = done - first;
        if (in_order) sort_by_penalty(s, slots + first, size, served_penalty);
        else if (few <= 0 || few >= size) continue;
        else if (few <= FEW) bring_least(s, slots + first, size, few, served_penalty);
        else sort_by_penalty(s, slots + first, size, served_penalty);
    }
}

void sort_by_give_back(Shard *s, int32_t *slots, int32_t count, double served_penalty) {
    if (count > 1) sort_first(s, slots, count, count, true, served_penalty);
}

/* Bring those `wanted` machines to the front that sort_by_give_back would put there. */
void bring_first_to_go(Shard *s, int32_t *slots, int32_t count, int32_t wanted,
                       double served_penalty) {
    if (wanted > 0 && wanted < count) sort_first(s, slots, count, wanted, false, served_penalty);
}

int by_slot(const void *left, const void *right) {
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

static void insert_keys(uint64_t *keys, int32_t count) {
    for (int32_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        int32_t at = i;
        for (; at && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* Put each key where its byte at `shift` says; give where each byte's keys end. */
static void deal_by_byte(uint64_t *keys, int32_t count, int shift, int32_t end[256]) {
    int32_t next[256], at = 0;
    memset(end, 0, 256 * sizeof *end);
    for (int32_t i = 0; i < count; i++) end[keys[i] >> shift & 255]++;
    for (int byte = 0; byte < 256; byte++) {
        next[byte] = at;
        end[byte] = at += end[byte];
    }
    for (int byte = 0; byte < 256; byte++)
        while (next[byte] < end[byte]) {
            uint64_t key = keys[next[byte]];
            int32_t *to = next + (key >> shift & 255);
            keys[next[byte]] = keys[*to];
            keys[(*to)++] = key;
        }
}

/* Sort keys, ascending: by the highest byte in which they differ, then each part by itself. */
void sort_keys(uint64_t *keys, int32_t count) {
    uint64_t differ = 0;
    for (int32_t i = 1; i < count; i++) differ |= keys[i] ^ keys[0];
    if (!differ) return;
    if (count <= 2 * FEW) {
        insert_keys(keys, count);
        return;
    }
    int shift = 0;
    while (differ >> shift > 255) shift += 8;
    int32_t end[256], from = 0;
    deal_by_byte(keys, count, shift, end);
    for (int byte = 0; byte < 256; byte++) {
        if (end[byte] - from > 1) sort_keys(keys + from, end[byte] - from);
        from = end[byte];
    }
}
