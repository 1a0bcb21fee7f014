/* plugin_support.h - the CUPTI plugin, loaded. It needs CUPTI, but no GPU. */
#ifndef PLUGIN_SUPPORT_H
#define PLUGIN_SUPPORT_H

#include "worker/worker.h"

const struct gpu_plugin *plugin(void);

#endif
