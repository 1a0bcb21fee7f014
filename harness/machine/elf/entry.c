/* cubin_image.h says what is where in an image. Besides the attributes that are read there, these are:
 *
 *   KPARAM_INFO     u32 0, u16 number of the argument, u16 its offset, u32 whose bits from 18 on are its size
 *   KPARAM_INFO_V2  the same, whose last u32 is the size, of kernels with more than 4 KB of arguments
 *   PARAM_CBANK     u32 symbol, u16 where arguments begin in constant bank 0, u16 how many bytes they are
 *   REQNTID         u32 each of x, y and z of the block, .reqntid in PTX */
#include "entry.h"

#include "base/base.h"

enum {
    EIATTR_PARAM_CBANK = 0x0a,
    EIATTR_REQNTID = 0x10,
    EIATTR_KPARAM_INFO = 0x17,
    EIATTR_KPARAM_INFO_V2 = 0x45,
};

static uint32_t number_at(const unsigned char *bytes, size_t length)
{
    uint32_t number = 0;
    for (size_t i = 0; i < length; i++)
        number |= (uint32_t)bytes[i] << (8 * i);
    return number;
}

/* Takes an argument's place. The same argument may be described twice, and they come in any order. -1: the place cannot
 * be right. */
static int take_parameter(struct entry *entry, const struct image_attribute *attribute)
{
    enum { MOST = 4096 };
    if (attribute->size < 12)
        return -1;
    const size_t number = number_at(attribute->bytes + 4, 2);
    if (number >= MOST)
        return -1;
    while (entry->parameter_count <= number)
        *ARRAY_GROW(entry->parameters, entry->parameter_count) = (struct parameter){0};
    entry->parameters[number] = (struct parameter){
        .offset = number_at(attribute->bytes + 6, 2),
        /* Of 12.0 there is more behind it. */
        .size = attribute->number == EIATTR_KPARAM_INFO ? number_at(attribute->bytes + 8, 4) >> 18
                                                        : number_at(attribute->bytes + 8, 2),
    };
    return 0;
}

static int take_attribute(struct entry *entry, const struct image_attribute *attribute)
{
    switch (attribute->number) {
    case EIATTR_KPARAM_INFO:
    case EIATTR_KPARAM_INFO_V2:
        return take_parameter(entry, attribute);
    case EIATTR_PARAM_CBANK:
        if (attribute->size < 8)
            return -1;
        entry->parameter_base = number_at(attribute->bytes + 4, 2);
        entry->parameter_bytes = number_at(attribute->bytes + 6, 2);
        return 0;
    case EIATTR_REQNTID:
        if (attribute->size < 12)
            return -1;
        for (size_t i = 0; i < ARRAY_SIZE(entry->block); i++)
            entry->block[i] = number_at(attribute->bytes + 4 * i, 4);
        return 0;
    default:
        return 0;
    }
}

int entry_read(struct entry *entry, const struct image *image, size_t kernel)
{
    *entry = (struct entry){0};
    EACH(const struct image_section, section, image->sections, image->section_count) {
        if (section->owner != kernel + 1 || strncmp(section->name, ".nv.info.", 9) != 0 || !section->bytes)
            continue;
        const unsigned char *at = section->bytes, *end = at + section->header.sh_size;
        struct image_attribute attribute;
        int more;
        while ((more = image_next_attribute(&at, end, &attribute)) > 0)
            TRY(take_attribute(entry, &attribute));
        TRY(more);
    }
    return 0;
}

void entry_release(struct entry *entry)
{
    free(entry->parameters);
    *entry = (struct entry){0};
}
