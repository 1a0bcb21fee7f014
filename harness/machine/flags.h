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
