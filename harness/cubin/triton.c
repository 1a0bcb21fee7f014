#include "triton.h"

#include "base/base.h"

#include <sys/stat.h>

#define DESCRIPTION_LIMIT ((size_t)1 << 20) /* bytes; Triton's descriptions have one or two thousand */
#define WARP 32

/* Takes Triton's version, if it looks like one: it is told in reports. */
static void take_version(struct triton_launch *launch, const char *version)
{
    static const char allowed[] = "0123456789.+-_abcdefghijklmnopqrstuvwxyz";
    if (version && strspn(version, allowed) == strlen(version))
        snprintf(launch->version, sizeof launch->version, "%s", version);
}

static void take(struct triton_launch *launch, const json_t *root)
{
    take_version(launch, json_string_value(json_object_get(root, "triton_version")));
    const json_t *num_warps = json_object_get(root, "num_warps"), *shared = json_object_get(root, "shared");
    const json_t *num_ctas = json_object_get(root, "num_ctas");
    if (!json_is_integer(num_warps) || !json_is_integer(shared))
        return;
    const json_int_t warps = json_integer_value(num_warps), bytes = json_integer_value(shared);
    const json_int_t ctas = json_is_integer(num_ctas) ? json_integer_value(num_ctas) : 1;
    launch->found = true;
    if (warps <= 0 || warps > 32 || bytes < 0 || bytes > 1 << 20 || ctas <= 0 || ctas > 16)
        return;
    launch->threads = (unsigned)warps * WARP;
    launch->shared = (unsigned)bytes;
    launch->ctas = (unsigned)ctas;
}

/* Takes one to three whole numbers, or one alone. */
static int take_extents(const json_t *root, const char *name, const char *path, unsigned extents[3])
{
    const json_t *value = json_object_get(root, name);
    const size_t count = json_is_array(value) ? json_array_size(value) : 1;
    bool good = count >= 1 && count <= 3;
    for (size_t i = 0; value && good && i < 3; i++) {
        const json_t *one = json_is_array(value) ? json_array_get(value, i) : i == 0 ? value : NULL;
        const json_int_t number = json_integer_value(one);
        good = i >= count || (json_is_integer(one) && number > 0 && number <= INT32_MAX);
        extents[i] = i < count ? (unsigned)number : 1;
    }
    return !value || good ? 0
                          : error("%s: \"%s\" needs one to three whole numbers, such as 256 or [32, 4]", path, name);
}

/* Takes launches, which may be of Triton's code too. */
static int take_launches(struct triton_launch *launch, const json_t *root, const char *path)
{
    const json_t *list = json_object_get(root, "launches");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (task_step_parse(ARRAY_GROW(launch->launches, launch->launch_count), text ? text : "") < 0)
            return error("in \"launches\" of %s", path);
    }
    return list && launch->launch_count == 0 ? error("%s: \"launches\" needs a list of launches", path) : 0;
}

void triton_release(struct triton_launch *launch)
{
    for (size_t i = 0; i < launch->launch_count; i++)
        task_launch_release(&launch->launches[i]);
    free(launch->launches);
}

/* Takes what is written by hand. */
static int take_launch(struct triton_launch *launch, const json_t *root, const char *path)
{
    const json_t *function = json_object_get(root, "function"), *shared = json_object_get(root, "shared");
    const char *name = json_string_value(function);
    if (launch->found)
        return 0;
    if (function && (!name || !*name || strlen(name) >= sizeof launch->function))
        return error("%s: \"function\" needs the name of a kernel", path);
    if (name)
        snprintf(launch->function, sizeof launch->function, "%s", name);
    const bool is_own = function || json_object_get(root, "grid") || json_object_get(root, "block");
    const json_int_t bytes = json_integer_value(shared);
    if (is_own && shared && (!json_is_integer(shared) || bytes < 0 || bytes > 1 << 20))
        return error("%s: \"shared\" needs bytes, a whole number of at most %d", path, 1 << 20);
    launch->bytes = is_own && shared ? (long)bytes : -1;
    return take_extents(root, "grid", path, launch->grid) < 0 || take_extents(root, "block", path, launch->block) < 0
               ? -1
               : 0;
}

int triton_read(struct triton_launch *launch, const char *path)
{
    static const char ending[] = ".cubin";
    const size_t length = strlen(path), end = sizeof ending - 1;
    struct stat facts;
    OWNED_TEXT text = NULL;
    size_t size;
    *launch = (struct triton_launch){.bytes = -1};
    if (length < end || strcmp(path + length - end, ending) != 0)
        return 0;
    char *beside = x_sprintf("%.*s.json", (int)(length - end), path);
    int result = 0;
    if (stat(beside, &facts) < 0 && errno == ENOENT)
        goto out;
    result = -1;
    if (file_read(beside, DESCRIPTION_LIMIT, &text, &size) < 0)
        goto out;
    json_t *root = json_at_parse(beside, text, size);
    if (!root)
        goto out;
    take(launch, root);
    result = take_launches(launch, root, beside) < 0 ? -1 : take_launch(launch, root, beside);
    json_at_end(root);
out:
    free(beside);
    return result;
}
