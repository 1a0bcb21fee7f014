/* Finds the source line of an instruction; needs no GPU. cubin.h finds the images in the library, line_table.h their
 * line information. CUPTI numbers the images, and knows the line where the table does not name the function. */
#include "cupti_plugin.h"

#include "cubin/cubin.h"

#include <cupti_pcsampling.h>

struct image_bytes {
    unsigned char *bytes;
    size_t size;
    uint64_t crc;
    struct line_table table;
};

static int take_image(void *data, const unsigned char *bytes, size_t size)
{
    struct images *images = data;
    struct image_bytes *image = ARRAY_GROW(images->list, images->count);
    image->bytes = x_calloc(size, 1);
    image->size = size;
    memcpy(image->bytes, bytes, size);
    CUpti_GetCubinCrcParams params = {.size = CUpti_GetCubinCrcParamsSize, .cubinSize = size, .cubin = image->bytes};
    if (cuptiGetCubinCrc(&params) == CUPTI_SUCCESS)
        image->crc = params.cubinCrc;
    line_table_open(&image->table, bytes, size);
    return 0;
}

int images_open(struct images *images, const char *library, struct problem *problem)
{
    *images = (struct images){0};
    if (cubin_each_image(library, take_image, images) == 0)
        return 0;
    problem_set(problem, "the machine code of %s cannot be read", library);
    images_close(images);
    return -1;
}

void images_close(struct images *images)
{
    for (size_t i = 0; i < images->count; i++) {
        line_table_release(&images->list[i].table);
        free(images->list[i].bytes);
    }
    free(images->list);
    *images = (struct images){0};
}

static char *line_in_image(const struct image_bytes *image, const char *symbol, uint64_t offset, unsigned *number)
{
    char *path = line_table_line(&image->table, symbol, offset, number);
    if (path || image->table.function_count > 0)
        return path;
    CUpti_GetSassToSourceCorrelationParams params = {
        .size = CUpti_GetSassToSourceCorrelationParamsSize,
        .cubin = image->bytes,
        .cubinSize = image->size,
        .functionName = symbol,
        .pcOffset = offset,
    };
    if (cuptiGetSassToSourceCorrelation(&params) == CUPTI_SUCCESS && params.fileName && params.lineNumber > 0) {
        const bool whole = params.fileName[0] == '/' || !params.dirName || !params.dirName[0];
        path = whole ? x_strdup(params.fileName) : x_sprintf("%s/%s", params.dirName, params.fileName);
        *number = params.lineNumber;
    }
    free(params.fileName);
    free(params.dirName);
    return path;
}

char *image_line(const struct images *images, uint64_t crc, const char *symbol, uint64_t offset, unsigned *number)
{
    /* SASS records have only the lower half of the image's number. */
    for (size_t i = 0; i < images->count; i++)
        if ((uint32_t)images->list[i].crc == (uint32_t)crc)
            return line_in_image(&images->list[i], symbol, offset, number);
    return NULL;
}
