#include "swap_options.h"

#include <ctype.h>
#include <errno.h>

/* Reads a launch as in CUDA, "NAME<<<GRID, BLOCK, SHARED>>>"; parts may be left out. It writes into the text. */
static int read_launch(struct swap_request *request, char *text)
{
    OWNED_TEXT typed = x_strdup(text);
    char *shape = strstr(text, "<<<"), *end = shape ? strstr(shape, ">>>") : NULL;
    bool good = !shape || (end && !end[3]);
    if (good && shape) {
        *shape = *end = '\0';
        good = launch_shape_read(shape + 3, request->grid, request->block, &request->shared, &request->has_shared) == 0;
    }
    if (*text)
        request->function = text;
    return good ? 0 : error("--launch takes NAME<<<GRID, BLOCK, SHARED>>> or a part of it, not '%s'", typed);
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
        return error("--tolerance takes a number between 0 and 1, such as 1e-5, not '%s'; without it, bits must match",
                     text);
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
            return error("--%s takes argument numbers, counted from 1, such as 2 or 2,5, not '%s'", option, text);
        *bits |= UINT64_C(1) << (number - 1);
        at = *end ? end + 1 : NULL;
    }
    return 0;
}

static int read_exact(struct swap_request *changes, const char *text)
{
    TRY(read_arguments("exact", text, &changes->exact));
    return text && changes->tolerance == 0 ? error("--exact needs --tolerance: add it") : 0;
}

int read_swap(const struct options *options, struct swap_request *request)
{
    *request = (struct swap_request){
        .code = options->code,
        .globs = options->globs,
        .glob_count = options->glob_count,
        .quiet = options->quiet,
    };
    for (size_t i = 0; i < options->launch_count; i++)
        TRY(read_launch(request, options->launches[i]));
    return read_tolerance(options, &request->tolerance, &request->type) < 0 || read_exact(request, options->exact) < 0
               ? -1
               : 0;
}
