/* Shortfalls: what a cycle could not serve, each with the first reason that applies
 * (hotpath/plain/shortfalls.py). */

#include <string.h>

#include "shard.h"

enum { QUOTA = 1, SUBNET, CLASS }; /* kinds of pauses that have a reason of their own */

/* What is to be said of a profile, worked out once a cycle: its cells have machines; speculative
 * ones among them have no price; ... are paused, by kind (PAUSED_BY << QUOTA and so on). */
enum { KNOWN = 1, MATCHES = 2, UNPRICED = 4, PAUSED_BY = 4 };

void count_paused(Shard *s, int32_t slot, int32_t by) {
    s->speculative[(size_t)class_of(s, slot) * PAUSE_KINDS + PAUSE_KIND(s->flags[slot])] += by;
}

/* Say whether any cell of a class has a machine and suits. */
static bool class_matches(const Shard *s, int32_t profile, int32_t k) {
    if (s->profile_row[profile] == NOBODY) return s->slab[k + 1] > s->slab[k];
    for (int32_t c = s->class_cell[k]; c < s->class_cell[k + 1]; c++)
        if (s->cell_machines[c] && cell_suits(s, profile, c)) return true;
    return false;
}

/* Say what keeps speculative machines of a class from being bought. */
static uint8_t hindered_by_count(const Shard *s, int32_t k) {
    const int32_t *count = s->speculative + (size_t)k * PAUSE_KINDS;
    uint8_t answer = 0;
    for (int kind = 0; kind < PAUSE_KINDS; kind++) {
        if (!count[kind]) continue;
        if (isnan(s->price[k])) answer |= UNPRICED;
        if (kind >= QUOTA && kind <= CLASS) answer |= (uint8_t)(PAUSED_BY << kind);
    }
    return answer;
}

/* The same, of those that suit. */
static uint8_t hindered_by_cell(const Shard *s, int32_t profile, int32_t k) {
    uint8_t most = hindered_by_count(s, k), answer = 0;
    for (int32_t slot = s->slab[k]; slot < s->slab[k + 1] && answer != most; slot++) {
        if (s->state[slot] != SPECULATIVE || s->flags[slot] & NOTICED) continue;
        if (!cell_suits(s, profile, s->cell[slot])) continue;
        int kind = PAUSE_KIND(s->flags[slot]);
        answer |= most & UNPRICED;
        if (kind >= QUOTA && kind <= CLASS) answer |= (uint8_t)(PAUSED_BY << kind);
    }
    return answer;
}

static uint8_t answer_of(const Shard *s, int32_t profile) {
    bool uniform = s->profile_row[profile] == NOBODY;
    uint8_t answer = KNOWN;
    for (int32_t k = 0; k < s->classes; k++) {
        if (!class_suits(s, profile, k)) continue;
        if (!(answer & MATCHES) && class_matches(s, profile, k)) answer |= MATCHES;
        answer |= uniform ? hindered_by_count(s, k) : hindered_by_cell(s, profile, k);
    }
    return answer;
}

/* Say whether the domain would hold the gang were all its matching machines free. */
static bool has_room(Shard *s, int32_t n, int32_t domain) {
    const int32_t *cells;
    int64_t room = 0;
    int32_t count = cells_of(s, s->need[n].gang_axis, domain, &cells);
    for (int32_t at = 0; at < count && room < s->need[n].count; at++)
        if (cell_suits(s, s->need[n].profile, cells[at])) room += s->cell_machines[cells[at]];
    return room >= s->need[n].count;
}

/* Say whether no domain would; a gang that has machines must stay in theirs. */
static bool no_domain(Shard *s, int32_t n) {
    if (!is_gang(s, n)) return false;
    int32_t pinned = pinned_domain(s, n);
    if (pinned >= 0) return !has_room(s, n, pinned);
    for (int32_t d = 0; d < s->axis_width[s->need[n].gang_axis]; d++)
        if (has_room(s, n, d)) return false;
    return true;
}

/* Say whether the cell has a free machine that nobody claims and the need may have. */
static bool has_free(const Shard *s, int32_t n, int32_t c) {
    return s->cell_idle[c] || s->cell_soon[c] ||
           (s->cell_late[c] && s->need[n].priority < s->tier1);
}

/* Say whether the class has an idle machine that a lower need claims, where the skew forbids it. */
static bool forbids_claimed(const Shard *s, int32_t n, const Purse *purse, int32_t k) {
    int32_t left = free_of(s, k, CLAIMED_CODES);
    for (int32_t slot = s->slab[k]; left && slot < s->slab[k + 1]; slot++) {
        uint8_t code = s->code[slot];
        if (IS_TAKEN(code) || !IS_IDLE_CODE(code) || CLAIM_OF(code) < LAPSING) continue;
        left--;
        int32_t c = s->cell[slot];
        if (is_lower(s, s->serves[slot], n) && cell_suits(s, s->need[n].profile, c) &&
            !purse_allows(s, purse, c))
            return true;
    }
    return false;
}

/* Say whether a matching machine, free for the need, is where the skew forbids one more. */
static bool only_skew_forbids(Shard *s, int32_t n) {
    const Spread *spread = s->spread + s->need[n].spread_first;
    bool is_hard = false;
    for (int32_t i = 0; i < s->need[n].spreads; i++) is_hard |= spread[i].is_hard;
    if (!is_hard) return false;
    int32_t profile = s->need[n].profile;
    Purse purse = open_purse(s, n);
    for (int32_t k = 0; k < s->classes; k++) {
        if (!s->class_mask[k] || !class_suits(s, profile, k)) continue;
        if (s->probability[k] > 0 && purse.risky_left <= 0) continue;
        for (int32_t c = s->class_cell[k]; c < s->class_cell[k + 1]; c++)
            if (has_free(s, n, c) && cell_suits(s, profile, c) && !purse_allows(s, &purse, c))
                return true;
        if (forbids_claimed(s, n, &purse, k)) return true;
    }
    return false;
}

static int32_t reason_of(Shard *s, int32_t n, int64_t lacks, uint8_t *answers) {
    if (s->waiting[n] >= lacks) return WAITING_FOR_DRAIN;
    uint8_t *answer = answers + s->need[n].profile;
    if (!*answer) *answer = answer_of(s, s->need[n].profile);
    if (!(*answer & MATCHES)) return NO_MATCHING_MACHINE;
    if (no_domain(s, n)) return TOPOLOGY_UNSATISFIABLE;
    if (only_skew_forbids(s, n)) return SPREAD_UNSATISFIABLE;
    if (*answer & UNPRICED) return PRICE_UNKNOWN;
    if (*answer & PAUSED_BY << QUOTA) return QUOTA_EXHAUSTED;
    if (*answer & PAUSED_BY << SUBNET) return ADDRESSES_EXHAUSTED;
    if (*answer & PAUSED_BY << CLASS) return STOCKED_OUT;
    return CAPACITY_EXHAUSTED;
}

/* Say whether a machine on its way to the need is past half of its timeout. Looks at machines only
 * where the bounds do not rule that out, and sharpens the bounds then. */
static bool is_late(Shard *s, int32_t n) {
    double *eldest = s->eldest + 2 * (size_t)n;
    double creating = s->creating_timeout / 2, configuring = s->configuring_timeout / 2;
    if (!s->coming[n]) return false;
    if (!(s->now - eldest[0] > creating || s->now - eldest[1] > configuring)) return false;
    eldest[0] = eldest[1] = INFINITY;
    int32_t *members, used = members_of(s, n, &members);
    for (int32_t at = 0; at < used; at++) {
        int32_t slot = members[at], which = s->state[slot] == CONFIGURING;
        if (!(s->flags[slot] & HELD) || (!which && s->state[slot] != CREATING)) continue;
        eldest[which] = fmin(eldest[which], s->since[slot]);
    }
    return s->now - eldest[0] > creating || s->now - eldest[1] > configuring;
}

/* Report a need if it is short, and remember for how many cycles in a row. */
static void report(Shard *s, int32_t n, uint8_t *answers) {
    int64_t lacks = (int64_t)s->need[n].count - s->have[n] - s->lost[n];
    Short found = {.need = n, .age = s->short_cycles[n] + 1};
    if (lacks > 0) {
        found.count = (int32_t)lacks;
        found.reason = reason_of(s, n, lacks, answers);
    } else if (is_late(s, n)) {
        found.count = s->coming[n];
        found.reason = WAITING_FOR_CREATE;
    } else {
        s->short_cycles[n] = 0;
        return;
    }
    s->short_cycles[n] = found.age;
    s->shorts = grown(s, s->shorts, &s->shorts_room, s->shorts_used, sizeof *s->shorts);
    if (!s->failed) s->shorts[s->shorts_used++] = found;
}

/* Report each need that is short, in the order of the walk: those of clusters in shadow mode on
 * the books in which they were served, all others before. */
void report_shortfalls(Shard *s, bool shadow) {
    uint8_t *answers = scratch(s, 5, (size_t)s->profiles + 1);
    if (!answers) return;
    memset(answers, 0, (size_t)s->profiles + 1);
    for (int32_t at = 0; at < s->walk_length && !s->failed; at++) {
        int32_t n = s->walk[at];
        if (!s->shadow[s->need[n].cluster] == !shadow) report(s, n, answers);
    }
    for (int32_t n = 0; n < s->needs; n++)
        if (!s->mine[s->need[n].cluster]) s->short_cycles[n] = 0;
}
