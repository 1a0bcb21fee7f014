/* distribution.h - the two distributions that the rule needs. `make selftest` holds them to the GNU Scientific Library,
 * which the program itself does not use: its licence would be the program's. */
#pragma once

#include <stddef.h>

/* Returns the probability that Student's t with so many degrees of freedom, which need not be whole, is more than t. */
double student_above(double t, double freedom);

/* Returns the t that Student's t is above with that probability, which is below a half and above 0. */
double student_quantile(double above, double freedom);

/* Returns the probability of `least` heads or more in `tosses` of a fair coin. */
double heads_at_least(size_t least, size_t tosses);

/* Returns the standard deviation of a sample about a mean that is known to be its own. count is at least 2. */
double deviation_about(const double *values, size_t count, double mean);
