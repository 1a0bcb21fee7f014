/* Prints for people how near a kernel came to the GPU's peaks. */
#include "explain_words.h"

#define BAR_WIDTH 20
#define CELL EXPLAIN_CELL
#define LITTLE 0.01 /* smaller shares of all arithmetic are mostly constants, and are not shown */

/* Whether a roof of arithmetic is relevant. Compilers set constants by half-precision instructions; without other
 * arithmetic, and without flops that the kernel states, that is none. */
static bool is_arithmetic(const struct roofline *roofline, enum roof roof, bool verbose)
{
    const double amount = roofline->roofs[roof].amount;
    const bool only_half = roof == ROOF_FP16 && amount == roofline->flops && isnan(roofline->stated_flops);
    return amount != 0 && (verbose || !(amount < LITTLE * roofline->flops || only_half));
}

/* To show a roof: a row. */
static const struct roof_row {
    const char *title, *unit, *words; /* title, unit and words for the amount */
    const char *rate_unit, *per;      /* unit of the rate, and the text behind it */
    const char *source;               /* the rows from which the amount is computed */
} roof_rows[ROOFS] = {
    [ROOF_DRAM] = {"device memory", "B", "", "B/s", "", "dram_bytes_read+write"},
    [ROOF_SHARED] = {"shared memory", "count", " wavefronts", "count", "/s", "shared_wavefronts"},
    [ROOF_FP64] = {"FP64", "count", " FLOP", "FLOP/s", "", "fp64_arithmetic+fused"},
    [ROOF_FP32] = {"FP32", "count", " FLOP", "FLOP/s", "", "fp32_arithmetic+fused"},
    [ROOF_FP16] = {"FP16", "count", " FLOP", "FLOP/s", "", "fp16_arithmetic+fused"},
};

static void print_bar(const struct text *text, double share)
{
    const int full = isnan(share) ? 0 : share >= 1 ? BAR_WIDTH : (int)rint(share * BAR_WIDTH);
    const enum ink ink = share >= ROOFLINE_NEAR ? INK_YELLOW : INK_PLAIN;
    text_print(text, ink, "%.*s", full, "####################");
    text_print(text, INK_DIM, "%.*s", BAR_WIDTH - full, "....................");
}

#define SHARE_END 77   /* columns before the bar */
#define SOURCE_END 120 /* columns including the longest source */

/* Prints a share as a bar with its source, if it fits. A source that does not fit moves to the next line. */
static void print_share(const struct text *text, double share, const char *source)
{
    char words[CELL];
    const bool bars = text_fits(text, SHARE_END + BAR_WIDTH), beside = text_fits(text, SOURCE_END);
    text_print(text, INK_PLAIN, "  %8s", explain_percent(100 * share, words));
    if (bars && !isnan(share)) {
        text_print(text, INK_PLAIN, "  ");
        print_bar(text, share);
    } else if (beside && *source) {
        text_print(text, INK_PLAIN, "  %*s", BAR_WIDTH, "");
    }
    if (*source)
        text_print(text, INK_DIM, beside ? " %s\n" : "\n    of %s\n", source);
    else
        text_print(text, INK_PLAIN, "\n");
}

/* Returns why an amount is not known: the state of its first row without a number. */
static const char *why_unknown(const struct explanation *explanation, enum roof roof)
{
    const char *metric;
    for (unsigned i = 0; (metric = roofline_metric(roof, i)); i++)
        if (isnan(roofline_value(explanation->result, metric)))
            return explain_state(explanation, metric);
    return "no number";
}

static void print_roof(const struct text *text, const struct explanation *explanation, enum roof which)
{
    const struct roof_share *roof = &explanation->roofline.roofs[which];
    const struct roof_row *row = &roof_rows[which];
    char number[CELL], amount[2 * CELL], rate[2 * CELL] = "-", highest[2 * CELL] = "not measured";
    if (isnan(roof->amount))
        snprintf(amount, sizeof amount, "%s", why_unknown(explanation, which));
    else
        snprintf(amount, sizeof amount, "%s%s", explain_number(roof->amount, row->unit, number), row->words);
    if (!isnan(roof->rate))
        snprintf(rate, sizeof rate, "%s%s", explain_number(roof->rate, row->rate_unit, number), row->per);
    if (!isnan(roof->roof))
        snprintf(highest, sizeof highest, "%s%s", explain_number(roof->roof, row->rate_unit, number), row->per);
    text_print(text, INK_PLAIN, "  %-13s  %20s  %12s  %12s", row->title, amount, rate, highest);
    print_share(text, roof->share, row->source);
}

/* Prints the roofs. Kinds of arithmetic that the kernel does not do are left out, unless it does none at all. */
static void print_roofs(const struct text *text, const struct explanation *explanation, bool verbose)
{
    const struct roofline *roofline = &explanation->roofline;
    size_t kinds = 0;
    text_wrap(text, INK_DIM, text_print(text, INK_BOLD, "\nRoofs  ") - 1, 2,
              "peaks are what cugate's own kernels reached in the same session");
    text_print(text, INK_DIM, "                 %20s  %12s  %12s  %8s\n", "measured", "rate", "peak", "share");
    for (enum roof roof = 0; roof < ROOFS; roof++) {
        const bool is_kind = roof >= ROOF_FP64;
        if (is_kind && !is_arithmetic(roofline, roof, verbose))
            continue;
        print_roof(text, explanation, roof);
        kinds += is_kind;
    }
    if (kinds == 0)
        text_print(text, INK_PLAIN, "  %-13s  %20s\n", "arithmetic", "0 FLOP");
    if (kinds > 1 && !isnan(roofline->compute)) {
        text_print(text, INK_PLAIN, "  %-13s  %20s  %12s  %12s", "arithmetic", "", "", "");
        print_share(text, roofline->compute, "all kinds together");
    }
    if (!isnan(roofline->issue)) {
        char number[CELL];
        text_print(text, INK_PLAIN, "  %-13s  %20s  %12s  %12s", "issue slots",
                   explain_number(roofline->instructions, "count", number), "", "");
        print_share(text, roofline->issue, "instructions/sm_cycles");
    }
}

static void print_intensity(const struct text *text, const struct roofline *roofline)
{
    char number[CELL];
    OWNED_TEXT words = NULL;
    if (isnan(roofline->stated_flops)) /* the kernel is not about arithmetic */
        return;
    const struct {
        double number;
        const char *before, *behind;
    } parts[] = {
        {roofline->intensity, "", " FLOP/B measured"},
        {roofline->stated_intensity, "", " stated"},
        {roofline->balance, "device memory and arithmetic balance at ", " FLOP/B"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (!isnan(parts[i].number))
            x_append(&words, i == 2 ? "; " : ", ", "%s%s%s", parts[i].before,
                     explain_number(parts[i].number, "ratio", number), parts[i].behind);
    if (words)
        explain_part(text, "intensity", INK_PLAIN, words);
}

static void print_stated(const struct text *text, const struct roofline *roofline)
{
    const double times = roofline->roofs[ROOF_DRAM].amount / roofline->stated_bytes;
    char bytes[CELL], flops[CELL], number[CELL];
    const bool has_bytes = !isnan(roofline->stated_bytes), has_flops = !isnan(roofline->stated_flops);
    if (!has_bytes && !has_flops)
        return;
    explain_number(roofline->stated_bytes, "B", bytes);
    explain_number(roofline->stated_flops, "count", flops);
    OWNED_TEXT words =
        x_sprintf("by the kernel's own statement, its problem needs %s%s%s%s", has_bytes ? bytes : "",
                  has_bytes && has_flops ? " and " : "", has_flops ? flops : "", has_flops ? " FLOP" : "");
    if (isfinite(times))
        x_append(&words, "; ", "device memory carried %s of these bytes%s", explain_percent(100 * times, number),
                 times < 0.95 ? ", and the rest stayed in the L2" : "");
    explain_part(text, "stated", INK_PLAIN, words);
}

static void print_bound(const struct text *text, const struct roofline *roofline)
{
    static const char *const titles[ROOFLINE_BOUNDS] = {
        [ROOFLINE_DRAM] = "device memory",
        [ROOFLINE_SHARED] = "shared memory",
        [ROOFLINE_COMPUTE] = "arithmetic",
        [ROOFLINE_ISSUE] = "instruction issue",
    };
    const char *title = titles[roofline->nearest];
    char share[CELL], words[4 * CELL];
    explain_percent(100 * roofline->share, share);
    if (roofline->bound == ROOFLINE_LATENCY)
        snprintf(words, sizeof words,
                 "latency: no roof reaches %.0f %% (the nearest is %s at %s); see the stall reasons below",
                 100 * ROOFLINE_NEAR, title, share);
    else if (roofline->bound == ROOFLINE_ISSUE)
        snprintf(words, sizeof words, "%s: %s of the issue slots are used", title, share);
    else if (roofline->bound != ROOFLINE_UNKNOWN)
        snprintf(words, sizeof words, "%s: at %s of its peak%s", title, share,
                 roofline->share > 1 ? ", which is a measured peak, not a hardware limit" : "");
    else if (title)
        snprintf(words, sizeof words, "unknown: %s is at %s of its peak, but the other shares are unknown", title,
                 share);
    else
        snprintf(words, sizeof words, "unknown, because no roof's share is known");
    explain_part(text, "bound by", INK_BOLD, words);
}

/* Prints for which part of an estimated time each bound is busy. */
static void print_busy(const struct text *text, const struct estimated_time *of)
{
    text_wrap(text, INK_DIM, text_print(text, INK_BOLD, "\nRoofline by the model  ") - 1, 2,
              "the share of the estimated time in which each bound is busy; not measured");
    for (size_t i = 0; i < of->busy_count; i++) {
        text_print(text, INK_PLAIN, "  %-24s", of->busy[i].name);
        print_share(text, of->busy[i].part, "");
    }
}

void explain_text_roofs(const struct text *text, const struct explanation *explanation, const struct style *style)
{
    if (explanation->launch_count == 0)
        return;
    const bool computed = run_origin(explanation->run)->computed; /* no GPU was there: rates and peaks are unknown */
    if (!computed)
        print_roofs(text, explanation, style->verbose);
    if (!style->quiet) {
        print_intensity(text, &explanation->roofline);
        print_stated(text, &explanation->roofline);
    }
    if (!computed)
        print_bound(text, &explanation->roofline);
    if (explanation->result->estimated && explanation->result->estimated->busy_count > 0)
        print_busy(text, explanation->result->estimated);
}
