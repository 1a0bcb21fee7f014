/* A kernel library of two families, whose table breaks the contract of kernel.h in the way that TABLE_FAULT in the
 * environment names. Its kernels do nothing. */
#include "answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int do_nothing(void *state)
{
    (void)state;
    return 0;
}

static int agree(void *state, const struct cugate_variant *variant, char *why, size_t why_size)
{
    (void)state;
    (void)variant;
    (void)why;
    (void)why_size;
    return 0;
}

static char long_name[102];

static struct cugate_variant one_variants[] = {
    {.name = "a", .doc = "does nothing", .launch = do_nothing, .bytes = 8, .flops = 4},
    {.name = "b_2", .doc = "is not there", .not_built = "b.h was not found"},
};
static struct cugate_variant two_variants[] = {
    {.name = "a", .doc = "does nothing", .launch = do_nothing},
};
static struct cugate_family one = {
    "one", "two variants", CUGATE_KERNELS, open_nothing, do_nothing, agree, close_nothing, one_variants, 2, NULL, NULL};
static struct cugate_family two = {
    "two", "one variant", CUGATE_TRANSFER, open_nothing, do_nothing, agree, close_nothing, two_variants, 1, NULL, NULL};
static const struct cugate_family *families[] = {&one, &two};
static struct cugate_library library = {
    CUGATE_KERNEL_ABI, "cc", "", families, 2, synchronize, error_text,
};

const struct cugate_library *cugate_library(void)
{
    const char *fault = getenv("TABLE_FAULT");
#define FAULT(name) (fault && strcmp(fault, name) == 0)
    if (FAULT("no table"))
        return NULL;
    if (FAULT("old ABI"))
        library.abi = CUGATE_KERNEL_ABI - 1;
    if (FAULT("new ABI"))
        library.abi = CUGATE_KERNEL_ABI + 1;
    if (FAULT("no families"))
        library.families = NULL;
    if (FAULT("zero families"))
        library.family_count = 0;
    if (FAULT("no synchronize"))
        library.synchronize = NULL;
    if (FAULT("no error_text"))
        library.error_text = NULL;
    if (FAULT("family is NULL"))
        families[1] = NULL;
    if (FAULT("family twice"))
        families[1] = &one;
    if (FAULT("variant twice"))
        one_variants[1].name = "a";
    if (FAULT("family without a name"))
        two.name = NULL;
    if (FAULT("family's name is empty"))
        two.name = "";
    if (FAULT("family's name has a capital"))
        two.name = "Two";
    if (FAULT("family's name has a slash"))
        two.name = "two/three";
    if (FAULT("family's name has an escape"))
        two.name = "two\033[31m";
    if (FAULT("family's name is long"))
        two.name = memset(long_name, 'x', sizeof long_name - 1);
    if (FAULT("two points")) { /* no fault: one problem at two sizes */
        one.point = "n=16M";
        two = one;
        two.point = "n=1000,type=half";
    }
    if (FAULT("point twice")) {
        one.point = "n=16M";
        two = one;
    }
    if (FAULT("point is empty"))
        two.point = "";
    if (FAULT("point has an escape"))
        two.point = "n=\033[31m";
    if (FAULT("point is not in its form"))
        two.point = "n=16777216";
    if (FAULT("axes are not in order"))
        two.point = "type=half,n=16M";
    if (FAULT("no open"))
        two.open = NULL;
    if (FAULT("no restore"))
        two.restore = NULL;
    if (FAULT("no verify"))
        two.verify = NULL;
    if (FAULT("no close"))
        two.close = NULL;
    if (FAULT("no variants"))
        two.variants = NULL;
    if (FAULT("zero variants"))
        two.variant_count = 0;
    if (FAULT("variant without a name"))
        two_variants[0].name = NULL;
    if (FAULT("variant's name has a space"))
        two_variants[0].name = "a b";
    if (FAULT("neither launch nor not_built"))
        two_variants[0].launch = NULL;
    if (FAULT("negative bytes"))
        two_variants[0].bytes = -1;
    if (FAULT("bytes not a number"))
        two_variants[0].bytes = NAN;
    if (FAULT("infinite bytes"))
        two_variants[0].bytes = INFINITY;
    if (FAULT("negative flops"))
        two_variants[0].flops = -1;
    if (FAULT("flops not a number"))
        two_variants[0].flops = NAN;
    return &library;
}
