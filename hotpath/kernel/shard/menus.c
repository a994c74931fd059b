/* Menus and profiles: in which order a need looks at classes and boxes, and which cells suit it.
 *
 * A number may be given anew: whoever calls has seen to it that no need still goes by the old one.
 */

#include "tables.h"

#include <stdlib.h>
#include <string.h>

/* The cost of classes that cannot be told apart by it: models.cost.SATURATED_COST. */
#define SATURATED 9000000000000000000LL

typedef struct { int64_t cost; double probability, price; int32_t k; } Dish;

/* Sort by cost, equal ones as they stand: byte by byte, those left out that are alike in all. */
static Dish *sort_by_cost(Dish *dishes, Dish *spare, int32_t count) {
    uint64_t differs = 0;
    for (int32_t at = 1; at < count; at++)
        differs |= (uint64_t)dishes[at].cost ^ (uint64_t)dishes[0].cost;
    for (int shift = 0; shift < 64; shift += 8) {
        if (!(differs >> shift & 255)) continue;
        int32_t start[257] = {0};
        for (int32_t at = 0; at < count; at++)
            start[((uint64_t)dishes[at].cost >> shift & 255) + 1]++;
        for (int byte = 0; byte < 256; byte++) start[byte + 1] += start[byte];
        for (int32_t at = 0; at < count; at++)
            spare[start[(uint64_t)dishes[at].cost >> shift & 255]++] = dishes[at];
        Dish *sorted = spare;
        spare = dishes;
        dishes = sorted;
    }
    return dishes;
}

/* Saturated costs cannot be told apart: they compare by p, then by price. */
static int by_rest(const void *left, const void *right) {
    const Dish *a = left, *b = right;
    if (a->probability != b->probability) return a->probability < b->probability ? -1 : 1;
    if (a->price != b->price) return a->price < b->price ? -1 : 1;
    return (a->k > b->k) - (a->k < b->k);
}

static bool is_alike(const Dish *a, const Dish *b) {
    if (a->cost != b->cost) return false;
    return a->cost != SATURATED || (a->probability == b->probability && a->price == b->price);
}

/* Rank classes by (cost, p and price where it is saturated, class) and boxes by (the same without
 * class, p, zone, class): boxes stand by (p, zone, class) already and are dealt out by cost. */
static void rank(Shard *s, int32_t menu, Dish *dishes, Dish *spare, int32_t *number) {
    const int64_t *cost = s->menu_cost + (size_t)menu * s->classes;
    int32_t *class_rank = s->menu_class_rank + (size_t)menu * s->classes;
    int32_t *box_rank = s->menu_box_rank + (size_t)menu * s->boxes;
    int32_t first = 0, last = NOBODY;
    for (int32_t k = 0; k < s->classes; k++)
        dishes[k] = (Dish){cost[k], s->probability[k], s->price[k], k};
    dishes = sort_by_cost(dishes, spare, s->classes);
    while (first < s->classes && dishes[first].cost < SATURATED) first++;
    int32_t end = first;
    while (end < s->classes && dishes[end].cost == SATURATED) end++;
    if (end > first) qsort(dishes + first, (size_t)(end - first), sizeof *dishes, by_rest);
    int32_t *start = number + s->classes;
    memset(start, 0, ((size_t)s->classes + 2) * sizeof *start);
    for (int32_t at = 0; at < s->classes; at++) {
        int32_t k = dishes[at].k;
        if (!at || !is_alike(dishes + at - 1, dishes + at)) last++;
        class_rank[k] = at;
        number[k] = last;
        start[last + 1] += s->class_box[k + 1] - s->class_box[k];
    }
    for (int32_t at = 0; at < s->classes; at++) start[at + 1] += start[at];
    for (int32_t at = 0; at < s->boxes; at++) {
        int32_t b = s->box_by_risk[at];
        box_rank[b] = start[number[s->box_class[b]]]++;
    }
}

static bool has_room_for_menu(Shard *s, int64_t menu) {
    if (menu < s->menus_room) return true;
    int64_t room = 2 * menu + 4, k = room * s->classes;
    if (!widened(s, &s->menu_cost, k, sizeof *s->menu_cost) ||
        !widened(s, &s->menu_limit, k, sizeof *s->menu_limit) ||
        !widened(s, &s->menu_waste, k, sizeof *s->menu_waste) ||
        !widened(s, &s->menu_class_rank, k, sizeof *s->menu_class_rank) ||
        !widened(s, &s->menu_box_rank, room * s->boxes, sizeof *s->menu_box_rank))
        return false;
    s->menus_room = (int32_t)room;
    return true;
}

/* Say what each class costs, up to what cost others are alike to it on the spot market, and whether
 * it has something scarce that is not asked for. */
int bigfleet_shard_menu(Shard *s, int64_t menu, const int64_t *cost, const int64_t *limit,
                        const uint8_t *waste) {
    if (!s->price || !is_in(menu, 0, (int64_t)s->menus + 1) || !is_length(menu))
        return refuse(s, OUT_OF_TURN, menu);
    for (int32_t k = 0; k < s->classes; k++)
        if (cost[k] < 0 || limit[k] < cost[k] || waste[k] > 1) return refuse(s, SENSELESS, k);
    size_t work = ((size_t)s->classes + 1) * sizeof(Dish);
    Dish *dishes = scratch(s, 5, 2 * work);
    int32_t *number = scratch(s, 6, (2 * (size_t)s->classes + 2) * sizeof *number);
    if (!dishes || !number || !has_room_for_menu(s, menu)) return NO_MEMORY;
    size_t at = (size_t)menu * s->classes, count = (size_t)s->classes;
    if (count) {
        memcpy(s->menu_cost + at, cost, count * sizeof *cost);
        memcpy(s->menu_limit + at, limit, count * sizeof *limit);
        memcpy(s->menu_waste + at, waste, count);
    }
    rank(s, (int32_t)menu, dishes, dishes + count + 1, number);
    if (menu == s->menus) s->menus++;
    return FINE;
}

static bool has_room_for_profile(Shard *s, int64_t profile) {
    if (profile < s->profiles_room) return true;
    int64_t room = 2 * profile + 4;
    if (!widened(s, &s->profile_row, room, sizeof *s->profile_row) ||
        !widened(s, &s->profile_classes, room * s->class_words, sizeof *s->profile_classes) ||
        !widened(s, &s->profile_cells, room * s->cell_words, sizeof *s->profile_cells))
        return false;
    s->profiles_room = (int32_t)room;
    return true;
}

/* Say which cells suit: those of which class, box and cell do. Without `boxes_given` or
 * `cells_given` every box or cell does. */
int bigfleet_shard_profile(Shard *s, int64_t profile, const uint8_t *classes, int64_t boxes_given,
                           const uint8_t *boxes, int64_t cells_given, const uint8_t *cells) {
    if (!s->price || !is_in(profile, 0, (int64_t)s->profiles + 1) || !is_length(profile))
        return refuse(s, OUT_OF_TURN, profile);
    if (!has_room_for_profile(s, profile)) return NO_MEMORY;
    uint64_t *of_class = s->profile_classes + (size_t)profile * s->class_words;
    uint64_t *of_cell = s->profile_cells + (size_t)profile * s->cell_words;
    bool is_uniform = true;
    memset(of_class, 0, (size_t)s->class_words * sizeof *of_class);
    memset(of_cell, 0, (size_t)s->cell_words * sizeof *of_cell);
    for (int32_t k = 0; k < s->classes; k++) {
        bool any = false, all = true;
        for (int32_t c = s->class_cell[k]; classes[k] && c < s->class_cell[k + 1]; c++) {
            bool suits = (!boxes_given || boxes[s->cell_box[c]]) && (!cells_given || cells[c]);
            any |= suits;
            all &= suits;
            if (suits) of_cell[c >> 6] |= (uint64_t)1 << (c & 63);
        }
        if (any) of_class[k >> 6] |= (uint64_t)1 << (k & 63);
        if (any && !all) is_uniform = false;
    }
    s->profile_row[profile] = is_uniform ? NOBODY : (int32_t)profile;
    if (profile == s->profiles) s->profiles++;
    return FINE;
}
