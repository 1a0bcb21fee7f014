/* Prints the report as GitHub's Markdown, for the summary of a step; with -q, or as report_comment, for a comment. The
 * verdict comes first, then the worst rows, how to accept them, and the rest folded. Both places limit the size; the
 * page says what was left out. */
#include "facts.h"

#include <strings.h>

#define SUMMARY_MAX (1u << 20)  /* bytes of a step's summary; GitHub drops a larger one completely */
#define COMMENT_MAX (63u << 10) /* GitHub's limit is 64 KiB; the rest is for a line of the script that posts it */
#define TAIL ((size_t)512)      /* bytes reserved for the end of the page */
#define WORST_ROWS 25           /* rows that are shown unfolded */
#define CELL_MAX 1000           /* limit of a cell in characters */

/* A page of limited size. It is written in pieces: a piece is collected in memory, and printed if it fits. */
struct page {
    const struct report *report;
    FILE *stream;
    size_t left; /* bytes that the page has left */
    FILE *piece;
    char *text; /* the piece, valid after fflush */
    size_t size;
};

static void page_release(struct page *page)
{
    fclose(page->piece);
    free(page->text);
}

/* Prints the piece if `reserve` bytes are left after it, and begins the next piece. */
static bool page_add(struct page *page, size_t reserve)
{
    fflush(page->piece);
    const bool fits = page->size + reserve <= page->left;
    if (fits) {
        fwrite(page->text, 1, page->size, page->stream);
        page->left -= page->size;
    }
    rewind(page->piece);
    return fits;
}

static bool is_word(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether GitHub would turn the text into a link by itself: @name, #1, https://host, www.host. */
static bool begins_link(unsigned character, const char *after)
{
    return character == '@' || (character == '#' && is_word(*after)) || (character == ':' && *after == '/') ||
           ((character | 0x20) == 'w' && strncasecmp(after, "ww.", 3) == 0);
}

/* Writes a character that has a meaning in Markdown so that it has none. GitHub makes links after removing escapes, so
 * a blank of zero width prevents them. */
static void put_special(FILE *stream, char before, unsigned character, const char *after)
{
    char bytes[5];
    if (character == '<')
        fputs("&lt;", stream);
    else if (character == '>')
        fputs("&gt;", stream);
    else if (character == '&')
        fputs("&amp;", stream);
    else if (character == '$')
        fputs("&#36;", stream);
    else if (begins_link(character, after))
        fprintf(stream, "%c&#8203;", (char)character);
    else if (character == '_' && is_word(before) && is_word(*after))
        fputc('_', stream);
    else if (character < 0x80 && strchr("\\`*_[]|~", (int)character))
        fprintf(stream, "\\%c", (char)character);
    else if (character == '\n' || character == '\r' || character == '\t')
        fputc(' ', stream);
    else if (text_is_control(character))
        fputc('?', stream);
    else
        fputs(text_utf8(character, bytes), stream);
}

/* Writes any text on one line. */
static void put_markdown(FILE *stream, const char *text)
{
    char before = ' ';
    for (size_t i = 0; *text; i++) {
        if (i == CELL_MAX) {
            fputs("...", stream);
            return;
        }
        const unsigned character = text_next(&text);
        put_special(stream, before, character, text);
        before = (char)(character < 0x80 ? character : ' ');
    }
}

/* Begins a row of a table with these cells, of which one is bold. */
static void put_cells(FILE *stream, const char *const *cells, size_t count, size_t bold)
{
    for (size_t i = 0; i < count; i++) {
        fputs(i ? " | " : "| ", stream);
        fputs(i == bold ? "**" : "", stream);
        put_markdown(stream, cells[i]);
        fputs(i == bold ? "**" : "", stream);
    }
}

static void put_code(FILE *stream, const char *text)
{
    fputs("<code>", stream);
    put_markdown(stream, text);
    fputs("</code>", stream);
}

/* Writes the lines that made a row worse, in the last cell of its row; `before` is written before the first one. */
static void put_hotspots(FILE *stream, const struct blame *blame, const char *before)
{
    OWNED_TEXT launch = blame->is_worst && blame->launch_change ? x_sprintf("launch: %s", blame->launch_change) : NULL;
    if (launch) { /* which precedes the counts that changed with it */
        fputs(before, stream);
        put_markdown(stream, launch);
        before = "<br>";
    }
    for (size_t i = 0; i < blame->count && !blame->same_as; i++, before = "<br>") {
        OWNED_TEXT place = words_place(blame->hotspots[i].line, WORDS_PLACE),
                   *hotspot = words_hotspot(blame, &blame->hotspots[i]);
        fputs(before, stream);
        put_code(stream, place);
        fputs(": ", stream);
        put_markdown(stream, hotspot);
        if (blame->hotspots[i].line->text) {
            fputs("<br>", stream);
            put_code(stream, blame->hotspots[i].line->text);
        }
    }
    OWNED_TEXT words = blame->same_as   ? x_sprintf("the same lines as %s", blame->same_as->name)
                       : blame->pattern ? words_advice(blame)
                                        : NULL;
    OWNED_TEXT appeared = blame->is_worst && blame->appeared ? x_sprintf("appeared: %s", blame->appeared) : NULL;
    const char *const more[] = {words, appeared};
    for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
        if (!more[i])
            continue;
        fputs(before, stream);
        put_markdown(stream, more[i]);
        before = "<br>";
    }
}

/* Returns the first of these rows that is the same fault as this one: a metric that is worse at another size of the
 * kernel. NULL: none is, or -v lists them all. */
static const struct judgement *same_fault(const struct report *report, const struct judgement *row,
                                          const struct judgement *list, const struct judgement *end)
{
    const bool folds = !report->verbose && row->verdict == VERDICT_REGRESSED && row->metric;
    for (; folds && list < end; list++)
        if (list->verdict == VERDICT_REGRESSED && list->metric == row->metric &&
            words_other_size(row->kernel, list->kernel))
            return list;
    return NULL;
}

/* Returns what evidence adds to that of the row above it. */
static const char *new_words(const char *why, const char *above)
{
    const size_t same = why && above && strncmp(why, above, strlen(above)) == 0 ? strlen(above) : 0;
    return same == 0 || (why[same] && why[same] != ';') ? why : why[same] ? why + same + strlen("; ") : NULL;
}

/* Writes a row. above: the row before it, whose evidence is not repeated if the kernel is the same; or NULL. */
static void put_row(FILE *stream, const struct report *report, const struct judgement *judgement,
                    const struct judgement *above)
{
    struct cells cells, size;
    char verdicts[64];
    words_cells(judgement, &cells);
    const bool loud = words_verdict_tone(judgement->verdict) == TONE_FAIL;
    const bool repeats = loud && above && strcmp(above->kernel, judgement->kernel) == 0;
    OWNED_TEXT whole = words_why(judgement), *said = repeats ? words_why(above) : NULL,
               *caller = loud && !repeats ? words_caller(report, judgement->kernel) : NULL;
    const char *reason = new_words(whole, said);
    OWNED_TEXT why = caller ? x_sprintf("%s%s%s", reason ? reason : "", reason ? "; " : "", caller) : x_strdup(reason);
    const struct judgement *const end = report->comparison->list + report->comparison->count, *other = judgement;
    while ((other = same_fault(report, judgement, other + 1, end))) {
        words_cells(other, &size);
        x_append(&why, "; ", "also at %s: %s", words_other_size(judgement->kernel, other->kernel), size.change);
    }
    const char *const row[] = {words_verdicts(judgement, verdicts, sizeof verdicts),
                               judgement->kernel,
                               judgement->metric ? judgement->metric->name : "",
                               cells.base,
                               cells.now,
                               cells.change,
                               cells.limit,
                               why ? why : ""};
    put_cells(stream, row, ARRAY_SIZE(row), loud ? 0 : SIZE_MAX);
    put_hotspots(stream, diagnosis_of(report->diagnosis, judgement), why ? "<br>" : "");
    fputs(" |\n", stream);
}

/* Writes what got worse most: the kernel, the row and the line. False: nothing did. */
static bool put_worst(FILE *stream, const struct report *report)
{
    const struct comparison *comparison = report->comparison;
    size_t i = 0;
    while (comparison && i < comparison->count &&
           (comparison->list[i].verdict != VERDICT_REGRESSED || !comparison->list[i].metric))
        i++; /* the worst comes first */
    if (!comparison || i == comparison->count)
        return false;
    const struct judgement *worst = &comparison->list[i];
    const struct blame *blame = diagnosis_of(report->diagnosis, worst);
    const size_t more = comparison->counts[VERDICT_REGRESSED] - 1;
    struct cells cells;
    words_cells(worst, &cells);
    OWNED_TEXT place = blame->count > 0 ? words_place(blame->hotspots[0].line, WORDS_PLACE) : NULL;
    OWNED_TEXT others = more > 0 ? x_sprintf(" (and %zu more row%s)", more, plural(more)) : NULL;
    OWNED_TEXT text = x_sprintf("regressed: %s: %s %s%s%s%s", worst->kernel, worst->metric->name, cells.change,
                                place ? " at " : "", place ? place : "", others ? others : "");
    put_markdown(stream, text);
    return true;
}

static void put_answer(FILE *stream, struct answer answer)
{
    if (answer.words) {
        fprintf(stream, "- **%s**: ", answer.title);
        put_markdown(stream, answer.words);
        fputs(answer.command ? ": " : "", stream);
        if (answer.command)
            put_code(stream, answer.command);
        fputc('\n', stream);
    }
    free(answer.words);
    free(answer.command);
}

/* Writes what the text report says at its end: how to continue; not of a referee's, whose files are gone. */
static void put_next(FILE *stream, const struct report *report)
{
    struct answer answers[ANSWERS] = {{0}};
    if (!report->certificates)
        words_next(report, answers);
    const bool any = answers[0].words;
    for (size_t i = 0; i < ANSWERS; i++)
        put_answer(stream, answers[i]);
    fputs(any ? "\n" : "", stream);
}

/* Whether advice precedes the rows; else it follows the commands that it speaks of. */
static bool is_next_first(const struct report *report)
{
    return report->comparison && (report->exit_code == EXIT_SAME || report->exit_code == EXIT_UNSURE);
}

static void put_head(FILE *stream, const struct report *report)
{
    static const char *const icons[] = {
        [TONE_PLAIN] = "", [TONE_GOOD] = ":white_check_mark: ", [TONE_WARN] = ":warning: ", [TONE_FAIL] = ":x: "};
    struct verdict_words words;
    words_verdict(report, "", &words);
    fprintf(stream, "## %scugate: ", icons[words_exit_tone(report->exit_code)]);
    if (report->exit_code == EXIT_REGRESSED && put_worst(stream, report))
        fputs("\n\n", stream);
    put_markdown(stream, words.headline);
    put_markdown(stream, words.rest);
    fputs("\n\n", stream);
    if (is_next_first(report))
        put_next(stream, report);

    struct banner banner;
    if (words_banner(report, &banner)) {
        fprintf(stream, "> **%s** %s ", banner.loud, banner.words);
        put_markdown(stream, banner.source);
        fputs("\n\n", stream);
    }
}

/* Adds the facts one by one: a hostile note then displaces no other. */
static void add_facts(struct page *page, const struct report *report)
{
    OWNED(facts) facts = facts_of(report, true, false);
    fputs("<details><summary>GPU, software, run and baseline</summary>\n\n", page->piece);
    for (size_t i = 0; i < facts.count; i++) {
        fprintf(page->piece, "- %s: ", facts.list[i].title);
        put_markdown(page->piece, facts.list[i].words);
        fputc('\n', page->piece);
        page_add(page, page->left / 2);
    }
    fputs("\n</details>\n\n", page->piece);
    page_add(page, TAIL);
}

/* Prints up to `most` rows from index *next on while they fit. Sets *next to the first that was not printed. */
static void add_rows(struct page *page, const struct judgement *const *rows, size_t count, size_t max, size_t *next)
{
    const size_t end = count - *next > max ? *next + max : count;
    if (*next == end)
        return;
    fputs("| verdict | kernel | metric | base | now | change | limit | evidence |\n"
          "|---|---|---|--:|--:|--:|--:|---|\n",
          page->piece);
    for (; *next < end; ++*next) {
        put_row(page->piece, page->report, rows[*next], *next > 0 ? rows[*next - 1] : NULL);
        if (!page_add(page, TAIL))
            break;
    }
    fputc('\n', page->piece);
    page_add(page, 0);
}

/* Prints a fenced block. Names may contain anything, so the fence is longer than any run of backticks in them. */
static void put_fence(FILE *stream, const struct report *report, const char *after)
{
    size_t longest = 2;
    const char *const names[] = {report->run_name, report->baselines};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        for (const char *name = names[i]; name && *name; name++)
            if (strspn(name, "`") > longest)
                longest = strspn(name, "`");
    for (size_t i = 0; i <= longest; i++)
        fputc('`', stream);
    fprintf(stream, "%s\n", after);
}

/* Adds what was asked of a candidate; in a comment only what it did not pass. */
static void add_certificates(struct page *page, const struct report *report)
{
    const char *head = "| kernel | rule | outcome | evidence |\n|---|---|---|---|\n";
    EACH(const struct certificate, certificate, report->certificates, report->certificate_count)
        for (size_t k = 0; k < CERTIFICATE_RULES; k++) {
            const struct certificate_row *row = &certificate->rows[k];
            if (report->quiet && row->outcome == CERTIFICATE_PASSED)
                continue;
            const char *const cells[] = {certificate->kernel, certificate_rule_name((enum certificate_rule)k),
                                         certificate_outcome_name(row->outcome), row->words};
            fputs(head, page->piece);
            head = "";
            put_cells(page->piece, cells, ARRAY_SIZE(cells), row->outcome == CERTIFICATE_REFUSED ? 2 : SIZE_MAX);
            for (size_t m = 0; k == CERTIFICATE_INPUTS && m < certificate->input_count && !report->quiet; m++) {
                OWNED_TEXT words = certificate_input_words(&certificate->inputs[m]);
                fputs("<br>", page->piece);
                put_markdown(page->piece, words);
            }
            fputs(" |\n", page->piece);
            page_add(page, TAIL);
        }
    fputs(*head ? "" : "\n", page->piece);
    page_add(page, 0);
}

/* Adds how to accept the rows, in at most half of what is left. */
static void add_accept(struct page *page, const struct report *report)
{
    if (report->certificates)
        return;
    size_t count, next = 0;
    OWNED_MEMORY const struct judgement **rows = words_regressed(report->comparison, &count);
    const size_t reserve = page->left / 2;
    if (count > 0) {
        fprintf(page->piece, "If a change is intended, accept it and say why%s:\n\n", words_run_file(report));
        put_fence(page->piece, report, "sh");
    }
    if (words_accept_whole(report, rows, count, page->piece) && page_add(page, reserve))
        next = count;
    while (next < count) {
        const size_t taken = words_accept(report, rows + next, count - next, page->piece);
        fputc('\n', page->piece);
        if (!page_add(page, reserve))
            break;
        next += taken;
    }
    if (next < count)
        fprintf(page->piece, "# and %zu more rows\n", count - next);
    if (count > 0) {
        put_fence(page->piece, report, "");
        fputc('\n', page->piece);
    }
    if (!is_next_first(report))
        put_next(page->piece, report);
    page_add(page, 0);
}

/* Adds what another toolchain did to the kernels, folded. */
static void add_upgrade(struct page *page, const struct report *report)
{
    OWNED(upgrade) upgrade = {0};
    upgrade_make(&upgrade, report->comparison, report->baseline, report->run);
    if (upgrade.count > 0) {
        OWNED_TEXT words = words_upgrade(&upgrade);
        fputs("<details><summary>", page->piece);
        put_markdown(page->piece, words);
        OWNED_TEXT parts = words_upgrade_parts(&upgrade);
        fputs("</summary>\n\n", page->piece);
        if (parts) {
            fputs("time lost: ", page->piece);
            put_markdown(page->piece, parts);
            fputs("\n\n", page->piece);
        }
        fputs("| time lost | kernel | what changed |\n|--:|---|---|\n", page->piece);
    }
    for (size_t i = 0; i < upgrade.count; i++) {
        char lost[128], *change = words_upgraded(&upgrade.list[i]);
        words_time_lost(&upgrade.list[i], lost, sizeof lost);
        const char *const row[] = {lost, upgrade.list[i].kernel, change};
        if (words_upgrade_shows(&upgrade, i, report->verbose)) {
            put_cells(page->piece, row, ARRAY_SIZE(row), SIZE_MAX);
            fputs(" |\n", page->piece);
        }
        free(change);
    }
    fputs(upgrade.count > 0 ? "\n</details>\n\n" : "", page->piece);
    page_add(page, page->left / 2);
}

static bool is_listed(const struct report *report, const struct judgement *judgement)
{
    if (same_fault(report, judgement, report->comparison->list, judgement))
        return false; /* the row of another size names it */
    if (report->quiet)
        return words_verdict_tone(judgement->verdict) >= TONE_WARN || judgement->gained;
    return report->verbose || judgement->verdict != VERDICT_INFO || !judgement->metric; /* a kernel that is gone */
}

static void add_judgements(struct page *page, const struct report *report, size_t max)
{
    const struct comparison *comparison = report->comparison;
    OWNED_MEMORY const struct judgement **rows = NULL;
    size_t count = 0, worst = 0, next = 0;
    for (int alike = 0; alike < 2; alike++) /* kernels that are missing alike come last but for the first of them */
        for (size_t i = 0; i < comparison->count; i++) {
            if (!is_listed(report, &comparison->list[i]) || words_alike(comparison, i) != alike)
                continue;
            *ARRAY_GROW(rows, count) = &comparison->list[i];
            worst += !alike && count <= WORST_ROWS && words_verdict_tone(comparison->list[i].verdict) >= TONE_WARN;
        }
    add_rows(page, rows, count, worst, &next);
    add_accept(page, report);
    if (next == worst && next < count) {
        fprintf(page->piece, "<details><summary>%zu %srow%s</summary>\n\n", count - next, next ? "more " : "",
                plural(count - next));
        add_rows(page, rows, count, count, &next);
        fputs("</details>\n\n", page->piece);
    }
    if (next < count)
        fprintf(page->piece, "%zu row%s left out to stay below %zu KiB; the text and JSON reports have all rows.\n",
                count - next, count - next == 1 ? " is" : "s are", max >> 10);
    page_add(page, 0);
}

static void add_results(struct page *page, const struct report *report)
{
    const struct run *run = report->run;
    size_t failed = 0, shown = 0;
    EACH(const struct result, result, run->results, run->result_count) {
        if (result->status == RESULT_OK)
            continue;
        if (failed++ == 0)
            fputs("| kernel | status | reason |\n|---|---|---|\n", page->piece);
        const char *const row[] = {result->id, result_status_name(result->status),
                                   result->reason ? result->reason : "unknown reason"};
        put_cells(page->piece, row, ARRAY_SIZE(row), SIZE_MAX);
        fputs(" |\n", page->piece);
        shown += page_add(page, 2 * TAIL);
    }
    if (failed > shown)
        fprintf(page->piece, "\n%zu more are in the other reports.\n", failed - shown);
    if (failed > 0)
        fputc('\n', page->piece);
    if (report->exit_code == EXIT_BASELINE) {
        fputs("Nothing was judged, because no baseline fits this run. To make one:\n\n", page->piece);
        put_fence(page->piece, report, "sh");
        words_first_baseline(report, "", page->piece);
        put_fence(page->piece, report, "");
    }
    page_add(page, 0);
}

void report_markdown(const struct report *report, FILE *stream)
{
    const size_t max = report->quiet ? COMMENT_MAX : SUMMARY_MAX;
    OWNED(page) page = {.report = report, .stream = stream, .left = max - 1};
    page.piece = x_memstream(&page.text, &page.size);
    put_head(page.piece, report);
    page_add(&page, TAIL);
    add_certificates(&page, report);
    add_facts(&page, report);
    if (report->comparison) {
        add_upgrade(&page, report);
        add_judgements(&page, report, max);
    } else if (!report->certificates) {
        add_results(&page, report);
    }
}

void report_comment(const struct report *report, FILE *stream)
{
    struct report brief = *report;
    brief.quiet = true;
    report_markdown(&brief, stream);
}
