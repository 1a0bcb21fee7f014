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

Test(options_ways, a_command_line_asks_for_one_way)
{
    static const struct {
        const char *line;
        enum origin_name way;
    } cases[] = {
        {"check", ORIGIN_MEASURED},
        {"check --collector host", ORIGIN_HOST},
        {"check -- ./program -x", ORIGIN_PROGRAM},
        {"check --simulate=nvidia-h200 --metrics metrics", ORIGIN_COMPUTED},
        {"check --static", ORIGIN_CODE},
        {"check --static a.cubin", ORIGIN_FILES},
        {"run -- ./program", ORIGIN_PROGRAM},
        {"run --simulate=nvidia-h200 --metrics metrics -- ./program", ORIGIN_COMPUTED_PROGRAM},
        {"check --simulate=nvidia-h200 --metrics metrics --name x -- ./program", ORIGIN_COMPUTED_PROGRAM},
        {"run --simulate=nvidia-h200 --metrics metrics --kernels x.so", ORIGIN_COMPUTED},
        {"aa --collector host", ORIGIN_HOST},
        {"aa -- ./program -x", ORIGIN_PROGRAM},
        {"aa --save x --first 3 -m time --runs 1 -- ./program a.json", ORIGIN_PROGRAM},
        {"aa a.json b.json", ORIGIN_MEASURED}, /* read, not measured */
        {"aa -- a.json b.json", ORIGIN_MEASURED},
        {"aa a b -o x", ORIGIN_MEASURED},
        {"check --lines --save x -m time --runs 1 -- ./program", ORIGIN_PROGRAM},
        {"explain --simulate=nvidia-h200 --metrics metrics reduce/tree", ORIGIN_COMPUTED},
        {"explain reduce/tree --save x.json", ORIGIN_MEASURED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AT_END(release) struct parsed parsed = parse(cases[i].line);
        cr_expect_eq(parsed.result, 0, "%s: %s", cases[i].line, parsed.said);
        cr_expect_eq(parsed.options.way, cases[i].way, "%s", cases[i].line);
    }
}

/* Files and a command are told apart by the dashes before them, which an option may take for its own word. */
Test(options_ways, run_files_are_read_and_a_command_is_not)
{
    static const struct {
        const char *line;
        bool reads;
    } cases[] = {
        {"aa a b", true},           {"aa -- a.json b", true},     {"aa -- a b.json", false},
        {"aa --save -- a b", true}, {"aa --save -- -- a", false}, {"aa", false},
        {"check a", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AT_END(release) struct parsed parsed = parse(cases[i].line);
        cr_expect_eq(options_read_runs(&parsed.options, command_of(*cases[i].line == 'a' ? "aa" : "check")),
                     cases[i].reads, "%s", cases[i].line);
    }
}
