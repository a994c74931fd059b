/* Compare a full List with what a shard knows: hotpath/plain/reconcile.py, compiled.
 *
 * A List in id order is merged with what is known, which is sorted. Any other is looked up in a
 * hash table over the known ids. Then the columns are compared. The caller checks types and
 * lengths; every row number below is a loop counter, or was written here, within its side's rows.
 */

#include <stdint.h>
#include <string.h>

/* Fate in hotpath/lists.py. */
enum { IS_KNOWN, IS_NEW, IS_REPEATED, IS_NAMELESS };

/* What is marked of a known row, in hotpath/kernel/reconcile.py. */
enum { IS_SAME, IS_CHANGED, IS_MISSING };

/* What the call returns, in hotpath/kernel/reconcile.py. */
enum { DONE = 0, UNSORTED = -1, CROWDED = -2 };

/* What find_or_add returns for an id that was not there. */
#define ADDED (-1)

/* The part of a slot that is a row + 1. */
#define ROW UINT64_C(0xFFFFFFFF)

/* Entries looked at for one id: 60 at the most for half a million ids, of ten kinds.
 * Only ids made to collide take this many. */
#define LONGEST_RUN 1024

/* Rows of a List in order that are compared together: so many that a comparison of bytes is worth
 * its call, so few that most hold no change. */
#define RUN 64

/* Rows looked up together, so that memory is asked for well before it is needed. */
#define BATCH 128

typedef struct {
    int64_t rows;
    int64_t width;
    const uint8_t *bytes;   /* rows x width, padded with NUL */
} Ids;

static const uint8_t *id_of(const Ids *ids, int64_t row) {
    return ids->bytes + row * ids->width;
}

/* Read 8 bytes from `at` on as a number that sorts as they do; where fewer are left, the last 8. */
static inline uint64_t word_at(const uint8_t *id, int64_t at, int64_t width) {
    uint64_t word = 0;
    if (width < 8) {
        for (int64_t i = 0; i < width; i++) word = word << 8 | id[i];
        return word;
    }
    const uint8_t *b = id + (at < width - 8 ? at : width - 8);
    return (uint64_t)b[0] << 56 | (uint64_t)b[1] << 48 | (uint64_t)b[2] << 40 | (uint64_t)b[3] << 32
        | (uint64_t)b[4] << 24 | (uint64_t)b[5] << 16 | (uint64_t)b[6] << 8 | (uint64_t)b[7];
}

/* Order two ids: negative, 0 or positive, as memcmp, whose calls took twice as long. */
static inline int compare(const uint8_t *a, const uint8_t *b, int64_t width) {
    for (int64_t at = 0; at < width; at += 8) {
        uint64_t left = word_at(a, at, width), right = word_at(b, at, width);
        if (left != right) return left < right ? -1 : 1;
    }
    return 0;
}

/* Tell whether two ids are the same bytes: quicker than which comes first. */
static inline int is_same(const uint8_t *a, const uint8_t *b, int64_t width) {
    uint64_t left, right, differing = 0;
    if (width < 8) return compare(a, b, width) == 0;
    int64_t last = width - 8;
    for (int64_t at = 0; at < last; at += 8) {
        memcpy(&left, a + at, 8);
        memcpy(&right, b + at, 8);
        differing |= left ^ right;
    }
    memcpy(&left, a + last, 8);
    memcpy(&right, b + last, 8);
    return !(differing | (left ^ right));
}

static int is_empty(const uint8_t *id, int64_t width) {
    while (width > 0 && id[width - 1] == 0) width--;
    return width == 0;
}

static int is_sorted(const Ids *ids) {
    if (ids->rows > 0 && is_empty(id_of(ids, 0), ids->width)) return 0;
    uint64_t before = 0;
    for (int64_t row = 0; row < ids->rows; row++) {
        const uint8_t *id = id_of(ids, row);
        uint64_t word = word_at(id, 0, ids->width);
        /* Most ids differ in their first bytes. */
        if (row && word <= before && compare(id - ids->width, id, ids->width) >= 0) return 0;
        before = word;
    }
    return 1;
}

/* Walk both sides at once; give up with 0 where the List turns out not to be in id order. */
static int merge(const Ids *known, const Ids *listed, int64_t *listed_row, uint8_t *fate) {
    int64_t at = 0, width = known->width;
    for (int64_t row = 0; row < listed->rows; row++) {
        const uint8_t *id = id_of(listed, row);
        if (at < known->rows && is_same(id_of(known, at), id, width)) {
            fate[row] = IS_KNOWN;
            listed_row[at++] = row;
            continue;
        }
        int order = 1;
        while (at < known->rows && (order = compare(id_of(known, at), id, width)) < 0) at++;
        if (at < known->rows && order == 0) {
            fate[row] = IS_KNOWN;
            listed_row[at++] = row;
            continue;
        }
        /* The known row at hand is above all that was listed: only an id below it is in doubt. */
        int rise = row == 0 ? 1 : compare(id, id_of(listed, row - 1), width);
        if (rise < 0) return 0;
        if (is_empty(id, width)) fate[row] = IS_NAMELESS;
        else fate[row] = rise == 0 ? IS_REPEATED : IS_NEW;
    }
    return 1;
}

/* Row numbers by hash: open addressing, at most half full. */
typedef struct {
    const Ids *ids;
    uint64_t mask;      /* slots - 1, a power of two */
    uint64_t *slots;    /* high half of the hash, row + 1 below it; 0 = empty */
} Table;

/* Make room for so many rows in memory for as many or more. */
static Table empty_table(const Ids *ids, int64_t rows, uint64_t *memory) {
    uint64_t slots = 2;
    while (slots < 2 * (uint64_t)rows) slots *= 2;
    memset(memory, 0, slots * sizeof *memory);
    return (Table){ids, slots - 1, memory};
}

static uint64_t mix(uint64_t word) {
    word = (word ^ word >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    return word ^ word >> 29;
}

static uint64_t hash_of(const uint8_t *id, int64_t width) {
    uint64_t hash = 0;
    for (int64_t at = 0; at < width; at += 8) hash = mix(hash ^ word_at(id, at, width));
    return hash;
}

/* Give the row that has this id; where there is none let `row` stand for it, unless it is -1. */
static int64_t find_or_add(Table *table, const uint8_t *id, uint64_t hash, int64_t row) {
    for (uint64_t run = 0; run < LONGEST_RUN; run++) {
        uint64_t *slot = &table->slots[(hash + run) & table->mask];
        if (*slot == 0) {
            if (row >= 0) *slot = (hash & ~ROW) | (uint64_t)(row + 1);
            return ADDED;
        }
        if ((*slot & ~ROW) != (hash & ~ROW)) continue;
        int64_t found = (int64_t)(*slot & ROW) - 1;
        if (compare(id_of(table->ids, found), id, table->ids->width) == 0) return found;
    }
    return CROWDED;
}

/* Hash a batch of rows, and ask for the memory of their slots. */
static int64_t ask(const Table *table, const Ids *ids, int64_t first, uint64_t *hash) {
    int64_t count = ids->rows - first < BATCH ? ids->rows - first : BATCH;
    for (int64_t i = 0; i < count; i++) {
        hash[i] = hash_of(id_of(ids, first + i), ids->width);
        __builtin_prefetch(&table->slots[hash[i] & table->mask]);
    }
    return count;
}

static int add_all(Table *table) {
    uint64_t hash[BATCH];
    for (int64_t first = 0; first < table->ids->rows; first += BATCH) {
        int64_t count = ask(table, table->ids, first, hash);
        for (int64_t i = 0; i < count; i++) {
            const uint8_t *id = id_of(table->ids, first + i);
            if (find_or_add(table, id, hash[i], first + i) == CROWDED) return CROWDED;
        }
    }
    return DONE;
}

/* Say which listed rows are known; the others are new until looked at. */
static int look_up(Table *table, const Ids *listed, int64_t *listed_row, uint8_t *fate) {
    uint64_t hash[BATCH];
    for (int64_t first = 0; first < listed->rows; first += BATCH) {
        int64_t count = ask(table, listed, first, hash);
        for (int64_t i = 0; i < count; i++) {
            uint64_t row = table->slots[hash[i] & table->mask] & ROW;
            if (row == 0) continue;
            __builtin_prefetch(id_of(table->ids, (int64_t)row - 1));
            __builtin_prefetch(&listed_row[row - 1], 1);
        }
        for (int64_t i = 0; i < count; i++) {
            int64_t row = first + i;
            int64_t found = find_or_add(table, id_of(listed, row), hash[i], -1);
            if (found == CROWDED) return CROWDED;
            if (found == ADDED) {
                fate[row] = IS_NEW;
            } else if (listed_row[found] >= 0) {
                fate[row] = IS_REPEATED;
            } else {
                fate[row] = IS_KNOWN;
                listed_row[found] = row;
            }
        }
    }
    return DONE;
}

/* Tell new rows from nameless ones, and from those that repeat a new one. */
static int tell_new_apart(const Ids *listed, uint8_t *fate, uint64_t *memory) {
    int64_t count = 0;
    for (int64_t row = 0; row < listed->rows; row++) count += fate[row] == IS_NEW;
    Table table = empty_table(listed, count, memory);
    for (int64_t row = 0; row < listed->rows; row++) {
        if (fate[row] != IS_NEW) continue;
        const uint8_t *id = id_of(listed, row);
        if (is_empty(id, listed->width)) {
            fate[row] = IS_NAMELESS;
            continue;
        }
        int64_t found = find_or_add(&table, id, hash_of(id, listed->width), row);
        if (found == CROWDED) return CROWDED;
        if (found != ADDED) fate[row] = IS_REPEATED;
    }
    return DONE;
}

/* Match a List in any order. */
static int match(const Ids *known, const Ids *listed, int64_t *listed_row, uint8_t *fate,
                 uint64_t *memory) {
    Table table = empty_table(known, known->rows, memory);
    int done = add_all(&table);
    if (done == DONE) done = look_up(&table, listed, listed_row, fate);
    return done == DONE ? tell_new_apart(listed, fate, memory) : done;
}

/* Mark those of some known rows whose listed row has another value: one loop for each type. */
#define MARK(type, differ)                                                                        \
    do {                                                                                          \
        const type *before = known, *now = listed;                                                \
        for (int64_t row = first; row < end; row++) {                                             \
            if (listed_row[row] < 0) continue;                                                    \
            type a = before[row], b = now[listed_row[row]];                                       \
            marks[row] |= (differ) ? IS_CHANGED : IS_SAME;                                        \
        }                                                                                         \
    } while (0)

/* `kind` is the bytes of a value, negative for reals, in which NaN equals NaN. */
static void mark(int64_t kind, const void *known, const void *listed, int64_t first, int64_t end,
                 const int64_t *listed_row, uint8_t *marks) {
    switch (kind) {
    case 1: MARK(uint8_t, a != b); break;
    case 2: MARK(uint16_t, a != b); break;
    case 4: MARK(uint32_t, a != b); break;
    case 8: MARK(uint64_t, a != b); break;
    case -4: MARK(float, a != b && !(a != a && b != b)); break;
    case -8: MARK(double, a != b && !(a != a && b != b)); break;
    }
}

/* The same for all columns of a List in order, in runs of rows that follow each other on both
 * sides: the same bytes are the same values, and values are looked at where bytes differ only. */
static void mark_runs(int64_t columns, const int64_t *kinds, const void *const *known,
                      const void *const *listed, int64_t rows, const int64_t *listed_row,
                      uint8_t *marks) {
    for (int64_t first = 0, end; first < rows; first = end) {
        int64_t to = listed_row[first];
        for (end = first + 1; to >= 0 && end < rows && end < first + RUN; end++)
            if (listed_row[end] != to + (end - first)) break;
        for (int64_t c = 0; to >= 0 && c < columns; c++) {
            size_t size = (size_t)(kinds[c] < 0 ? -kinds[c] : kinds[c]);
            const char *before = known[c], *now = listed[c];
            if (memcmp(before + (size_t)first * size, now + (size_t)to * size,
                       (size_t)(end - first) * size))
                mark(kinds[c], before, now, first, end, listed_row, marks);
        }
    }
}

/* Fill listed_row and marks (of each known row) and fate (of each listed row); see `Difference`
 * in hotpath/lists.py. Returns DONE; UNSORTED where what is known is not sorted; or
 * CROWDED where ids collide as if made to, and somebody must sort them. */
int bigfleet_reconcile(int64_t width, int64_t known_rows, const uint8_t *known_ids,
                       int64_t listed_rows, const uint8_t *listed_ids, int64_t columns,
                       const int64_t *kinds, const void *const *known_columns,
                       const void *const *listed_columns, int64_t *listed_row, uint8_t *marks,
                       uint8_t *fate, uint64_t *memory) {
    Ids known = {known_rows, width, known_ids}, listed = {listed_rows, width, listed_ids};
    if (!is_sorted(&known)) return UNSORTED;
    memset(listed_row, 0xFF, (size_t)known_rows * sizeof *listed_row);
    int in_order = merge(&known, &listed, listed_row, fate);
    if (!in_order) {
        memset(listed_row, 0xFF, (size_t)known_rows * sizeof *listed_row);
        int done = match(&known, &listed, listed_row, fate, memory);
        if (done != DONE) return done;
    }
    for (int64_t row = 0; row < known_rows; row++)
        marks[row] = listed_row[row] < 0 ? IS_MISSING : IS_SAME;
    if (in_order)
        mark_runs(columns, kinds, known_columns, listed_columns, known_rows, listed_row, marks);
    for (int64_t c = 0; c < columns && !in_order; c++)
        mark(kinds[c], known_columns[c], listed_columns[c], 0, known_rows, listed_row, marks);
    return DONE;
}

/* Write the rows that hold `wanted`, of which there are few, into `found`, which has room for all;
 * give their number. */
int64_t bigfleet_rows_with(int64_t rows, const uint8_t *marks, uint8_t wanted, int64_t *found) {
    uint64_t all = wanted * UINT64_C(0x0101010101010101);
    int64_t used = 0, row = 0;
    while (row < rows) {
        uint64_t word = 0;
        int64_t left = rows - row < 8 ? rows - row : 8;
        memcpy(&word, marks + row, (size_t)left);
        word ^= all;
        /* A byte of 0 in eight, if there is one; what is no row may look like one. */
        if ((word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080))
            for (int64_t at = row; at < row + left; at++)
                if (marks[at] == wanted) found[used++] = at;
        row += left;
    }
    return used;
}
