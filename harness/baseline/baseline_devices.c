#include "baseline_devices.h"

#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* The first run file in the folder or at most `depth` folders below it, or NULL. Caller frees. */
static char *first_file(const char *folder, int depth)
{
    struct dirent **entries = NULL;
    char *found = NULL;
    const int count = scandir(folder, &entries, is_visible, by_name);
    for (int i = 0; i < count; i++) {
        char *path = x_sprintf("%s/%s", folder, entries[i]->d_name);
        const size_t length = strlen(path);
        if (!found && length > 5 && strcmp(path + length - 5, ".json") == 0)
            found = x_strdup(path);
        else if (!found && depth > 0)
            found = first_file(path, depth - 1); /* NULL for what is no folder */
        free(path);
        free(entries[i]);
    }
    free(entries);
    return found;
}

static int add_device(struct baseline_devices *devices, const char *name, const char *path)
{
    struct run run;
    if (run_read(&run, path) < 0)
        return -1;
    *ARRAY_ADD(devices->list, devices->count) = (struct baseline_device){x_strdup(name), run.device};
    run.device = (struct device){0};
    run_release(&run);
    return 0;
}

int baseline_devices_read(struct baseline_devices *devices, const char *baselines)
{
    struct dirent **entries = NULL;
    int result = 0;
    *devices = (struct baseline_devices){0};
    const int count = scandir(baselines, &entries, is_visible, by_name);
    if (count < 0 && errno != ENOENT)
        return error("cannot read the folder of baselines %s: %s; name it with --baselines", baselines,
                     strerror(errno));
    for (int i = 0; i < count; i++) {
        char *folder = x_sprintf("%s/%s", baselines, entries[i]->d_name);
        char *path = result == 0 ? first_file(folder, 1) : NULL;
        if (path)
            result = add_device(devices, entries[i]->d_name, path);
        free(path);
        free(folder);
        free(entries[i]);
    }
    free(entries);
    if (result < 0)
        baseline_devices_release(devices);
    return result;
}

void baseline_devices_release(struct baseline_devices *devices)
{
    for (size_t i = 0; i < devices->count; i++) {
        free(devices->list[i].folder);
        free(devices->list[i].device.name);
        free(devices->list[i].device.compute_capability);
    }
    free(devices->list);
    *devices = (struct baseline_devices){0};
}
