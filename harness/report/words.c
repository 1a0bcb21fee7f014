#include "words.h"

static const enum tone tones[VERDICTS] = {
    [VERDICT_MISSING] = TONE_FAIL, [VERDICT_REGRESSED] = TONE_FAIL, [VERDICT_UNEXPECTED] = TONE_FAIL,
    [VERDICT_UNSURE] = TONE_WARN,  [VERDICT_TRADED] = TONE_WARN,    [VERDICT_EXPECTED] = TONE_WARN,
    [VERDICT_NEW] = TONE_WARN,     [VERDICT_IMPROVED] = TONE_GOOD,  [VERDICT_SAME] = TONE_PLAIN,
    [VERDICT_INFO] = TONE_PLAIN,
};

enum tone words_verdict_tone(enum verdict verdict)
{
    return verdict < VERDICTS ? tones[verdict] : TONE_PLAIN;
}

enum tone words_exit_tone(enum exit_code code)
{
    return code == EXIT_SAME ? TONE_GOOD : code == EXIT_UNSURE || code == EXIT_BASELINE ? TONE_WARN : TONE_FAIL;
}

const char *words_known(const char *fact)
{
    return fact ? fact : "unknown";
}

const char *words_fact(const struct run *run, enum session_fact which)
{
    return words_known(run_fact(run, which));
}

/* Appends to a text that may be full; what does not fit is cut. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

#define HEADLINE(...) append(words->headline, sizeof words->headline, __VA_ARGS__)
#define REST(...) append(words->rest, sizeof words->rest, __VA_ARGS__)

/* Writes a signed difference: "+3.4 us", "-7.1 points", "+12,288". digits is for points; other units have their own. */
static void format_difference(const struct metric *metric, double difference, const char *sign, int digits, char *text,
                              size_t size)
{
    char number[64];
    if (strcmp(metric->unit, "%") == 0)
        snprintf(number, sizeof number, "%.*g point%s", digits, fabs(difference), fabs(difference) == 1 ? "" : "s");
    else
        metric_format(metric, fabs(difference), number, sizeof number);
    snprintf(text, size, "%s%s", sign, number);
}

void words_share(double base, double now, char *text, size_t size)
{
    const double percent = 100 * ((now - base) / base), times = now / base;
    char whole[32];
    if (base == 0)
        snprintf(text, size, "%s", now == 0 ? "" : "from 0");
    else if (times >= 10 && times < 99.95)
        snprintf(text, size, "%.1f x", times);
    else if (times >= 10 && times < 999999.5)
        snprintf(text, size, "%s x", group_digits(round(times), whole, sizeof whole));
    else if (times >= 10)
        snprintf(text, size, "%.3g x", times);
    else if (now != base && fabs(percent) < 0.05)
        snprintf(text, size, "<0.1 %%");
    else
        snprintf(text, size, "%+.1f %%", percent);
}

/* Writes a change with its share. Points have no share. */
static void change_cell(const struct judgement *judgement, char *cell, size_t size)
{
    double change = judgement->change;
    const char *sign = change > 0 ? "+" : change < 0 ? "-" : "";
    format_difference(judgement->metric, change, sign, 4, cell, size);
    char share[48] = "";
    if (strcmp(judgement->metric->unit, "%") != 0 && change != 0)
        words_share(judgement->base, judgement->now, share, sizeof share);
    if (*share)
        append(cell, size, " (%s)", share);
}

void words_cells(const struct judgement *judgement, struct cells *cells)
{
    const struct metric *metric = judgement->metric;
    *cells = (struct cells){0};
    if (!metric)
        return;
    if (judgement->has_base)
        metric_format(metric, judgement->base, cells->base, sizeof cells->base);
    if (judgement->has_now)
        metric_format(metric, judgement->now, cells->now, sizeof cells->now);
    if (!judgement->compared)
        return;
    change_cell(judgement, cells->change, sizeof cells->change);
    if (judgement->verdict == VERDICT_INFO)
        return;
    format_difference(metric, judgement->limit, "", 3, cells->limit, sizeof cells->limit);
    if (judgement->detectable == 0)
        snprintf(cells->detects, sizeof cells->detects, "any");
    else if (isfinite(judgement->detectable))
        format_difference(metric, judgement->detectable, "", 3, cells->detects, sizeof cells->detects);
}

void words_numbers(const struct judgement *judgement, char *text, size_t size)
{
    struct cells cells;
    words_cells(judgement, &cells);
    const struct {
        const char *title, *cell;
    } parts[] = {{"base", cells.base}, {"now", cells.now}, {"change", cells.change}, {"limit", cells.limit}};
    text[0] = '\0';
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (*parts[i].cell)
            append(text, size, "%s%s %s", *text ? ", " : "", parts[i].title, parts[i].cell);
}

/* Writes the common shift that was subtracted. Without it, a row that is within its limit only because of it would look
 * like an error. A small shift decides nothing and is not mentioned. */
static void drift_words(const struct judgement *judgement, char *text, size_t size)
{
    char drift[80];
    text[0] = '\0';
    if (!judgement->compared || fabs(judgement->drift) < judgement->limit / 10 || judgement->drift == 0)
        return;
    format_difference(judgement->metric, judgement->drift, judgement->drift > 0 ? "+" : "-", 3, drift, sizeof drift);
    snprintf(text, size, "all kernels share %s of the change", drift);
}

/* Whether a kernel's result is wrong: it is not missing, though its numbers are. */
static bool is_wrong(const struct judgement *judgement)
{
    const char *wrong = result_status_name(RESULT_WRONG);
    return !judgement->metric && judgement->verdict == VERDICT_MISSING && judgement->reason &&
           strncmp(judgement->reason, wrong, strlen(wrong)) == 0;
}

const char *words_verdict_on(const struct judgement *judgement)
{
    if (is_wrong(judgement))
        return "wrong";
    if (!judgement->metric && judgement->verdict == VERDICT_INFO)
        return "gone"; /* a kernel that the program launches no more */
    if (!judgement->blind)
        return verdict_name(judgement->verdict);
    return judgement->verdict == VERDICT_SAME ? "same, wide limit" : "improved, wide limit";
}

char *words_failed_at(const char *reason, unsigned *line)
{
    const char *found = NULL, *at = reason;
    while ((at = strstr(at, " at ")))
        found = at += strlen(" at ");
    const size_t length = found ? strcspn(found, " \n") : 0;
    const char *colon = found ? memrchr(found, ':', length) : NULL;
    char *end;
    const unsigned long number = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (number == 0 || number > UINT_MAX || end != found + length)
        return NULL;
    *line = (unsigned)number;
    return x_sprintf("%.*s", (int)(colon - found), found);
}

const char *words_verdicts(const struct judgement *judgement, char *text, size_t size)
{
    const bool is_other =
        judgement->of_kernel != judgement->verdict && words_verdict_tone(judgement->verdict) != TONE_PLAIN;
    snprintf(text, size, "%s%s%s%s", words_verdict_on(judgement),
             !is_other                                   ? ""
             : row_kind(judgement->kernel) != ROW_KERNEL ? " (program: "
                                                         : " (kernel: ",
             is_other ? verdict_name(judgement->of_kernel) : "", is_other ? ")" : "");
    return text;
}

char *words_why(const struct judgement *judgement)
{
    char evidence[256] = "", drift[160] = "";
    if (words_verdict_tone(judgement->verdict) != TONE_PLAIN) {
        judgement_evidence(judgement, evidence, sizeof evidence);
        drift_words(judgement, drift, sizeof drift);
    }
    char blind[96] = "";
    if (judgement->blind)
        snprintf(blind, sizeof blind, "wide limit: the row fails only if it changes by more than %.0f %%",
                 100 * judgement->limit / fabs(judgement->base));
    const char *const parts[] = {evidence, drift, blind, judgement->reason ? judgement->reason : ""};
    char *why = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (*parts[i])
            x_append(&why, "; ", "%s", parts[i]);
    return why;
}

bool words_banner(const struct report *report, struct banner *banner)
{
    const struct run *run = report->run;
    const struct origin *origin = run_origin(run);
    *banner = (struct banner){.loud = ""};
    if (report->replay && !origin->loud) {
        banner->loud = "REPLAY: NOTHING WAS MEASURED NOW.";
        banner->words = "The numbers below are a recording, perhaps of other code on another machine:";
        snprintf(banner->source, sizeof banner->source, "%s, recorded %s on %s, driver %s", report->run_name,
                 words_fact(run, SESSION_DATE), words_known(run->device.name), words_fact(run, SESSION_DRIVER));
    } else if (origin->loud) {
        const char *compiler = words_fact(run, SESSION_COMPILER); /* of capsules each may have another */
        const struct origin_words known = {.device = words_known(run->device.name),
                                           .collector = words_fact(run, SESSION_COLLECTOR),
                                           .compiler = strcmp(compiler, words_known(NULL)) == 0 ? "an unknown compiler"
                                                                                                : compiler};
        OWNED_TEXT source = origin_command(origin->source, &known);
        banner->loud = origin->loud;
        banner->words = origin->words;
        const char *silicon = run_fact(run, SESSION_SILICON);
        OWNED_TEXT file = report->replay && origin->computed
                              ? x_sprintf("%s, computed %s: ", report->run_name, words_fact(run, SESSION_DATE))
                              : x_strdup("");
        snprintf(banner->source, sizeof banner->source, "%s%s%s%s%s", file, source, silicon ? ", " : "",
                 silicon ? silicon : "", silicon ? " on silicon" : "");
    }
    return *banner->loud;
}

void words_computing(const struct comparison *comparison, char *text, size_t size)
{
    const struct computing *computing = &comparison->computing;
    text[0] = '\0';
    size_t facts = 0;
    bool has_program = false;
    for (size_t i = 0; i < comparison->count; i++) {
        facts += comparison->list[i].compared && comparison->list[i].metric->class == METRIC_STATIC;
        has_program |= comparison->list[i].compared && row_kind(comparison->list[i].kernel) != ROW_KERNEL;
    }
    if (computing->rows == 0)
        append(text, size, "nothing was executed");
    else
        append(text, size, "%zu row%s by executing %zu kernel%s%s", computing->rows, plural(computing->rows),
               computing->kernels, plural(computing->kernels), has_program ? " and the program" : "");
    if (facts > 0)
        append(text, size, ", %zu row%s from machine code", facts, plural(facts));
    if (computing->unchanged > 0)
        append(text, size,
               "; %zu row%s of %zu kernel%s with unchanged code, launches and inputs, not executed or verified again",
               computing->unchanged_rows, plural(computing->unchanged_rows), computing->unchanged,
               plural(computing->unchanged));
    if (computing->not_simulated > 0)
        append(text, size, "; %zu kernel%s not simulated", computing->not_simulated, plural(computing->not_simulated));
    if (computing->declared > 0)
        append(text, size, ", %zu as declared", computing->declared);
    if (computing->absent > 0)
        append(text, size, "; NOT JUDGED HERE: %zu row%s not computed (times, traffic, caches)", computing->absent,
               plural(computing->absent));
    if (computing->baseless > 0)
        append(text, size,
               "%s%zu row%s that no GPU counts, so the baseline has no values (compare with a base build: --against)",
               computing->absent > 0 ? ", and " : "; NOT JUDGED HERE: ", computing->baseless,
               plural(computing->baseless));
}

enum exit_code words_exit_code_of_rows(const struct report *report)
{
    return report->comparison ? comparison_exit_code(report->comparison) : run_exit_code(report->run);
}

/* Writes "regressed: 2 of 480 rows in 1 of 65 kernels; 3 improved". */
static void judged(const struct report *report, const char *hint, struct verdict_words *words)
{
    const struct comparison *comparison = report->comparison;
    const struct computing *computing = &comparison->computing;
    const size_t rows = comparison_rows(comparison);
    size_t counts[VERDICTS], wrong = 0;
    memcpy(counts, comparison->counts, sizeof counts);
    for (size_t i = 0; i < comparison->count; i++)
        wrong += is_wrong(&comparison->list[i]);
    counts[VERDICT_MISSING] -= wrong;
    enum verdict first = VERDICT_MISSING; /* the first verdict that the rest may name */
    while (first <= VERDICT_UNSURE && counts[first] == 0)
        first++;

    if (wrong > 0) {
        HEADLINE("wrong: %zu of %zu %s%s", wrong, comparison->kernels, report->certificates ? "input" : "kernel",
                 plural(comparison->kernels));
    } else if (first <= VERDICT_UNSURE) {
        HEADLINE("%s: %zu of %zu row%s", verdict_name(first), counts[first], rows, plural(rows));
        if (comparison->kernel_counts[first] > 0)
            HEADLINE(" in %zu of %zu kernel%s", comparison->kernel_counts[first], comparison->kernels,
                     plural(comparison->kernels));
        first++;
    } else if (rows == 0 && computing->unchanged_rows == 0) {
        HEADLINE("nothing was judged: this run and the baseline have no judged row in common");
    } else if (rows == counts[VERDICT_NEW] && computing->unchanged_rows == 0) {
        HEADLINE("nothing was compared, because the baseline has none of the %zu row%s", rows, plural(rows));
    } else {
        HEADLINE("nothing %s: %zu row%s in %zu kernel%s",
                 counts[VERDICT_TRADED] + counts[VERDICT_EXPECTED] > 0 ? "fails" : "is worse", rows, plural(rows),
                 comparison->kernels, plural(comparison->kernels));
    }
    for (enum verdict other = first; other <= VERDICT_IMPROVED; other++)
        if (counts[other] > 0)
            REST("; %zu %s%s%s", counts[other], verdict_name(other),
                 other == VERDICT_TRADED ? plural(counts[other]) : "",
                 other == VERDICT_IMPROVED && comparison->blind == 0 ? hint : "");
    if (comparison->gone > 0)
        REST("; %zu kernel%s gone", comparison->gone, plural(comparison->gone));
    if (comparison->blind > 0)
        REST("; %zu row%s a wide limit%s", comparison->blind, comparison->blind == 1 ? " has" : "s have", hint);
    if (computing->unchanged_rows > 0)
        REST("; %zu row%s of unchanged kernels kept from the baseline", computing->unchanged_rows,
             plural(computing->unchanged_rows));
    if (computing->absent > 0)
        REST("; %zu row%s not computed", computing->absent, plural(computing->absent));
    if (computing->declared > 0)
        REST("; NOT JUDGED: %zu kernel%s declared as not computed", computing->declared, plural(computing->declared));
    const size_t unasked = comparison->unasked > 0 ? comparison->unasked : comparison->unasked_metrics;
    if (unasked > 0)
        REST("; NOT JUDGED: %zu %s%s that -m leaves out", unasked, comparison->unasked > 0 ? "row" : "metric",
             plural(unasked));
    if (comparison->not_built > 0)
        REST("; %zu kernel%s not built", comparison->not_built, plural(comparison->not_built));
    if (report->verbose && comparison->same_code > 0)
        REST("; %zu row%s of unchanged code changed, which is noise", comparison->same_code,
             plural(comparison->same_code));
}

size_t words_kernels(const struct run *run)
{
    size_t kernels = 0;
    for (size_t i = 0; i < run->result_count; i++)
        kernels += row_kind(run->results[i].id) == ROW_KERNEL;
    return kernels;
}

/* of: what each result is of, "kernel" or "input". */
static void measured(const struct run *run, const char *of, struct verdict_words *words)
{
    size_t counts[RESULT_STATUSES] = {0}, uncounted = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        counts[run->results[i].status] += row_kind(run->results[i].id) == ROW_KERNEL;
        uncounted += result_uncounted(&run->results[i]);
    }
    const size_t all = words_kernels(run);
    HEADLINE("%s: %zu of %zu %s%s", run_origin(run)->made, counts[RESULT_OK], all, of, plural(all));
    for (enum result_status status = RESULT_OK + 1; status < RESULT_STATUSES; status++)
        if (counts[status] > 0)
            REST("; %zu %s%s", counts[status], result_status_name(status),
                 status == RESULT_WRONG ? plural(counts[status]) : "");
    if (uncounted > 0)
        REST("; %zu row%s not counted", uncounted, plural(uncounted));
}

/* Says the worst outcome of all kernels, and how many have it. */
static void append_certificates(const struct report *report, struct verdict_words *words)
{
    size_t with;
    const enum certificate_outcome worst = certificates_worst(report->certificates, report->certificate_count, &with);
    HEADLINE("%s: %zu of %zu kernel%s; ", certificate_outcome_name(worst), with, report->certificate_count,
             plural(report->certificate_count));
}

void words_verdict(const struct report *report, const char *hint, struct verdict_words *words)
{
    const enum exit_code code = report->exit_code;
    *words = (struct verdict_words){0};
    if (code == EXIT_USAGE) /* EXIT_USAGE has a name for commands, not for judgements */
        HEADLINE("stopped by an error%s; ", report->comparison ? "" : ", so nothing was judged");
    else if (report->certificates)
        append_certificates(report, words);
    else if (code == EXIT_NOT_MEASURED && run_fact(report->run, SESSION_CUT))
        HEADLINE("the program failed (%s); ", run_fact(report->run, SESSION_CUT));
    else if (code != words_exit_code_of_rows(report))
        HEADLINE("%s; ", exit_code_name(code));
    if (report->comparison)
        judged(report, hint, words);
    else
        measured(report->run, report->certificates ? "input" : "kernel", words);
    if (report->comparison || !run_fact(report->run, SESSION_CUT) || code == words_exit_code_of_rows(report))
        REST(" (exit %d)", (int)code); /* else it is the program's */
}

char *words_whole(const struct report *report)
{
    struct banner banner;
    struct verdict_words words;
    const bool warned = words_banner(report, &banner);
    words_verdict(report, "", &words);
    return x_sprintf("%s%s%s%s", banner.loud, warned ? " " : "", words.headline, words.rest);
}

static int by_kernel(const void *left, const void *right)
{
    const struct judgement *a = *(const struct judgement *const *)left;
    const struct judgement *b = *(const struct judgement *const *)right;
    int order = strcmp(a->kernel, b->kernel);
    return order ? order : strcmp(a->metric->name, b->metric->name);
}

/* Whether accepting a kernel's change means to accept the row: it is red, or what a red program costs in time. */
static bool is_to_accept(const struct judgement *judgement)
{
    return judgement->metric &&
           (judgement->verdict == VERDICT_REGRESSED ||
            (row_kind(judgement->kernel) != ROW_KERNEL && judgement->of_kernel == VERDICT_REGRESSED &&
             judgement->metric->class == METRIC_TIME && judgement_is_worse(judgement)));
}

bool words_alike(const struct comparison *comparison, size_t row)
{
    const struct judgement *here = &comparison->list[row], *before = row > 0 ? here - 1 : here;
    return row > 0 && here->verdict == VERDICT_MISSING && before->verdict == VERDICT_MISSING && !here->metric &&
           !before->metric && here->reason && before->reason && strcmp(here->reason, before->reason) == 0;
}

const char *words_other_size(const char *kernel, const char *other)
{
    const size_t name = strcspn(kernel, "[@");
    return kernel[name] && strcspn(other, "[@") == name && strncmp(kernel, other, name) == 0 &&
                   strcmp(kernel, other) != 0
               ? other + name
               : NULL;
}

const struct judgement **words_regressed(const struct comparison *comparison, size_t *count)
{
    const struct judgement **list = NULL;
    *count = 0;
    for (size_t i = 0; comparison && i < comparison->count; i++)
        if (is_to_accept(&comparison->list[i]))
            *ARRAY_GROW(list, *count) = &comparison->list[i];
    SORT(list, *count, by_kernel);
    return list;
}

/* Writes " --baselines DIR" when the report's commands need it. */
static void put_baselines_option(const struct report *report, FILE *stream)
{
    const struct text text = {.stream = stream};
    if (!report->baselines)
        return;
    fputs(" --baselines ", stream);
    text_shell_word(&text, report->baselines);
}

/* Whether the baseline accepts only runs of a GPU, and this run is none. */
static bool needs_gpu(const struct report *report)
{
    const struct origin *origin = run_origin(report->run);
    const bool counted = report->baseline && !run_origin(report->baseline)->computed;
    return origin == origin_of(ORIGIN_CODE) || (counted && origin->computed);
}

const char *words_run_file(const struct report *report)
{
    if (needs_gpu(report))
        return " (first measure on a GPU: cugate check --save RUN.json)";
    return report->run_name ? "" : " (`check --save RUN.json` writes the file)";
}

void words_put_accept(const struct report *report, FILE *stream)
{
    const struct text text = {.stream = stream};
    fputs("cugate accept ", stream);
    text_shell_word(&text, report->run_name && !needs_gpu(report) ? report->run_name : "RUN.json");
    put_baselines_option(report, stream);
    fputs(report->metrics_said ? report->metrics_said : "", stream);
}

char *words_accept_with(const struct report *report, const char *options)
{
    char *command = NULL;
    FILE *stream = x_memstream(&command, NULL);
    words_put_accept(report, stream);
    fprintf(stream, "%s --reason \"...\"", options);
    fclose(stream);
    return command;
}

/* Returns the row that improved by the largest part of its value; NULL: none did. */
static const struct judgement *most_improved(const struct comparison *comparison)
{
    const struct judgement *most = NULL;
    EACH(const struct judgement, row, comparison->list, comparison->count)
        if (row->verdict == VERDICT_IMPROVED && row->metric && row->compared && row->base != 0 &&
            (!most || fabs(row->change / row->base) > fabs(most->change / most->base)))
            most = row;
    return most;
}

struct answer words_fine(const struct report *report)
{
    const struct judgement *most = most_improved(report->comparison);
    const bool is_gone = report->comparison->gone > 0;
    const size_t *counts = report->comparison->counts;
    struct answer answer = {.title = "next"};
    if (is_gone)
        answer.words = x_sprintf("make this mix of kernels the baseline%s", words_run_file(report));
    else if (most && counts[VERDICT_TRADED] > 0)
        answer.words = x_sprintf("%zu row%s got worse and %zu improved; this check passes; to keep the trade-off in "
                                 "the baseline, accept it%s",
                                 counts[VERDICT_TRADED], plural(counts[VERDICT_TRADED]), counts[VERDICT_IMPROVED],
                                 words_run_file(report));
    else if (most)
        answer.words = x_sprintf(
            "this run is better (%s of %s by %.1f %%); accept the gain, or a later loss of it will go unnoticed%s",
            most->metric->name, most->kernel, 100 * fabs(most->change / most->base), words_run_file(report));
    else if (counts[VERDICT_NEW] > 0)
        answer.words = x_sprintf("add the new kernels to the baseline%s", words_run_file(report));
    if (answer.words)
        answer.command = words_accept_with(report, is_gone ? " --gone" : "");
    return answer;
}

bool words_accept_whole(const struct report *report, const struct judgement *const *rows, size_t count, FILE *stream)
{
    enum { SINGLE = 3 };
    size_t kernels = 0;
    for (size_t i = 0; i < count; i++)
        kernels += i == 0 || strcmp(rows[i]->kernel, rows[i - 1]->kernel) != 0;
    if (!run_origin(report->run)->own_caches || kernels <= SINGLE)
        return false;
    words_put_accept(report, stream);
    fprintf(stream, "%s -k '*' --reason \"...\"\n", report->comparison->gone > 0 ? " --gone" : "");
    return true;
}

size_t words_accept(const struct report *report, const struct judgement *const *rows, size_t count, FILE *stream)
{
    const struct text text = {.stream = stream};
    size_t i = 0;
    words_put_accept(report, stream);
    fputs(" -k ", stream);
    text_shell_word(&text, rows[0]->kernel);
    for (; i < count && strcmp(rows[i]->kernel, rows[0]->kernel) == 0; i++)
        fprintf(stream, "%s -m %s", i % 3 == 2 ? " \\\n     " : "", rows[i]->metric->name);
    fputs(" --reason \"...\"", stream);
    return i;
}

char *words_command(const struct report *report, const char *command, const char *kernel)
{
    const struct run *run = report->run;
    /* A run file may name anything; but its program is a command of a shell already. */
    OWNED_TEXT word = shell_word(kernel ? kernel : ""), *device = shell_word(words_known(run->device.name)),
               *collector = shell_word(words_fact(run, SESSION_COLLECTOR)),
               *program = words_program_arguments(words_fact(run, SESSION_PROGRAM), run, kernel);
    char *made = origin_command(command, &(struct origin_words){.kernel = word,
                                                                .program = program,
                                                                .device = device,
                                                                .collector = collector,
                                                                .gpu = report->gpu,
                                                                .said = report->said,
                                                                .sessions = rule_sessions_needed(METRIC_TIME)});
    return made;
}

void words_first_baseline(const struct report *report, const char *indent, FILE *stream)
{
    const struct text text = {.stream = stream};
    const struct origin *origin = run_origin(report->run);
    OWNED_TEXT program = origin->own_caches
                             ? words_program_arguments(words_fact(report->run, SESSION_PROGRAM), report->run, NULL)
                             : NULL;
    const bool enough = origin->repeats && report->run_name; /* this run is a baseline */
    OWNED_TEXT begin = words_command(report, enough ? NULL : origin->begin, NULL);
    if (begin)
        fprintf(stream, "%s%s\n", indent, begin);
    fprintf(stream, "%scugate accept ", indent);
    if (enough)
        text_shell_word(&text, report->run_name);
    else
        fputs(origin->begun ? origin->begun : "RUN.json", stream);
    if (report->other_baseline)
        fputs(" --baselines OTHER_DIR", stream); /* accept refuses to mix the two in one folder */
    else
        put_baselines_option(report, stream);
    fprintf(stream, "%s --reason \"first baseline\"\n", report->metrics_said ? report->metrics_said : "");
    if (report->other_baseline)
        fprintf(stream, "%scugate check%s%s --baselines OTHER_DIR%s%s%s\n", indent,
                origin->computed ? " --simulate" : "", origin->computed && report->gpu ? report->gpu : "",
                report->said ? report->said : "", program ? " " : "", program ? program : "");
}
