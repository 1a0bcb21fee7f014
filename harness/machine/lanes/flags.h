/* flags.h - what prepare() notes of an instruction's modifiers (flags[] in sass/instruction.h), where more than one
 * file reads it: the operation, and the rule of what is known of its results. Each group is of other instructions. */
#pragma once

/* Integers. FLAG_EXTENDED is .X; FLAG_HIGH the upper half, FLAG_LEFT to the left. */
enum { FLAG_EXTENDED, FLAG_SIGNED, FLAG_HIGH, FLAG_LEFT, FLAG_WRAP, FLAG_WIDE };
/* Comparisons of integers, and the smaller of two, beside FLAG_SIGNED. FLAG_COMPARE has bits: less, equal, greater.
 * FLAG_LOW: the lower words were compared before. */
enum { FLAG_COMPARE = 0, FLAG_COMBINE = 2, FLAG_LOW, FLAG_HALVES, FLAG_RELU };
/* Special registers. FLAG_SHORT: 32 of 64 bits. */
enum { FLAG_WHAT, FLAG_AXIS, FLAG_SHORT };
/* Loads, stores and constants. FLAG_STRONG: others may write there; FLAG_FILLS: zeros are copied too. */
enum { FLAG_SIGN_EXTENDS, FLAG_STRONG, FLAG_BYPASS, FLAG_FILLS };
/* Products of matrices. */
enum {
    PRODUCT_LEFT,    /* kind of the elements of A */
    PRODUCT_RIGHT,   /* of B */
    PRODUCT_SUM,     /* of C and D: ELEMENT_F16, ELEMENT_F32 or ELEMENT_S32 */
    PRODUCT_COLUMNS, /* of B, divided by 8 */
    PRODUCT_DEPTH,   /* elements of a row of A. Bits count by 32 */
    PRODUCT_WAYS,    /* the ways below */
    PRODUCT_ADDED    /* number of C's operand */
};
enum {
    WAY_FROM_MEMORY = 1, /* B is in shared memory; A too, unless operand 1 is a register */
    WAY_SATURATES = 2,
    WAY_SPARSE = 4, /* of A's elements half are there, and a register says which */
    WAY_ENDS_GROUP = 8
};

enum element_kind {
    ELEMENT_F16,
    ELEMENT_BF16,
    ELEMENT_TF32,
    ELEMENT_E4M3,
    ELEMENT_E5M2,
    ELEMENT_S8,
    ELEMENT_U8,
    ELEMENT_BITS,
    ELEMENT_F32,
    ELEMENT_S32
};
