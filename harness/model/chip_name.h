/* chip_name.h - translates product names of GPUs into chip names, as CUPTI calls them. */
#pragma once

#include <stddef.h>

/* Returns the chip of a product: "H200" or "NVIDIA GeForce RTX 4090" -> "GH100", "AD102". Memory size, form factor and
 * case do not matter. NULL when the product is not known. */
const char *chip_of_product(const char *product);

/* Returns the chip of the index, of those with a product that is known; NULL behind the last one. */
const char *chip_known(size_t index);

/* Returns the products that have the chip, "H100, H200", or "" when none is known. */
const char *chip_products(const char *chip);

/* Returns the product or the chip (one of chips) that text was probably meant to be, or NULL. Caller frees. */
char *chip_nearest(const char *text, const char *const *chips, size_t count);
