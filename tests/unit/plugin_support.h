/* plugin_support.h - loads the CUPTI plugin for tests. It needs CUPTI, but no GPU. */
#pragma once

#include "worker/worker.h"

const struct gpu_plugin *plugin(void);
