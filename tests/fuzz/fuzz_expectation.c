/* fuzz_expectation - any text as a file of known regressions. What is accepted must survive writing and reading. */
#include "base/base.h"
#include "judge/expectation.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (!holds)
        BUG("%s", what);
}

static char *write_all(const struct expectations *expectations)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    for (size_t i = 0; i < expectations->count; i++) {
        const struct expectation *expectation = &expectations->list[i];
        fprintf(stream, "[%s %s]\nissue=%s\nexpires=%s\n", expectation->kernel, expectation->metric, expectation->issue,
                expectation->expires);
    }
    fclose(stream);
    return text;
}

static void check_equal(const struct expectation *a, const struct expectation *b)
{
    require(strcmp(a->kernel, b->kernel) == 0, "the kernel changed");
    require(strcmp(a->metric, b->metric) == 0, "the metric changed");
    require(strcmp(a->issue, b->issue) == 0, "the issue changed");
    require(strcmp(a->expires, b->expires) == 0, "the date changed");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct expectations expectations;
    char *text = x_calloc(size + 1, 1);
    memcpy(text, data, size);
    if (expectations_read_text(&expectations, "fuzz", text) == 0) {
        struct expectations back;
        char *copy = write_all(&expectations);
        require(expectations_read_text(&back, "fuzz", copy) == 0, "what was written is refused");
        require(back.count == expectations.count, "a section was lost");
        for (size_t i = 0; i < back.count; i++) {
            const struct expectation *one = &expectations.list[i];
            check_equal(one, &back.list[i]);
            require(expectations_find(&expectations, one->kernel, one->metric) == one, "one is not found");
            require(!expectation_is_over(one, one->expires), "the last day is past it");
        }
        expectations_release(&back);
        free(copy);
    }
    expectations_release(&expectations);
    free(text);
    return 0;
}
