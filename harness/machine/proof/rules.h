/* rules.h - shared by rules.c and rules_*.c: what follows of other blocks from an instruction of one. */
#pragma once

#include "proof.h"

#include "machine/lanes/lanes.h"

/* An instruction that is about to be executed. */
struct step {
    struct block_proof *proof;
    struct proof_warp *tags;
    struct warp *warp;
    const struct instruction *code;
    uint32_t lanes; /* those that are written */
    bool maybe;     /* in other blocks others may be, or none: nothing is known of what it writes */
};

extern const struct tag tag_data; /* of no lane anything is known */

#define WORDS(n) row_at(step->warp, step->code->operands[n].space, step->code->operands[n].row)

/* What the tag is of has to be alike in all blocks of the class, in these lanes. */
bool need(struct step *step, const struct tag *tag, uint32_t lanes, const char *why);

/* The tag of a row, and of the k-th row of an operand, and of a predicate. If it is of a ring, it is from now on what
 * is known where it does not turn, or where it turns around: of more blocks. */
const struct tag *tag_at(const struct step *step, uint32_t row);
const struct tag *row_tag(const struct step *step, unsigned n, unsigned k);
/* ... as it is, with a floor that the others make factors of. */
const struct tag *raw_tag(const struct step *step, unsigned n);
/* ... and where its sign bit is the same, if that is known besides; else NULL. */
const struct tag *sign_tag(const struct step *step, unsigned n);
const struct tag *mask_tag(const struct step *step, unsigned n);
void put_row(const struct step *step, unsigned n, unsigned k, const struct tag *tag);
void put_mask(const struct step *step, unsigned n, const struct tag *tag);
/* Writes a tag to all that the instruction writes: so many rows of each operand. Of `lost` rows behind them, which it
 * may write or not, nothing is known. */
void put_all(const struct step *step, const struct tag *tag, unsigned rows, unsigned lost);

/* Adds the box of what is alike in it; false: it is not known to be. */
bool join(struct tag *tag, const struct tag *other, uint32_t lanes);
/* Joins all that the instruction reads, so many rows of each operand. */
bool join_all(const struct step *step, struct tag *tag, unsigned rows);
/* Cuts the box so that lanes' values, which change as `tag` says, stay between two bounds. */
bool stays(const struct step *step, struct tag *box, const struct tag *tag, uint32_t lanes, const int64_t *values,
           int64_t low, int64_t high);

/* Returns the tag of what an operand has above 32 bits when it is shifted to the left. */
struct tag above_shifted(const struct step *step, unsigned n, unsigned shift);
/* How many of the lowest bits no factor has. */
unsigned zeros_below(const struct tag *tag);
/* Notes a floor. Returns its number; 0: there are too many. */
short floor_add(const struct step *step, const struct floor *floor);
/* Drops `drop` more of the lowest bits of a word that may have a floor. SHIFTS: the rest moves right by as many. STAYS:
 * it stays where it was, modulo 2^32. HALVES: half of a word that subtracts a floor, plus that floor. The result may be
 * data. */
enum how_dropped { DROP_SHIFTS, DROP_STAYS, DROP_HALVES };
struct tag floor_dropped(const struct step *step, const struct tag *tag, const uint32_t *row, unsigned drop,
                         bool is_signed, enum how_dropped how);
/* Returns the number of a floor that is shifted to the left; 0: it cannot be. */
short floor_raised(const struct step *step, short number, unsigned shift);
/* Whether a box is smaller than another one. */
bool is_cut(const struct step *step, const struct tag *tag, const struct tag *other);

/* Returns the tag of a word, less than 32 bits to the right. */
struct tag shifted_right(const struct step *step, const struct tag *tag, const uint32_t *row, unsigned shift,
                         bool is_signed);

/* An address of shared or local memory has to be the same. */
bool need_narrow(struct step *step, unsigned n);
/* What is at this offset of the rows has to be the same. */
bool need_row(struct step *step, uint32_t offset, const char *why);

/* What is known of a word of shared memory that all lanes load from one address; NULL: it is data. In rules_apart.c. */
const struct tag *word_known(const struct step *step, const struct operand *address);

/* The rules, by their names in sass/instruction.h. To add one: a row, and its RULE_ there. */
/* clang-format off */
#define RULES(R) \
    R(KEEPS, rule_keeps) R(SAME, rule_same) R(SAME_64, rule_same_64) R(CONVERT, rule_convert) \
    R(PAIRS, rule_compare_64) R(DATA, rule_data_1) R(DATA_4, rule_data_4) R(DATA_8, rule_data_8) R(ADD, rule_add) \
    R(ADD_3, rule_iadd3) R(PRODUCT, rule_imad) R(WIDE, rule_wide_product) R(LEA, rule_lea) R(LEA_HIGH, rule_lea_hi) \
    R(SHIFTED, rule_shf) R(LOGIC, rule_lop3) R(COMPARE, rule_isetp) R(CHOOSE, rule_sel) R(MINIMUM, rule_minimum) \
    R(ABSOLUTE, rule_iabs) R(SPECIAL, rule_s2r) R(CONSTANT, rule_ldc) R(FIRST, rule_r2ur) R(SHUFFLE, rule_shfl) \
    R(VOTE, rule_vote) R(NARROW, rule_narrow) R(MATRICES, rule_matrices) R(LOAD, rule_load) R(STORE, rule_store) \
    R(COPY, rule_copy) R(ASKS, rule_asks) R(PREDICATES, rule_predicates) R(TEXTURE, rule_texture) \
    R(REDUCTION, rule_reduction) R(GENERIC, rule_generic) R(BEGINS, rule_begins) R(BARRIER, rule_barrier) \
    R(ARRIVES, rule_arrives) R(BULK, rule_bulk) R(TILE, rule_tile) R(GROUP, rule_group)
/* clang-format on */
#define RULE_ROW(name, rule) void rule(struct step *step);
RULES(RULE_ROW)
#undef RULE_ROW
