#include "swap_options.h"

#include <ctype.h>
#include <errno.h>

/* Reads X, X,Y or X,Y,Z into three extents; without a text they stay 0. */
static int read_extents(const char *option, const char *text, unsigned extents[3])
{
    const char *at = text;
    for (size_t i = 0; text && i < 3; i++) {
        char *end;
        errno = 0;
        const unsigned long number = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 0;
        if (number == 0 || number > INT32_MAX || errno)
            break;
        extents[i] = (unsigned)number;
        if (!*end) {
            for (size_t rest = i + 1; rest < 3; rest++)
                extents[rest] = 1;
            return 0;
        }
        if (*end != ',')
            break;
        at = end + 1;
    }
    return text ? error("%s needs one to three whole numbers, such as 256 or 32,4, not '%s'", option, text) : 0;
}

static int read_shared(struct swap_request *changes, const char *text)
{
    char *end;
    if (!text)
        return 0;
    errno = 0;
    const unsigned long bytes = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || bytes > 1 << 20)
        return error("--shared needs bytes, a whole number of at most %d, not '%s'", 1 << 20, text);
    changes->shared = (unsigned)bytes;
    changes->has_shared = true;
    return 0;
}

int read_tolerance(const struct options *options, double *tolerance, enum value_type *type)
{
    const char *text = options->tolerance;
    char *end = NULL;
    *tolerance = 0;
    *type = VALUE_F32;
    if (!text)
        return options->type ? error("--type %s needs --tolerance: add it", options->type) : 0;
    *tolerance = strtod(text, &end);
    if (end == text || *end || !(*tolerance > 0 && *tolerance < 1))
        return error("--tolerance needs a number between 0 and 1, such as 1e-5, not '%s'", text);
    if (options->type)
        *type = value_type_of(options->type);
    if (*type >= VALUE_TYPES)
        return error("--type needs f16, bf16, f32 or f64, not '%s'", options->type);
    return 0;
}

int read_arguments(const char *option, const char *text, uint64_t *bits)
{
    for (const char *at = text; at;) {
        char *end;
        const unsigned long number = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 0;
        if (number == 0 || number > 64 || (*end && *end != ','))
            return error("--%s needs numbers of arguments from 1, such as 2 or 2,5, not '%s'", option, text);
        *bits |= UINT64_C(1) << (number - 1);
        at = *end ? end + 1 : NULL;
    }
    return 0;
}

static int read_exact(struct swap_request *changes, const char *text)
{
    if (read_arguments("exact", text, &changes->exact) < 0)
        return -1;
    return text && changes->tolerance == 0 ? error("--exact needs --tolerance: add it") : 0;
}

int read_swap(const struct options *options, struct swap_request *request)
{
    *request = (struct swap_request){
        .code = options->code,
        .function = options->function,
        .globs = options->globs,
        .glob_count = options->glob_count,
        .quiet = options->quiet,
    };
    return read_extents("--block", options->block, request->block) < 0 ||
                   read_extents("--grid", options->grid, request->grid) < 0 ||
                   read_shared(request, options->shared) < 0 ||
                   read_tolerance(options, &request->tolerance, &request->type) < 0 ||
                   read_exact(request, options->exact) < 0
               ? -1
               : 0;
}
