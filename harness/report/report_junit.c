/* Prints the report as JUnit XML, for CI servers that show tests. It has one test suite, since they group by class: a
 * kernel is a class and a metric is a test case. Both are sorted, so a test case has the same name and place in each
 * run.
 *
 * regressed and unexpected-pass are failures. What could not be measured is an error. unsure, new, expected and
 * trade-off are skipped, which is visible but does not fail. A row that passes says so if it is blind, and what it
 * gained if another one of its kernel is worse. Rows that are not
 * gated are left out, and with -q those that pass. */
#include "facts.h"

/* The name of a test case about a whole kernel. No metric can have this name. */
#define WHOLE_KERNEL "(kernel)"

enum outcome { OUTCOME_PASSED, OUTCOME_SKIPPED, OUTCOME_FAILED, OUTCOME_ERROR, OUTCOMES };

static const char *const elements[OUTCOMES] = {
    [OUTCOME_SKIPPED] = "skipped", [OUTCOME_FAILED] = "failure", [OUTCOME_ERROR] = "error"};

struct test_case {
    const char *kernel, *name;
    enum outcome outcome;
    const char *type;                  /* verdict or status of a test case; NULL when it passed */
    const struct judgement *judgement; /* the judgement of a test case; NULL when words says it all */
    char *words;                       /* the text of a test case; owned */
};

struct test_cases {
    struct test_case *list;
    size_t count;
    size_t outcomes[OUTCOMES];
};

/* Escapes a text for an element or a quoted attribute. XML cannot represent most control characters at all. */
static void put_xml(FILE *stream, const char *text)
{
    while (*text) {
        const size_t plain = strspn(text, " !#$%'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
                                          "abcdefghijklmnopqrstuvwxyz{|}~");
        fwrite(text, 1, plain, stream);
        text += plain;
        if (!*text)
            return;
        char bytes[5];
        const unsigned character = text_next(&text);
        if (character == '<')
            fputs("&lt;", stream);
        else if (character == '>')
            fputs("&gt;", stream);
        else if (character == '&')
            fputs("&amp;", stream);
        else if (character == '"')
            fputs("&quot;", stream);
        else if (character == '\n')
            fputs("&#10;", stream);
        else if (text_is_control(character) || (character & 0xfffe) == 0xfffe)
            fputc('?', stream);
        else
            fputs(text_utf8(character, bytes), stream);
    }
}

static void put_attribute(FILE *stream, const char *name, const char *value)
{
    fprintf(stream, " %s=\"", name);
    put_xml(stream, value);
    fputc('"', stream);
}

static void add_case(struct test_cases *cases, const struct test_case *test_case)
{
    *ARRAY_GROW(cases->list, cases->count) = *test_case;
    cases->outcomes[test_case->outcome]++;
}

static enum outcome outcome_of(enum verdict verdict)
{
    if (verdict == VERDICT_MISSING)
        return OUTCOME_ERROR;
    switch (words_verdict_tone(verdict)) {
    case TONE_FAIL:
        return OUTCOME_FAILED;
    case TONE_WARN:
        return OUTCOME_SKIPPED;
    case TONE_GOOD:
    case TONE_PLAIN:
        break;
    }
    return OUTCOME_PASSED;
}

static void add_judgements(struct test_cases *cases, const struct report *report)
{
    EACH(const struct judgement, judgement, report->comparison->list, report->comparison->count) {
        const enum outcome outcome = outcome_of(judgement->verdict);
        if (judgement->verdict == VERDICT_INFO || (report->quiet && outcome == OUTCOME_PASSED))
            continue;
        add_case(cases, &(struct test_case){
                            .kernel = judgement->kernel,
                            .name = judgement->metric ? judgement->metric->name : WHOLE_KERNEL,
                            .outcome = outcome,
                            .type = verdict_name(judgement->verdict),
                            .judgement = judgement,
                        });
    }
}

/* Adds test cases of a run that was compared with nothing: then no kernel has passed. */
static void add_results(struct test_cases *cases, const struct run *run)
{
    EACH(const struct result, result, run->results, run->result_count) {
        const bool fine = result->status == RESULT_OK || result->status == RESULT_NOT_BUILT;
        const char *status = result_status_name(result->status);
        add_case(cases,
                 &(struct test_case){
                     .kernel = result->id,
                     .name = WHOLE_KERNEL,
                     .outcome = fine ? OUTCOME_SKIPPED : OUTCOME_ERROR,
                     .type = status,
                     .words = result->status == RESULT_OK ? x_strdup("measured, but not judged")
                                                          : x_sprintf("%s%s%s", status, result->reason ? ": " : "",
                                                                      result->reason ? result->reason : ""),
                 });
    }
}

/* Adds a test case if needed. No document is empty, nor do all of its tests pass where the exit code is not 0. */
static void add_verdict(struct test_cases *cases, const struct report *report)
{
    if (report->exit_code == words_exit_code_of_rows(report) && cases->count > 0)
        return;
    struct verdict_words words;
    words_verdict(report, "", &words);
    add_case(cases, &(struct test_case){
                        .kernel = "cugate",
                        .name = "verdict",
                        .outcome = report->exit_code == EXIT_SAME ? OUTCOME_PASSED : OUTCOME_ERROR,
                        .type = exit_code_name(report->exit_code),
                        .words = x_sprintf("%s%s", words.headline, words.rest),
                    });
}

static int by_kernel_and_name(const void *left, const void *right)
{
    const struct test_case *a = left, *b = right;
    int order = strcmp(a->kernel, b->kernel);
    return order ? order : strcmp(a->name, b->name);
}

static void put_property(FILE *stream, const char *name, const char *value)
{
    fputs("   <property", stream);
    put_attribute(stream, "name", name);
    put_attribute(stream, "value", value);
    fputs("/>\n", stream);
}

static void put_properties(FILE *stream, const struct report *report)
{
    char code[16];
    snprintf(code, sizeof code, "%d", (int)report->exit_code);
    fputs("  <properties>\n", stream);
    put_property(stream, "verdict", exit_code_name(report->exit_code));
    put_property(stream, "exit_code", code);
    struct banner banner;
    if (words_banner(report, &banner))
        put_property(stream, "warning", banner.loud);
    OWNED(facts) facts = facts_of(report, true, true);
    for (size_t i = 0; i < facts.count; i++)
        put_property(stream, facts.list[i].title, facts.list[i].words);
    fputs("  </properties>\n", stream);
}

/* Returns "; at kernels/reduce.cu:41: excess shared wavefronts 0 -> 6,938,624; launch: block 256x1x1 -> 32x1x1", or "".
 * Caller frees. */
static char *hotspot_of(const struct blame *blame)
{
    const char *launch = blame->launch_change;
    OWNED_TEXT place = blame->pattern ? words_place(blame->hotspots[0].line, WORDS_PLACE) : x_strdup("");
    OWNED_TEXT amounts = blame->pattern ? words_amounts(blame, &blame->hotspots[0]) : x_strdup("");
    char *hotspot = x_sprintf("%s%s%s%s%s%s%s%s", blame->pattern ? "; at " : "", place, blame->pattern ? ": " : "",
                              amounts, launch ? "; launch: " : "", launch ? launch : "",
                              blame->appeared ? "; appeared: " : "", blame->appeared ? blame->appeared : "");
    return hotspot;
}

/* Returns "regressed: base 18.7 us, now 22.1 us; beyond the limit in ...", with the kernel's verdict where it is
 * another one. Caller frees. */
static char *message_on(const struct report *report, const struct judgement *judgement)
{
    char numbers[512], verdicts[64];
    words_numbers(judgement, numbers, sizeof numbers);
    OWNED_TEXT why = words_why(judgement);
    OWNED_TEXT hotspot = hotspot_of(diagnosis_of(report->diagnosis, judgement));
    char *message = x_sprintf("%s: %s%s%s%s", words_verdicts(judgement, verdicts, sizeof verdicts), numbers,
                              *numbers && why ? "; " : "", why ? why : "", hotspot);
    return message;
}

/* Prints a test case. A CI server lists its message, one line; the body has all that is needed to act on it. */
static void put_judgement(FILE *stream, const struct report *report, const struct judgement *judgement)
{
    OWNED_TEXT message = message_on(report, judgement);
    put_attribute(stream, "message", message);
    if (judgement->verdict != VERDICT_REGRESSED || !judgement->metric) {
        fputs("/>", stream);
        return;
    }

    OWNED_TEXT body = NULL;
    FILE *memory = x_memstream(&body, NULL);
    words_body(report, judgement, memory);
    fclose(memory);
    fputc('>', stream);
    put_xml(stream, body);
    fputs("</failure>", stream);
}

static void put_case(FILE *stream, const struct report *report, const struct test_case *test_case)
{
    fputs("  <testcase", stream);
    put_attribute(stream, "classname", test_case->kernel);
    put_attribute(stream, "name", test_case->name);
    if (test_case->outcome == OUTCOME_PASSED && test_case->judgement &&
        (test_case->judgement->blind || test_case->judgement->gained)) {
        OWNED_TEXT message = message_on(report, test_case->judgement);
        fputs(">\n   <system-out>", stream);
        put_xml(stream, message);
        fputs("</system-out>\n  </testcase>\n", stream);
        return;
    }
    if (test_case->outcome == OUTCOME_PASSED) {
        fputs("/>\n", stream);
        return;
    }
    fprintf(stream, ">\n   <%s", elements[test_case->outcome]);
    put_attribute(stream, "type", test_case->type);
    if (test_case->judgement) {
        put_judgement(stream, report, test_case->judgement);
    } else {
        put_attribute(stream, "message", test_case->words);
        fputs("/>", stream);
    }
    fputs("\n  </testcase>\n", stream);
}

void report_junit(const struct report *report, FILE *stream)
{
    struct test_cases cases = {0};
    if (report->comparison)
        add_judgements(&cases, report);
    else
        add_results(&cases, report->run);
    add_verdict(&cases, report);
    SORT(cases.list, cases.count, by_kernel_and_name);

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", stream);
    char counts[128];
    snprintf(counts, sizeof counts, "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", cases.count,
             cases.outcomes[OUTCOME_FAILED], cases.outcomes[OUTCOME_ERROR]);
    fprintf(stream, "<testsuites name=\"cugate\" %s>\n <testsuite name=\"cugate\" %s skipped=\"%zu\">\n", counts,
            counts, cases.outcomes[OUTCOME_SKIPPED]);
    put_properties(stream, report);
    for (size_t i = 0; i < cases.count; i++) {
        put_case(stream, report, &cases.list[i]);
        free(cases.list[i].words);
    }
    fputs(" </testsuite>\n</testsuites>\n", stream);
    free(cases.list);
}
