#include "drawn_name.h"

#include <string.h>

bool drawn_name_is_of(const char *id, const char *kernel)
{
    const size_t length = strlen(kernel);
    return strncmp(id, kernel, length) == 0 && id[length] == '~' && !strchr(id + length + 1, '~');
}

bool drawn_name_has_form(const char *id)
{
    static const char letters[] = {LETTER_SIZES, LETTER_ORDERS, LETTER_NANS, LETTER_ZEROS,
                                   LETTER_ONES,  LETTER_OTHERS, '\0'};
    return strchr(letters, id[strlen(id) - 1]) != NULL;
}

bool drawn_name_has_speed(const char *id)
{
    return !drawn_name_has_form(id) && id[strlen(id) - 1] != LETTER_FAR;
}
