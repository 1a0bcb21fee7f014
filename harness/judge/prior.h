/* prior.h - how far sessions of one GPU lie apart, as recorded: what a baseline of few sessions is judged by. Pure. */
#pragma once

#include "model/model.h"

/* A scaled inverse chi-squared distribution of variances, by Smyth (2004): the typical deviation, and after how many
 * degrees of freedom of its own a row's deviation counts as much as the typical one. */
struct prior {
    double deviation; /* of a row with that value, in its unit */
    double freedom;
};

/* Returns the prior of a metric's value in a library, or in a program that leaves caches as they are. freedom is 0
 * where nothing was recorded. */
struct prior prior_of(const struct metric *metric, double value, bool program);
