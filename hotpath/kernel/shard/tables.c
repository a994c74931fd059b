/* Make and free a shard; classes, boxes, cells and the labels whose values cells have. */

#include "tables.h"

#include <stdlib.h>
#include <string.h>

/* Give an array of zeros with room for one row more, so that it is never NULL. */
void *table(Shard *s, int64_t rows, size_t size) {
    void *made = calloc((size_t)rows + 1, size);
    if (!made) s->failed = true;
    return made;
}

void *copied(Shard *s, const void *rows, int64_t count, size_t size) {
    void *made = table(s, count, size);
    if (made && count) memcpy(made, rows, (size_t)count * size);
    return made;
}

/* Make room for `rows` rows in the array that `array` points to. */
bool widened(Shard *s, void *array, int64_t rows, size_t size) {
    void *old, *larger;
    memcpy(&old, array, sizeof old);
    larger = realloc(old, ((size_t)rows + 1) * size);
    if (!larger) {
        s->failed = true;
        return false;
    }
    memcpy(array, &larger, sizeof larger);
    return true;
}

Shard *bigfleet_shard_new(void) {
    Shard *s = calloc(1, sizeof *s);
    if (s) s->last_cycle = NAN;
    return s;
}

/* Give the row of which the last refusal spoke. */
int64_t bigfleet_shard_fault_row(const Shard *s) { return s->fault_row; }

static void free_places(Shard *s) {
    void *all[] = {s->price, s->probability, s->hold, s->is_spot, s->rate, s->rate_at,
                   s->oldest_idle, s->box_class, s->box_zone, s->class_box, s->cell_box,
                   s->class_cell, s->box_by_risk, s->box_count, s->class_free,
                   s->class_mask, s->box_mask, s->speculative, s->box_hint, s->cell_idle,
                   s->cell_soon, s->cell_late, s->cell_machines, s->box_machines, s->slab};
    for (size_t at = 0; at < sizeof all / sizeof *all; at++) free(all[at]);
}

static void free_needs(Shard *s) {
    for (int32_t n = 0; s->holding && n < s->needs; n++) free(s->holding[n].bins);
    void *all[] = {s->need, s->spread, s->cluster_needs, s->walk, s->holding, s->have, s->waiting,
                   s->created, s->lost, s->reserved, s->coming, s->settled_at, s->eldest,
                   s->short_cycles, s->mine, s->shadow, s->dirty, s->given, s->cluster_start,
                   s->loose_start};
    for (size_t at = 0; at < sizeof all / sizeof *all; at++) free(all[at]);
}

void bigfleet_shard_free(Shard *s) {
    if (!s) return;
    forget_domains(s);
    free_crowd(s);
    free_places(s);
    free_needs(s);
    void *all[] = {s->axis_codes, s->axis_width, s->axis_of_box, s->menu_cost, s->menu_limit,
                   s->menu_waste, s->menu_class_rank, s->menu_box_rank, s->profile_classes,
                   s->profile_row, s->own_row, s->profile_cells, s->columns, s->beyond,
                   s->watches, s->begun, s->moved, s->drained, s->loose, s->orders, s->shorts,
                   s->lots, s->place_cell, s->journal, s->hands_off};
    for (size_t at = 0; at < sizeof all / sizeof *all; at++) free(all[at]);
    for (int at = 0; at < SCRATCHES; at++) free(s->scratch[at]);
    free(s);
}

static int check_classes(Shard *s, int64_t classes, const double *price, const double *probability,
                         const double *hold) {
    for (int64_t k = 0; k < classes; k++) {
        if (!isnan(price[k]) && !is_amount(price[k])) return refuse(s, SENSELESS, k);
        if (!(probability[k] >= 0 && probability[k] <= 1)) return refuse(s, SENSELESS, k);
        if (!(hold[k] >= 0)) return refuse(s, SENSELESS, k);
    }
    return FINE;
}

/* Both must come in the order of the shard: boxes by (class, zone), cells by box. */
static int check_boxes(Shard *s, int64_t classes, int64_t boxes, const int32_t *box_class,
                       const int32_t *box_zone, int64_t cells, const int32_t *cell_box) {
    for (int64_t b = 0; b < boxes; b++) {
        if (!is_in(box_class[b], 0, classes) || box_zone[b] < NOBODY)
            return refuse(s, OUT_OF_RANGE, b);
        if (b && (box_class[b] < box_class[b - 1] ||
                  (box_class[b] == box_class[b - 1] && box_zone[b] <= box_zone[b - 1])))
            return refuse(s, UNSORTED, b);
    }
    for (int64_t c = 0; c < cells; c++) {
        if (!is_in(cell_box[c], 0, boxes)) return refuse(s, OUT_OF_RANGE, c);
        if (c && box_class[cell_box[c]] < box_class[cell_box[c - 1]])
            return refuse(s, UNSORTED, c);
    }
    return FINE;
}

typedef struct { double probability; int32_t zone, k, box; } Risk;

static int by_risk(const void *left, const void *right) {
    const Risk *a = left, *b = right;
    if (a->probability != b->probability) return a->probability < b->probability ? -1 : 1;
    if (a->zone != b->zone) return a->zone < b->zone ? -1 : 1;
    return (a->k > b->k) - (a->k < b->k);
}

static void sort_by_risk(Shard *s) {
    Risk *risks = table(s, s->boxes, sizeof *risks);
    if (!risks) return;
    for (int32_t b = 0; b < s->boxes; b++)
        risks[b] = (Risk){s->probability[s->box_class[b]], s->box_zone[b], s->box_class[b], b};
    qsort(risks, (size_t)s->boxes, sizeof *risks, by_risk);
    for (int32_t b = 0; b < s->boxes; b++) s->box_by_risk[b] = risks[b].box;
    free(risks);
}

/* Make the indices over slots that are as long as the classes, boxes and cells. */
static void make_indices(Shard *s) {
    int64_t k = s->classes, b = s->boxes, c = s->cells;
    s->slab = table(s, k + 1, sizeof *s->slab);
    s->rate = table(s, k, sizeof *s->rate);
    s->rate_at = table(s, k, sizeof *s->rate_at);
    s->oldest_idle = table(s, k, sizeof *s->oldest_idle);
    s->box_count = table(s, b * CODES, sizeof *s->box_count);
    s->class_free = table(s, k, sizeof *s->class_free);
    s->class_mask = table(s, k, sizeof *s->class_mask);
    s->box_mask = table(s, b, sizeof *s->box_mask);
    s->speculative = table(s, k * PAUSE_KINDS, sizeof *s->speculative);
    s->box_hint = table(s, b * HINTS, sizeof *s->box_hint);
    s->cell_idle = table(s, c, sizeof *s->cell_idle);
    s->cell_soon = table(s, c, sizeof *s->cell_soon);
    s->cell_late = table(s, c, sizeof *s->cell_late);
    s->cell_machines = table(s, c, sizeof *s->cell_machines);
    s->box_machines = table(s, b, sizeof *s->box_machines);
}

/* Lay out classes, boxes and cells; once, and before anything else. */
int bigfleet_shard_places(Shard *s, int64_t classes, const double *price,
                          const double *probability, const double *hold, const uint8_t *is_spot,
                          int64_t boxes, const int32_t *box_class, const int32_t *box_zone,
                          int64_t cells, const int32_t *cell_box) {
    if (s->price) return refuse(s, OUT_OF_TURN, 0);
    if (!is_length(classes) || !is_length(boxes) || !is_length(cells))
        return refuse(s, OUT_OF_RANGE, 0);
    int fault = check_classes(s, classes, price, probability, hold);
    if (!fault) fault = check_boxes(s, classes, boxes, box_class, box_zone, cells, cell_box);
    if (fault) return fault;
    s->classes = (int32_t)classes;
    s->boxes = (int32_t)boxes;
    s->cells = (int32_t)cells;
    s->class_words = (s->classes + 63) / 64;
    s->cell_words = (s->cells + 63) / 64;
    s->price = copied(s, price, classes, sizeof *price);
    s->probability = copied(s, probability, classes, sizeof *probability);
    s->hold = copied(s, hold, classes, sizeof *hold);
    s->is_spot = copied(s, is_spot, classes, sizeof *is_spot);
    s->box_class = copied(s, box_class, boxes, sizeof *box_class);
    s->box_zone = copied(s, box_zone, boxes, sizeof *box_zone);
    s->cell_box = copied(s, cell_box, cells, sizeof *cell_box);
    s->class_box = table(s, classes + 1, sizeof *s->class_box);
    s->class_cell = table(s, classes + 1, sizeof *s->class_cell);
    s->box_by_risk = table(s, boxes, sizeof *s->box_by_risk);
    make_indices(s);
    if (s->failed) return NO_MEMORY;
    for (int32_t b = 0; b < s->boxes; b++) s->class_box[box_class[b] + 1]++;
    for (int32_t c = 0; c < s->cells; c++) s->class_cell[box_class[cell_box[c]] + 1]++;
    for (int32_t k = 0; k < s->classes; k++) {
        s->class_box[k + 1] += s->class_box[k];
        s->class_cell[k + 1] += s->class_cell[k];
    }
    sort_by_risk(s);
    return s->failed ? NO_MEMORY : FINE;
}

static bool has_room_for_axis(Shard *s, int64_t axis) {
    if (axis < s->axes_room) return true;
    int64_t room = axis + 1 + axis / 2;
    if (!widened(s, &s->axis_codes, room * s->cells, sizeof *s->axis_codes) ||
        !widened(s, &s->axis_of_box, room * s->boxes, sizeof *s->axis_of_box) ||
        !widened(s, &s->axis_width, room, sizeof *s->axis_width))
        return false;
    s->axes_room = (int32_t)room;
    return true;
}

/* Add a label; `codes` has the value of each cell, NOBODY without one, below `width`. */
int bigfleet_shard_axis(Shard *s, int64_t axis, int64_t width, const int32_t *codes) {
    enum { UNSEEN = DIFFERS - 1 };
    if (!s->price || axis != s->axes) return refuse(s, OUT_OF_TURN, axis);
    if (!is_length(width)) return refuse(s, OUT_OF_RANGE, 0);
    for (int32_t c = 0; c < s->cells; c++)
        if (!is_in(codes[c], NOBODY, width)) return refuse(s, OUT_OF_RANGE, c);
    forget_domains(s);
    if (!has_room_for_axis(s, axis)) return NO_MEMORY;
    int32_t *of_box = s->axis_of_box + (size_t)axis * s->boxes;
    for (int32_t b = 0; b < s->boxes; b++) of_box[b] = UNSEEN;
    for (int32_t c = 0; c < s->cells; c++) {
        int32_t *value = of_box + s->cell_box[c];
        if (*value == UNSEEN) *value = codes[c];
        else if (*value != codes[c]) *value = DIFFERS;
    }
    for (int32_t b = 0; b < s->boxes; b++)
        if (of_box[b] == UNSEEN) of_box[b] = NOBODY;
    if (s->cells)
        memcpy(s->axis_codes + (size_t)axis * s->cells, codes, (size_t)s->cells * sizeof *codes);
    s->axis_width[axis] = (int32_t)width;
    s->axes++;
    return FINE;
}
