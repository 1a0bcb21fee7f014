/* sets.h - sets of metrics, each of which takes one pass. */
#pragma once

#include "groups.h"

/* Makes the sets for that chip, unless they are made, and tells the parent. -1 with *problem. */
int sets_make(const struct request *request, const char *chip, const uint8_t *availability, struct problem *problem);
size_t sets_count(void); /* 0: they are not made yet */
size_t sets_now(void);   /* index of the set that is counted now */
const struct metrics *sets_metrics(size_t set);
bool sets_are_blind(size_t set); /* whether the set has instrumented counters only, which do not see into graphs */
/* Whether the group's next launch is to be measured in that set. */
bool group_is_wanted(const struct launch_group *group, size_t set);
/* Notes that a launch of the group is to come, which may be measured. Returns whether it is time to end the session,
 * give the counters back, and then call sets_change(). */
bool sets_follow(struct launch_group *group);
void sets_change(void);
/* Notes in which other sets that launch was wanted as well. Without `counts` it was not counted in this one either. */
void sets_note_missed(struct launch_group *group, bool counts);
