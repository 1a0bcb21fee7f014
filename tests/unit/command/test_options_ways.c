#include "command/command.h"
#include "test.h"

/* What a command line is made into, with `cugate` left out. */
struct parsed {
    struct options options;
    int result;
    char *said, *line;
};

static const struct command *command_of(const char *name)
{
    size_t count;
    const struct command *const *list = commands(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    cr_assert_fail("no command %s", name);
    return NULL;
}

static struct parsed parse(const char *text)
{
    struct parsed parsed = {.line = strdup(text)};
    char *words[16], *rest = NULL;
    int count = 0;
    for (char *word = strtok_r(parsed.line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    words[count] = NULL;
    capture_begin();
    parsed.result = options_parse(&parsed.options, command_of(words[0]), count, words);
    parsed.said = capture_end();
    return parsed;
}

static void release(struct parsed *parsed)
{
    options_release(&parsed->options);
    free(parsed->said);
    free(parsed->line);
}

static void expect_way(const char *where, const char *line, const char *words)
{
    static const char *const names[ORIGINS] = {
        [ORIGIN_MEASURED] = "measured", [ORIGIN_HOST] = "host",
        [ORIGIN_PROGRAM] = "program",   [ORIGIN_COMPUTED_PROGRAM] = "computed program",
        [ORIGIN_COMPUTED] = "computed", [ORIGIN_CODE] = "code",
        [ORIGIN_FILES] = "files"};
    AT_END(release) struct parsed parsed = parse(line);
    cr_expect_eq(parsed.result, 0, "%s: %s", where, parsed.said);
    const enum origin_name way = parsed.options.way;
    cr_expect_eq(order_of_texts(names[way], words), 0, "%s: %d", where, (int)way);
    cr_expect_eq(parsed.options.subject, 1u << way & WAYS_OF_PROGRAM ? SUBJECT_PROGRAM
                                         : way == ORIGIN_FILES       ? SUBJECT_FILES
                                                                     : SUBJECT_LIBRARY);
}

TEXTS(options_ways, a_command_line_asks_for_one_way, "tests/unit/command/options_ways.txt#ways", expect_way)

static void expect_read(const char *where, const char *line, const char *words)
{
    AT_END(release) struct parsed parsed = parse(line);
    cr_expect_eq(options_read_runs(&parsed.options, command_of(*line == 'a' ? "aa" : "check")),
                 strcmp(words, "reads") == 0, "%s", where);
}

/* Files and a command are told apart by the dashes before them, which an option may take for its own word. */
TEXTS(options_ways, run_files_are_read_and_a_command_is_not, "tests/unit/command/options_ways.txt#reads", expect_read)
