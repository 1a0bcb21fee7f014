/* occupancy_gap.h - the part of an explanation about its launches: how many warps fit, how many were active, and what
 * is likely between the two. */
#ifndef OCCUPANCY_GAP_H
#define OCCUPANCY_GAP_H

#include "explain.h"

/* From the run and the result of the explanation. */
void explain_launches(struct explanation *explanation);

#endif
