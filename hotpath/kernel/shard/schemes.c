/* Phase 2 for a gang: domain and victims are chosen together (hotpath/plain/preempt.py).
 *
 * Tallies tell how much each domain could give and a bound of what that costs; the domains are
 * tried in the order of their bounds until none left can beat the best.
 */

#include "victims.h"

#define CAUTION (1 - 1e-9) /* sums of the same numbers may differ in their last digits */

/* How a domain would hold a gang, the best first; or a bound of it. */
typedef struct { int32_t evictions; double damage; int32_t left_over, domain; } Key;

static bool is_less(Key a, Key b) {
    if (a.evictions != b.evictions) return a.evictions < b.evictions;
    if (a.damage != b.damage) return a.damage < b.damage;
    if (a.left_over != b.left_over) return a.left_over < b.left_over;
    return a.domain < b.domain;
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
            if (leaving ? is_leaving_for(s, n, slot) : gives_way(s, n, slot)) rank_machine(s, slot);
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
    const Tally *tallies = tally_domains(s, n, lacks, pinned_domain(s, n));
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
