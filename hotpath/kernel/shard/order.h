/* Machines sorted by a kind, then a value, then the id; and what else sorts them: order.c. */

#ifndef BIGFLEET_ORDER_H
#define BIGFLEET_ORDER_H

/* Prices from this share of the dearest of a group on count as alike. */
#define LIKE_PRICE 0.95

#include <stdint.h>

typedef struct {
    int64_t kind;
    double value;
    int32_t id, slot;
} Ranked;

/* `spare` has room for as many. */
void sort_ranked(Ranked *ranked, Ranked *spare, int32_t count);

/* For qsort and bsearch: compare rows of any kind by the slot, an int32_t, that they begin with. */
int by_slot(const void *left, const void *right);

#endif
