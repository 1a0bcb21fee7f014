#include "model/model.h"
#include "test.h"

static void expect_chip(const char *where, const char *product, const char *chip)
{
    const char *found = chip_of_product(product);
    cr_expect_str_eq(found ? found : "none", chip, "%s", where);
}

TEXTS(chip_name, products_have_chips, "tests/unit/model/chip_name.txt#chips", expect_chip)

Test(chip_name, known_chips_have_products)
{
    size_t count = 0;
    for (const char *chip; (chip = chip_known(count)); count++)
        cr_expect(*chip_products(chip), "%s", chip);
    cr_expect_geq(count, 20u);
}

Test(chip_name, each_product_is_listed_at_its_chip)
{
    cr_expect_str_eq(chip_products("AD106"), "RTX 4060 Ti");
    cr_expect_not_null(strstr(chip_products("GH100"), "H200"));
    cr_expect_str_eq(chip_products("no such"), "");
}

static void expect_nearest(const char *where, const char *text, const char *name)
{
    static const char *const chips[] = {"GH100", "AD102"};
    OWNED_TEXT near = chip_nearest(text, chips, ARRAY_SIZE(chips));
    cr_expect_str_eq(near ? near : "none", name, "%s", where);
}

TEXTS(chip_name, a_slip_has_a_nearest_name, "tests/unit/model/chip_name.txt#slips", expect_nearest)
