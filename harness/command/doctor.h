/* doctor.h - the checks of `cugate doctor`. */
#pragma once

#include "base/base.h"

/* The result of a check; HEALTH_UNKNOWN means that it could not be made. */
enum health { HEALTH_GOOD, HEALTH_UNKNOWN, HEALTH_BAD };

struct doctor;
struct doctor_check {
    const char *title;
    const char *remedy;           /* the remedy, printed unless the result is good */
    const char *remedy_installed; /* the remedy where cugate is installed; NULL: the same */
    bool of_counters;             /* irrelevant for backends that read no counters */
    bool opens_driver;            /* the check opens the driver in this process, so it is made after the others */
    enum health (*look)(struct doctor *doctor);
};

/* Returns the table of checks, in the order of printing. */
const struct doctor_check *doctor_checks(size_t *count);

struct diagnosed {
    enum health health;
    char *words; /* the finding in words; owned by whoever made the check */
    const char *remedy;
};

/* Prints a finding, and its remedy unless it is good. */
void doctor_say(const struct text *text, const char *title, const struct diagnosed *finding);
