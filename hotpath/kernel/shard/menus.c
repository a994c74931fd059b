/* Menus and profiles: in which order a need looks at classes and boxes, and which cells suit it.
 *
 * A number may be given anew: whoever calls has seen to it that no need still goes by the old one.
 */

#include "tables.h"

#include <string.h>

/* The cost of classes that cannot be told apart by it: models.cost.SATURATED_COST. */
#define SATURATED 9000000000000000000LL

typedef struct { int64_t cost; int32_t k; } Dish;

/* Room to rank menus in. `safe` are the classes with p = 0 as the last menu had them: no penalty
 * changes what they cost, so one menu mostly has them as the other. */
typedef struct { Dish *safe, *risky, *spare, *sorted; int32_t safes, *number; } Kitchen;

/* Sort by cost, equal ones as they stand: byte by byte, those left out that are alike in all. */
static void sort_by_cost(Dish **dishes, Dish **spare, int32_t count) {
    int32_t start[sizeof (*dishes)->cost][256] = {0};
    for (int32_t at = 0; at < count; at++)
        for (int byte = 0; byte < 8; byte++) start[byte][(*dishes)[at].cost >> 8 * byte & 255]++;
    for (int byte = 0; byte < 8 && count; byte++) {
        int32_t used = 0, *from = start[byte];
        Dish *now = *dishes, *then = *spare;
        if (from[now->cost >> 8 * byte & 255] == count) continue;
        for (int value = 0; value < 256; value++) {
            int32_t here = from[value];
            from[value] = used;
            used += here;
        }
        for (int32_t at = 0; at < count; at++)
            then[from[now[at].cost >> 8 * byte & 255]++] = now[at];
        *dishes = then;
        *spare = now;
    }
}

/* List the classes with p > 0, or the others, with what they cost; sort them by (cost, class). */
static int32_t sort_some(const Shard *s, const int64_t *cost, bool risky, Dish **dishes,
                         Dish **spare) {
    int32_t count = 0;
    for (int32_t k = 0; k < s->classes; k++) {
        (*dishes)[count] = (Dish){cost[k], k};
        count += (s->probability[k] > 0) == risky;
    }
    sort_by_cost(dishes, spare, count);
    return count;
}

/* Sort all classes by (cost, class). */
static void sort_classes(const Shard *s, const int64_t *cost, Kitchen *r) {
    bool same = r->safes > 0;
    for (int32_t at = 0; same && at < r->safes; at++)
        same = cost[r->safe[at].k] == r->safe[at].cost;
    if (!same) r->safes = sort_some(s, cost, false, &r->safe, &r->spare);
    const Dish *safe = r->safe, *safe_end = safe + r->safes;
    int32_t count = sort_some(s, cost, true, &r->risky, &r->spare);
    const Dish *risky = r->risky, *risky_end = risky + count;
    for (Dish *to = r->sorted; safe < safe_end || risky < risky_end; to++) {
        bool is_safe = risky == risky_end ||
                       (safe < safe_end && (safe->cost < risky->cost ||
                                            (safe->cost == risky->cost && safe->k < risky->k)));
        *to = is_safe ? *safe++ : *risky++;
    }
}

/* Saturated costs cannot be told apart: they compare by p, then by price. */
static int compare_rest(const Shard *s, const Dish *a, const Dish *b) {
    double p = s->probability[a->k], q = s->probability[b->k];
    if (p != q) return p < q ? -1 : 1;
    p = s->price[a->k], q = s->price[b->k];
    return (p > q) - (p < q);
}

/* Sort what is saturated, equal ones as they stand. There are few such classes, if any. */
static void sort_by_rest(const Shard *s, Dish *dishes, int32_t count) {
    for (int32_t at = 1; at < count; at++) {
        Dish dish = dishes[at];
        int32_t to = at;
        for (; to && compare_rest(s, dishes + to - 1, &dish) > 0; to--) dishes[to] = dishes[to - 1];
        dishes[to] = dish;
    }
}

static bool is_alike(const Shard *s, const Dish *a, const Dish *b) {
    if (a->cost != b->cost) return false;
    return a->cost != SATURATED || !compare_rest(s, a, b);
}

/* Rank classes by (cost, p and price where it is saturated, class) and boxes by (the same without
 * class, p, zone, class): boxes stand by (p, zone, class) already and are dealt out by cost. */
static void rank(Shard *s, int32_t menu, Kitchen *r) {
    const int64_t *cost = s->menu_cost + (size_t)menu * s->classes;
    int32_t *class_rank = s->menu_class_rank + (size_t)menu * s->classes;
    int32_t *box_rank = s->menu_box_rank + (size_t)menu * s->boxes;
    int32_t first = 0, last = NOBODY;
    Dish *dishes = r->sorted;
    sort_classes(s, cost, r);
    while (first < s->classes && dishes[first].cost < SATURATED) first++;
    int32_t end = first;
    while (end < s->classes && dishes[end].cost == SATURATED) end++;
    sort_by_rest(s, dishes + first, end - first);
    int32_t *number = r->number, *start = number + s->classes;
    memset(start, 0, ((size_t)s->classes + 2) * sizeof *start);
    for (int32_t at = 0; at < s->classes; at++) {
        int32_t k = dishes[at].k;
        if (!at || !is_alike(s, dishes + at - 1, dishes + at)) last++;
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

static int check_menus(Shard *s, int64_t count, const int32_t *menus, const int64_t *cost,
                       const int64_t *limit, const uint8_t *waste) {
    int64_t known = s->menus;
    for (int64_t row = 0; row < count; row++) {
        if (!is_in(menus[row], 0, known + 1) || !is_length(menus[row]))
            return refuse(s, OUT_OF_RANGE, row);
        if (menus[row] == known) known++;
        for (int64_t at = row * s->classes; at < (row + 1) * s->classes; at++)
            if (cost[at] < 0 || limit[at] < cost[at] || waste[at] > 1)
                return refuse(s, SENSELESS, row);
    }
    return FINE;
}

/* Say of each menu what each class costs, up to what cost others are alike to it on the spot
 * market, and whether it has something scarce that is not asked for. */
int bigfleet_shard_menus(Shard *s, int64_t count, const int32_t *menus, const int64_t *cost,
                         const int64_t *limit, const uint8_t *waste) {
    if (!s->price) return refuse(s, OUT_OF_TURN, 0);
    int fault = check_menus(s, count, menus, cost, limit, waste);
    if (fault) return fault;
    size_t k = (size_t)s->classes;
    Dish *dishes = scratch(s, 5, 4 * (k + 1) * sizeof *dishes);
    int32_t *number = scratch(s, 6, (2 * k + 2) * sizeof *number);
    if (!dishes || !number) return NO_MEMORY;
    Dish *risky = dishes + k + 1, *spare = risky + k + 1, *sorted = spare + k + 1;
    Kitchen room = {dishes, risky, spare, sorted, 0, number};
    for (int64_t row = 0; row < count; row++) {
        size_t from = (size_t)row * k, to = (size_t)menus[row] * k;
        if (!has_room_for_menu(s, menus[row])) return NO_MEMORY;
        memcpy(s->menu_cost + to, cost + from, k * sizeof *cost);
        memcpy(s->menu_limit + to, limit + from, k * sizeof *limit);
        memcpy(s->menu_waste + to, waste + from, k);
        rank(s, menus[row], &room);
        if (menus[row] == s->menus) s->menus++;
    }
    return FINE;
}

static bool has_room_for_profile(Shard *s, int64_t profile) {
    if (profile < s->profiles_room) return true;
    int64_t room = profile + profile / 8 + 4;
    if (!widened(s, &s->profile_row, room, sizeof *s->profile_row) ||
        !widened(s, &s->own_row, room, sizeof *s->own_row) ||
        !widened(s, &s->profile_classes, room * s->class_words, sizeof *s->profile_classes))
        return false;
    for (int64_t at = s->profiles_room; at < room; at++) s->own_row[at] = NOBODY;
    s->profiles_room = (int32_t)room;
    return true;
}

/* Give the row of cells that is the profile's to write, most of which never need one; NULL without
 * memory. */
static uint64_t *cells_row(Shard *s, int64_t profile) {
    int32_t *row = s->own_row + profile;
    size_t words = (size_t)s->cell_words;
    if (*row == NOBODY) {
        s->profile_cells = grown(s, s->profile_cells, &s->cell_rows_room, s->cell_rows,
                                 words * sizeof *s->profile_cells);
        if (s->failed) return NULL;
        *row = s->cell_rows++;
    }
    return s->profile_cells + (size_t)*row * words;
}

static bool is_marked(const uint64_t *words, int32_t k) { return words[k >> 6] >> (k & 63) & 1; }

/* Say which cells suit: those of which class, box and cell do. Without `boxes_given` or
 * `cells_given` every box or cell does. */
int bigfleet_shard_profile(Shard *s, int64_t profile, const uint64_t *classes, int64_t boxes_given,
                           const uint8_t *boxes, int64_t cells_given, const uint8_t *cells) {
    if (!s->price) return refuse(s, OUT_OF_TURN, 0);
    if (!is_in(profile, 0, (int64_t)s->profiles + 1) || !is_length(profile))
        return refuse(s, OUT_OF_RANGE, profile);
    if ((boxes_given && boxes_given != s->boxes) || (cells_given && cells_given != s->cells))
        return refuse(s, OUT_OF_RANGE, profile);
    if (s->classes & 63 && classes[s->classes >> 6] >> (s->classes & 63))
        return refuse(s, OUT_OF_RANGE, profile);
    if (!has_room_for_profile(s, profile)) return NO_MEMORY;
    uint64_t *of_class = s->profile_classes + (size_t)profile * s->class_words;
    bool is_uniform = true, is_plain = !boxes_given && !cells_given;
    uint64_t *of_cell = is_plain ? NULL : cells_row(s, profile);
    if (!is_plain && !of_cell) return NO_MEMORY;
    memset(of_class, 0, (size_t)s->class_words * sizeof *of_class);
    if (!is_plain) memset(of_cell, 0, (size_t)s->cell_words * sizeof *of_cell);
    for (int32_t k = 0; k < s->classes; k++) {
        bool any = false, all = true;
        if (!is_marked(classes, k)) continue;
        if (is_plain) any = s->class_cell[k] < s->class_cell[k + 1];
        for (int32_t c = s->class_cell[k]; !is_plain && c < s->class_cell[k + 1]; c++) {
            bool suits = (!boxes_given || boxes[s->cell_box[c]]) && (!cells_given || cells[c]);
            any |= suits;
            all &= suits;
            if (suits) of_cell[c >> 6] |= (uint64_t)1 << (c & 63);
        }
        if (any) of_class[k >> 6] |= (uint64_t)1 << (k & 63);
        if (any && !all) is_uniform = false;
    }
    s->profile_row[profile] = is_uniform ? NOBODY : s->own_row[profile];
    if (profile == s->profiles) s->profiles++;
    return FINE;
}

/* Say of each of some profiles which classes suit, and all of their cells. */
int bigfleet_shard_profiles(Shard *s, int64_t count, const int32_t *profiles,
                            const uint64_t *classes) {
    for (int64_t row = 0; row < count; row++) {
        const uint64_t *of_row = classes + row * s->class_words;
        int fault = bigfleet_shard_profile(s, profiles[row], of_row, 0, NULL, 0, NULL);
        if (fault) return fault == NO_MEMORY ? fault : refuse(s, fault, row);
    }
    return FINE;
}
