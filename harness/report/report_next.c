/* Prints what to do next in the text report: how to accept what is worse, what failed, and a line of advice. */
#include "report_groups.h"
#include "report_text.h"

/* ---- Commands to copy ---- */

/* Returns the length of the next shell word, including quoted blanks and an option's argument. */
static size_t word_length(const char *command)
{
    const char *end = command;
    for (char quote = 0; *end && (quote || *end != ' '); end++)
        if (!quote && *end == '\\' && end[1])
            end++;
        else if (*end == '\'' || *end == '"')
            quote = quote == *end ? 0 : quote ? quote : *end;
    if (*command == '-' && end[0] == ' ' && end[1] && end[1] != '-')
        return (size_t)(end - command) + 1 + word_length(end + 1);
    return (size_t)(end - command);
}

/* Prints a word at the column. A word wider than a line is continued on the next line, quoted or not. */
static int print_word(const struct text *text, int column, const char *word, size_t length)
{
    const int width = text_width(text) - 2;
    bool quoted = false, escaped = false;
    for (const char *at = word; at < word + length;) {
        const char *begin = at;
        if (column >= width && !escaped) {
            text_print(text, INK_PLAIN, quoted ? "'\\\n'" : "\\\n");
            column = quoted;
        }
        escaped = *begin == '\\' && !quoted && !escaped;
        quoted ^= *begin == '\'' && (quoted || begin == word || begin[-1] != '\\');
        (void)text_next(&at);
        column += text_print(text, INK_PLAIN, "%.*s", (int)(at - begin), begin);
    }
    return column;
}

void text_command(const struct text *text, int indent, const char *command)
{
    int column = text_print(text, INK_PLAIN, "%*s", indent, "");
    for (bool first = true; *command; first = false) {
        const size_t length = word_length(command);
        const int behind = command[length] ? 2 : 0, wide = (int)text_count_of(command, length);
        if (!first && column + 1 + wide + behind > text_width(text)) {
            text_print(text, INK_PLAIN, " \\\n%*s", indent + 4, "");
            column = indent + 4;
        } else if (!first) {
            column += text_print(text, INK_PLAIN, " ");
        }
        column = print_word(text, column, command, length);
        command += length;
        command += strspn(command, " ");
    }
    text_print(text, INK_PLAIN, "\n");
}

/* Prints commands, one a line. Line breaks within a command, which other formats need, are removed. */
static void print_commands(const struct text *text, char *commands)
{
    for (char *broken; (broken = strstr(commands, " \\\n"));) {
        const char *rest = broken + 3 + strspn(broken + 3, " ");
        memmove(broken + 1, rest, strlen(rest) + 1);
    }
    for (char *line = commands; *line;) {
        const size_t length = strcspn(line, "\n");
        OWNED_TEXT command = x_sprintf("%.*s", (int)length, line);
        text_command(text, 2, command);
        line += length + (line[length] ? 1 : 0);
    }
}

/* ---- How to accept ---- */

struct to_accept {
    double lost;
    size_t place; /* index of the kernel's first row */
};

static int most_lost_first(const void *left, const void *right)
{
    const struct to_accept *a = left, *b = right;
    const int order = order_of_time_lost(a->lost, b->lost);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

/* Prints one command for all kernels, or with -v, or for a single kernel, one for the rows of each. */
static void put_accept(const struct report *report, const struct judgement *const *rows, size_t count,
                       const struct to_accept *list, size_t kernels, FILE *stream)
{
    const struct text text = {.stream = stream};
    if (words_accept_whole(report, rows, count, stream))
        return;
    const bool together = kernels > 1 && !report->verbose;
    if (together)
        words_put_accept(report, stream);
    for (size_t i = 0; i < kernels; i++) {
        if (together) {
            fputs(" -k ", stream);
            text_shell_word(&text, rows[list[i].place]->kernel);
        } else {
            words_accept(report, rows + list[i].place, count - list[i].place, stream);
            fputc('\n', stream);
        }
    }
    fputs(together ? " --reason \"...\"" : "", stream);
}

void text_accept(const struct text *text, const struct report *report)
{
    size_t count, kernels = 0;
    OWNED_MEMORY const struct judgement **rows = words_regressed(report->comparison, &count);
    OWNED_MEMORY struct to_accept *list = NULL;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(rows[i]->kernel, rows[i - 1]->kernel) != 0)
            *ARRAY_GROW(list, kernels) = (struct to_accept){time_lost(report, rows[i]->kernel), i};
    if (count > 0) {
        OWNED_TEXT commands = NULL;
        OWNED_TEXT words = x_sprintf("If a change is intended, accept it and say why%s:", words_run_file(report));
        text_wrap(text, INK_PLAIN, 0, 2, words);
        SORT(list, kernels, most_lost_first);
        FILE *stream = x_memstream(&commands, NULL);
        put_accept(report, rows, count, list, kernels, stream);
        fclose(stream);
        print_commands(text, commands);
        text_print(text, INK_PLAIN, "\n");
    }
}

void text_first_baseline(const struct text *text, const struct report *report)
{
    OWNED_TEXT commands = NULL;
    FILE *memory = x_memstream(&commands, NULL);
    text_wrap(text, INK_YELLOW, 0, 0, "Nothing was judged, because no baseline fits this run. To make one:");
    words_first_baseline(report, "", memory);
    fclose(memory);
    print_commands(text, commands);
    text_print(text, INK_PLAIN, "\n");
}

/* ---- What failed ---- */

/* Prints a kernel's status, and the reason beside its name or below it: NULL, as what is above. */
static void print_failure(const struct text *text, const struct result *result, const char *reason)
{
    const enum ink ink = result->status == RESULT_NOT_BUILT ? INK_DIM : INK_RED;
    int column = text_print(text, ink, "  %-12s  ", result_status_name(result->status));
    const int indent = column;
    if (!reason) {
        text_wrap(text, INK_PLAIN, column, indent, result->id);
        return;
    }
    if (column + (int)text_count(result->id) + 2 + (int)text_count(reason) <= text_width(text)) {
        text_print(text, INK_PLAIN, "%s  %s\n", result->id, reason);
        return;
    }
    text_wrap(text, INK_PLAIN, column, indent, result->id);
    text_print(text, INK_PLAIN, "%*s", indent, "");
    text_wrap(text, INK_PLAIN, indent, indent, reason);
}

void text_failures(const struct text *text, const struct report *report)
{
    const char *before = NULL; /* one cause of many kernels is told once */
    EACH(const struct result, result, report->run->results, report->run->result_count) {
        if (result->status == RESULT_OK)
            continue;
        const char *reason = result->reason ? result->reason : "unknown reason";
        print_failure(text, result, before && strcmp(before, reason) == 0 ? NULL : reason);
        before = reason;
    }
    if (before)
        text_print(text, INK_PLAIN, "\n");
}

/* ---- A line of advice ---- */

/* Returns the command that explains more about a worse kernel; NULL where none does. Caller frees. */
static char *explain_command(const struct report *report, const char *kernel)
{
    const struct run *run = report->run;
    const struct result *result = run_find(run, kernel);
    OWNED_TEXT name = shell_word(kernel), *file = shell_word(report->run_name ? report->run_name : "");
    if (result && result->profile.count > 0 && report->run_name)
        return x_sprintf("cugate explain --replay %s %s%s", file, name,
                         report->metrics_said ? report->metrics_said : "");
    return words_command(report, run_origin(run)->explain, kernel);
}

static struct answer advice_on_worse(const struct report *report, const struct group *group)
{
    const bool named = group->rows[0]->metric && strcmp(group->kernel, COMPARISON_SUITE) != 0;
    struct answer advice = {0};
    if (group->verdict == VERDICT_UNEXPECTED)
        advice.words = x_sprintf("remove the section of %s from expected.ini, because it passes again", group->kernel);
    else if (row_kind(group->kernel) != ROW_KERNEL)
        advice.words = x_sprintf("see %s above, or accept the change with the commands above",
                                 run_origin(report->run)->computed ? "its kernels" : "the kernels' times in the table");
    else if (named)
        advice.command = explain_command(report, group->kernel);
    if (!advice.words)
        advice.words = advice.command ? x_strdup("for more detail")
                                      : x_sprintf("fix %s, or accept the change as above", group->kernel);
    return advice;
}

/* A number is not there. */
static struct answer advice_on_no_value(const struct report *report)
{
    const struct origin *origin = run_origin(report->run);
    if (!origin->no_value)
        return (struct answer){.words = x_strdup("measure the values listed above, which are not in the file")};
    return (struct answer){.words = x_strdup("check whether this machine can read counters"),
                           .command = words_command(report, origin->no_value, NULL)};
}

/* Names the baseline's files of all kernels that are gone, unless these are many. */
static struct answer advice_on_gone(const struct report *report, const char *kernel)
{
    enum { MANY = 9 };
    const struct comparison *comparison = report->comparison;
    const char *folder = report->baseline_name;
    char *command = x_strdup("git rm");
    size_t gone = 0;
    for (size_t i = 0; comparison && i < comparison->count; i++) {
        const struct judgement *row = &comparison->list[i];
        if (row->metric || row->verdict != VERDICT_MISSING || run_find(report->run, row->kernel) || ++gone >= MANY)
            continue;
        OWNED_TEXT name = id_path(row->kernel), *path = x_sprintf("%s/%s.json", folder ? folder : "", name),
                   *file = shell_word(path);
        x_append(&command, " ", "%s", file);
    }
    const bool known = folder && !strstr(folder, ".json"); /* else it is a file of all kernels, and they are compared */
    OWNED_TEXT others = gone > 1 ? x_sprintf(" and %zu more", gone - 1) : x_strdup("");
    if (!known || gone >= MANY) {
        free(command);
        command = NULL;
    }
    return (struct answer){.words =
                               x_sprintf("measure %s%s too, or exclude %s on both sides with -k%s%s", kernel, others,
                                         plural_of(gone, "it", "them"), command ? "; if gone on purpose, remove " : "",
                                         command ? plural_of(gone, "its file", "their files") : ""),
                           .command = command};
}

/* Why a kernel or a number is not there decides what to do. */
static struct answer advice_on_missing(const struct report *report, const char *kernel)
{
    const struct result *result = run_find(report->run, kernel);
    const struct comparison *comparison = report->comparison;
    if (!result && !report->against && comparison && comparison->kernel_counts[VERDICT_NEW] > 0 &&
        comparison->computing.unchanged == 0 &&
        comparison->kernel_counts[VERDICT_NEW] + comparison->kernel_counts[VERDICT_MISSING] == comparison->kernels)
        return (struct answer){.words = x_sprintf("%s has no baseline for any of these kernels: pass their baseline "
                                                  "folder, or a new one, with --baselines",
                                                  report->baseline_name ? report->baseline_name : "the baseline")};
    if (!result && report->against)
        return (struct answer){.words = x_sprintf("build %s too, or exclude it on both sides with -k", kernel)};
    if (!result)
        return advice_on_gone(report, kernel);
    const struct origin *origin = run_origin(report->run);
    if (result->status == RESULT_OK)
        return advice_on_no_value(report);
    char *rerun = words_command(report, origin->rerun, kernel);
    return (struct answer){.words = x_sprintf("fix %s%s", kernel, rerun ? "; this command runs it alone" : ""),
                           .command = rerun};
}

/* Advises on a run that was not judged: how to continue with it. */
static struct answer advice_on_run(const struct report *report)
{
    const struct run *run = report->run;
    for (size_t i = 0; i < run->result_count && report->exit_code == EXIT_NOT_MEASURED; i++)
        if (run->results[i].status != RESULT_OK && run->results[i].status != RESULT_NOT_BUILT)
            return advice_on_missing(report, run->results[i].id);
    if (report->exit_code == EXIT_BASELINE)
        return (struct answer){.words = x_strdup("make the first baseline with the commands above")};
    const char *cut = run_fact(run, SESSION_CUT);
    if (report->exit_code == EXIT_NOT_MEASURED && cut)
        return (struct answer){
            .words =
                x_sprintf("find out why the program stopped (%s)%s, then measure again", cut,
                          run_origin(run)->computed ? "; simulated GPU memory is not zero until it is written" : "")};
    if (report->exit_code != EXIT_SAME)
        return advice_on_no_value(report);
    if (!report->run_name)
        return (struct answer){
            .words = x_strdup("add --save RUN.json to keep the run, so that you can accept or compare it")};
    if (run->shard.of > 0)
        return (struct answer){.words = x_strdup("merge this part with the others, then judge the merged run"),
                               .command = x_strdup("cugate merge PART.json... --save run.json")};
    OWNED_TEXT file = shell_word(report->run_name);
    if (report->baseless)
        return (struct answer){.words = x_strdup("make it the first baseline"),
                               .command = x_sprintf("cugate accept %s%s --reason \"first baseline\"", file,
                                                    report->metrics_said ? report->metrics_said : "")};
    return (struct answer){
        .words = x_strdup("judge it against the baseline"),
        .command = x_sprintf("cugate check --replay %s%s", file, report->metrics_said ? report->metrics_said : "")};
}

/* Returns the worst kernel of the section. */
static const struct group *first_of(const struct groups *groups, enum section section)
{
    return FIND(one, groups->list, groups->count, one->section == section);
}

/* Advises on what decides the exit code. */
static struct answer advice_of(const struct report *report)
{
    if (report->exit_code == EXIT_INTERRUPTED)
        return (struct answer){.words = x_strdup("run the same command again, because it did not finish")};
    if (report->exit_code == EXIT_USAGE)
        return (struct answer){.words = x_strdup("fix the error, then run the same command again")};
    if (!report->comparison)
        return advice_on_run(report);
    OWNED(groups) groups = groups_make(report);
    const enum exit_code code = report->exit_code;
    const struct group *wrong = first_of(&groups, SECTION_WRONG), *worse = first_of(&groups, SECTION_WORSE);
    const struct group *missing = wrong ? wrong : first_of(&groups, SECTION_MISSING);
    return missing && code == EXIT_NOT_MEASURED ? advice_on_missing(report, missing->kernel)
           : code == EXIT_NOT_MEASURED ? (struct answer){.words = x_strdup("check whether this machine can measure"),
                                                         .command = words_command(report, "cugate doctor%{said}", NULL)}
           : worse                     ? advice_on_worse(report, worse)
                                       : words_fine(report);
}

static void print_advice(const struct text *text, const struct answer *advice)
{
    const int column = text_print(text, INK_BOLD, "%s: ", advice->title);
    const char *command = advice->command ? advice->command : "";
    if (advice->command && column + (int)text_count(advice->words) + (int)text_count(command) + 2 <= text_width(text)) {
        text_print(text, INK_PLAIN, "%s: %s\n", advice->words, command);
        return;
    }
    OWNED_TEXT words = x_sprintf("%s%s", advice->words, advice->command ? ":" : "");
    text_wrap(text, INK_PLAIN, column, column, words);
    if (advice->command)
        text_command(text, column, command);
}

void words_next(const struct report *report, struct answer answers[ANSWERS])
{
    if (report->comparison && report->exit_code == EXIT_UNSURE)
        words_unsure(report, answers);
    else
        answers[0] = advice_of(report);
    answers[0].title = answers[0].title ? answers[0].title : "next";
}

void text_advice(const struct text *text, const struct report *report)
{
    struct answer answers[ANSWERS] = {{0}};
    words_next(report, answers);
    for (size_t i = 0; i < ANSWERS; i++)
        if (answers[i].words)
            print_advice(text, &answers[i]);
    words_unsure_free(answers);
    OWNED_TEXT command = words_capture(report);
    if (command) {
        const bool reads = strstr(command, " --from-check REPORT.json") != NULL;
        OWNED_TEXT words = x_sprintf("to work on the regressed kernels without the program, capture their launches%s",
                                     reads ? " (`check --report json=REPORT.json` writes the file)" : "");
        print_advice(text, &(struct answer){.title = "next", .words = words, .command = command});
    }
}
