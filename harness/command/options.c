/* Options that several commands take, and functions that ask about options. */
#include "options.h"

#include "base/base.h"

#include <unistd.h>

/* clang-format off */
/* To add an option: a field in struct options, and a row in `takes` of the command. If several commands take it, the
 * row is here, with its declaration in options.h. */
const struct option_row option_k = {
    .name = "k", .letter = 'k', .argument = "GLOB", .kind = KIND_LIST, .place = PLACE(globs),
    .doc = "only kernels that match: 'transpose/*', at a point 'softmax/*[n=16M]'; quoted; repeatable"};
const struct option_row option_output = {
    .name = "output", .letter = 'o', .argument = "FILE", .kind = KIND_TEXT, .place = PLACE(output),
    .doc = "write the document to FILE, whole or not at all; - is standard output"};
const struct option_row option_save = {
    .name = "save", .argument = "RUN.json", .kind = KIND_TEXT, .place = PLACE(save),
    .doc = "keep the run as a file, whole or not at all", .ways = WAYS_MEASURED | WAY(COMPUTED_PROGRAM) | WAY(COMPUTED) | WAY(FILES)};
const struct option_row option_replay = {
    .name = "replay", .argument = "RUN.json", .kind = KIND_TEXT, .place = PLACE(replay),
    .doc = "measure nothing: judge a recorded run", .ways = WAY_RECORDED};
const struct option_row option_power = {
    .name = "power", .kind = KIND_FLAG, .place = PLACE(power),
    .doc = "show beside each row the smallest change that would be caught in 99 of 100 cases"};
const struct option_row option_baselines = {
    .name = "baselines", .argument = "DIR", .kind = KIND_TEXT, .place = PLACE(baselines),
    .doc = "folder of the baselines (default: " OPTIONS_BASELINES ")"};
const struct option_row option_kernels = {
    .name = "kernels", .argument = "LIB.so", .kind = KIND_TEXT, .place = PLACE(kernels),
    .doc = "kernel library, or launches in FILE.capsule (default: libkernels.so beside cugate)", .ways = WAYS_OF_LIBRARY | WAY(COMPUTED) | WAY(CODE) | WAY_RECORDED};
const struct option_row option_metrics = {
    .name = "metrics", .argument = "DIR", .kind = KIND_TEXT, .place = PLACE(metrics),
    .place_more = PLACE(metric_sets),
    .doc = "folder of metrics in place of cugate's own; +DIR or +tensor, an optional set: beside them"};
const struct option_row option_trades = {
    .name = "trades", .argument = "no", .kind = KIND_TEXT, .place = PLACE(trades),
    .doc = "every row that is worse fails, whatever its kernel gained by it"};
const struct option_row option_collector = {
    .name = "collector", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(collector),
    .doc = "how to measure (default: cupti)", .ways = WAYS_OF_LIBRARY | WAY_RECORDED};
const struct option_row option_simulate = {
    .name = "simulate", .argument = "GPU", .kind = KIND_TEXT_OR_FLAG, .place = PLACE(simulate), .place_2 = PLACE(gpu),
    .doc = "measure nothing: compute exact counts of the machine code on the CPU, as that GPU has them", .ways = WAY(COMPUTED_PROGRAM) | WAY(COMPUTED)};
const struct option_row option_whole = {
    .name = "whole", .kind = KIND_FLAG, .place = PLACE(whole), .ways = WAY(COMPUTED),
    .doc = "execute every block, though it is proved that others count the same, and compare all results"};
const struct option_row option_device = {
    .name = "device", .argument = "N", .kind = KIND_DEVICES, .place = PLACE(devices), .minimum = 0, .maximum = 1023,
    .doc = "ordinal of the GPU (default: 0); 0,1,3 or all: these of one model share the kernels", .ways = WAYS_OF_LIBRARY | WAY_RECORDED};
const struct option_row option_samples = {
    .name = "samples", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(samples), .minimum = 1, .maximum = 1000,
    .doc = "samples a kernel (default: 5); of launches over 10 ms fewer, 3 at least; of instrumented counters one, where exact counts repeat", .ways = WAYS_OF_LIBRARY | WAY_RECORDED};
const struct option_row option_timeout = {
    .name = "timeout", .argument = "SECONDS", .kind = KIND_SECONDS, .place = PLACE(timeout), .minimum = 0,
    .maximum = 86400, .doc = "time limit of a kernel (default: 60; simulated: 600 without a finished block, ten times that in all), or of a run of a program (none)"};
const struct option_row option_first = {
    .name = "first", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(first), .minimum = 1, .maximum = 1000000000,
    .doc = "launches of one kernel in one shape to measure, after one left out (default: as few as tell, 5 at most, and in a check none of what the baseline has)", .ways = WAYS_OF_PROGRAM};
const struct option_row option_skip = {
    .name = "skip", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(skip), .minimum = 0, .maximum = 1000000000,
    .doc = "launches of one kernel in one shape to leave out before these (default: 0)", .ways = WAYS_OF_PROGRAM};
const struct option_row option_nvtx = {
    .name = "nvtx", .argument = "GLOB", .kind = KIND_LIST, .place = PLACE(nvtx),
    .doc = "only launches within an NVTX range of such a name, which has a row of its own; repeatable", .ways = WAY(PROGRAM)};
const struct option_row option_from_start = {
    .name = "from-start", .argument = "on|off", .kind = KIND_TEXT, .place = PLACE(from_start),
    .doc = "off: only launches between the program's calls of cudaProfilerStart and cudaProfilerStop", .ways = WAY(PROGRAM)};
const struct option_row option_name = {
    .name = "name", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(name),
    .doc = "what a program's kernels are called after (default: its file)", .ways = WAYS_OF_PROGRAM};
const struct option_row option_m = {
    .name = "m", .letter = 'm', .argument = "METRIC", .kind = KIND_LIST, .place = PLACE(metric_globs),
    .doc = "only metrics that match this name or glob, and those that they are judged by; repeatable", .ways = WAYS_OF_PROGRAM};
const struct option_row option_lines = {
    .name = "lines", .kind = KIND_FLAG, .place = PLACE(lines),
    .doc = "also keep counts by source line, for `cugate explain`: a run of the program for each kernel", .ways = WAY(PROGRAM)};
const struct option_row option_runs = {
    .name = "runs", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(runs), .minimum = 1, .maximum = 100,
    .doc = "run the program at most N times a measurement (default: once, twice if counters are missing)", .ways = WAY(PROGRAM)};
const struct option_row option_explain = {
    .name = "explain", .argument = "SECONDS", .kind = KIND_INTEGER, .place = PLACE(explain), .minimum = 0, .maximum = 86400,
    .doc = "time for the detail: source lines of what regressed (default: 20), counters of a program (default: an eighth of "
           "its own time, 2 to 60); 0: none"};
const struct option_row option_function = {
    .name = "function", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(function),
    .doc = "its function, by the name in the machine code (default: that of the capsule)"};
const struct option_row option_block = {
    .name = "block", .argument = "X[,Y,Z]", .kind = KIND_TEXT, .place = PLACE(block),
    .doc = "threads of a block (default: as Triton describes its code, else as it was)"};
const struct option_row option_grid = {
    .name = "grid", .argument = "X[,Y,Z]", .kind = KIND_TEXT, .place = PLACE(grid),
    .doc = "blocks of the grid (default: as it was)"};
const struct option_row option_shared = {
    .name = "shared", .argument = "BYTES", .kind = KIND_TEXT, .place = PLACE(shared),
    .doc = "dynamic shared memory of a block (default: as Triton describes its code, else as it was)"};
const struct option_row option_tolerance = {
    .name = "tolerance", .argument = "RATIO", .kind = KIND_TEXT, .place = PLACE(tolerance),
    .doc = "how far results may be off, as a part of the largest beside them (default: as the capsule says, else each bit)"};
const struct option_row option_type = {
    .name = "type", .argument = "TYPE", .kind = KIND_TEXT, .place = PLACE(type),
    .doc = "what results are, where they may be off: f16, bf16, f32 or f64 (default: f32)"};
const struct option_row option_exact = {
    .name = "exact", .argument = "N[,N]...", .kind = KIND_TEXT, .place = PLACE(exact),
    .doc = "numbers of arguments, from 1, that point to results of which all bits count"};
const struct option_row option_format = {
    .name = "format", .argument = "FORMAT", .kind = KIND_FORMAT, .place = PLACE(format), .document = DOCUMENT_CHECK};
const struct option_row option_explain_words = {
    .name = "explain-words", .kind = KIND_FLAG, .place = PLACE(explain_words),
    .doc = "say at the end of the text what its words and metrics mean"};
const struct option_row option_report = {
    .name = "report", .argument = "FORMAT=FILE", .kind = KIND_LIST, .place = PLACE(reports),
    .doc = "also write the report in this format to FILE, whole or not at all; repeatable"};

static const struct option_row everywhere[] = {
    {.name = "color", .argument = "WHEN", .kind = KIND_COLOR, .place = PLACE(color),
     .doc = "auto, always or never (default: auto, which honours NO_COLOR)"},
    {.name = "quiet", .letter = 'q', .kind = KIND_FLAG, .place = PLACE(quiet),
     .doc = "say only what needs attention"},
    {.name = "verbose", .letter = 'v', .kind = KIND_FLAG, .place = PLACE(verbose),
     .doc = "say everything, every row"},
    {.name = "version", .kind = KIND_FLAG, .place = PLACE(version), .doc = "print the version"},
    {.name = "help", .letter = 'h', .kind = KIND_FLAG, .place = PLACE(help), .doc = "print this"},
};
/* clang-format on */

const struct option_row *options_row(const struct command *command, size_t place)
{
    for (const struct option_row *const *row = command->takes; *row; row++)
        if (place-- == 0)
            return *row;
    return place < ARRAY_SIZE(everywhere) ? &everywhere[place] : NULL;
}

bool options_color(const struct options *options, FILE *stream)
{
    if (options->color != COLOR_AUTO)
        return options->color == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0) && isatty(fileno(stream));
}
