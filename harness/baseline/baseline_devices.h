/* baseline_devices.h - which devices a folder of baselines holds baselines of. */
#ifndef BASELINE_DEVICES_H
#define BASELINE_DEVICES_H

#include "model/model.h"

struct baseline_device {
    char *folder; /* its name below the baselines folder: "nvidia-h200" */
    struct device device;
};

/* Owned list, sorted by folder. */
struct baseline_devices {
    struct baseline_device *list;
    size_t count;
};

/* Reads one file of each folder below `baselines`; a folder without files is passed over, and one that is not there
 * holds none. -1 after error() when the folder or a file cannot be read. */
int baseline_devices_read(struct baseline_devices *devices, const char *baselines);
void baseline_devices_release(struct baseline_devices *devices);

#endif
