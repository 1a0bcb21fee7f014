#include "triton.h"

#include "base/base.h"

#include <errno.h>
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

int triton_read(struct triton_launch *launch, const char *path)
{
    static const char ending[] = ".cubin";
    const size_t length = strlen(path), end = sizeof ending - 1;
    struct stat facts;
    char *text;
    size_t size;
    *launch = (struct triton_launch){0};
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
    free(text);
    if (!root)
        goto out;
    result = 0;
    take(launch, root);
    json_at_end(root);
out:
    free(beside);
    return result;
}
