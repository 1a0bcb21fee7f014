/* Prints an explanation for people: the launches and their occupancy. */
#include "explain_words.h"
#include "report_text.h"

#define LAUNCHES_SHOWN 8
#define FUNCTION_WIDTH 38
#define FUNCTION_MIN 20   /* if the column of functions would be narrower, each is on a line of its own */
#define LAUNCH_COLUMNS 82 /* columns of a line without its function */
#define CELL EXPLAIN_CELL
#define PART_INDENT 16 /* indent of what explain_part prints */

/* ---- Head ---- */

static void print_time(const struct text *text, const struct explanation *explanation)
{
    const double cycles = roofline_value(explanation->result, "sm_cycles");
    const double clock = roofline_value(explanation->result, "sm_clock");
    const double wall = roofline_value(explanation->result, "wall_time");
    char time[CELL], more[CELL], words[4 * CELL];
    if (isnan(explanation->roofline.seconds) && isnan(wall)) {
        snprintf(words, sizeof words, "not known: %s", explain_state(explanation, "time"));
    } else if (isnan(explanation->roofline.seconds)) {
        snprintf(words, sizeof words, "%s, measured with the host's clock", explain_number(wall, "ns", time));
    } else {
        const double nanoseconds = explanation->roofline.seconds * 1e9;
        int used = snprintf(words, sizeof words, "%s", explain_number(nanoseconds, "ns", time));
        if (!isnan(cycles))
            used += snprintf(words + used, sizeof words - (size_t)used, ", %s SM cycles",
                             explain_number(cycles, "count", more));
        if (!isnan(clock))
            snprintf(words + used, sizeof words - (size_t)used, ", SM clock %s", explain_number(clock, "Hz", more));
    }
    text_fact(text, "time", words);
}

static void print_estimated(const struct text *text, const struct estimated_time *of)
{
    char time[CELL], low[CELL], high[CELL];
    OWNED_TEXT words = of->refused ? x_sprintf("none: %s", of->refused)
                                   : x_sprintf("%s (%s to %s); limited by %s", explain_number(of->ns, "ns", time),
                                               explain_number(of->low, "ns", low), explain_number(of->high, "ns", high),
                                               of->bound_by ? of->bound_by : "unknown");
    text_fact(text, "estimated", words);
}

static void print_head(const struct text *text, const struct explanation *explanation)
{
    const struct run *run = explanation->run;
    char words[1024];
    text_fact(text, "kernel", explanation->result->id);
    if (run->device.sm_count > 0)
        snprintf(words, sizeof words, "%s, compute capability %s, %lld SMs", words_known(run->device.name),
                 words_known(run->device.compute_capability), run->device.sm_count);
    else
        snprintf(words, sizeof words, "%s", words_known(run->device.name));
    text_fact(text, "device", words);
    const bool computed = run_origin(run)->computed; /* by no driver, and without a time */
    OWNED_TEXT software =
        computed ? x_strdup("")
                 : x_sprintf(", driver %s, CUDA %s", words_fact(run, SESSION_DRIVER), words_fact(run, SESSION_CUDA));
    snprintf(words, sizeof words, "%s%s%s, collector %s%s",
             explanation->run_name ? explanation->run_name : run_origin(run)->made, explanation->run_name ? ", " : " ",
             words_fact(run, SESSION_DATE), words_fact(run, SESSION_COLLECTOR), software);
    text_fact(text, "run", words);
    if (!computed)
        print_time(text, explanation);
    if (explanation->result->estimated)
        print_estimated(text, explanation->result->estimated);
}

/* ---- Launches ---- */

static const char *extents(const unsigned of[3], char text[CELL])
{
    if (of[0] == 0)
        return "-"; /* the function was never launched, so its block is unknown */
    if (of[1] == 1 && of[2] == 1)
        return explain_number(of[0], "count", text);
    snprintf(text, CELL, of[2] == 1 ? "%u x %u" : "%u x %u x %u", of[0], of[1], of[2]);
    return text;
}

/* Returns the width of the column of functions; 0 where none fits. */
static int function_width(const struct text *text)
{
    const int columns = text_room(text) - LAUNCH_COLUMNS;
    return columns < FUNCTION_MIN ? 0 : columns < FUNCTION_WIDTH ? columns : FUNCTION_WIDTH;
}

static void print_launch(const struct text *text, size_t number, const struct explained_launch *explained)
{
    const struct launch *launch = explained->launch;
    const struct code_facts *machine = &launch->machine;
    char grid[CELL], block[CELL];
    char registers[CELL] = "-", shared[2 * CELL] = "-", local[CELL] = "-", one[CELL], other[CELL];
    if (launch->has_machine) {
        snprintf(registers, sizeof registers, "%u", machine->registers);
        snprintf(shared, sizeof shared, "%s + %s B", explain_number(machine->shared_bytes, "count", one),
                 explain_number(launch->shared, "count", other));
        snprintf(local, sizeof local, "%s B", explain_number(machine->local_bytes, "count", one));
    }
    const int width = function_width(text);
    const size_t columns = (size_t)(width > 0 ? width : text_width(text) - 7);
    OWNED_TEXT function = words_function(launch->function ? launch->function : "unknown", columns);
    if (width > 0)
        text_print(text, INK_PLAIN, "  %3zu  %-*s  ", number, width, function);
    else
        text_print(text, INK_PLAIN, "  %3zu  %s\n     ", number, function);
    text_print(text, INK_PLAIN, "%5u  %15s  %11s  %9s  %16s  ", launch->times, extents(launch->grid, grid),
               extents(launch->block, block), registers, shared);
    text_print(text, launch->has_machine && machine->local_bytes > 0 ? INK_YELLOW : INK_PLAIN, "%7s\n", local);
}

static size_t launches_shown(const struct explanation *explanation, bool verbose)
{
    const size_t count = explanation->launch_count;
    return verbose || count < LAUNCHES_SHOWN ? count : LAUNCHES_SHOWN;
}

static void print_launches(const struct text *text, const struct explanation *explanation, bool verbose)
{
    const size_t shown = launches_shown(explanation, verbose);
    bool unknown = false;
    text_print(text, INK_BOLD, "\nLaunches");
    if (explanation->launch_count == 0) {
        text_print(text, INK_PLAIN, "  none: the run launched no kernel\n");
        return;
    }
    text_wrap(text, INK_DIM, text_print(text, INK_PLAIN, "  ") + (int)strlen("Launches"), 2,
              "registers and local memory per thread; shared memory per block: static + dynamic");
    const int width = function_width(text);
    if (width > 0)
        text_print(text, INK_DIM, "   no  %-*s  ", width, "function");
    else
        text_print(text, INK_DIM, "   no  function\n     ");
    text_print(text, INK_DIM, "times             grid        block  registers     shared memory    local\n");
    for (size_t i = 0; i < shown; i++) {
        print_launch(text, i + 1, &explanation->launches[i]);
        unknown |= !explanation->launches[i].launch->has_machine;
    }
    if (shown < explanation->launch_count)
        text_print(text, INK_DIM, "       and %zu more; -v shows all\n", explanation->launch_count - shown);
    if (unknown)
        text_print(text, INK_DIM, "       -: the run does not record the resources of the machine code\n");
}

/* ---- Occupancy ---- */

static void print_step(const struct text *text, const struct explained_launch *launch,
                       const struct occupancy_step *step)
{
    static const struct {
        enum occupancy_limit resource;
        const char *before, *unit, *behind;
    } rows[] = {
        {OCCUPANCY_THREADS, "with blocks of ", "", " threads"},
        {OCCUPANCY_REGISTERS, "with ", "", " registers per thread"},
        {OCCUPANCY_SHARED_MEMORY, "with ", " B", " of shared memory per block"},
        {OCCUPANCY_BLOCKS, "with blocks of ", "", " threads"},
        {OCCUPANCY_BARRIERS, "with ", "", " barriers per block"},
    };
    char to[CELL], from[CELL], before[CELL], after[CELL];
    size_t row = 0;
    while (rows[row].resource != step->resource)
        row++;
    char words[8 * CELL], gain[2 * CELL + 8];
    snprintf(words, sizeof words, "%s%s%s instead of %s%s%s", rows[row].before, explain_number(step->to, "count", to),
             rows[row].unit, explain_number(step->from, "count", from), rows[row].unit, rows[row].behind);
    snprintf(gain, sizeof gain, "%s -> %s", explain_percent(launch->occupancy.percent, before),
             explain_percent(step->occupancy.percent, after));
    const int column = text_print(text, INK_PLAIN, "%*s", PART_INDENT, "");
    if (column + (int)(strlen(words) + 1 + strlen(gain)) > text_width(text)) {
        text_wrap(text, INK_PLAIN, column, column + 2, words);
        text_print(text, INK_GREEN, "%*s%s\n", column + 2, "", gain);
    } else {
        text_print(text, INK_PLAIN, "%s ", words);
        text_print(text, INK_GREEN, "%s\n", gain);
    }
}

/* Prints the theoretical occupancy of a launch. number 0 means that all launches are alike. */
static void print_theoretical(const struct text *text, const struct explained_launch *launch, size_t number)
{
    const struct occupancy *occupancy = &launch->occupancy;
    char title[32] = "theoretical", share[CELL], limits[OCCUPANCY_WORDS], words[4 * CELL];
    if (number > 0)
        snprintf(title, sizeof title, "launch %zu", number);
    if (!launch->known)
        snprintf(words, sizeof words, "not known: %s",
                 launch->launch->has_machine ? "not for this GPU"
                                             : "the run does not record the resources of the machine code");
    else if (occupancy->blocks == 0)
        snprintf(words, sizeof words, "0 %%: the GPU cannot run this launch, because of its %s",
                 occupancy_limits(occupancy->limits, limits));
    else if (occupancy->warps == occupancy->max_warps)
        snprintf(words, sizeof words, "100.0 %%: all %u warps of each SM, in %u block%s", occupancy->max_warps,
                 occupancy->blocks, plural(occupancy->blocks));
    else
        snprintf(words, sizeof words, "%s: %u of %u warps of each SM, in %u block%s; limited by %s",
                 explain_percent(occupancy->percent, share), occupancy->warps, occupancy->max_warps, occupancy->blocks,
                 plural(occupancy->blocks), occupancy_limits(occupancy->limits, limits));
    explain_part(text, title, INK_PLAIN, words);
    for (size_t i = 0; i < launch->step_count; i++)
        print_step(text, launch, &launch->steps[i]);
    if (launch->known && launch->step_count == 0 && occupancy->warps < occupancy->max_warps)
        text_print(text, INK_PLAIN, "                reducing only one of these limits fits no more blocks\n");
}

static void print_achieved(const struct text *text, const struct explanation *explanation)
{
    char share[CELL], gap[512], words[1024];
    if (isnan(explanation->achieved))
        snprintf(words, sizeof words, "not known: %s", explain_state(explanation, "achieved_occupancy"));
    else
        snprintf(words, sizeof words, "%s, measured over the cycles in which an SM had an active warp",
                 explain_percent(explanation->achieved, share));
    explain_part(text, "achieved", INK_PLAIN, words);
    if (!*explain_gap_words(explanation, gap, sizeof gap))
        return;
    const struct explained_launch *largest = explanation->largest;
    OWNED_TEXT whole = x_sprintf("%.1f points", largest->occupancy.percent - explanation->achieved);
    if (explanation->launch_count > 1)
        x_append(&whole, " ", "below launch %zu, the largest", (size_t)(largest - explanation->launches) + 1);
    x_append(&whole, "; ", "likely %s", gap);
    explain_part(text, "gap", INK_PLAIN, whole);
}

static void print_occupancy(const struct text *text, const struct explanation *explanation, bool verbose)
{
    const double theoretical = roofline_value(explanation->result, "theoretical_occupancy");
    const size_t shown = launches_shown(explanation, verbose);
    size_t heads = 0, known = 0;
    char share[CELL], words[2 * CELL];
    if (explanation->launch_count == 0)
        return;
    text_print(text, INK_BOLD, "\nOccupancy\n");
    for (size_t i = 0; i < shown; i++) {
        heads += explanation->launches[i].same_as == i;
        known += explanation->launches[i].known;
    }
    for (size_t i = 0; i < shown && (known > 0 || isnan(theoretical)); i++)
        if (explanation->launches[i].same_as == i)
            print_theoretical(text, &explanation->launches[i], heads > 1 ? i + 1 : 0);
    if (known == 0 && !isnan(theoretical)) {
        snprintf(words, sizeof words, "%s; the run does not record the resources of the machine code",
                 explain_percent(theoretical, share));
        explain_part(text, "theoretical", INK_PLAIN, words);
    }
    print_achieved(text, explanation);
}

void explain_text(const struct explanation *explanation, const struct style *style, FILE *stream)
{
    const struct text text = {.stream = stream, .color = style->color, .columns = style->columns};
    fputs(style->follows ? "\n" : "", stream);
    text_banner(&text, &(struct report){
                           .run = explanation->run, .run_name = explanation->run_name, .replay = explanation->replay});
    print_head(&text, explanation);
    if (!style->quiet) {
        print_launches(&text, explanation, style->verbose);
        print_occupancy(&text, explanation, style->verbose);
    }
    explain_text_roofs(&text, explanation, style);
    explain_text_lines(&text, explanation, style);
}
