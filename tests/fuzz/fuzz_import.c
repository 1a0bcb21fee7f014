/* fuzz_import - any text as a file of each format that can be imported. What is taken is a run that survives writing
 * and reading. */
#include "fuzz.h"
#include "import/import.h"

static const char definitions[] =
    "[time]\ntitle = t\ncounter = gpu__time_duration.sum\nunit = ns\nclass = time\nbetter = lower\ndoc = d\n"
    "[wall_time]\ntitle = t\ncounter = cugate.wall_time\nunit = ns\nclass = time\nbetter = lower\ndoc = d\n"
    "[count]\ntitle = t\ncounter = c.sum d.sum\nunit = count\nclass = exact\nbetter = lower\ndoc = d\n"
    "[bytes]\ntitle = t\ncounter = b.sum\nunit = B\nclass = steady\nbetter = lower\ndoc = d\n"
    "[share]\ntitle = t\ncounter = s.pct\nunit = %\nclass = info\nbetter = higher\nweight = count\ndoc = d\n";

static char *written(const struct run *run, size_t *length)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);
    require(stream && run_write(run, stream) == 0 && fclose(stream) == 0, "an imported run cannot be written");
    return text;
}

static void check_run(const struct run *run, const char *format)
{
    OWNED(run) back;
    size_t length, length_again;
    OWNED_TEXT text = written(run, &length);
    require(run->result_count > 0 && run->session_count == 1, "an imported run holds nothing");
    require(strcmp(run->sessions[0].facts[SESSION_COLLECTOR], format) == 0, "a session says another collector");
    EACH(const struct result, result, run->results, run->result_count) {
        require(run_find(run, result->id) == result, "a result is not found");
        require(result->status == RESULT_OK || result->row_count == 0, "a kernel that failed has rows");
    }
    require(run_parse(&back, "fuzz", text, length) == 0, "an imported run is refused");
    OWNED_TEXT again = written(&back, &length_again);
    require(length == length_again && memcmp(text, again, length) == 0, "a run changed on its way through a file");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"nvbench",   "google-benchmark",        "ncu", "nsys", "pytest-benchmark",
                                          "criterion", "github-action-benchmark", "bmf"};
    OWNED(metrics) metrics = {0};
    require(metrics_read_text(&metrics, "fuzz", definitions) == 0, "the definitions are refused");
    OWNED_TEXT text = x_calloc(size + 1, 1);
    memcpy(text, data, size);
    for (size_t i = 0; i < ARRAY_SIZE(formats) * 2; i++) {
        const char *format = formats[i / 2];
        const struct import_request request = {import_format_find(format), &metrics, i % 2 == 0 ? "GPU" : NULL};
        OWNED(run) run;
        if (import_text(&run, &request, "fuzz", text, size, "2026-11-21T08:00:00.000Z") == 0)
            check_run(&run, format);
    }
    return 0;
}
