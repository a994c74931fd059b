/* Memory of the compiled shard: arrays that grow, and room to work in.
 *
 * Where there is none left the shard is marked as failed and an old array is given back, so that no
 * caller writes outside of one; the answer of a failed shard is thrown away (cycle.c).
 */

#define _DEFAULT_SOURCE /* madvise */

#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "shard.h"

/* Give `array` with room for at least `used` elements and `spare` more, what it holds kept. */
static void *enlarged(Shard *s, void *array, int32_t *room, int32_t used, int32_t spare,
                      size_t size) {
    if (used >= INT32_MAX / 2) {
        s->failed = true;
        return array;
    }
    void *larger = realloc(array, (size_t)(used + spare) * size);
    if (!larger) {
        s->failed = true;
        return array;
    }
    *room = used + spare;
    return larger;
}

/* Give `array` with room for at least one element more than `used`. */
void *grown(Shard *s, void *array, int32_t *room, int32_t used, size_t size) {
    return used < *room ? array : enlarged(s, array, room, used, used / 2 + 8, size);
}

/* The same for one of many small arrays, of which what lies idle adds up. */
void *grown_little(Shard *s, void *array, int32_t *room, int32_t used, size_t size) {
    return used < *room ? array : enlarged(s, array, room, used, used / 8 + 2, size);
}

/* Give `array` with less room where an eighth of it would have been enough. */
void *shrunk(void *array, int32_t *room, int32_t used, size_t size) {
    enum { WORTH_IT = 4096 };
    if (*room < WORTH_IT || used >= *room / 8) return array;
    int32_t less = 2 * used + 16;
    void *smaller = realloc(array, (size_t)less * size);
    if (!smaller) return array;
    *room = less;
    return smaller;
}

/* Give `bytes` to work in, the same as the last time for the same number; NULL without memory.
 * Who calls whom must use different numbers: 0 members, 1 spares, 2 purse, 3 picks, 4 places open,
 * 5 to 7 victims, 8 and 13 gangs, 9 and 10 market, 11 shadows, 12 and 14 order. */
void *scratch(Shard *s, int which, size_t bytes) {
    if (bytes > s->scratch_room[which]) {
        free(s->scratch[which]);
        s->scratch_room[which] = bytes + bytes / 2;
        s->scratch[which] = malloc(s->scratch_room[which]);
        if (!s->scratch[which]) {
            s->scratch_room[which] = 0;
            s->failed = true;
        }
    }
    return s->scratch[which];
}

/* Ask for large pages where a zeroed array covers any whole, since machines are looked at here and
 * there: with 4 KiB to a page most looks had to walk the page table as well. Where it is not
 * granted, or not to be had at all, nothing changes. */
void use_large_pages(void *array, size_t bytes) {
    enum { PAGE = 4096 }; /* where they are larger, the system may refuse */
    uintptr_t from = ((uintptr_t)array + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    uintptr_t end = ((uintptr_t)array + bytes) & ~(uintptr_t)(PAGE - 1);
    if (from >= end) return;
#ifdef MADV_HUGEPAGE
    madvise((void *)from, end - from, MADV_HUGEPAGE);
#endif
}
