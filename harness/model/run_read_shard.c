/* Reads what a shard says of the whole run. A shard that contradicts itself is refused here, before anything is merged.
 */
#include "base/base.h"

#include "run_file.h"

#include <stdlib.h>
#include <string.h>

/* Reads the list of kernels, which is sorted and has each once. */
static int read_kernels(const struct json_at *above, json_t *object, struct shard *shard)
{
    struct json_at list = {above, "kernels", 0};
    json_t *value = json_object_get(object, list.key);
    if (json_at_expect(&list, value, JSON_ARRAY, "a list") < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_at at = {&list, NULL, i};
        json_t *id = json_array_get(value, i);
        if (json_at_expect(&at, id, JSON_STRING, "a text") < 0)
            return -1;
        if (!is_kernel_id(json_string_value(id)))
            return json_error(&at, "is no kernel");
        if (i > 0 && strcmp(shard->kernels[i - 1], json_string_value(id)) >= 0)
            return json_error(&at, "is not in the order of names, in which each is there once");
        *ARRAY_GROW(shard->kernels, shard->kernel_count) = x_strdup(json_string_value(id));
    }
    return 0;
}

static int check_results(const struct json_at *at, const struct run *run)
{
    const struct shard *shard = &run->shard;
    if (run->result_count > shard->measures)
        return json_error(at, "was to measure %zu kernels, but the file holds %zu", shard->measures, run->result_count);
    for (size_t i = 0; i < run->result_count; i++) {
        char *const *id = &run->results[i].id;
        if (!bsearch(id, shard->kernels, shard->kernel_count, sizeof *shard->kernels, by_text))
            return json_error(at, "knows nothing of %s, which the file holds", *id);
    }
    return 0;
}

int read_shard(const struct json_at *top, json_t *root, struct run *run)
{
    static const char *const keys[] = {"code", "kernels", "measures", "number", "of"};
    struct shard *shard = &run->shard;
    struct json_at at = {top, "shard", 0}, of = {&at, "of", 0}, number = {&at, "number", 0},
                   measures = {&at, "measures", 0};
    json_t *value = json_object_get(root, at.key);
    long long whole;
    if (!value)
        return 0;
    if (json_at_object(&at, value, keys, ARRAY_SIZE(keys)) < 0 || read_kernels(&at, value, shard) < 0 ||
        json_at_text(&at, value, "code", false, &shard->code) < 0 ||
        json_at_whole(&of, json_object_get(value, of.key), 1, SHARDS_MAX, &whole) < 0)
        return -1;
    shard->of = (unsigned)whole;
    if (json_at_whole(&number, json_object_get(value, number.key), 1, whole, &whole) < 0)
        return -1;
    shard->number = (unsigned)whole;
    if (json_at_whole(&measures, json_object_get(value, measures.key), 0, (long long)shard->kernel_count, &whole) < 0)
        return -1;
    shard->measures = (size_t)whole;
    return check_results(&at, run);
}
