/* fuzz_run - any bytes as a run file, and as the line of a worker. What is accepted must survive writing and reading.
 */
#include "fuzz.h"
#include "model/run.h"

static char *written(const struct run *run, size_t *length)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);
    require(stream && run_write(run, stream) == 0 && fclose(stream) == 0, "an accepted run cannot be written");
    return text;
}

static void check_order(const struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = &run->results[i];
        require(i == 0 || strcmp(result[-1].id, result->id) < 0, "results are not in order");
        require(run_find(run, result->id) == result, "a result is not found");
        require(result->status == RESULT_OK || result->row_count == 0, "a kernel that failed has rows");
        for (size_t j = 0; j < result->row_count; j++) {
            const struct row *row = &result->rows[j];
            require(j == 0 || strcmp(row[-1].metric, row->metric) < 0, "rows are not in order");
            require((row->state == VALUE_MEASURED) == (row->session_count > 0), "a state contradicts its sessions");
            require(row->state != VALUE_MEASURED || row_value(row) >= 0, "a value is negative or not a number");
        }
    }
}

static void check_line(const struct result *result)
{
    OWNED(result) back;
    OWNED_TEXT line = result_to_line(result);
    require(!strchr(line, '\n'), "the line of a result holds a newline");
    require(result_from_line(&back, line) == 0, "the line of an accepted result is refused");
    OWNED_TEXT again = result_to_line(&back);
    require(strcmp(line, again) == 0, "a result changed on its way through a line");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    OWNED(run) run;
    struct run back;
    struct result result;
    OWNED_TEXT text = x_calloc(size + 1, 1);
    memcpy(text, data, size);
    if (result_from_line(&result, text) == 0) {
        check_line(&result);
        result_release(&result);
    }
    if (run_parse(&run, "fuzz", text, size) == 0) {
        size_t length;
        size_t length_again;
        check_order(&run);
        for (size_t i = 0; i < run.result_count; i++)
            check_line(&run.results[i]);
        OWNED_TEXT first = written(&run, &length);
        require(run_parse(&back, "fuzz", first, length) == 0, "a written run is refused");
        check_order(&back);
        OWNED_TEXT second = written(&back, &length_again);
        require(length == length_again && memcmp(first, second, length) == 0,
                "a run changed on its way through a file");
        run_release(&back);
    }
    return 0;
}
