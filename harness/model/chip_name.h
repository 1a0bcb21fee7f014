/* chip_name.h - the chips of GPUs, as CUPTI calls them, by the names of the products that have them. */
#ifndef CHIP_NAME_H
#define CHIP_NAME_H

#include <stddef.h>

/* "H200" or "NVIDIA GeForce RTX 4090" -> "GH100", "AD102"; memory, form and case do not matter. NULL: not known. */
const char *chip_of_product(const char *product);

/* "H100, H200", or "" where no product is known. */
const char *chip_products(const char *chip);

/* The product, or the chip of those, that the text was probably meant to be, or NULL. Caller frees. */
char *chip_nearest(const char *text, const char *const *chips, size_t count);

#endif
