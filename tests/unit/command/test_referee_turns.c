/* Tests candidates in processes of their own: each has its line, in their order, however its process ends. */
#include "command/referee_turns.h"
#include "test.h"

TestSuite(referee_turns);

/* How each candidate ends: an exit code, or a signal below 0. */
static int judge(const void *self, size_t number, FILE *stream)
{
    const int end = ((const int *)self)[number];
    if (end < 0)
        raise(-end);
    if (end != EXIT_INTERRUPTED)
        fprintf(stream, "%zu: %d\n", number, end);
    return end;
}

static void lost(const void *self, size_t number, const char *why, FILE *stream)
{
    (void)self;
    fprintf(stream, "%zu: %s\n", number, why);
}

static char *take(const int *ends, size_t count, size_t jobs, int *code)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = x_memstream(&text, &size);
    const struct referee_turns turns = {.count = count, .jobs = jobs, .judge = judge, .lost = lost, .self = ends};
    *code = referee_take_turns(&turns, stream);
    fclose(stream);
    return text;
}

Test(referee_turns, all_have_a_line)
{
    static const int ends[] = {EXIT_SAME, -SIGKILL, EXIT_REGRESSED, EXIT_USAGE};
    for (size_t jobs = 1; jobs < 6; jobs++) {
        int code;
        OWNED_TEXT text = take(ends, ARRAY_SIZE(ends), jobs, &code);
        cr_expect_str_eq(text, "0: 0\n1: its process exited with code 137\n2: 1\n3: 2\n");
        cr_expect_eq(code, EXIT_NOT_MEASURED);
    }
}

Test(referee_turns, an_interrupt_begins_no_more)
{
    static const int ends[] = {EXIT_SAME, EXIT_INTERRUPTED, EXIT_SAME};
    int code;
    OWNED_TEXT text = take(ends, ARRAY_SIZE(ends), 1, &code);
    cr_expect_str_eq(text, "0: 0\n");
    cr_expect_eq(code, EXIT_INTERRUPTED);
}
