/* Deal the machines that one cluster holds to its needs, and name those beyond every count:
 * hotpath/plain/holding.py, compiled.
 *
 * Most deals find nothing short and nothing over. Else each need first settles what it keeps of its
 * own; then those short are filled (deal_paths.c, deal_gang.c); then phase 3's order says once more
 * who is beyond. Where that changed nothing, it stays so: only what changed is dealt anew.
 */

#include <stdlib.h>
#include <string.h>

#include "deal.h"
#include "order.h"

static bool has_nothing_to_deal(const Shard *s, int32_t x) {
    if (s->loose_start[x] < s->loose_start[x + 1]) return false;
    for (int32_t at = s->cluster_start[x]; at < s->cluster_start[x + 1]; at++) {
        int32_t n = s->cluster_needs[at];
        if (s->have[n] != s->need[n].count) return false;
    }
    return true;
}

enum { ALIGNED = sizeof(Lanes) }; /* of all that is carved; malloc does no less */

static void *carve(char **room, size_t bytes) {
    void *piece = *room;
    *room += (bytes + ALIGNED - 1) & ~(size_t)(ALIGNED - 1);
    return piece;
}

/* Lay the lists of a deal out in one piece of memory; given NULL, it tells how much that takes. */
static size_t lay_out(Deal *d, char *room) {
    char *start = room;
    size_t rows = (size_t)d->rows, size = (size_t)d->size + 1, number = sizeof(int32_t);
    d->parts = carve(&room, size * sizeof *d->parts);
    d->saved = carve(&room, size * sizeof *d->saved);
    d->steps = carve(&room, (rows + 1) * sizeof *d->steps);
    d->row_of = carve(&room, (size_t)d->s->needs * number);
    d->loose = carve(&room, size * number);
    d->pool = carve(&room, size * number);
    d->owners = carve(&room, size * number);
    d->users = carve(&room, size * (size_t)d->row_words * sizeof *d->users);
    d->found = carve(&room, 2 * size * number);
    d->kept = carve(&room, size * number);
    d->is_given = carve(&room, size);
    d->keeps = carve(&room, rows * (size_t)d->s->class_words * sizeof *d->keeps);
    d->trays = carve(&room, size * sizeof *d->trays);
    d->tray_start = carve(&room, rows * number);
    d->has = carve(&room, SAVED_ROWS * rows * number);
    d->lent = d->has + rows;
    d->foreign_of = d->lent + rows;
    d->own_free = d->foreign_of + rows;
    d->free_from = d->own_free + rows;
    d->saved_rows = carve(&room, SAVED_ROWS * rows * number);
    d->own_loose = carve(&room, rows * number);
    d->distance = carve(&room, rows * number);
    d->via = carve(&room, rows * number);
    d->weight = carve(&room, rows * number);
    d->turn = carve(&room, rows * number);
    d->is_gang = carve(&room, rows);
    d->classes = carve(&room, rows * sizeof *d->classes);
    d->is_touched = carve(&room, rows);
    d->edges = carve(&room, rows * rows);
    d->ways = carve(&room, rows * rows * sizeof *d->ways);
    d->weights = carve(&room, rows * (size_t)d->lanes * sizeof(Lanes));
    d->bound = carve(&room, (size_t)d->lanes * sizeof(Lanes));
    return (size_t)(room - start);
}

/* Give the classes whose machines suit a need, if that is all that matters; NULL. */
static const uint64_t *classes_of(const Shard *s, const Need *need) {
    bool by_class = s->profile_row[need->profile] == NOBODY;
    if (!by_class || need->ready_profile != need->profile) return NULL;
    return s->profile_classes + (size_t)need->profile * s->class_words;
}

/* Lay out what is dealt: the needs in their order, and what is loose. */
static bool begin(Deal *d, Shard *s, int32_t x) {
    order_cluster(s, x);
    *d = (Deal){.s = s, .cluster = x, .gang = NOBODY, .domain = NOBODY};
    d->needs = s->cluster_needs + s->cluster_start[x];
    d->rows = s->cluster_start[x + 1] - s->cluster_start[x];
    d->size = s->loose_start[x + 1] - s->loose_start[x];
    d->row_words = (d->rows + 63) / 64;
    d->lanes = (d->rows + LANES - 1) / LANES;
    for (int32_t row = 0; row < d->rows; row++) d->size += s->have[d->needs[row]];
    char *room = scratch(s, 8, lay_out(d, NULL));
    if (!room) return false;
    lay_out(d, room);
    for (int32_t row = 0; row < d->rows; row++) {
        d->row_of[d->needs[row]] = row;
        d->own_loose[row] = 0;
        d->is_gang[row] = is_gang(s, d->needs[row]);
        d->classes[row] = classes_of(s, s->need + d->needs[row]);
        d->is_touched[row] = false;
    }
    for (int32_t at = s->loose_start[x]; at < s->loose_start[x + 1]; at++) {
        int32_t slot = s->loose[at];
        int32_t label = s->serves[slot];
        bool is_known = label == NOBODY || (label >= 0 && s->need[label].cluster == x);
        if (is_loose(s, slot) && is_known) d->loose[d->loose_used++] = slot;
    }
    return true;
}

static void hold(Deal *d, int32_t slot, int32_t row) {
    Shard *s = d->s;
    uint16_t flags = s->flags[slot] & ~(EXCESS | UNREPORTED | STOOD);
    uint8_t code = s->state[slot] == IDLE ? idle_code(s, slot, RESERVED) : TAKEN;
    set_slot(s, slot, d->needs[row], flags | HELD, code);
}

/* Let a machine go that was serving `label`, or NOBODY, when the deal began. */
static void let_loose(Deal *d, int32_t slot, int32_t label) {
    Shard *s = d->s;
    bool is_idle = s->state[slot] == IDLE;
    list_beyond(s, slot);
    uint16_t flags = s->flags[slot] & ~(HELD | STOOD);
    flags |= s->shadow[d->cluster] && !is_idle ? UNREPORTED : EXCESS;
    set_slot(s, slot, label == NOBODY ? NOBODY : d->needs[label], flags,
             is_idle ? idle_code(s, slot, LAPSING) : TAKEN);
    d->loose[d->loose_used++] = slot;
}

/* Leave out of the loose what is held now. */
static void keep_loose(Deal *d) {
    int32_t kept = 0;
    for (int32_t at = 0; at < d->loose_used; at++)
        if (is_loose(d->s, d->loose[at])) d->loose[kept++] = d->loose[at];
    d->loose_used = kept;
}

static int32_t label_of_loose(const Deal *d, int32_t slot) {
    int32_t n = d->s->serves[slot];
    return n == NOBODY ? NOBODY : d->row_of[n];
}

static int32_t gather_own_loose(const Deal *d, int32_t row, int32_t *slots) {
    int32_t count = 0;
    for (int32_t at = 0; at < d->loose_used; at++) {
        int32_t slot = d->loose[at];
        if (label_of_loose(d, slot) == row && can_use(d, row, slot)) slots[count++] = slot;
    }
    return count;
}

/* Leave out of a need's machines, ascending, those that are another's by their label. */
static int32_t leave_out_strangers(const Deal *d, int32_t row, int32_t *slots, int32_t count) {
    for (int32_t at = 0; at < d->used; at++) {
        const Part *part = d->parts + at;
        if (part->owner != row) continue;
        int32_t *known = bsearch(&part->slot, slots, (size_t)count, sizeof *slots, by_slot);
        if (!known) continue;
        count--;
        memmove(known, known + 1, (size_t)(slots + count - known) * sizeof *slots);
    }
    return count;
}

static double price_of(const Shard *s, int32_t k) {
    return isnan(s->price[k]) ? INFINITY : s->price[k];
}

/* Give the machines of its label that a need has, of classes that cost at least that much. */
int32_t gather_held(const Deal *d, int32_t row, double least_price, int32_t *slots) {
    const Shard *s = d->s;
    const Holding *h = s->holding + d->needs[row];
    int32_t count = 0;
    for (int32_t at = 0; at < h->used;) {
        int32_t k = s->box_class[h->bins[at].box], left = 0;
        while (at < h->used && s->box_class[h->bins[at].box] == k) left += h->bins[at++].count;
        if (price_of(s, k) < least_price) continue;
        count += held_of_class(s, d->needs[row], k, left, slots + count);
    }
    return leave_out_strangers(d, row, slots, count);
}

/* Machines of one price; the dearest that a search has met below what it had. */
typedef struct { double below, price; int32_t count; bool is_first; } Dearest;

static void meet(Dearest *dearest, double price, int32_t count) {
    if (!dearest->is_first && price >= dearest->below) return;
    if (price < dearest->price) return;
    dearest->count = price == dearest->price ? dearest->count + count : count;
    dearest->price = price;
}

/* Give the price from which on a class can hold one of the `wanted` machines of a need that are
 * given back first, all of them configured: a group of like prices that has the last of them starts
 * at that one's price or above. `loose` are those of the machines that the need does not have. */
static double least_price(const Deal *d, int32_t row, int32_t wanted, const int32_t *loose,
                          int32_t count) {
    const Shard *s = d->s;
    const Holding *h = s->holding + d->needs[row];
    Dearest dearest = {.below = INFINITY, .is_first = true};
    while (wanted > 0) {
        dearest.price = -1;
        dearest.count = 0;
        for (int32_t at = 0; at < h->used; at++)
            meet(&dearest, price_of(s, s->box_class[h->bins[at].box]), h->bins[at].count);
        for (int32_t at = 0; at < count; at++)
            if (s->state[loose[at]] == CONFIGURED)
                meet(&dearest, price_of(s, class_of(s, loose[at])), 1);
        for (int32_t at = 0; at < d->used; at++)
            if (d->parts[at].owner == row)
                meet(&dearest, price_of(s, s->box_class[d->parts[at].box]), -1);
        if (dearest.price < 0) return -INFINITY;
        wanted -= dearest.count;
        dearest.below = dearest.price;
        dearest.is_first = false;
    }
    return LIKE_PRICE * dearest.below;
}

/* Let the first `beyond` of a need's pool be loose and give it the others; say whether that
 * changed any. */
static bool part_pool(Deal *d, int32_t row, const int32_t *pool, int32_t count, int32_t beyond) {
    bool changed = false;
    for (int32_t at = 0; at < count; at++) {
        if ((at < beyond) == is_loose(d->s, pool[at])) continue;
        if (at < beyond) let_loose(d, pool[at], row);
        else hold(d, pool[at], row);
        changed = true;
    }
    if (changed) keep_loose(d);
    return changed;
}

/* Let phase 3's order say which `beyond` of a need's own machines are loose. Only those are looked
 * at that can be among them. */
static bool shed(Deal *d, int32_t row, int32_t beyond) {
    const Shard *s = d->s;
    int32_t n = d->needs[row], count = gather_own_loose(d, row, d->pool), early = 0;
    for (int32_t at = 0; at < count; at++) early += s->state[d->pool[at]] != CONFIGURED;
    if (s->reserved[n] || s->coming[n])
        count += gather_held(d, row, -INFINITY, d->pool + count);
    else if (beyond > early)
        count += gather_held(d, row, least_price(d, row, beyond - early, d->pool, count),
                             d->pool + count);
    bring_first_to_go(d->s, d->pool, count, beyond, s->need[n].reclamation_penalty);
    return part_pool(d, row, d->pool, count, beyond);
}

/* Let a gang lose members outside its domain first. */
static void shed_gang(Deal *d, int32_t row, int32_t beyond) {
    int32_t count = gather_own_loose(d, row, d->pool), away = 0;
    count += gather_held(d, row, -INFINITY, d->pool + count);
    int32_t home = home_of(d, row, d->pool, count);
    for (int32_t at = 0; at < count; at++) {
        int32_t slot = d->pool[at];
        if (domain_of(d, row, slot) == home) continue;
        d->pool[at] = d->pool[away];
        d->pool[away++] = slot;
    }
    double penalty = d->s->need[d->needs[row]].reclamation_penalty;
    bring_first_to_go(d->s, d->pool, away, beyond, penalty);
    bring_first_to_go(d->s, d->pool + away, count - away, beyond - away, penalty);
    part_pool(d, row, d->pool, count, beyond);
}

/* Let each need keep what it has of its own, up to its count; say whether any is short then. Of
 * whom that was asked since anything of it changed, it need not be asked again. */
static bool settle_own(Deal *d) {
    bool is_short = false;
    for (int32_t at = 0; at < d->loose_used; at++) {
        int32_t label = label_of_loose(d, d->loose[at]);
        if (label != NOBODY) d->own_loose[label] += can_use(d, label, d->loose[at]);
    }
    for (int32_t row = 0; row < d->rows; row++) {
        int32_t n = d->needs[row], own = d->s->have[n] + d->own_loose[row];
        int32_t beyond = own - d->s->need[n].count;
        is_short |= beyond < 0;
        if (d->s->settled_at[n] == d->s->need[n].count) continue;
        if (beyond <= 0 && d->own_loose[row])
            part_pool(d, row, d->pool, gather_own_loose(d, row, d->pool), 0);
        else if (beyond > 0 && d->is_gang[row]) shed_gang(d, row, beyond);
        else if (beyond > 0) shed(d, row, beyond);
        d->s->settled_at[n] = d->s->need[n].count;
    }
    return is_short;
}

/* Write into the books what was dealt; parts are then the machines that changed their need. */
static void enter_parts(Deal *d) {
    int32_t moved = 0;
    for (int32_t at = 0; at < d->used; at++) {
        Part *part = d->parts + at;
        if (part->owner == NOBODY) continue;
        hold(d, part->slot, part->owner);
        if (part->label != NOBODY) d->is_touched[part->label] = true;
        if (part->owner != part->label) d->parts[moved++] = *part;
    }
    d->used = moved;
    keep_loose(d);
}

/* Let phase 3's order say which machines of its label are beyond what the need has of them. */
static bool prefer_own(Deal *d, int32_t row) {
    if (!d->is_touched[row]) return false;
    int32_t loose = gather_own_loose(d, row, d->pool), held = d->s->have[d->needs[row]];
    for (int32_t at = 0; at < d->used; at++) held -= d->parts[at].owner == row;
    d->is_touched[row] = false;
    return loose && held && shed(d, row, loose);
}

/* Replace a machine that a need had got by a loose one. */
static void exchange(Deal *d, Part *part, int32_t slot) {
    int32_t row = part->owner, label = label_of_loose(d, slot);
    let_loose(d, part->slot, part->label);
    if (part->label != NOBODY) d->is_touched[part->label] = true;
    if (label != NOBODY) d->is_touched[label] = true;
    hold(d, slot, row);
    *part = (Part){place_of(d->s, slot), slot, box_of(d->s, slot), label, row, NOBODY, false};
}

/* The same of the machines that are not of its label. */
static bool prefer_strangers(Deal *d, int32_t row) {
    int32_t held = 0, count = 0, kept = 0;
    for (int32_t at = 0; at < d->used; at++)
        if (d->parts[at].owner == row) d->pool[held++] = d->parts[at].slot;
    for (int32_t at = 0; held && at < d->loose_used; at++) {
        int32_t slot = d->loose[at];
        if (label_of_loose(d, slot) != row && can_use(d, row, slot)) d->pool[held + count++] = slot;
    }
    if (!held || !count) return false;
    bring_first_to_go(d->s, d->pool, held + count, count,
                      d->s->need[d->needs[row]].reclamation_penalty);
    /* The last `held` are to be kept: those of them that are loose take the others' places. */
    const int32_t *keep = d->pool + count;
    for (int32_t at = 0; at < held; at++)
        if (is_loose(d->s, keep[at])) d->owners[kept++] = keep[at];
    if (!kept) return false;
    for (int32_t at = 0; at < count; at++) {
        int32_t part = 0;
        if (is_loose(d->s, d->pool[at])) continue;
        while (d->parts[part].slot != d->pool[at]) part++;
        exchange(d, d->parts + part, d->owners[--kept]);
    }
    keep_loose(d);
    return true;
}

/* Let phase 3's order say who is beyond, need by need. What one need lets go another may prefer: a
 * few rounds settle it, as many as there are plain needs at the most. */
static void prefer_settled(Deal *d) {
    bool changed = true;
    int32_t plain = 0;
    for (int32_t row = 0; row < d->rows; row++) plain += !d->is_gang[row];
    for (int32_t round = 0; round < plain && changed && !d->s->failed; round++) {
        changed = false;
        for (int32_t row = 0; row < d->rows; row++) {
            if (d->is_gang[row]) continue;
            changed |= prefer_own(d, row);
            changed |= prefer_strangers(d, row);
        }
    }
}

/* Set who serves what, HELD, and what is beyond all counts, of the machines of one cluster. It is
 * dirty still where a machine changed its need while others are loose: its new label may settle
 * more. Where nothing is loose, nobody could get anything in exchange. */
void deal(Shard *s, int32_t x) {
    Deal d;
    s->dirty[x] = 0;
    if (has_nothing_to_deal(s, x) || !begin(&d, s, x)) return;
    if (!settle_own(&d) || s->failed) return;
    fill_needs(&d);
    if (s->failed) return;
    enter_parts(&d);
    if (d.used) prefer_settled(&d);
    for (int32_t at = 0; at < d.used; at++) {
        const Part *part = d.parts + at;
        if (s->state[part->slot] == IDLE && part->label != NOBODY)
            note_moved(s, part->slot, d.needs[part->label]);
    }
    s->dirty[x] = d.used > 0 && d.loose_used > 0;
}
