/* races.h - the public header of a room that looks for what the order of warps, blocks and streams decides. Its
 * watchers hear of accesses (block/watch.h). */
#pragma once

#include "block_races.h"
#include "hazards.h"
#include "meetings.h"
#include "stream_races.h"
#include "waits.h"
