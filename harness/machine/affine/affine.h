/* affine.h - the public header of a room that knows how the blocks of a grid move along its axes: what a value, and the
 * bytes that are accessed, are in the others. Pure. */
#pragma once

#include "footprint.h"
