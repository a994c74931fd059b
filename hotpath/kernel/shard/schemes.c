/* Phase 2 for a gang: domain and victims are chosen together (hotpath/preempt.py).
 *
 * One pass over the machines tells how much each domain could give and a bound of what that costs;
 * the domains are tried in the order of their bounds until none left can beat the best.
 */

#include "victims.h"

#define CAUTION (1 - 1e-9) /* sums of the same numbers may differ in their last digits */

/* What a gang could have of one domain: what is free, what drains already, excess; victims that do
 * no damage, and others, of which the cheapest does so much. */
typedef struct {
    int32_t free, leaving, excess, costless, costly;
    double cheapest;
} Tally;

/* How a domain would hold a gang, the best first; or a bound of it. */
typedef struct { int32_t evictions; double damage; int32_t left_over, domain; } Key;

static bool is_less(Key a, Key b) {
    if (a.evictions != b.evictions) return a.evictions < b.evictions;
    if (a.damage != b.damage) return a.damage < b.damage;
    if (a.left_over != b.left_over) return a.left_over < b.left_over;
    return a.domain < b.domain;
}

/* Say whether a machine is free for the need: unclaimed, or claimed by a strictly lower one. */
static bool is_free_for(const Shard *s, int32_t n, int32_t slot) {
    uint8_t code = s->code[slot];
    if (code == LATE) return s->need[n].priority < s->tier1;
    return code == SOON || CLAIM_OF(code) < LAPSING || is_lower(s, s->serves[slot], n);
}

static void count_victim(const Shard *s, int32_t slot, Tally *tally) {
    const Need *victim = s->need + s->serves[slot];
    double cost = fmax(s->penalty[slot], victim->reclamation_penalty);
    if (victim->gang_axis < 0) cost += victim->interruption_penalty;
    tally->costless += cost <= 0;
    tally->costly += cost > 0;
    if (cost > 0 && cost < tally->cheapest) tally->cheapest = cost;
}

static void count_machine(const Shard *s, int32_t n, int32_t slot, Tally *tally) {
    if (s->code[slot] != TAKEN) tally->free += is_free_for(s, n, slot);
    else if (s->flags[slot] & LEAVING) tally->leaving += may_take_over(s, n, slot);
    else if (!gives_way(s, n, slot)) return;
    else if (is_spare(s, slot)) tally->excess++;
    else count_victim(s, slot, tally);
}

/* Count what there is of a class in each domain, or only in the one that pins the gang. */
static void count_class(const Shard *s, int32_t n, int32_t k, int32_t pin, Tally *tallies) {
    const Need *need = s->need + n;
    const int32_t *codes = s->axis_codes + (size_t)need->gang_axis * s->cells;
    for (int32_t slot = s->slab[k]; slot < s->slab[k + 1]; slot++) {
        int32_t domain = codes[s->cell[slot]];
        if (domain < 0 || (pin >= 0 && domain != pin)) continue;
        if (cell_suits(s, need->profile, s->cell[slot]))
            count_machine(s, n, slot, tallies + domain);
    }
}

static bool may_use(const Shard *s, int32_t n, int32_t k, bool safe_only) {
    return class_suits(s, s->need[n].profile, k) && !(safe_only && s->probability[k] > 0);
}

/* Say whether any domain has machines enough, whoever has them. */
static bool may_fit(Shard *s, int32_t n, int32_t lacks, bool safe_only) {
    const Need *need = s->need + n;
    const int32_t *codes = s->axis_codes + (size_t)need->gang_axis * s->cells;
    size_t width = (size_t)s->axis_width[need->gang_axis];
    int32_t *there = scratch(s, 6, (width + 1) * sizeof *there);
    if (!there) return false;
    for (size_t d = 0; d < width; d++) there[d] = 0;
    for (int32_t k = 0; k < s->classes; k++) {
        if (!may_use(s, n, k, safe_only)) continue;
        for (int32_t c = s->class_cell[k]; c < s->class_cell[k + 1]; c++) {
            if (codes[c] < 0 || !cell_suits(s, need->profile, c)) continue;
            there[codes[c]] += s->cell_machines[c];
            if (there[codes[c]] >= lacks) return true;
        }
    }
    return false;
}

/* Count what there is in each domain that may hold what the gang lacks; NULL without any. */
static Tally *count_domains(Shard *s, int32_t n, int32_t lacks, int32_t pin) {
    int32_t axis = s->need[n].gang_axis, width = s->axis_width[axis], last = NOBODY;
    bool safe_only = risky_left(s, n) <= 0;
    if (pin < 0 && !may_fit(s, n, lacks, safe_only)) return NULL;
    Tally *tallies = scratch(s, 6, ((size_t)width + 1) * sizeof *tallies);
    if (!tallies) return NULL;
    for (int32_t d = 0; d < width; d++) tallies[d] = (Tally){.cheapest = INFINITY};
    const int32_t *cells = NULL;
    int32_t count = pin >= 0 ? cells_of(s, axis, pin, &cells) : 0;
    for (int32_t at = 0; at < count; at++) {
        int32_t k = s->box_class[s->cell_box[cells[at]]];
        if (k != last && may_use(s, n, k, safe_only)) count_class(s, n, k, pin, tallies);
        last = k;
    }
    for (int32_t k = 0; pin < 0 && k < s->classes; k++)
        if (may_use(s, n, k, safe_only)) count_class(s, n, k, pin, tallies);
    return tallies;
}

/* List the domains that could hold what the gang lacks, with the least that each could cost. */
static int32_t list_bounds(const Shard *s, int32_t n, int32_t lacks, const Tally *tallies,
                           Key *bounds) {
    int32_t count = 0;
    for (int32_t d = 0; d < s->axis_width[s->need[n].gang_axis]; d++) {
        const Tally *t = tallies + d;
        int32_t harmless = t->free + t->leaving + t->excess;
        int32_t left_over = harmless + t->costless + t->costly - lacks;
        if (left_over < 0) continue;
        int32_t evictions = harmless < lacks ? lacks - harmless : 0;
        int32_t dear = evictions > t->costless ? evictions - t->costless : 0;
        bounds[count++] = (Key){evictions, dear ? dear * t->cheapest * CAUTION : 0, left_over, d};
    }
    return count;
}

/* Let an entry of a heap, the least on top, sink to its place. */
static void sink(Key *heap, int32_t count, int32_t at) {
    Key key = heap[at];
    for (int32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_less(heap[child + 1], heap[child])) child++;
        if (!is_less(heap[child], key)) break;
        heap[at] = heap[child];
    }
    heap[at] = key;
}

/* Rank what drains in a domain, or the victims there. */
static void rank_domain(Shard *s, int32_t n, int32_t domain, bool leaving) {
    const Need *need = s->need + n;
    const int32_t *codes = s->axis_codes + (size_t)need->gang_axis * s->cells, *cells;
    int32_t count = cells_of(s, need->gang_axis, domain, &cells), last = NOBODY;
    for (int32_t at = 0; at < count; at++) {
        int32_t k = s->box_class[s->cell_box[cells[at]]];
        if (k == last || !class_suits(s, need->profile, k)) continue;
        last = k;
        for (int32_t slot = s->slab[k]; slot < s->slab[k + 1]; slot++) {
            int32_t c = s->cell[slot];
            if (codes[c] != domain || !cell_suits(s, need->profile, c)) continue;
            if (leaving ? may_take_over(s, n, slot) : gives_way(s, n, slot)) rank_machine(s, slot);
        }
    }
}

/* What a gang would take of one domain: picks, then the first of Crowd.chosen, which drain already,
 * then victims. */
typedef struct { Key key; Pick *picks; int32_t picked, leaving, victims; } Scheme;

static int32_t choose_in(Shard *s, int32_t n, int32_t domain, bool leaving, int32_t wanted,
                         Purse *purse) {
    rank_domain(s, n, domain, leaving);
    int32_t runs = add_runs(s);
    int32_t count =
        choose_among(s, n, runs, wanted, !leaving && is_saturated(s, n), purse);
    drop_runs(s, runs);
    return count;
}

/* Fill one domain: from what is free, what drains already, excess, then victims; say whether that
 * is all the gang lacks. */
static bool try_domain(Shard *s, int32_t n, int32_t lacks, const Tally *tally, Scheme *scheme) {
    int32_t domain = scheme->key.domain, left = lacks;
    Purse purse = open_purse(s, n);
    s->crowd->chosen_used = scheme->picked = scheme->leaving = scheme->victims = 0;
    if (tally->free) scheme->picked = pick(s, lacks, &purse, domain, &scheme->picks);
    left -= scheme->picked;
    if (tally->leaving) scheme->leaving = choose_in(s, n, domain, true, left, &purse);
    left -= scheme->leaving;
    if (left) scheme->victims = choose_in(s, n, domain, false, left, &purse);
    if (scheme->victims < left || s->failed) return false;
    const int32_t *victims = s->crowd->chosen + scheme->leaving;
    scheme->key.evictions = 0;
    for (int32_t i = 0; i < scheme->victims; i++)
        scheme->key.evictions += !is_spare(s, victims[i]);
    scheme->key.damage = damage_usd(s, victims, scheme->victims);
    return true;
}

/* Do what the scheme says. */
static void carry_out(Shard *s, int32_t n, const Scheme *scheme) {
    order_picked(s, n, scheme->picks, scheme->picked);
    const int32_t *chosen = s->crowd->chosen;
    for (int32_t i = 0; i < scheme->leaving; i++) take_over(s, n, chosen[i]);
    evict(s, n, chosen + scheme->leaving, scheme->victims);
}

/* Choose domain and victims together; nothing happens where the gang would still not fit. */
void preempt_for_gang(Shard *s, int32_t n, int32_t lacks) {
    const Tally *tallies = count_domains(s, n, lacks, pinned_domain(s, n));
    size_t width = (size_t)s->axis_width[s->need[n].gang_axis];
    Key *heap = tallies ? scratch(s, 7, (width + 1) * sizeof *heap) : NULL;
    if (!heap) return;
    int32_t count = list_bounds(s, n, lacks, tallies, heap);
    for (int32_t at = count / 2; at--;) sink(heap, count, at);
    Scheme best = {0};
    bool has_best = false;
    while (count && (!has_best || is_less(heap[0], best.key))) {
        Scheme scheme = {.key = heap[0]};
        heap[0] = heap[--count];
        if (count) sink(heap, count, 0);
        if (!try_domain(s, n, lacks, tallies + scheme.key.domain, &scheme)) continue;
        if (!has_best || is_less(scheme.key, best.key)) best = scheme;
        has_best = true;
    }
    /* Filled once more: the last one tried need not be the best. */
    if (has_best && try_domain(s, n, lacks, tallies + best.key.domain, &best))
        carry_out(s, n, &best);
}
