/* Options that several commands take, and functions that ask about options. */
#include "options.h"

#include <unistd.h>

/* clang-format off */
/* To add an option: a field in struct options, and a row in `takes` of the command. If several commands take it, the
 * row is here, with its declaration in options.h. */
const struct option_row option_k = {
    .name = "k", .letter = 'k', .argument = "GLOB", .kind = KIND_LIST, .place = PLACE(globs),
    .doc = "only kernels that match this quoted pattern: 'transpose/*', or 'softmax/*[n=16M]' for one size; repeatable"};
const struct option_row option_output = {
    .name = "output", .letter = 'o', .argument = "FILE", .kind = KIND_TEXT, .place = PLACE(output),
    .doc = "write the document to FILE, atomically; - is standard output"};
const struct option_row option_save = {
    .name = "save", .argument = "RUN.json", .kind = KIND_TEXT, .place = PLACE(save),
    .doc = "save the run as a file, atomically", .ways = WAYS_MEASURED | WAY(COMPUTED_PROGRAM) | WAY(COMPUTED) | WAY(FILES)};
const struct option_row option_replay = {
    .name = "replay", .argument = "RUN.json", .kind = KIND_TEXT, .place = PLACE(replay),
    .doc = "measure nothing: judge a recorded run", .ways = WAY_RECORDED};
const struct option_row option_power = {
    .name = "power", .kind = KIND_FLAG, .place = PLACE(power),
    .doc = "show for each row the smallest change that the gate catches in 99 of 100 cases"};
const struct option_row option_baselines = {
    .name = "baselines", .argument = "DIR", .kind = KIND_TEXT, .place = PLACE(baselines),
    .doc = "folder of the baselines (default: " OPTIONS_BASELINES ")"};
const struct option_row option_kernels = {
    .name = "kernels", .argument = "LIB.so", .kind = KIND_TEXT, .place = PLACE(kernels),
    .doc = "kernel library, or FILE.capsule with captured launches (default: libkernels.so next to cugate)", .ways = WAYS_OF_LIBRARY | WAY(COMPUTED) | WAY(CODE) | WAY_RECORDED};
const struct option_row option_metrics = {
    .name = "metrics", .argument = "DIR", .kind = KIND_TEXT, .place = PLACE(metrics),
    .place_more = PLACE(metric_sets),
    .doc = "folder of metrics instead of cugate's own; +DIR, or an optional set such as +tensor, adds to them"};
const struct option_row option_trades = {
    .name = "trades", .argument = "no", .kind = KIND_TEXT, .place = PLACE(trades),
    .doc = "no: every worse row fails, even if its kernel became faster"};
const struct option_row option_collector = {
    .name = "collector", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(collector),
    .doc = "how to measure (default: cupti)", .ways = WAYS_OF_LIBRARY | WAY_RECORDED};
const struct option_row option_simulate = {
    .name = "simulate", .argument = "GPU", .kind = KIND_TEXT_OR_FLAG, .place = PLACE(simulate), .place_2 = PLACE(gpu),
    .doc = "without a GPU: execute the machine code on the CPU and compute the exact counts of that GPU", .ways = WAY(COMPUTED_PROGRAM) | WAY(COMPUTED)};
const struct option_row option_whole = {
    .name = "whole", .kind = KIND_FLAG, .place = PLACE(whole), .ways = WAY(COMPUTED),
    .doc = "execute every block, including those proved redundant, and compare complete results"};
const struct option_row option_device = {
    .name = "device", .argument = "N", .kind = KIND_DEVICES, .place = PLACE(devices), .minimum = 0, .maximum = 1023,
    .doc = "ordinal of the GPU (default: 0); 0,1,3 or all: divide the kernels among these GPUs of one model", .ways = WAYS_OF_LIBRARY | WAY_RECORDED};
const struct option_row option_samples = {
    .name = "samples", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(samples), .minimum = 1, .maximum = 1000,
    .doc = "samples per kernel (default: 5; at least 3 for launches over 10 ms; 1 for instrumented counters if exact "
           "counts repeat)", .ways = WAYS_OF_LIBRARY | WAY_RECORDED};
const struct option_row option_timeout = {
    .name = "timeout", .argument = "SECONDS", .kind = KIND_SECONDS, .place = PLACE(timeout), .minimum = 0,
    .maximum = 86400, .doc = "time limit in seconds per kernel (default: 60; when simulated: 600 without a finished "
                             "block, 6,000 in all), or per run of a program (default: none)"};
const struct option_row option_first = {
    .name = "first", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(first), .minimum = 1, .maximum = 1000000000,
    .doc = "launches to measure per kernel and shape, after one warm-up (default: adaptive, at most 5; a check skips "
           "kernels that the baseline has)", .ways = WAYS_OF_PROGRAM};
const struct option_row option_skip = {
    .name = "skip", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(skip), .minimum = 0, .maximum = 1000000000,
    .doc = "launches to skip first, per kernel and shape (default: 0)", .ways = WAYS_OF_PROGRAM};
const struct option_row option_nvtx = {
    .name = "nvtx", .argument = "GLOB", .kind = KIND_LIST, .place = PLACE(nvtx),
    .doc = "only launches within NVTX ranges that match; each range also has its own row; repeatable", .ways = WAY(PROGRAM)};
const struct option_row option_from_start = {
    .name = "from-start", .argument = "on|off", .kind = KIND_TEXT, .place = PLACE(from_start),
    .doc = "off: only launches between cudaProfilerStart and cudaProfilerStop", .ways = WAY(PROGRAM)};
const struct option_row option_suppress = {
    .name = "suppress", .argument = "FILE", .kind = KIND_TEXT, .place = PLACE(suppress),
    .doc = "ignore the known faults listed in FILE, one per line: race|stream-race|uninitialized|out-of-bounds FUNCTION-GLOB REASON", .ways = WAY(COMPUTED_PROGRAM)};
const struct option_row option_name = {
    .name = "name", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(name),
    .doc = "prefix for the names of a program's kernels (default: its file name)", .ways = WAYS_OF_PROGRAM};
const struct option_row option_m = {
    .name = "m", .letter = 'm', .argument = "METRIC", .kind = KIND_LIST, .place = PLACE(metric_globs),
    .doc = "only metrics that match this name or glob, plus those needed to judge them; repeatable", .ways = WAY(PROGRAM)};
const struct option_row option_lines = {
    .name = "lines", .kind = KIND_FLAG, .place = PLACE(lines),
    .doc = "also record counts by source line, for `cugate explain`; runs the program once per kernel", .ways = WAY(PROGRAM)};
const struct option_row option_runs = {
    .name = "runs", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(runs), .minimum = 1, .maximum = 100,
    .doc = "run the program at most N times (default: once, twice if counters are missing)", .ways = WAY(PROGRAM)};
const struct option_row option_explain = {
    .name = "explain", .argument = "SECONDS", .kind = KIND_INTEGER, .place = PLACE(explain), .minimum = 0, .maximum = 86400,
    .doc = "time limit in seconds for source lines of regressed kernels (default: 20), or for counters of a program "
           "(default: an eighth of its run time, 2 to 60); 0: none of these"};
const struct option_row option_launch = {
    .name = "launch", .argument = "LAUNCH", .kind = KIND_LIST, .place = PLACE(launches),
    .doc = "'NAME<<<GRID, BLOCK, SHARED>>>' or a part of it, such as NAME or '<<<, 32x4>>>': the function and launch "
           "of the code (default: from Triton's JSON, else as captured); repeatable: later parts add to earlier ones"};
const struct option_row option_tolerance = {
    .name = "tolerance", .argument = "RATIO", .kind = KIND_TEXT, .place = PLACE(tolerance),
    .doc = "allowed error, relative to the largest value in the same 512 bytes (default: the capsule's, else bit for bit)"};
const struct option_row option_type = {
    .name = "type", .argument = "TYPE", .kind = KIND_TEXT, .place = PLACE(type),
    .doc = "type of the results that --tolerance applies to: f16, bf16, f32 or f64 (default: f32)"};
const struct option_row option_exact = {
    .name = "exact", .argument = "N[,N]...", .kind = KIND_TEXT, .place = PLACE(exact),
    .doc = "arguments, counted from 1, whose results must match bit for bit"};
const struct option_row option_format = {
    .name = "format", .argument = "FORMAT", .kind = KIND_FORMAT, .place = PLACE(format), .document = DOCUMENT_CHECK};
const struct option_row option_report = {
    .name = "report", .argument = "FORMAT=FILE", .kind = KIND_LIST, .place = PLACE(reports),
    .doc = "also write the report in this format to FILE, atomically; repeatable"};

static const struct option_row everywhere[] = {
    {.name = "color", .argument = "WHEN", .kind = KIND_COLOR, .place = PLACE(color),
     .doc = "auto, always or never (default: auto, which honours NO_COLOR)"},
    {.name = "quiet", .letter = 'q', .kind = KIND_FLAG, .place = PLACE(quiet),
     .doc = "print only what needs attention"},
    {.name = "verbose", .letter = 'v', .kind = KIND_FLAG, .place = PLACE(verbose),
     .doc = "print everything, every row"},
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
