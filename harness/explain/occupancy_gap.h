/* occupancy_gap.h - the part of an explanation about launches: how many warps fit, how many were active, and the likely
 * reason for the difference. */
#pragma once

#include "explain.h"

/* Fills in the launches of an explanation from its run and result. */
void explain_launches(struct explanation *explanation);
