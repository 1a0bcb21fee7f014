#include "cudart/inputs.h"

#include <criterion/criterion.h>

/* Returns whether the hash differs from *hash, and sets *hash to it. */
static bool moves(char **hash)
{
    char *old = *hash;
    *hash = inputs_hash();
    const bool moved = strcmp(old, *hash) != 0;
    free(old);
    return moved;
}

Test(inputs, whatever_is_added_moves_the_hash_until_it_is_hidden)
{
    char *hash = inputs_hash();
    cr_assert_eq(strlen(hash), 32);
    cr_expect_not(moves(&hash), "nothing was added");
    inputs_add(INPUT_FREED, (const uint64_t[]){7}, 1, NULL, 0);
    cr_expect(moves(&hash));
    inputs_add(INPUT_BYTES, NULL, 0, "", 0);
    cr_expect(moves(&hash), "no bytes are something, too");
    inputs_add(INPUT_BYTES, NULL, 0, "a", 1);
    cr_expect(moves(&hash));
    inputs_hide();
    inputs_add(INPUT_BYTES, NULL, 0, "a", 1);
    cr_expect_null(inputs_hash());
    free(hash);
}
