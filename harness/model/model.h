/* model.h - the nouns: metrics and their laws, samples, runs, the profile of a kernel by source line, and the files
 * that hold them. */
#pragma once

#include "chip_name.h"
#include "computed_counters.h"
#include "counter_name.h"
#include "drawn_name.h"
#include "exact_counters.h"
#include "grid_balance.h"
#include "law.h"
#include "library_facts.h"
#include "metric.h"
#include "origin.h"
#include "profile.h"
#include "program_row.h"
#include "result.h"
#include "run.h"
#include "run_laws.h"
#include "run_shard.h"
#include "sample.h"
#include "session.h"
#include "suppression.h"
#include "units.h"

#include <math.h>
