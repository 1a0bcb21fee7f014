/* sim_capsule.h - what executes capsules here. */
#ifndef SIM_CAPSULE_H
#define SIM_CAPSULE_H

#include "capsule/capsule.h"

extern const struct capsule_device sim_capsule_device;

#endif
