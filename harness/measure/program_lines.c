/* Finds the source lines of instructions by the machine code that the program loaded. */
#include "program_parts.h"

/* The line tables of the images that may have the function: of its module, or of all if the module is not known. */
struct tables {
    struct line_table *list;
    size_t count;
};

static int open_table(void *data, const unsigned char *bytes, size_t size)
{
    struct tables *tables = data;
    line_table_open(ARRAY_GROW(tables->list, tables->count), bytes, size);
    return 0;
}

static void open_tables(struct tables *tables, const struct program_run *run, const char *module)
{
    for (size_t i = 0; i < run->image_count; i++) {
        if (module && strcmp(run->images[i], module) != 0)
            continue;
        OWNED_TEXT path = x_sprintf("%s/%s.cubin", run->setting->folder, run->images[i]);
        (void)cubin_each_image(path, open_table, tables);
    }
}

static char *find_line(const struct tables *tables, const struct profile_line *line, unsigned *number)
{
    for (size_t i = 0; i < tables->count; i++) {
        char *file = line_table_line(&tables->list[i], line->function, line->offset, number);
        if (file)
            return file;
    }
    return NULL;
}

void program_find_lines(const struct program_run *run, const struct program_group *group,
                        const struct profile *instructions, struct profile *profile)
{
    struct tables tables = {0};
    open_tables(&tables, run, group && group->count == 1 ? group->launches[0].module : NULL);
    EACH(const struct profile_line, from, instructions->list, instructions->count) {
        unsigned number = 0;
        OWNED_TEXT file = find_line(&tables, from, &number);
        struct profile_line *to = profile_add(profile, from->function, file, number, from->offset);
        for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++)
            to->counts[counter] += from->counts[counter];
    }
    profile->counted |= instructions->counted;
    for (size_t i = 0; i < tables.count; i++)
        line_table_release(&tables.list[i]);
    free(tables.list);
}
