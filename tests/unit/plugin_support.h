/* plugin_support.h - loads the CUPTI plugin for tests. It needs CUPTI, but no GPU. */
#ifndef PLUGIN_SUPPORT_H
#define PLUGIN_SUPPORT_H

#include "worker/worker.h"

const struct gpu_plugin *plugin(void);

#endif
