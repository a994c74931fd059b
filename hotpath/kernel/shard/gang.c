/* Put what a gang is missing into the first domain that holds all of it
 * (hotpath/plain/assign.py).
 *
 * Domains go by (needs any Create, free machines it could use left over, cost, name). Counting
 * tells the first two at their best, and a bound of the third: a hope. What a domain really gives,
 * floor and spread kept, is picked only where the counts do not rule it out already.
 */

#include "gang.h"

#include <string.h>

typedef __int128 Cost; /* of many machines: may be more than 64 bits hold */

/* What is free for a gang in one domain, and what its cheapest machine costs. */
typedef struct { int32_t idle, bought; int64_t cheapest; } Hope;

typedef struct { bool creates; int32_t left_over; Cost cost; int32_t domain; } Key;

static bool is_less(Key a, Key b) {
    if (a.creates != b.creates) return a.creates < b.creates;
    if (a.left_over != b.left_over) return a.left_over < b.left_over;
    if (a.cost != b.cost) return a.cost < b.cost;
    return a.domain < b.domain;
}

/* Give the domain where a gang has machines, those that drain for it among them: where it has most
 * of them, the first of equals; NOBODY where it has none in any. */
int32_t pinned_domain(Shard *s, int32_t n) {
    if (!s->have[n] && !s->waiting[n]) return NOBODY;
    const int32_t *codes = s->axis_codes + (size_t)s->need[n].gang_axis * s->cells;
    int32_t width = s->axis_width[s->need[n].gang_axis], *members;
    int32_t count = members_of(s, n, &members), pin = NOBODY;
    int32_t *there = scratch(s, 8, ((size_t)width + 1) * sizeof *there);
    if (!there) return NOBODY;
    memset(there, 0, ((size_t)width + 1) * sizeof *there);
    for (int32_t at = 0; at < count; at++) {
        int32_t domain = codes[s->cell[members[at]]];
        if (domain < 0) continue;
        there[domain]++;
        if (pin < 0 || there[domain] > there[pin] || (there[domain] == there[pin] && domain < pin))
            pin = domain;
    }
    return pin;
}

static void count_cell(const Shard *s, int32_t n, int32_t c, Hope *hopes) {
    const Need *need = s->need + n;
    int32_t domain = s->axis_codes[(size_t)need->gang_axis * s->cells + c];
    int32_t bought = s->cell_soon[c] + (need->priority < s->tier1 ? s->cell_late[c] : 0);
    if (domain < 0 || !(s->cell_idle[c] + bought) || !cell_suits(s, need->profile, c)) return;
    int64_t cost = s->menu_cost[(size_t)need->menu * s->classes + s->box_class[s->cell_box[c]]];
    hopes[domain].idle += s->cell_idle[c];
    hopes[domain].bought += bought;
    if (cost < hopes[domain].cheapest) hopes[domain].cheapest = cost;
}

/* Count idle machines on which somebody else has a claim, where the gang may have them. */
static void count_claimed(const Shard *s, int32_t n, int32_t k, int32_t pin, Hope *hopes) {
    const Need *need = s->need + n;
    if (!(s->class_mask[k] & CLAIMED_CODES)) return;
    for (int32_t slot = s->slab[k]; slot < s->slab[k + 1]; slot++) {
        uint8_t code = s->code[slot];
        if (IS_TAKEN(code) || !IS_IDLE_CODE(code) || CLAIM_OF(code) < LAPSING) continue;
        int32_t c = s->cell[slot];
        int32_t domain = s->axis_codes[(size_t)need->gang_axis * s->cells + c];
        if (domain < 0 || (pin >= 0 && domain != pin)) continue;
        if (!cell_suits(s, need->profile, c)) continue;
        if (!is_lower(s, s->serves[slot], n)) continue;
        int64_t cost = s->menu_cost[(size_t)need->menu * s->classes + k];
        hopes[domain].idle++;
        if (cost < hopes[domain].cheapest) hopes[domain].cheapest = cost;
    }
}

/* Count what is free for the gang in each domain, or only in the one that pins it. */
static Hope *count_hopes(Shard *s, int32_t n, int32_t pin) {
    const Need *need = s->need + n;
    int32_t width = s->axis_width[need->gang_axis], last = NOBODY;
    bool safe_only = risky_left(s, n) <= 0;
    Hope *hopes = scratch(s, 8, ((size_t)width + 1) * sizeof *hopes);
    if (!hopes) return NULL;
    for (int32_t d = 0; d < width; d++) hopes[d] = (Hope){0, 0, INT64_MAX};
    const int32_t *cells = NULL;
    int32_t count = pin >= 0 ? cells_of(s, need->gang_axis, pin, &cells) : 0;
    for (int32_t at = 0; at < count; at++) {
        int32_t c = cells[at], k = s->box_class[s->cell_box[c]];
        if (safe_only && s->probability[k] > 0) continue;
        if (!class_suits(s, need->profile, k)) continue;
        count_cell(s, n, c, hopes);
        if (k != last) count_claimed(s, n, k, pin, hopes);
        last = k;
    }
    for (int32_t k = 0; pin < 0 && k < s->classes; k++) {
        if (!s->class_mask[k] || !class_suits(s, need->profile, k)) continue;
        if (safe_only && s->probability[k] > 0) continue;
        for (int32_t c = s->class_cell[k]; c < s->class_cell[k + 1]; c++)
            count_cell(s, n, c, hopes);
        count_claimed(s, n, k, pin, hopes);
    }
    return hopes;
}

/* List the domains that could hold what the gang lacks; give how many, or -1 without memory. */
static int32_t list_hopeful(Shard *s, const Hope *hopes, int32_t width, int32_t lacks,
                            Key **hopeful) {
    int32_t count = 0, most = 0;
    for (int32_t d = 0; d < width; d++) most += hopes[d].idle + hopes[d].bought >= lacks;
    *hopeful = scratch(s, 13, ((size_t)most + 1) * sizeof **hopeful);
    if (!*hopeful) return -1;
    for (int32_t d = 0; d < width; d++) {
        int32_t left_over = hopes[d].idle + hopes[d].bought - lacks;
        if (left_over < 0) continue;
        (*hopeful)[count++] =
            (Key){hopes[d].idle < lacks, left_over, (Cost)hopes[d].cheapest * lacks, d};
    }
    return count;
}

/* Give the most promising of `hopeful`, and take it off; NULL where none could beat `best`. */
static const Key *next_hope(Key *hopeful, int32_t *count, const Key *best) {
    int32_t next = NOBODY;
    for (int32_t i = 0; i < *count; i++)
        if (next < 0 || is_less(hopeful[i], hopeful[next])) next = i;
    if (next < 0 || (best && !is_less(hopeful[next], *best))) return NULL;
    Key found = hopeful[next];
    hopeful[next] = hopeful[--*count];
    hopeful[*count] = found;
    return hopeful + *count;
}

/* Give what the gang would take of one domain; say whether that is all it lacks. */
static bool try_domain(Shard *s, int32_t n, int32_t lacks, Key *key, Pick **picks) {
    Purse purse = open_purse(s, n);
    int32_t picked = pick(s, lacks, &purse, key->domain, picks);
    if (picked < lacks) return false;
    key->creates = false;
    key->cost = 0;
    for (int32_t at = 0; at < picked; at++) {
        key->creates |= (*picks)[at].is_speculative;
        key->cost += (*picks)[at].cost;
    }
    return true;
}

void assign_gang(Shard *s, int32_t n, int32_t lacks) {
    int32_t pin = pinned_domain(s, n), width = s->axis_width[s->need[n].gang_axis];
    const Hope *hopes = count_hopes(s, n, pin);
    if (!hopes) return;
    Key best = {0}, *hopeful;
    const Key *hope;
    int32_t count = list_hopeful(s, hopes, width, lacks, &hopeful);
    bool has_best = false;
    Pick *picks;
    while ((hope = next_hope(hopeful, &count, has_best ? &best : NULL))) {
        Key key = *hope;
        if (!try_domain(s, n, lacks, &key, &picks)) continue;
        if (!has_best || is_less(key, best)) best = key;
        has_best = true;
    }
    /* Picked once more: the last one tried need not be the best. */
    if (!has_best || !try_domain(s, n, lacks, &best, &picks)) return;
    order_picked(s, n, picks, lacks);
}
