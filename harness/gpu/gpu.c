/* Reads the description of a GPU. It is an INI file without sections: `name`, `memory_bytes`, and a line `attribute
 * NUMBER = VALUE` for each attribute that a program may ask for. `timing NAME = VALUE` is a constant of the replay;
 * `clock_mhz` and `dram_gb_per_s` are for that, too, where attributes do not say it. tests/gpu/programs/describe_gpu.c
 * prints it on a machine with that GPU. */
#include "gpu.h"

#include <errno.h>
#include <limits.h>

#define FILE_LIMIT ((size_t)1 << 20)

/* Attributes by their numbers in CUDA. */
enum {
    CLOCK_KHZ = 13,
    SMS = 16,
    ECC = 32,
    MEMORY_CLOCK_KHZ = 36,
    BUS_BITS = 37,
    MAJOR = 75,
    MINOR = 76,
    SM_SHARED_BYTES = 81,
};

/* Those that have to be there: sizes of blocks, grids and shared memory, registers, and what is above. Without them no
 * launch can be checked and no baseline chosen. */
static const int needed[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, SMS, ECC, MAJOR, MINOR, 97};

struct reader {
    struct ini_text text;
    struct gpu *gpu;
};

static char *next_line(char *buffer, int size, void *stream)
{
    struct reader *reader = stream;
    size_t length;
    const char *line = ini_text_next(&reader->text, &length);
    return line ? ini_text_copy(&reader->text, line, length, buffer, size, "") : NULL;
}

/* Reads a whole number from `least` to `most`. False when the text is none. */
static bool read_number(const char *text, long long least, long long most, long long *number)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && *number >= least && *number <= most;
}

static int take_attribute(struct reader *reader, const char *number, const char *value)
{
    long long index, setting;
    if (!read_number(number, 1, GPU_ATTRIBUTES - 1, &index))
        return ini_text_wrong(&reader->text, reader->text.line, "\"%s\" is not an attribute's number (1 to %d)", number,
                              GPU_ATTRIBUTES - 1);
    if (!read_number(value, INT_MIN, INT_MAX, &setting))
        return ini_text_wrong(&reader->text, reader->text.line, "\"%s\" is not an integer", value);
    if (reader->gpu->known[index])
        return ini_text_wrong(&reader->text, reader->text.line, "attribute %lld is given twice: remove one", index);
    reader->gpu->known[index] = true;
    reader->gpu->attributes[index] = (int)setting;
    return 0;
}

static int take_timing(struct reader *reader, const char *name, const char *value)
{
    struct timing_row row;
    char *end;
    const double number = strtod(value, &end);
    size_t i = 0;
    while (timing_row(i, &row) && strcmp(row.name, name) != 0)
        i++;
    if (!timing_row(i, &row))
        return ini_text_wrong(&reader->text, reader->text.line, "\"%s\" is not a constant of the timing model", name);
    if (end == value || *end || !(number > 0 && number < 1e9))
        return ini_text_wrong(&reader->text, reader->text.line, "\"%s\" must be a number above 0", value);
    *timing_place(&reader->gpu->timing, &row) = number;
    return 0;
}

static int set_key(struct reader *reader, const char *name, const char *value)
{
    static const char prefix[] = "attribute ", timing[] = "timing ";
    struct gpu *gpu = reader->gpu;
    if (strncmp(name, timing, strlen(timing)) == 0)
        return take_timing(reader, name + strlen(timing), value);
    if (strncmp(name, prefix, strlen(prefix)) == 0)
        return take_attribute(reader, name + strlen(prefix), value);
    const bool is_name = strcmp(name, "name") == 0;
    long long *number = strcmp(name, "memory_bytes") == 0    ? &gpu->memory_bytes
                        : strcmp(name, "clock_mhz") == 0     ? &gpu->clock_mhz
                        : strcmp(name, "dram_gb_per_s") == 0 ? &gpu->dram_gb_per_s
                                                             : NULL;
    if (!is_name && !number)
        return ini_text_wrong(&reader->text, reader->text.line,
                              "unknown key \"%s\": known keys are name, memory_bytes, clock_mhz, dram_gb_per_s, "
                              "attribute NUMBER and timing NAME",
                              name);
    if (is_name ? *gpu->name : *number != 0)
        return ini_text_wrong(&reader->text, reader->text.line, "\"%s\" is given twice: remove one", name);
    if (is_name && *value)
        snprintf(gpu->name, sizeof gpu->name, "%s", value); /* a line of the file is shorter than the name may be */
    else if (is_name || !read_number(value, 1, LLONG_MAX, number))
        return ini_text_wrong(&reader->text, reader->text.line, "\"%s\" is not a value of \"%s\"", value, name);
    return 0;
}

/* Takes a key of the file. As inih's handler, it returns 1 to go on and 0 for an error. */
static int take_key(void *user, const char *section, const char *name, const char *value)
{
    struct reader *reader = user;
    if (*section)
        ini_text_wrong(&reader->text, reader->text.line, "a GPU's description must not have sections");
    return !reader->text.failed && set_key(reader, name, value) == 0;
}

int gpu_read(struct gpu *gpu, const char *path, struct problem *problem)
{
    OWNED_TEXT content = NULL;
    size_t length;
    *gpu = (struct gpu){0};
    timing_default(&gpu->timing);
    problem_set(problem, "cannot read the GPU's description %s: see the error above", path);
    TRY(file_read(path, FILE_LIMIT, &content, &length));
    struct reader reader = {.gpu = gpu};
    ini_text_init(&reader.text, path, content);
    ini_text_parse(&reader.text, next_line, take_key, &reader, "a comment (;)");
    if (!reader.text.failed && (!*gpu->name || gpu->memory_bytes == 0))
        ini_text_wrong(&reader.text, reader.text.line, "the key \"%s\" is missing",
                       *gpu->name ? "memory_bytes" : "name");
    for (size_t i = 0; i < ARRAY_SIZE(needed) && !reader.text.failed; i++)
        if (!gpu->known[needed[i]])
            ini_text_wrong(&reader.text, reader.text.line, "the key \"attribute %d\" is missing", needed[i]);
    if (!reader.text.failed)
        return 0;
    *gpu = (struct gpu){0};
    return -1;
}

int gpu_capability(const struct gpu *gpu)
{
    return gpu->attributes[MAJOR] * 10 + gpu->attributes[MINOR];
}

/* DRAM moves twice in a cycle of its own; clocks are in kHz. */
double gpu_dram_bytes_per_ns(const struct gpu *gpu)
{
    const int *of = gpu->attributes;
    return gpu->dram_gb_per_s ? (double)gpu->dram_gb_per_s : of[MEMORY_CLOCK_KHZ] / 1e6 * 2 * of[BUS_BITS] / 8;
}

double gpu_cycles_per_ns(const struct gpu *gpu)
{
    return gpu->clock_mhz ? (double)gpu->clock_mhz / 1e3 : gpu->attributes[CLOCK_KHZ] / 1e6;
}

bool gpu_as_chip(const struct gpu *gpu, struct chip *chip)
{
    /* The L1 is what shared memory can be, and 28 KiB. */
    const int *of = gpu->attributes, shared = of[SM_SHARED_BYTES];
    const int sms = of[SMS];
    const double bytes = gpu_dram_bytes_per_ns(gpu), clock = gpu_cycles_per_ns(gpu);
    *chip = (struct chip){.timing = gpu->timing, .sms = (unsigned)sms, .foreign = gpu_capability(gpu) != 90};
    if (!(clock > 0 && bytes > 0) || shared <= 0 || sms <= 0)
        return false;
    chip->clock = clock;
    chip->dram = bytes / clock / 32 / sms;
    chip->shared_bytes = (unsigned)shared;
    chip->l1_bytes = (unsigned)shared + (28u << 10);
    return true;
}

void gpu_as_device(const struct gpu *gpu, struct device *device)
{
    device->name = x_strdup(gpu->name);
    device->compute_capability = x_sprintf("%d.%d", gpu->attributes[MAJOR], gpu->attributes[MINOR]);
    device->sm_count = gpu->attributes[SMS];
    device->memory_bytes = gpu->memory_bytes;
    device->ecc = gpu->attributes[ECC] != 0;
    device->mig = strstr(gpu->name, " MIG ") != NULL;
}
