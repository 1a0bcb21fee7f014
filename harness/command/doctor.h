/* doctor.h - what `cugate doctor` looks at. */
#ifndef DOCTOR_H
#define DOCTOR_H

#include "base/base.h"

/* UNKNOWN: it could not be looked at. */
enum health { HEALTH_GOOD, HEALTH_UNKNOWN, HEALTH_BAD };

struct doctor;
struct doctor_check {
    const char *title;
    const char *remedy; /* said wherever the finding is not good */
    bool of_counters;   /* nothing for collectors that read none */
    enum health (*look)(struct doctor *doctor);
};

/* The table, in the order in which they are made. */
const struct doctor_check *doctor_checks(size_t *count);

/* Prints a finding, and its remedy unless it is good. */
void doctor_say(const struct text *text, const struct doctor_check *check, enum health health, const char *words);

#endif
