/* The cells of each topology domain, laid out for an axis when it is first asked for. */

#include <stdlib.h>

#include "shard.h"

/* Sort the cells of an axis by domain (a counting sort, so ascending inside each). */
static bool lay_out(Shard *s, int32_t axis) {
    int32_t width = s->axis_width[axis];
    const int32_t *codes = s->axis_codes + (size_t)axis * s->cells;
    int32_t *start = calloc((size_t)width + 2, sizeof *start);
    int32_t *cells = malloc(((size_t)s->cells + 1) * sizeof *cells);
    if (!start || !cells) {
        free(start);
        free(cells);
        s->failed = true;
        return false;
    }
    /* Shifted by one while counting, so that placing the cells leaves the starts in order. */
    for (int32_t c = 0; c < s->cells; c++)
        if (codes[c] >= 0) start[codes[c] + 2]++;
    for (int32_t d = 0; d < width; d++) start[d + 2] += start[d + 1];
    for (int32_t c = 0; c < s->cells; c++)
        if (codes[c] >= 0) cells[start[codes[c] + 1]++] = c;
    s->domain_start[axis] = start;
    s->domain_cells[axis] = cells;
    return true;
}

int32_t cells_of(Shard *s, int32_t axis, int32_t domain, const int32_t **cells) {
    if (!s->domain_start) {
        s->domain_start = calloc((size_t)s->axes + 1, sizeof *s->domain_start);
        s->domain_cells = calloc((size_t)s->axes + 1, sizeof *s->domain_cells);
        if (!s->domain_start || !s->domain_cells) {
            forget_domains(s);
            s->failed = true;
            return 0;
        }
    }
    if (!s->domain_start[axis] && !lay_out(s, axis)) return 0;
    const int32_t *start = s->domain_start[axis];
    *cells = s->domain_cells[axis] + start[domain];
    return start[domain + 1] - start[domain];
}

void forget_domains(Shard *s) {
    for (int32_t axis = 0; axis < s->axes; axis++) {
        if (s->domain_start) free(s->domain_start[axis]);
        if (s->domain_cells) free(s->domain_cells[axis]);
    }
    free(s->domain_start);
    free(s->domain_cells);
    s->domain_start = s->domain_cells = NULL;
}
