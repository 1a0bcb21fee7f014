/* from_check.h - which kernels a check found worse, by its JSON report. */
#pragma once

#include <stddef.h>

/* Lists the kernels that a report (report/report_json.c) calls regressed. Where the program's GPU time is, also those
 * that are new, and those whose launches together take longer by 1 % of it. Launches of graphs are left out. -1 after
 * error(), also where there are none. The caller frees the names and the list. */
int from_check_read(const char *path, char ***kernels, size_t *count);
