/* fuzz_known_regression - any text as a file of known regressions. What is accepted must survive writing and reading.
 */
#include "baseline/baseline.h"
#include "fuzz.h"

static char *write_all(const struct known_regressions *known_regressions)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    EACH(const struct known_regression, known_regression, known_regressions->list, known_regressions->count)
        fprintf(stream, "[%s %s]\nissue=%s\nexpires=%s\n", known_regression->kernel, known_regression->metric,
                known_regression->issue, known_regression->expires);
    fclose(stream);
    return text;
}

static void check_equal(const struct known_regression *a, const struct known_regression *b)
{
    require(strcmp(a->kernel, b->kernel) == 0, "the kernel changed");
    require(strcmp(a->metric, b->metric) == 0, "the metric changed");
    require(strcmp(a->issue, b->issue) == 0, "the issue changed");
    require(strcmp(a->expires, b->expires) == 0, "the date changed");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    OWNED(known_regressions) known_regressions;
    OWNED_TEXT text = x_calloc(size + 1, 1);
    memcpy(text, data, size);
    if (known_regressions_read_text(&known_regressions, "fuzz", text) == 0) {
        OWNED(known_regressions) back;
        OWNED_TEXT copy = write_all(&known_regressions);
        require(known_regressions_read_text(&back, "fuzz", copy) == 0, "what was written is refused");
        require(back.count == known_regressions.count, "a section was lost");
        for (size_t i = 0; i < back.count; i++) {
            const struct known_regression *one = &known_regressions.list[i];
            check_equal(one, &back.list[i]);
            require(known_regressions_find(&known_regressions, one->kernel, one->metric) == one, "one is not found");
            require(!known_regression_is_over(one, one->expires), "the last day is past it");
        }
    }
    return 0;
}
