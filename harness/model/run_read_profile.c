/* Reads the source lines of kernels in run files. */
#include "run_file.h"

#include "base/base.h"

#include <stdint.h>
#include <string.h>

#define STALL_REASONS 256 /* most stall reasons of a kernel; an H200 has 18 */

static int read_counts(const struct json_at *above, json_t *object, struct profile_line *line)
{
    const char *keys[LINE_COUNTERS];
    for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++)
        keys[counter] = line_counter_name(counter);
    struct json_at at = {above, "counts", 0};
    json_t *value = json_object_get(object, at.key);
    if (json_at_object(&at, value, keys, ARRAY_SIZE(keys)) < 0)
        return -1;
    for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++)
        if (json_object_get(value, keys[counter]) &&
            json_at_number_key(&at, value, keys[counter], &line->counts[counter]) < 0)
            return -1;
    return 0;
}

/* Reads the stall samples of a line. `known` gathers the reasons of all lines. */
static int read_stalls(const struct json_at *above, json_t *object, struct profile_line *line,
                       struct profile_line *known)
{
    struct json_at at = {above, "stalls", 0};
    json_t *value = json_object_get(object, at.key);
    if (json_at_expect(&at, value, JSON_OBJECT, "an object") < 0)
        return -1;
    const char *reason;
    json_t *member;
    json_object_foreach(value, reason, member)
    {
        double samples = 0;
        if (!*reason || reason[name_length(reason)] || strlen(reason) > 64)
            return json_error(&at, "\"%.64s\" is no stall reason: at most 64 of a-z, 0-9 and _", reason);
        if (json_at_number_key(&at, value, reason, &samples) < 0)
            return -1;
        profile_line_add_stall(line, reason, samples);
        profile_line_add_stall(known, reason, 0);
        if (known->stall_count > STALL_REASONS)
            return json_error(&at, "brings the reasons to %zu; no GPU has more than %d", known->stall_count,
                              STALL_REASONS);
    }
    return 0;
}

static int read_line(const struct json_at *above, json_t *object, struct profile_line *line, struct profile_line *known)
{
    static const char *const keys[] = {"counts", "file", "function", "line", "offset", "stalls", "text"};
    if (json_at_object(above, object, keys, ARRAY_SIZE(keys)) < 0 ||
        json_at_text(above, object, "function", true, &line->function) < 0 ||
        json_at_text(above, object, "file", false, &line->file) < 0 ||
        json_at_text(above, object, "text", false, &line->text) < 0 ||
        json_at_unsigned_key(above, object, "offset", &line->offset) < 0)
        return -1;
    json_t *number = json_object_get(object, "line");
    if (!line->file && (number || line->text))
        return json_error(above, "has a \"%s\" but no \"file\"", number ? "line" : "text");
    if (line->file) {
        struct json_at at = {above, "line", 0};
        long long whole;
        if (json_at_whole(&at, number, 1, UINT32_MAX, &whole) < 0)
            return -1;
        line->number = (unsigned)whole;
    }
    return read_counts(above, object, line) < 0 || read_stalls(above, object, line, known) < 0 ? -1 : 0;
}

/* Reads the lines in the order of the file. run_write() sorted them; lines that something else wrote stay as they are.
 */
static int read_list(const struct json_at *above, json_t *object, struct profile *profile)
{
    struct json_at list = {above, "list", 0};
    json_t *value = json_object_get(object, list.key);
    if (json_at_expect(&list, value, JSON_ARRAY, "a list") < 0)
        return -1;
    struct profile found = {0};
    struct profile_line known = {0};
    int result = 0;
    for (size_t i = 0; i < json_array_size(value) && result == 0; i++) {
        struct json_at at = {&list, NULL, i};
        result = read_line(&at, json_array_get(value, i), ARRAY_GROW(found.list, found.count), &known);
    }
    profile_line_release(&known);
    if (result == 0)
        profile_sort(&found);
    profile->list = found.list;
    profile->count = found.count;
    return result;
}

static int read_counted(const struct json_at *above, json_t *object, struct profile *profile)
{
    struct json_at list = {above, "counted", 0};
    json_t *value = json_object_get(object, list.key);
    if (json_at_expect(&list, value, JSON_ARRAY, "a list of counters") < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_at at = {&list, NULL, i};
        json_t *member = json_array_get(value, i);
        if (json_at_expect(&at, member, JSON_STRING, "a text") < 0)
            return -1;
        enum line_counter counter = 0;
        while (counter < LINE_COUNTERS && strcmp(line_counter_name(counter), json_string_value(member)) != 0)
            counter++;
        if (counter == LINE_COUNTERS)
            return json_error(&at, "is \"%.64s\", which is no counter of a line", json_string_value(member));
        profile->counted |= 1u << counter;
    }
    return 0;
}

int read_profile(const struct json_at *above, json_t *object, const char *key, struct profile *profile)
{
    static const char *const keys[] = {"counted", "launches", "list", "period"};
    struct json_at at = {above, key, 0};
    json_t *value = json_object_get(object, key);
    if (!value)
        return 0;
    if (json_at_object(&at, value, keys, ARRAY_SIZE(keys)) < 0 || read_counted(&at, value, profile) < 0 ||
        json_at_unsigned_key(&at, value, "launches", &profile->launches) < 0 ||
        json_at_unsigned_key(&at, value, "period", &profile->period) < 0 || read_list(&at, value, profile) < 0)
        return -1;
    if (!profile->counted && !profile->period)
        return json_error(&at, "says neither which counters were \"counted\" nor the \"period\" of its samples");
    if (profile->period && !profile->launches)
        return json_error(&at, "has samples of 0 \"launches\"");
    return 0;
}
