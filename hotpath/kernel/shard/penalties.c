/* What classes cost a need by its interruption penalty: models.cost and within of menus.py for what
 * is plain there. A roll-up's new penalties took numpy 0.4 ms with cold caches, for so few numbers.
 */

#include "tables.h"

#include <float.h>
#include <string.h>

#define NANOS_PER_USD 1e9
#define RELATIVE_ERROR (8 * 0x1p-53) /* as in models.cost, which says why */

/* From here on every sum is in doubt; far below what an int64_t and the error bound can hold. */
#define DEAREST_PLAIN 5e14

/* Whether a factor is small enough to print with few digits: the error bound is not for such. */
static bool is_denormal(double factor) { return factor > 0 && factor < DBL_MIN; }

/* Round `price + probability x penalty` USD to nano-USD; -1 where that is in doubt. */
static int64_t plain_cost(double price, double probability, double penalty) {
    double nanos = (price + probability * penalty) * NANOS_PER_USD;
    if (!(nanos < DEAREST_PLAIN) || is_denormal(probability) || is_denormal(penalty)) return -1;
    int64_t whole = (int64_t)nanos;
    double rest = nanos - (double)whole;
    return fabs(rest - 0.5) <= nanos * RELATIVE_ERROR ? -1 : whole + (rest > 0.5);
}

/* Give `cost x (1 + top / bottom)`, rounded down; a rest times `top` is no larger than an int64_t,
 * and costs are small. */
static int64_t limit_of(int64_t cost, int64_t top, int64_t bottom) {
    return cost + cost / bottom * top + cost % bottom * top / bottom;
}

/* Write over a row of costs and limits what hangs on the penalty; false where that is in doubt. */
static bool price(const Shard *s, double penalty, int64_t top, int64_t bottom, int64_t *cost,
                  int64_t *limit) {
    for (int32_t k = 0; k < s->classes; k++) {
        if (!(s->probability[k] > 0) || isnan(s->price[k])) continue;
        int64_t nanos = bottom ? plain_cost(s->price[k], s->probability[k], penalty) : -1;
        if (nanos < 0) return false;
        cost[k] = nanos;
        limit[k] = s->is_spot[k] ? limit_of(nanos, top, bottom) : nanos;
    }
    return true;
}

/* Write menus of which the penalty and what is wasted are known; menu 0 says what classes cost
 * without one. The tolerance of the spot market is `top / bottom`, at most 1, or 0 / 0 where it has
 * no such numbers. Rows `in_doubt` are marked, and are to be written by bigfleet_shard_menus before
 * a need goes by them. */
int bigfleet_shard_penalties(Shard *s, int64_t count, const int32_t *menus, const double *penalty,
                             const uint8_t *waste, int64_t top, int64_t bottom,
                             uint8_t *in_doubt) {
    if (!s->menus) return refuse(s, OUT_OF_TURN, 0);
    if (top < 0 || bottom < 0 || top > bottom || (top && bottom > INT64_MAX / top))
        return refuse(s, SENSELESS, 0);
    if (!is_length(count)) return refuse(s, OUT_OF_RANGE, 0);
    for (int64_t row = 0; row < count; row++)
        if (!is_amount(penalty[row])) return refuse(s, SENSELESS, row);
    size_t k = (size_t)s->classes;
    int64_t *cost = scratch(s, 12, ((size_t)count * k + 1) * sizeof *cost);
    int64_t *limit = scratch(s, 14, ((size_t)count * k + 1) * sizeof *limit);
    if (!cost || !limit) return NO_MEMORY;
    for (int64_t row = 0; row < count; row++) {
        int64_t *cost_of_row = cost + (size_t)row * k, *limit_of_row = limit + (size_t)row * k;
        memcpy(cost_of_row, s->menu_cost, k * sizeof *cost);
        memcpy(limit_of_row, s->menu_limit, k * sizeof *limit);
        in_doubt[row] = !price(s, penalty[row], top, bottom, cost_of_row, limit_of_row);
    }
    return bigfleet_shard_menus(s, count, menus, cost, limit, waste);
}
