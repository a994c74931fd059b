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

/* Put the dearest of each stage first, unknown prices before all; by id as yet. */
static void rank_by_price(const Shard *s, const int32_t *slots, int32_t count, Ranked *ranked) {
    for (int32_t i = 0; i < count; i++) {
        double price = s->price[class_of(s, slots[i])];
        ranked[i] = (Ranked){stage_of(s, slots[i]), isnan(price) ? -INFINITY : -price,
                             s->id_rank[slots[i]], slots[i]};
    }
}

/* Number the groups of like price in what is sorted by price, and let the penalty order them. */
static void rank_by_penalty(const Shard *s, Ranked *ranked, int32_t count, double served_penalty) {
    int64_t group = -1, stage = -1;
    double dearest = 0;
    for (int32_t i = 0; i < count; i++) {
        double price = -ranked[i].value, own = s->penalty[ranked[i].slot];
        if (ranked[i].kind != stage || !(price >= LIKE_PRICE * dearest)) {
            stage = ranked[i].kind;
            dearest = price;
            group++;
        }
        ranked[i].kind = group;
        ranked[i].value = own > served_penalty ? own : served_penalty;
    }
}

/* Sort machines so that the first is the first to go: not yet configured before configured; then
 * dearest first, in groups that start at the dearest left and take everything alike; in a group
 * the lower penalty, which is no less than that of the need they serve; then the id. */
void sort_by_give_back(Shard *s, int32_t *slots, int32_t count, double served_penalty) {
    if (count < 2) return;
    Ranked *ranked = scratch(s, 12, 2 * (size_t)count * sizeof *ranked);
    if (!ranked) return;
    rank_by_price(s, slots, count, ranked);
    sort_ranked(ranked, ranked + count, count);
    rank_by_penalty(s, ranked, count, served_penalty);
    sort_ranked(ranked, ranked + count, count);
    for (int32_t i = 0; i < count; i++) slots[i] = ranked[i].slot;
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
