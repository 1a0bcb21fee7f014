/* drawn_name.h - ids of kernels on drawn inputs: "KERNEL~2" of draw 2, "KERNEL~2f" with far values, and "KERNEL~n" of a
 * form of inputs that has a letter. */
#pragma once

#include <stdbool.h>

enum {
    LETTER_FAR = 'f',
    LETTER_SIZES = 'n',
    LETTER_ORDERS = 'o',
    LETTER_NANS = 'x',
    LETTER_ZEROS = 's',
    LETTER_ONES = 't',
    LETTER_OTHERS = 'u',
};
#define DRAWN_SUFFIX "~100f" /* the longest */

/* Whether an id is of that kernel on some inputs. */
bool drawn_name_is_of(const char *id, const char *kernel);

/* Whether the inputs of an id have another form than the captured ones; and whether speed matters on them. */
bool drawn_name_has_form(const char *id);
bool drawn_name_has_speed(const char *id);
