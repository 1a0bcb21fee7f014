/* The command that captures what is worse in a program. */
#include "words.h"

enum { NAMED_MAX = 3 /* kernels that the command names; of more it reads from a report */ };

struct guilty {
    const char *list[NAMED_MAX];
    size_t count; /* which may be more than are listed */
};

/* Adds a kernel that the program launches. The kernels of a graph cannot be captured. */
static void add(struct guilty *guilty, const struct report *report, const char *kernel)
{
    for (size_t i = 0; i < guilty->count && i < NAMED_MAX; i++)
        if (strcmp(guilty->list[i], kernel) == 0)
            return;
    if (row_kind(kernel) != ROW_KERNEL || row_is_graph(kernel) || !run_find(report->run, kernel))
        return;
    if (guilty->count < NAMED_MAX)
        guilty->list[guilty->count] = kernel;
    guilty->count++;
}

static double time_of(const struct report *report, const struct result *result)
{
    const struct metric *ignored;
    const double time = program_time(report->metrics, result, &ignored);
    return isnan(time) ? 0 : time;
}

/* Adds what makes the program slower: kernels whose launches take longer together, by 1 % of the program's time. */
static void add_slower(struct guilty *guilty, const struct report *report, const char *program)
{
    const struct result *all = run_find(report->run, program);
    const double whole = all ? time_of(report, all) : 0;
    EACH(const struct result, now, report->run->results, report->run->result_count) {
        const struct result *base = report->baseline ? run_find(report->baseline, now->id) : NULL;
        const double more = time_of(report, now) - (base ? time_of(report, base) : 0);
        if (more > 0 && !program_is_seldom(more, whole))
            add(guilty, report, now->id);
    }
}

static struct guilty find_guilty(const struct report *report)
{
    struct guilty guilty = {0};
    const struct comparison *comparison = report->comparison;
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->list[i].verdict == VERDICT_REGRESSED)
            add(&guilty, report, comparison->list[i].kernel);
    EACH(const struct judgement, judgement, comparison->list, comparison->count)
        if (judgement->verdict == VERDICT_REGRESSED && judgement->metric && row_kind(judgement->kernel) != ROW_KERNEL &&
            computed_counter_of(judgement->metric) == COMPUTED_GPU_TIME)
            add_slower(&guilty, report, judgement->kernel);
    return guilty;
}

static void put_command(const struct text *words, const struct guilty *guilty, const struct session *session)
{
    const char *command = words_program_command(session->facts[SESSION_PROGRAM]), *part = session->facts[SESSION_PART];
    fputs("cugate capture", words->stream);
    for (size_t i = 0; i < guilty->count && guilty->count <= NAMED_MAX; i++) {
        fputs(" -k ", words->stream);
        text_shell_word(words, guilty->list[i]);
    }
    if (guilty->count > NAMED_MAX)
        fputs(" --from-check REPORT.json", words->stream);
    words_program_name(words, guilty->list[0], command);
    fprintf(words->stream, "%s%s -o worse.capsule -- %s", part ? " " : "", part ? part : "", command);
}

char *words_capture(const struct report *report)
{
    const struct run *run = report->run;
    if (!report->comparison || !run_origin(run)->own_caches || run_origin(run)->computed || run->session_count == 0 ||
        !run->sessions[run->session_count - 1].facts[SESSION_PROGRAM])
        return NULL;
    const struct guilty guilty = find_guilty(report);
    char *command = NULL;
    size_t size = 0;
    FILE *stream = guilty.count > 0 ? open_memstream(&command, &size) : NULL;
    if (!stream)
        return NULL;
    put_command(&(struct text){.stream = stream}, &guilty, &run->sessions[run->session_count - 1]);
    fclose(stream);
    return command;
}
