/* What each need keeps while paths are sought: its machines by box, listed when somebody first
 * looks into a class, since most deals look into few. */

#include <string.h>

#include "deal.h"

/* Begin with nothing listed; the books must not change from now on until all is named. */
void open_trays(Deal *d) {
    const Shard *s = d->s;
    int32_t at = 0, first = 0;
    memset(d->keeps, 0, (size_t)d->rows * s->class_words * sizeof *d->keeps);
    for (int32_t row = 0; row < d->rows; row++) {
        const Holding *h = s->holding + d->needs[row];
        uint64_t *keeps = keeps_of(d, row);
        d->tray_start[row] = at;
        for (int32_t bin = 0; bin < h->used; bin++) {
            int32_t k = s->box_class[h->bins[bin].box];
            keeps[k >> 6] |= (uint64_t)1 << (k & 63);
            d->trays[at++] = (Tray){first, 0, false};
            first += h->bins[bin].count;
        }
    }
}

/* List all machines of the class of one bin. */
static void list_class(Deal *d, int32_t row, int32_t bin) {
    const Shard *s = d->s;
    const Holding *h = s->holding + d->needs[row];
    Tray *trays = d->trays + d->tray_start[row];
    int32_t k = s->box_class[h->bins[bin].box], begin = bin, end = bin, left = 0;
    while (begin && s->box_class[h->bins[begin - 1].box] == k) begin--;
    while (end < h->used && s->box_class[h->bins[end].box] == k) end++;
    for (int32_t at = begin; at < end; at++) {
        left += h->bins[at].count;
        trays[at].is_listed = true;
    }
    memset(d->is_given + trays[begin].first, 0, (size_t)left);
    if (end - begin == 1) {
        held_of_class(s, d->needs[row], k, left, d->kept + trays[begin].first);
        return;
    }
    int32_t count = held_of_class(s, d->needs[row], k, left, d->pool);
    for (int32_t from = 0, at = begin; from < count; from++) {
        int32_t box = box_of(s, d->pool[from]);
        while (h->bins[at].box != box) at = at + 1 < end ? at + 1 : begin;
        d->kept[trays[at].first + trays[at].given++] = d->pool[from];
    }
    for (int32_t at = begin; at < end; at++) trays[at].given = 0;
}

/* Give the tray of one of a need's bins, its machines listed. */
Tray *tray_of(Deal *d, int32_t row, int32_t bin) {
    Tray *tray = d->trays + d->tray_start[row] + bin;
    if (!tray->is_listed) list_class(d, row, bin);
    return tray;
}

static int32_t bin_of(const Deal *d, const Part *part) {
    return bin_place(d->s->holding + d->needs[part->label], part->box);
}

/* Find where the machine of a part that was kept stands. */
int32_t entry_of(const Deal *d, const Part *part) {
    int32_t bin = bin_of(d, part), entry = d->trays[d->tray_start[part->label] + bin].first;
    int32_t last = entry + d->s->holding[d->needs[part->label]].bins[bin].count - 1;
    while (entry < last && d->kept[entry] != part->slot) entry++;
    return entry;
}

/* Tell whether a need keeps nothing any more where the machine of a part was kept. */
bool is_used_up(const Deal *d, const Part *part) {
    const Holding *h = d->s->holding + d->needs[part->label];
    int32_t bin = bin_of(d, part);
    return d->trays[d->tray_start[part->label] + bin].given >= h->bins[bin].count;
}

/* Tell whether a need keeps any machine of the class of one of its bins. */
static bool keeps_any(const Deal *d, int32_t row, int32_t bin) {
    const Shard *s = d->s;
    const Holding *h = s->holding + d->needs[row];
    const Tray *trays = d->trays + d->tray_start[row];
    int32_t k = s->box_class[h->bins[bin].box];
    while (bin && s->box_class[h->bins[bin - 1].box] == k) bin--;
    for (; bin < h->used && s->box_class[h->bins[bin].box] == k; bin++)
        if (trays[bin].given < h->bins[bin].count) return true;
    return false;
}

/* Note that machines of one tray are with another need now, or back. */
void mark_given(Deal *d, const Part *parts, int32_t count, bool is_given) {
    int32_t row = parts->label, k = d->s->box_class[parts->box], bin = bin_of(d, parts);
    uint64_t *keeps = keeps_of(d, row) + (k >> 6), flag = (uint64_t)1 << (k & 63);
    d->trays[d->tray_start[row] + bin].given += is_given ? count : -count;
    for (int32_t at = 0; at < count; at++) d->is_given[parts[at].entry] = is_given;
    if (!is_given || keeps_any(d, row, bin)) *keeps |= flag;
    else *keeps &= ~flag;
}
