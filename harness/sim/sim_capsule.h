/* sim_capsule.h - what executes capsules here. */
#pragma once

#include "capsule/capsule.h"

extern const struct capsule_device sim_capsule_device;
