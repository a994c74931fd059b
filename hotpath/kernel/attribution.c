/* Deal machines to needs by shortest augmenting paths: hotpath/attribution.py, compiled.
 *
 * Arrays are row-major: n needs (in the order of filling) x g groups. The caller checks shapes and
 * types; every index below is a loop counter or was written here, within [0, n) or [0, g).
 */

#include <stdint.h>
#include <stdlib.h>

#define UNREACHED (INT64_MAX / 4)

typedef struct {
    int64_t n, g;
    const int64_t *size;    /* g     machines in each group */
    const uint8_t *fits;    /* n x g whether the need can use the group */
    const int64_t *moves;   /* n x g 1 where a machine would change its need */
    int64_t *flow;          /* n x g machines of the group that the need has */
    int64_t *used;          /* g     sum of flow over the needs */
    int64_t *distance;      /* n     fewest changes on a path from the source */
    int64_t *via_need;      /* n     the need before on that path, -1 for none */
    int64_t *via_group;     /* n     the group that passes between the two */
    int64_t *reached;       /* n     whether it was reached when the round began */
    int64_t *held_start;    /* n + 1 where each need's groups begin in held */
    int64_t *held;          /* n x g groups of which each need has machines, ascending */
} Deal;

/* List the groups of which each need has machines: few, so that a path need not look at all. */
static void list_held(Deal *d) {
    int64_t count = 0;
    for (int64_t need = 0; need < d->n; need++) {
        d->held_start[need] = count;
        for (int64_t group = 0; group < d->g; group++)
            if (d->flow[need * d->g + group] > 0) d->held[count++] = group;
    }
    d->held_start[d->n] = count;
}

/* Relax all ways in which one need may take from others; say whether any got shorter. */
static int relax(Deal *d, int64_t taker) {
    int changed = 0;
    for (int64_t giver = 0; giver < d->n; giver++) {
        int64_t best = UNREACHED, through = -1;
        for (int64_t at = d->held_start[giver]; at < d->held_start[giver + 1]; at++) {
            int64_t group = d->held[at];
            if (!d->fits[taker * d->g + group]) continue;
            int64_t weight = d->moves[taker * d->g + group] - d->moves[giver * d->g + group];
            if (weight < best) best = weight, through = group;
        }
        if (through >= 0 && d->distance[taker] + best < d->distance[giver]) {
            d->distance[giver] = d->distance[taker] + best;
            d->via_need[giver] = taker;
            d->via_group[giver] = through;
            changed = 1;
        }
    }
    return changed;
}

/* Find how few changes it takes from the source to each need (Bellman and Ford, since passing a
 * machine back to the need it serves costs -1). */
static void reach(Deal *d, int64_t source) {
    for (int64_t need = 0; need < d->n; need++) d->distance[need] = UNREACHED;
    d->distance[source] = 0;
    d->via_need[source] = -1;
    list_held(d);
    for (int64_t round = 0; round < d->n; round++) {
        int changed = 0;
        /* Who is reached when a round begins takes part in it, as in the oracle: ties depend on it. */
        for (int64_t need = 0; need < d->n; need++)
            d->reached[need] = d->distance[need] < UNREACHED;
        for (int64_t taker = 0; taker < d->n; taker++)
            if (d->reached[taker]) changed |= relax(d, taker);
        if (!changed) break;
    }
}

/* Find the end of the shortest path: a group with free machines (ties: of the source itself, the
 * lowest need, the lowest group), or a later need (last_group is then -1). */
static int shortest_path(const Deal *d, int64_t source, int64_t *last_need, int64_t *last_group) {
    int64_t best = UNREACHED;
    for (int64_t turn = -1; turn < d->n; turn++) {
        int64_t need = turn < 0 ? source : turn;
        if (d->distance[need] >= UNREACHED) continue;
        for (int64_t group = 0; group < d->g; group++) {
            int64_t at = need * d->g + group;
            if (!d->fits[at] || d->used[group] >= d->size[group]) continue;
            if (d->distance[need] + d->moves[at] < best) {
                best = d->distance[need] + d->moves[at];
                *last_need = need;
                *last_group = group;
            }
        }
    }
    /* A later need may lose a machine, where that is shorter; the last such need. */
    for (int64_t need = d->n - 1; need > source; need--) {
        if (d->distance[need] >= best) continue;
        best = d->distance[need];
        *last_need = need;
        *last_group = -1;
    }
    return best < UNREACHED;
}

/* Pass up to `most` machines along the path that ends as named; return how many went. */
static int64_t send(Deal *d, int64_t last_need, int64_t last_group, int64_t most) {
    int64_t amount = most;
    if (last_group >= 0 && d->size[last_group] - d->used[last_group] < amount)
        amount = d->size[last_group] - d->used[last_group];
    for (int64_t at = last_need; d->via_need[at] >= 0; at = d->via_need[at]) {
        int64_t lent = d->flow[at * d->g + d->via_group[at]];
        if (lent < amount) amount = lent;
    }
    if (last_group >= 0) {
        d->flow[last_need * d->g + last_group] += amount;
        d->used[last_group] += amount;
    }
    for (int64_t at = last_need; d->via_need[at] >= 0; at = d->via_need[at]) {
        d->flow[at * d->g + d->via_group[at]] -= amount;
        d->flow[d->via_need[at] * d->g + d->via_group[at]] += amount;
    }
    return amount;
}

/* Give one need up to `lacking` machines more. */
static void augment(Deal *d, int64_t need, int64_t lacking) {
    int64_t last_need = 0, last_group = 0;
    int is_reached = 0;
    while (lacking > 0) {
        if (!is_reached) reach(d, need);
        if (!shortest_path(d, need, &last_need, &last_group)) break;
        /* What the need takes for itself brings nobody nearer: only what others pass on does. */
        is_reached = last_need == need;
        lacking -= send(d, last_need, last_group, lacking);
    }
}

/* Fill each need of [first, end) up to wanted[need] machines, in order, in `flow`.
 * Returns 0, or -1 when there is no memory. */
int bigfleet_fill(int64_t n, int64_t g, const int64_t *size, const uint8_t *fits,
                  const int64_t *moves, int64_t *flow, const int64_t *wanted, int64_t first,
                  int64_t end) {
    if (n <= 0 || g <= 0) return 0;
    int64_t *work = calloc((size_t)(g + 5 * n + 1 + n * g), sizeof *work);
    if (!work) return -1;
    Deal d = {.n = n, .g = g, .size = size, .fits = fits, .moves = moves, .flow = flow};
    d.used = work;
    d.distance = d.used + g;
    d.via_need = d.distance + n;
    d.via_group = d.via_need + n;
    d.reached = d.via_group + n;
    d.held_start = d.reached + n;
    d.held = d.held_start + n + 1;
    for (int64_t need = 0; need < n; need++)
        for (int64_t group = 0; group < g; group++) d.used[group] += flow[need * g + group];
    for (int64_t need = first; need < end; need++) {
        int64_t has = 0;
        for (int64_t group = 0; group < g; group++) has += flow[need * g + group];
        augment(&d, need, wanted[need] - has);
    }
    free(work);
    return 0;
}
