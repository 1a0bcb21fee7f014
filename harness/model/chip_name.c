#include "chip_name.h"

#include "base/base.h"

#include <ctype.h>

#define WORD 32

/* Desktop, workstation and data-centre products of each chip. Where one product name was built with several chips, the
 * row has the usual one. Laptop products are left out: their chips are smaller than those of cards with the same name.
 *
 * To add a product: its name here. */
static const struct chip_row {
    const char *chip, *products;
} rows[] = {
    {.chip = "GV100", .products = "V100, V100S, TITAN V, Quadro GV100"},
    {.chip = "GV11B", .products = "Jetson AGX Xavier, Jetson Xavier NX"},
    {.chip = "TU102", .products = "RTX 2080 Ti, TITAN RTX, Quadro RTX 6000, Quadro RTX 8000"},
    {.chip = "TU104",
     .products = "T4, T4G, RTX 2080 SUPER, RTX 2080, RTX 2070 SUPER, Quadro RTX 5000, Quadro RTX 4000"},
    {.chip = "TU106", .products = "RTX 2070, RTX 2060 SUPER, RTX 2060"},
    {.chip = "TU116", .products = "GTX 1660 Ti, GTX 1660 SUPER, GTX 1660, GTX 1650 SUPER"},
    {.chip = "TU117", .products = "GTX 1650, GTX 1630, T1000, T600, T400"},
    {.chip = "GA100", .products = "A100, A100X, A800, A30, A30X"},
    {.chip = "GA102",
     .products =
         "A40, A10, A10G, RTX A6000, RTX A5500, RTX A5000, RTX A4500, RTX 3090 Ti, RTX 3090, RTX 3080 Ti, RTX 3080"},
    {.chip = "GA104", .products = "RTX A4000, RTX 3070 Ti, RTX 3070, RTX 3060 Ti"},
    {.chip = "GA106", .products = "RTX A2000, RTX 3060"},
    {.chip = "GA107", .products = "A16, A2"},
    {.chip = "GA10B", .products = "Jetson AGX Orin, Jetson Orin NX, Jetson Orin Nano"},
    {.chip = "AD102", .products = "L40S, L40, L40G, RTX 6000 Ada, RTX 5000 Ada, RTX 4090"},
    {.chip = "AD103", .products = "RTX 4080 SUPER, RTX 4080, RTX 4070 Ti SUPER"},
    {.chip = "AD104", .products = "L4, RTX 4500 Ada, RTX 4000 Ada, RTX 4070 Ti, RTX 4070 SUPER, RTX 4070"},
    {.chip = "AD106", .products = "RTX 4060 Ti"},
    {.chip = "AD107", .products = "RTX 2000 Ada, RTX 4060"},
    {.chip = "GH100", .products = "H100, H200, H800, H20, GH200"},
    {.chip = "GB100", .products = "B200, GB200"},
    {.chip = "GB110", .products = "B300, GB300"},
    {.chip = "GB10B", .products = "Jetson Thor, Jetson AGX Thor"},
    {.chip = "GB202", .products = "RTX PRO 6000 Blackwell, RTX 5090"},
    {.chip = "GB203", .products = "RTX 5080, RTX 5070 Ti"},
    {.chip = "GB205", .products = "RTX 5070"},
    {.chip = "GB206", .products = "RTX 5060 Ti, RTX 5060"},
    {.chip = "GB207", .products = "RTX 5050"},
    {.chip = "GB20B", .products = "GB10"},
};

/* Whether the word is one that drivers and shops add to the name of a product, or leave out. */
static bool says_nothing(const char *word)
{
    static const char *const words[] = {"nvidia", "geforce", "tesla",     "generation", "blackwell",   "server",
                                        "pcie",   "nvl",     "sxm",       "edition",    "workstation", "hbm2",
                                        "hbm2e",  "hbm3",    "hbm3e",     "sxm2",       "sxm3",        "sxm4",
                                        "sxm5",   "sxm6",    "developer", "kit",        "superchip"};
    const size_t digits = strspn(word, "0123456789");
    return name_index(word, words, ARRAY_SIZE(words)) < ARRAY_SIZE(words) ||
           (digits > 0 && strcmp(word + digits, "gb") == 0);
}

/* The key that products are looked up by: "NVIDIA A100-SXM4-80GB" -> "a100". Caller frees. */
static char *key_of(const char *text, size_t length)
{
    char *key = x_calloc(length + 1, 1);
    for (size_t i = 0, used = 0; i < length; i++) { /* skips characters that separate words */
        char word[WORD] = "";
        size_t letters = 0;
        for (; i < length && isalnum((unsigned char)text[i]); i++)
            if (letters + 1 < sizeof word)
                word[letters++] = (char)tolower((unsigned char)text[i]);
        if (says_nothing(word))
            continue;
        memcpy(key + used, word, letters);
        used += letters;
    }
    return key;
}

/* Takes the next product from a list of names: *rest moves behind it. Returns false at the end of the list. */
static bool next_product(const char **rest, const char **product, size_t *length)
{
    *product = *rest + strspn(*rest, ", ");
    *length = strcspn(*product, ",");
    *rest = *product + *length;
    return *length > 0;
}

const char *chip_of_product(const char *product)
{
    OWNED_TEXT wanted = key_of(product, strlen(product));
    const char *chip = NULL, *name;
    size_t length;
    for (size_t i = 0; i < ARRAY_SIZE(rows) && *wanted && !chip; i++)
        for (const char *rest = rows[i].products; !chip && next_product(&rest, &name, &length);) {
            OWNED_TEXT key = key_of(name, length);
            if (strcmp(key, wanted) == 0)
                chip = rows[i].chip;
        }
    return chip;
}

const char *chip_known(size_t index)
{
    return index < ARRAY_SIZE(rows) ? rows[index].chip : NULL;
}

const char *chip_products(const char *chip)
{
    const size_t i = FIRST(k, ARRAY_SIZE(rows), strcmp(rows[k].chip, chip) == 0);
    return i < ARRAY_SIZE(rows) ? rows[i].products : "";
}

char *chip_nearest(const char *text, const char *const *chips, size_t count)
{
    OWNED_MEMORY char **names = NULL, **keys = NULL, *wanted = key_of(text, strlen(text));
    char *nearest = NULL;
    size_t names_count = 0, keys_count = 0, length;
    const char *name;
    for (size_t i = 0; i < count; i++)
        *ARRAY_GROW(names, names_count) = x_strdup(chips[i]);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (const char *rest = rows[i].products; next_product(&rest, &name, &length);)
            *ARRAY_GROW(names, names_count) = x_sprintf("%.*s", (int)length, name);
    for (size_t i = 0; i < names_count; i++)
        *ARRAY_GROW(keys, keys_count) = key_of(names[i], strlen(names[i]));
    const char *near = nearest_name(wanted, (const char *const *)keys, keys_count);
    for (size_t i = 0; i < names_count; i++) {
        if (!nearest && near == keys[i])
            nearest = names[i];
        else
            free(names[i]);
    }
    for (size_t i = 0; i < keys_count; i++)
        free(keys[i]);
    return nearest;
}
