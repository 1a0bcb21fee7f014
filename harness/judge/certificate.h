/* certificate.h - decides whether untrusted code did a kernel's work: the rules besides its result and speed. Pure. */
#pragma once

#include "model/model.h"

enum certificate_rule {
    CERTIFICATE_RESULT,    /* it leaves what the reference leaves, on inputs that nobody knew */
    CERTIFICATE_INPUTS,    /* there were such inputs */
    CERTIFICATE_OUTPUTS,   /* what it writes was filled with a pattern before */
    CERTIFICATE_PRECISION, /* it computes in types that are as precise as the reference's */
    CERTIFICATE_EXECUTION, /* executed on a CPU it touches no memory but the task's */
    CERTIFICATE_SHARES,    /* its blocks and warps share the work, and do not sleep */
    CERTIFICATE_RULES
};
const char *certificate_rule_name(enum certificate_rule rule); /* "result", "inputs", ... */

enum certificate_outcome { CERTIFICATE_PASSED, CERTIFICATE_ALLOWED, CERTIFICATE_UNDECIDED, CERTIFICATE_REFUSED };
const char *certificate_outcome_name(enum certificate_outcome outcome); /* "passed", "allowed", ... */

/* What may be allowed: tensor cores, arithmetic of fewer bits, that executing it shows nothing, results that vary, that
 * NaNs among the inputs are not tried. */
enum { ALLOW_TENSOR = 1, ALLOW_PRECISION = 2, ALLOW_UNEXECUTED = 4, ALLOW_VARYING = 8, ALLOW_NAN = 16 };
enum { CERTIFICATE_ALLOWS = 5 };
const char *certificate_allow_name(unsigned bit); /* "tensor", ..., of bit 0 and so on */

/* What an argument points to, and the launch may read; or the argument itself. */
struct certificate_input {
    unsigned argument; /* its number, from 1; 0: no argument points there */
    uint64_t bytes;
    char value[32];    /* of a scalar; "": it is none */
    uint64_t multiple; /* the largest power of 2 of which it then still is a multiple */
    char size[32];     /* what that is in one of the inputs, where alone it is drawn; "": it is no size */
    const char *kept;  /* why it is as it was, in a word; NULL: it was drawn */
    char parts[16];    /* a digit each: 1: drawn alone it changes the result, or 0; "": it was drawn as one */
    bool moves;        /* drawn alone it changes the result of the reference */
    bool within;       /* it does, by less than the tolerance */
    bool asked;        /* it was to be kept */
    bool of_grid;      /* it is as many as there are blocks, and kept with these */
    bool reorders;     /* in one of the inputs it is in another order */
};
/* Returns what came of an input in words, after its name. Caller frees. */
char *certificate_input_words(const struct certificate_input *input);

/* What is known of a kernel. It borrows everything. */
struct certificate_facts {
    const char *kernel;
    const char *undrawn; /* why there are no other inputs; NULL: there are */
    const struct certificate_input *inputs;
    size_t input_count;
    uint64_t filled;    /* bytes that were filled with a pattern */
    bool unfilled;      /* the reference fails where anything is */
    double tolerance;   /* of results; 0: none */
    const char *type;   /* of results */
    double overflows;   /* the same that overflows on drawn inputs alone */
    double loose;       /* the largest part of a drawn result that may be as far off as rounding takes the reference */
    uint64_t undecided; /* words that are not compared on any drawn inputs, and the argument of the first */
    unsigned undecided_argument;
    double uncounted;                 /* part of what the reference changes that varies and is not compared */
    const struct result **now;        /* of the code, on each of the inputs; the captured ones come first */
    const struct result **base;       /* of the reference on the same; NULL where there is none */
    const struct result **executed;   /* of the code on the same, by a CPU; NULL where there is none */
    bool no_singles, base_no_singles; /* that code, and the reference's, adds and multiplies no float32 */
    bool no_halves,
        base_no_halves;   /* that code, and the reference's, adds and multiplies no halves: it sets constants so */
    size_t count, wanted; /* on how many it was run, and was to be run: at least one */
    unsigned allowed;
};

struct certificate {
    const char *kernel; /* borrowed */
    struct certificate_row {
        enum certificate_outcome outcome;
        char *words; /* owned */
    } rows[CERTIFICATE_RULES];
    struct certificate_input *inputs; /* owned */
    size_t input_count;
};

struct certificate certificate_make(const struct certificate_facts *facts);
void certificate_release(struct certificate *certificate);
/* Returns the worst outcome of the rows: what is allowed has passed. */
enum certificate_outcome certificate_worst(const struct certificate *certificate);
/* Returns the worst outcome of several, and sets *with to how many have it. */
enum certificate_outcome certificates_worst(const struct certificate *list, size_t count, size_t *with);
