#include "run_file.h"

int run_write(const struct run *run, FILE *stream)
{
    struct json_writer json = {.stream = stream, .indent = 2};
    json_put_fields(&json, NULL, &run_table, run);
    fputc('\n', stream);
    return fflush(stream) != 0 || ferror(stream) ? -1 : 0;
}

char *result_to_line(const struct result *result)
{
    char *line = NULL;
    FILE *stream = x_memstream(&line, NULL);
    struct json_writer json = {.stream = stream, .one_line = true};
    json_open(&json, NULL, '{', JSON_LINES);
    put_result(&json, result);
    json_close(&json);
    if (fclose(stream) != 0)
        die(EXIT_USAGE, "cannot allocate memory for the result of %s", result->id);
    return line;
}
