/* What each need keeps while paths are sought: its machines by box, listed when somebody first
 * looks into a class, since most deals look into few. */

#include <string.h>

#include "deal.h"

/* Begin with nothing listed; the books must not change from now on until all is named. */
void open_trays(Deal *d) {
    int32_t at = 0, first = 0;
    for (int32_t row = 0; row < d->rows; row++) {
        const Holding *h = d->s->holding + d->needs[row];
        d->tray_start[row] = at;
        for (int32_t bin = 0; bin < h->used; bin++) {
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

/* Note that a machine is with another need now, or back. */
void mark_given(Deal *d, const Part *part, bool is_given) {
    d->trays[d->tray_start[part->label] + bin_of(d, part)].given += is_given ? 1 : -1;
    d->is_given[part->entry] = is_given;
}
