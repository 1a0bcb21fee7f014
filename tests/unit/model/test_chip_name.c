#include "model/model.h"
#include "test.h"

Test(chip_name, products_have_chips)
{
    static const struct {
        const char *product, *chip;
    } rows[] = {
        {"H100", "GH100"},
        {"h200", "GH100"},
        {"A100", "GA100"},
        {"RTX 4090", "AD102"},
        {"rtx4090", "AD102"},
        {"L4", "AD104"},
        {"L40S", "AD102"},
        {"B200", "GB100"},
        {"GB10", "GB20B"},
        {"RTX 4070 Ti", "AD104"},
        {"RTX 4070 Ti SUPER", "AD103"},
        {"RTX 6000 Ada", "AD102"},
        {"Quadro RTX 6000", "TU102"},
        /* Names that drivers report. */
        {"NVIDIA H100 80GB HBM3", "GH100"},
        {"NVIDIA H100 NVL", "GH100"},
        {"NVIDIA A100-SXM4-80GB", "GA100"},
        {"NVIDIA A100-PCIE-40GB", "GA100"},
        {"NVIDIA GeForce RTX 4090", "AD102"},
        {"NVIDIA RTX 6000 Ada Generation", "AD102"},
        {"Tesla V100-SXM2-16GB", "GV100"},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "GB202"},
        /* Names without a known chip. */
        {"", NULL},
        {"NVIDIA", NULL},
        {"80GB", NULL},
        {"RTX", NULL},
        {"RTX 4090 Laptop GPU", NULL}, /* the laptop product has the chip of the RTX 4080 */
        {"GH100", NULL},
        {"RTX 4909", NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *chip = chip_of_product(rows[i].product);
        cr_expect(order_of_texts(chip, rows[i].chip) == 0, "%s: %s", rows[i].product, chip ? chip : "none");
    }
}

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

Test(chip_name, a_slip_has_a_nearest_name)
{
    static const char *const chips[] = {"GH100", "AD102"};
    static const struct {
        const char *text, *near;
    } rows[] = {
        {"RTX 4909", "RTX 4090"},
        {"gh10", "GH100"},
        {"NVIDIA H20O", "H200"},
        {"frobnicator", NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_TEXT near = chip_nearest(rows[i].text, chips, ARRAY_SIZE(chips));
        cr_expect(order_of_texts(near, rows[i].near) == 0, "%s: %s", rows[i].text, near ? near : "none");
    }
}
