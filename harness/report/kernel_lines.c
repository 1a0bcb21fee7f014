#include "kernel_lines.h"

#include "report_groups.h"

#define SHAPES_MIN 8  /* fewer shapes of a function, or kernels that are the same, have a line each */
#define LINES_MOST 12 /* a program's kernels that are the same have no line behind so many */
#define MINOR_MIN 4   /* fewer kernels than that are not left out of a table */

bool shows_totals(const struct report *report)
{
    for (size_t i = 0; i < report->run->result_count; i++)
        if (row_kind(report->run->results[i].id) != ROW_KERNEL)
            return run_origin(report->run)->own_caches;
    return false;
}

/* Whether a kernel is as it was, so that many of them are one line. */
static bool is_same(const struct kernel_line *line)
{
    return line->verdict < VERDICTS && section_of(line->verdict) == SECTION_SAME && !line->blind;
}

/* Orders kernels that need attention first, the worst first, and those that are the same last. The others keep their
 * order, so that families stay together; those of a program are in the order of their time, behind those that moved the
 * program's. Before all comes the program as a whole. */
static int lines_worst_first(const void *left, const void *right)
{
    const struct kernel_line *a = left, *b = right;
    if ((row_kind(a->id) == ROW_KERNEL) != (row_kind(b->id) == ROW_KERNEL))
        return row_kind(a->id) == ROW_KERNEL ? 1 : -1;
    const enum section section_a = section_of(a->verdict), section_b = section_of(b->verdict);
    const int rank_a = section_a <= SECTION_UNSURE ? (int)section_a : SECTIONS,
              rank_b = section_b <= SECTION_UNSURE ? (int)section_b : SECTIONS;
    if (rank_a != rank_b)
        return rank_a < rank_b ? -1 : 1;
    if (a->total <= 0 && b->total <= 0 && is_same(a) != is_same(b))
        return is_same(a) ? 1 : -1;
    const int order = rank_a < SECTIONS ? order_of_time_lost(a->lost, b->lost) : 0;
    if (order == 0 && a->moved != b->moved)
        return a->moved > b->moved ? -1 : 1;
    if (order == 0 && a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return order ? order : strcmp(a->id, b->id);
}

/* Returns how long all launches of a program's kernel took, in ns; NAN where that is not known. */
static double total_of(const struct report *report, const struct result *result)
{
    const struct metric *ignored;
    return result ? program_time(report->metrics, result, &ignored) : NAN;
}

/* Returns the GPU time of the program; 0 where there is none. */
static double largest_program(const struct kernel_line *lines, size_t count)
{
    double whole = 0;
    for (size_t i = 0; i < count; i++)
        if (row_kind(lines[i].id) != ROW_KERNEL)
            whole = fmax(whole, lines[i].total);
    return whole;
}

/* Makes the lines of the table. Caller frees. */
static struct kernel_line *make_lines(const struct report *report, size_t *count)
{
    const struct run *run = report->run;
    const struct comparison *comparison = report->comparison;
    struct kernel_line *lines = NULL;
    *count = 0;

    for (size_t i = 0; i < run->result_count; i++) {
        const char *id = run->results[i].id;
        *ARRAY_GROW(lines, *count) = (struct kernel_line){
            .id = id,
            .now = &run->results[i],
            .base = report->baseline ? run_find(report->baseline, id) : NULL,
            .verdict = VERDICTS,
        };
    }
    size_t measured = *count;
    for (size_t i = 0; comparison && i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
        if (strcmp(judgement->kernel, COMPARISON_SUITE) == 0)
            continue;
        struct kernel_line *line = find_by_name(lines, measured, sizeof *lines, judgement->kernel);
        if (!line) {
            line = ARRAY_GROW(lines, *count);
            *line = (struct kernel_line){
                .id = judgement->kernel,
                .base = report->baseline ? run_find(report->baseline, judgement->kernel) : NULL,
                .verdict = VERDICTS,
            };
        }
        if (judgement_counts_as(judgement) < line->verdict)
            line->verdict = judgement_counts_as(judgement);
        line->blind |= judgement->blind;
    }
    const bool totals = shows_totals(report);
    for (size_t i = 0; i < *count; i++) {
        lines[i].lost = comparison ? time_lost(report, lines[i].id) : NAN;
        if (!totals)
            continue;
        const double now = total_of(report, lines[i].now), before = total_of(report, lines[i].base);
        lines[i].total = fmax(0, fmax(now, before));
        if (comparison)
            lines[i].lost = (isnan(now) ? 0 : now) - (isnan(before) ? 0 : before);
    }
    const double whole = largest_program(lines, *count);
    for (size_t i = 0; i < *count && comparison; i++)
        lines[i].moved = !program_is_seldom(fabs(lines[i].lost), whole) && whole > 0 ? fabs(lines[i].lost) : 0;
    SORT(lines, *count, lines_worst_first);
    return lines;
}

/* ---- Many shapes of one function ---- */

/* Whether the line is of a shape of the same function and code as another, and nothing is wrong with either. */
static bool is_other_shape(const struct kernel_line *line, const struct kernel_line *other)
{
    const struct result *a = line->now ? line->now : line->base, *b = other->now ? other->now : other->base;
    const size_t name = strcspn(line->id, "@");
    return section_of(line->verdict) > SECTION_UNSURE && section_of(other->verdict) > SECTION_UNSURE && a && b &&
           a->launch_count == 1 && b->launch_count == 1 && line->id[name] == '@' &&
           strncmp(line->id, other->id, name + 1) == 0 && (line->now == NULL) == (other->now == NULL) &&
           strcmp(a->launches[0].code ? a->launches[0].code : "", b->launches[0].code ? b->launches[0].code : "") == 0;
}

/* Adds what a shape has of a count of its program to the sum of all. */
static void add_up(const struct report *report, struct result *sum, const struct result *shape,
                   enum computed_counter counter)
{
    const double more = !shape                         ? NAN
                        : counter == COMPUTED_LAUNCHES ? program_launches(report->metrics, shape)
                                                       : total_of(report, shape);
    for (size_t m = 0; m < report->metrics->count && !isnan(more); m++) {
        if (computed_counter_of(&report->metrics->list[m]) != counter)
            continue;
        struct row *row = result_add(sum, report->metrics->list[m].name);
        const double all = more + (row->state == VALUE_MEASURED && row->session_count > 0 ? row_value(row) : 0);
        row_clear(row);
        row->state = VALUE_MEASURED;
        row_add_session(row, &all, 1);
    }
}

/* Writes a range of extents: "1-96x32". */
static void put_range(FILE *stream, const unsigned least[3], const unsigned most[3])
{
    const int count = most[2] != 1 ? 3 : most[1] != 1 ? 2 : 1;
    for (int i = 0; i < count; i++) {
        fprintf(stream, "%s%u", i > 0 ? "x" : "", least[i]);
        if (most[i] != least[i])
            fprintf(stream, "-%u", most[i]);
    }
}

/* Returns the name of a line for so many shapes: "decode/attention@1-96x32,128, 96 shapes". Caller frees. */
static char *name_of_shapes(const struct kernel_line *first, const struct kernel_line *lines, size_t count,
                            size_t shapes)
{
    unsigned least[2][3] = {{UINT_MAX, UINT_MAX, UINT_MAX}, {UINT_MAX, UINT_MAX, UINT_MAX}}, most[2][3] = {{0}};
    char *name = NULL;
    size_t size = 0;
    FILE *stream = x_memstream(&name, &size);
    for (size_t i = 0; i < count; i++) {
        const struct launch *launch = (lines[i].now ? lines[i].now : lines[i].base)->launches;
        for (int k = 0; k < 6 && is_other_shape(first, &lines[i]); k++) {
            const unsigned extent = k < 3 ? launch->grid[k] : launch->block[k - 3];
            least[k / 3][k % 3] = extent < least[k / 3][k % 3] ? extent : least[k / 3][k % 3];
            most[k / 3][k % 3] = extent > most[k / 3][k % 3] ? extent : most[k / 3][k % 3];
        }
    }
    fprintf(stream, "%.*s@", (int)strcspn(first->id, "@"), first->id);
    put_range(stream, least[0], most[0]);
    fputc(',', stream);
    put_range(stream, least[1], most[1]);
    fprintf(stream, ", %zu shapes", shapes);
    fclose(stream);
    return name;
}

/* Puts one line in place of all shapes like that of a line. */
static void fold(const struct report *report, struct kernel_line *lines, size_t at, size_t *count, size_t shapes,
                 struct result sums[2])
{
    struct kernel_line line = lines[at];
    size_t kept = at;
    sums[0] = (struct result){.id = name_of_shapes(&lines[at], lines + at, *count - at, shapes)};
    sums[1] = (struct result){0};
    line.total = line.moved = 0;
    line.lost = report->comparison ? 0 : NAN;
    for (size_t i = at; i < *count; i++) {
        if (!is_other_shape(&line, &lines[i]))
            lines[kept++] = lines[i];
        if (!is_other_shape(&line, &lines[i]))
            continue;
        for (int side = 0; side < 2; side++) {
            add_up(report, &sums[side], side ? lines[i].base : lines[i].now, COMPUTED_LAUNCHES);
            add_up(report, &sums[side], side ? lines[i].base : lines[i].now, COMPUTED_GPU_TIME);
        }
        line.total += lines[i].total;
        line.moved += lines[i].moved;
        line.lost += lines[i].lost;
        line.verdict = lines[i].verdict < line.verdict ? lines[i].verdict : line.verdict;
    }
    line.id = sums[0].id;
    line.now = line.now ? &sums[0] : NULL;
    line.base = line.base ? &sums[1] : NULL;
    lines[kept++] = line;
    *count = kept;
}

/* Puts many shapes of one function on one line, with what they have together, where -v does not ask for each. */
static void fold_shapes(const struct report *report, struct kernel_lines *lines)
{
    lines->sums = x_calloc(lines->count / SHAPES_MIN + 1, 2 * sizeof *lines->sums);
    for (size_t i = 0; i < lines->count && shows_totals(report) && !report->verbose; i++) {
        size_t shapes = 0;
        for (size_t k = i; k < lines->count; k++)
            shapes += is_other_shape(&lines->list[i], &lines->list[k]);
        if (shapes < SHAPES_MIN)
            continue;
        fold(report, lines->list, i, &lines->count, shapes, &lines->sums[2 * lines->folded++]);
        i--; /* another line is there now; the new one stands last, and has no other shapes */
    }
    if (lines->folded > 0)
        SORT(lines->list, lines->count, lines_worst_first);
}

/* Whether a kernel of a program can be left out of the table: nothing is wrong with it, and it takes less than 1 % of
 * the program's GPU time, or is the same and behind the first lines. */
static bool is_minor(const struct kernel_line *line, double whole, size_t place)
{
    return row_kind(line->id) == ROW_KERNEL && section_of(line->verdict) > SECTION_UNSURE &&
           (program_is_seldom(line->total, whole) || (whole > 0 && place > LINES_MOST && is_same(line)));
}

/* Returns how many lines are shown: without those at the end that can be left out, unless they are few. */
static size_t count_shown(const struct report *report, const struct kernel_lines *lines)
{
    size_t shown = lines->count;
    const struct kernel_line *list = lines->list;
    const bool totals = shows_totals(report);
    while (!report->verbose && shown > 0 &&
           (totals ? is_minor(&list[shown - 1], lines->whole, shown) : is_same(&list[shown - 1])))
        shown--;
    return lines->count - shown < (totals ? MINOR_MIN : SHAPES_MIN) ? lines->count : shown;
}

struct kernel_lines kernel_lines_make(const struct report *report)
{
    struct kernel_lines lines = {0};
    lines.list = make_lines(report, &lines.count);
    fold_shapes(report, &lines);
    lines.whole = largest_program(lines.list, lines.count);
    lines.shown = count_shown(report, &lines);
    return lines;
}

void kernel_lines_release(struct kernel_lines *lines)
{
    for (size_t i = 0; i < 2 * lines->folded; i++)
        result_release(&lines->sums[i]);
    free(lines->sums);
    free(lines->list);
}
