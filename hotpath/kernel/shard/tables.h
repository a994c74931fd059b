/* The border: what setters share. Each copies what it is given, once it has checked all of it, and
 * gives 0, or one of the faults below; `fault_row` then says which row it was. A setter that
 * refuses has changed nothing that a need goes by. */

#ifndef BIGFLEET_TABLES_H
#define BIGFLEET_TABLES_H

#include "shard.h"

/* hotpath/kernel/binding.py has the same list, with texts. */
enum { FINE = 0, NO_MEMORY = -1, OUT_OF_RANGE = -2, UNSORTED = -3, SENSELESS = -4,
       OUT_OF_TURN = -5, OTHER_LAYOUT = -6 };

/* The most rows of any table, and the largest count: sums of two fit an int32_t. */
#define MOST (INT32_MAX / 2)

static inline bool is_length(int64_t length) { return length >= 0 && length <= MOST; }

static inline bool is_in(int64_t index, int64_t least, int64_t length) {
    return index >= least && index < length;
}

static inline bool is_amount(double value) { return value >= 0 && value < INFINITY; }

static inline int refuse(Shard *s, int fault, int64_t row) {
    s->fault_row = (int32_t)row;
    return fault;
}

/* tables.c */
void *table(Shard *s, int64_t rows, size_t size);
void *copied(Shard *s, const void *rows, int64_t count, size_t size);
bool widened(Shard *s, void *array, int64_t rows, size_t size);

/* menus.c */
int bigfleet_shard_menus(Shard *s, int64_t count, const int32_t *menus, const int64_t *cost,
                         const int64_t *limit, const uint8_t *waste);

/* cycle.c */
void bigfleet_shard_close(Shard *s);

#endif
