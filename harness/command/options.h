/* options.h - the command line of every command: what options there are, and what they become. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "measure/measure.h"
#include "report/report.h"

#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define OPTIONS_BASELINES "baselines" /* defaults */
#define OPTIONS_COLLECTOR "cupti"
#define OPTIONS_SAMPLES 5

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct command;

struct options {
    char **globs; /* -k, borrowed strings */
    size_t glob_count;
    char **metric_globs; /* -m */
    size_t metric_glob_count;
    char **reports; /* --report, each "FORMAT=FILE" */
    size_t report_count;
    const char *kernels; /* --kernels; default: libkernels.so beside the program */
    const char *metrics; /* --metrics DIR; default: ../metrics or ../share/cugate/metrics beside the program */
    char **metric_sets;  /* --metrics +SET, without the `+`: what is read beside it, see metrics_read_sets */
    size_t metric_set_count;
    const char *baselines; /* --baselines; default OPTIONS_BASELINES */
    const char *before;    /* --before: directory with baselines and metrics of the revision before */
    const char *replay;
    const char *shard;  /* --shard: "2/8" */
    const char *costs;  /* --costs: a run whose seconds divide the kernels */
    const char *output; /* -o */
    const char *save;   /* --save: where check keeps the run that it measured */
    const char *gpu;    /* --static=GPU: directory name of the baseline, or a capability; NULL: the only one that fits.
                         * --simulate=GPU, run --gpu: name or file of a description */
    const char *measured_on; /* import --gpu */
    const char *description; /* of the GPU that is simulated; NULL where none is */
    const char *against;     /* --against: kernel library to alternate with */
    const char *was;         /* --was: what the accepted kernel was called before */
    const char *format;      /* default "text" */
    const char *reason;
    const char *chip, *search;
    const char *collector; /* default "cupti" */
    struct device_list devices;
    int samples;    /* default 5, 1..1000 */
    double timeout; /* seconds; 0: none was given */
    enum color_mode color;
    bool quiet, verbose, help, version;
    bool static_only, simulate, all, paired, power, drift_reference, lines;
    int first, skip, runs; /* of a program: --first, 0: none was given; --skip; --runs, 0: as many as it takes */
    const char *nvtx, *name;
    const char *build; /* bisect --build */
    bool measure;      /* bisect --measure */
    int explain;       /* --explain, seconds, default 20 */
    int sessions;      /* --sessions, default 10 */
    bool list_metrics, list_devices, list_collectors, list_config;
    char **arguments; /* what is no option, borrowed */
    size_t argument_count;
    const struct command *const *commands; /* all that there are */
    size_t command_count;
    char *found[3];       /* paths that options_parse worked out: defaults, and the description; owned */
    struct config config; /* the cugate.ini in force; options borrow from it */
};

/* ---- An option ---- */

enum kind {
    KIND_FLAG,         /* bool */
    KIND_TEXT,         /* const char * */
    KIND_TEXT_OR_FLAG, /* --name sets the bool, --name=TEXT the text as well */
    KIND_LIST,         /* char ** and, right behind it, its size_t count */
    KIND_INTEGER,      /* int */
    KIND_SECONDS,      /* double */
    KIND_DEVICES,      /* struct device_list */
    KIND_COLOR,        /* enum color_mode */
    KIND_FORMAT,       /* const char *, the name of a format of `document` */
};

struct option_row {
    const char *name;     /* the long name; one letter: there is only -x */
    char letter;          /* 0: there is only the long name */
    const char *argument; /* NULL: takes none */
    enum kind kind;
    size_t place;      /* in struct options */
    size_t place_2;    /* KIND_TEXT_OR_FLAG: of the text */
    size_t place_more; /* of a list, as of KIND_LIST, for texts that begin with `+`, without it; 0: they are texts */
    long minimum, maximum; /* KIND_SECONDS: minimum is excluded */
    enum document document;
    const char *doc; /* KIND_FORMAT: NULL, for the names of the formats are */
};

#define PLACE(field) offsetof(struct options, field)

/* clang-format off */
/* A row of one command, where it says what it takes. */
#define OPTION(...) &(const struct option_row){__VA_ARGS__}
/* clang-format on */

/* Those that several commands take; in options.c. */
extern const struct option_row option_k, option_output, option_save, option_replay, option_power, option_baselines,
    option_kernels, option_metrics, option_collector, option_device, option_samples, option_timeout, option_format,
    option_report, option_first, option_skip, option_nvtx, option_name, option_simulate;

/* ---- A command: a file cmd_<name>.c, and a place in commands.c ---- */

struct command {
    const char *name;
    const char *arguments;                     /* for the usage line: "BASE.json RUN.json" */
    const char *summary;                       /* one line */
    const char *details;                       /* paragraphs for --help, with exit codes where they need words */
    const char *example;                       /* one line that works */
    const struct option_row *const *takes;     /* beside those of every command, as --help lists them; ends in NULL */
    int minimum, maximum;                      /* count of arguments; maximum < 0: any */
    bool runs_arguments;                       /* a command of their own: options end at the first */
    int (*run)(const struct options *options); /* returns an exit_code */
};

/* A row that the command takes: its own, then those of every command. NULL behind the last. */
const struct option_row *options_row(const struct command *command, size_t place);

/* Parses argv[1..argc) of a command; argv[0] is its name. Reorders argv. What argv does not say, cugate.ini may
 * (config.h). 0, or -1 after error() that names the argument, or file and line, and suggests what was meant. Options
 * that the command does not take are errors, and so are files as options_check_files refuses them. Release *options
 * either way. */
int options_parse(struct options *options, const struct command *command, int argc, char **argv);
void options_release(struct options *options);

/* -1 after error() when a file would be both read and written, or written twice, or a --report names none. Standard
 * output may take several reports. */
int options_check_files(const struct options *options);

/* Reads the metric files that --metrics names, as metrics_read_sets does: 0 or -1. In options_metrics.c. */
int options_read_metrics(const struct options *options, struct metrics *metrics);
const char *options_shipped_metrics(const struct options *options); /* the folder of those that came with cugate */

/* Whether another GPU is named than the first one, or several. */
bool options_names_device(const struct options *options);

/* Whether counts are to be computed, by --simulate or --collector sim, in place of measuring. */
bool options_simulate(const struct options *options);

/* The path of the description of the GPU that is to be simulated: of `gpu`, a name or, with a slash, a file; else of
 * the one that cugate.ini names; else the only one, or the only one that there is a baseline of. Caller frees. NULL
 * after error() that names those there are. */
char *options_find_gpu(const struct options *options);

/* The part of --report behind its first '='; NULL without one. */
const char *options_report_file(const char *report);

/* Prints usage, summary, options, an example and the exit codes of a command, and what cugate.ini gives it here. */
void options_help(const struct command *command, FILE *stream);

/* Whether to write to the stream in colour: --color, then NO_COLOR and TERM=dumb, then whether it is a terminal. */
bool options_color(const struct options *options, FILE *stream);

#endif
