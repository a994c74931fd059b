/* What limits a need's next pick: its spread constraints and its floor (hotpath/plain/spread.py,
 * purse.py, rules/floor.py). */

#include <string.h>

#include "shard.h"

/* Give how many machines with p > 0 the need may still take. Without a floor that is more than it
 * can want, since what it has is not missing. */
int32_t risky_left(Shard *s, int32_t n) {
    const Need *need = s->need + n;
    if (need->floor <= 0) return INT32_MAX / 2;
    int64_t left = (int64_t)need->count - need->floor;
    const Holding *h = s->holding + n;
    for (int32_t at = 0; at < h->used; at++)
        if (s->probability[s->box_class[h->bins[at].box]] > 0) left -= h->bins[at].count;
    int32_t *found = scratch(s, 0, (size_t)(s->waiting[n] + 1) * sizeof *found);
    if (!found) return 0;
    int32_t used = leaving_for(s, n, found, 0, s->waiting[n]);
    for (int32_t at = 0; at < used; at++) left -= s->probability[class_of(s, found[at])] > 0;
    return left > 0 ? (int32_t)left : 0;
}

static const Spread *constraint_of(const Shard *s, int32_t n, int32_t i) {
    return s->spread + s->need[n].spread_first + i;
}

/* Count what the need has in each domain of a constraint. */
static void count_members(Shard *s, int32_t n, int32_t axis, int32_t *counts) {
    const int32_t *codes = s->axis_codes + (size_t)axis * s->cells;
    const int32_t *of_box = s->axis_of_box + (size_t)axis * s->boxes;
    const Holding *h = s->holding + n;
    bool by_box = true;
    for (int32_t at = 0; at < h->used; at++) by_box &= of_box[h->bins[at].box] != DIFFERS;
    int32_t *found = NULL, used = 0;
    if (by_box) {
        for (int32_t at = 0; at < h->used; at++)
            if (of_box[h->bins[at].box] >= 0)
                counts[of_box[h->bins[at].box]] += h->bins[at].count;
        found = scratch(s, 0, (size_t)(s->waiting[n] + 1) * sizeof *found);
        if (found) used = leaving_for(s, n, found, 0, s->waiting[n]);
    } else {
        used = members_of(s, n, &found);
    }
    for (int32_t at = 0; at < used; at++) {
        int32_t domain = codes[s->cell[found[at]]];
        if (domain >= 0) counts[domain]++;
    }
}

/* Mark the domains in which any machine of the shard, in any state, matches the need. */
static void mark_present(Shard *s, int32_t n, int32_t axis, uint8_t *present) {
    const int32_t *codes = s->axis_codes + (size_t)axis * s->cells;
    const int32_t *of_box = s->axis_of_box + (size_t)axis * s->boxes;
    int32_t profile = s->need[n].profile;
    bool uniform = s->profile_row[profile] == NOBODY;
    for (int32_t k = 0; k < s->classes; k++) {
        if (!class_suits(s, profile, k)) continue;
        bool by_box = uniform;
        for (int32_t b = s->class_box[k]; b < s->class_box[k + 1]; b++)
            by_box &= of_box[b] != DIFFERS;
        if (by_box) {
            for (int32_t b = s->class_box[k]; b < s->class_box[k + 1]; b++)
                if (s->box_machines[b] && of_box[b] >= 0) present[of_box[b]] = 1;
            continue;
        }
        for (int32_t c = s->class_cell[k]; c < s->class_cell[k + 1]; c++)
            if (s->cell_machines[c] && codes[c] >= 0 && cell_suits(s, profile, c))
                present[codes[c]] = 1;
    }
}

/* Give the fewest machines in any present domain; -1 without any. */
static int32_t least_of(const int32_t *counts, const uint8_t *present, int32_t width) {
    int32_t least = -1;
    for (int32_t d = 0; d < width; d++)
        if (present[d] && (least < 0 || counts[d] < least)) least = counts[d];
    return least;
}

Purse open_purse(Shard *s, int32_t n) {
    int32_t spreads = s->need[n].spreads;
    Purse purse = {.need = n, .risky_left = risky_left(s, n), .spreads = spreads};
    if (!spreads) return purse;
    size_t width = 0;
    for (int32_t i = 0; i < spreads; i++) width += s->axis_width[constraint_of(s, n, i)->axis];
    size_t words = 2 * (size_t)spreads + 1 + width;
    int32_t *room = scratch(s, 2, words * sizeof *room + width);
    if (!room) {
        purse.spreads = 0;
        return purse;
    }
    memset(room, 0, words * sizeof *room + width);
    int32_t *start = room;
    purse.start = start;
    purse.least = room + spreads + 1;
    purse.counts = purse.least + spreads;
    purse.present = (uint8_t *)(room + words);
    for (int32_t i = 0; i < spreads; i++) {
        int32_t axis = constraint_of(s, n, i)->axis;
        start[i + 1] = start[i] + s->axis_width[axis];
        count_members(s, n, axis, purse.counts + start[i]);
        mark_present(s, n, axis, purse.present + start[i]);
        purse.least[i] =
            least_of(purse.counts + start[i], purse.present + start[i], s->axis_width[axis]);
    }
    return purse;
}

bool purse_allows(const Shard *s, const Purse *purse, int32_t cell) {
    for (int32_t i = 0; i < purse->spreads; i++) {
        const Spread *constraint = constraint_of(s, purse->need, i);
        if (!constraint->is_hard) continue;
        int32_t domain = s->axis_codes[(size_t)constraint->axis * s->cells + cell];
        if (domain < 0 || purse->least[i] < 0) return false;
        int64_t count = purse->counts[purse->start[i] + domain];
        if (count + 1 - purse->least[i] > constraint->max_skew) return false;
    }
    return true;
}

void purse_take(Shard *s, Purse *purse, int32_t slot) {
    purse->risky_left -= s->probability[class_of(s, slot)] > 0;
    for (int32_t i = 0; i < purse->spreads; i++) {
        int32_t axis = constraint_of(s, purse->need, i)->axis;
        int32_t domain = s->axis_codes[(size_t)axis * s->cells + s->cell[slot]];
        if (domain < 0) continue;
        int32_t *counts = purse->counts + purse->start[i];
        const uint8_t *present = purse->present + purse->start[i];
        if (counts[domain]++ == purse->least[i] && present[domain])
            purse->least[i] = least_of(counts, present, s->axis_width[axis]);
    }
}
