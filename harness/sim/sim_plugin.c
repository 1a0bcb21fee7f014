#include "collector.h"
#include "prepare.h"
#include "sim_capsule.h"

const struct sim_plugin *cugate_sim_plugin(void)
{
    static const struct sim_plugin plugin = {
        .ready = sim_ready, .prepare = sim_prepare, .collector = &sim_collector, .capsule_device = &sim_capsule_device};
    return &plugin;
}
