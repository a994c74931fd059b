/* Machines sorted by a kind, then a value, then the id: order.c. */

#ifndef BIGFLEET_ORDER_H
#define BIGFLEET_ORDER_H

#include <stdint.h>

typedef struct {
    int64_t kind;
    double value;
    int32_t id, slot;
} Ranked;

/* `spare` has room for as many. */
void sort_ranked(Ranked *ranked, Ranked *spare, int32_t count);

#endif
