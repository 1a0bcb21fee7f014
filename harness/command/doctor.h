/* doctor.h - what `cugate doctor` looks at. */
#ifndef DOCTOR_H
#define DOCTOR_H

#include "base/base.h"

/* UNKNOWN: it could not be looked at. */
enum health { HEALTH_GOOD, HEALTH_UNKNOWN, HEALTH_BAD };

struct doctor;
struct doctor_check {
    const char *title;
    const char *remedy;           /* said wherever the finding is not good */
    const char *remedy_installed; /* the same where cugate is installed; NULL: there is no other */
    bool of_counters;             /* nothing for collectors that read none */
    bool opens_driver;            /* in this process: made after the others */
    enum health (*look)(struct doctor *doctor);
};

/* The table, in the order in which they are told. */
const struct doctor_check *doctor_checks(size_t *count);

struct diagnosed {
    enum health health;
    char *words; /* owned by who looked */
    const char *remedy;
};

/* Prints a finding, and its remedy unless it is good. */
void doctor_say(const struct text *text, const char *title, const struct diagnosed *finding);

#endif
