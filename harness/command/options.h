/* options.h - the command line of every command: which options exist, and their values after parsing. */
#pragma once

#include "report/report.h"

#include "config.h"

#define OPTIONS_BASELINES "baselines" /* default of --baselines */
#define OPTIONS_COLLECTOR "cupti"
#define OPTIONS_SAMPLES 5

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct command;

struct options {
    char **globs; /* -k: globs of kernels; strings are borrowed */
    size_t glob_count;
    char **metric_globs; /* -m: globs of metrics; strings are borrowed */
    size_t metric_glob_count;
    char **reports; /* --report, each "FORMAT=FILE" */
    size_t report_count;
    char **out; /* --out, each a folder */
    size_t out_count;
    const char *kernels; /* --kernels; default: libkernels.so beside the program */
    const char *metrics; /* --metrics DIR; default: ../metrics or ../share/cugate/metrics beside the program */
    const char *trades;  /* --trades: "no" or "yes"; NULL: yes */
    char **metric_sets;  /* --metrics +SET without the `+`: further sets, see metrics_read_sets */
    size_t metric_set_count;
    const char *baselines; /* --baselines: folder; default OPTIONS_BASELINES */
    const char *replay;
    const char *shard;    /* --shard: "2/8" */
    const char *output;   /* -o: where the document goes */
    const char *suppress; /* --suppress: file of faults that are let pass */
    const char *save;     /* --save: where the run is kept; of aa the folder of all runs */
    const char *gpu;      /* --static=GPU: folder name of the baseline, or a capability; NULL: the only one that fits.
                           * --simulate=GPU: name or file of a description */
    const char *description; /* path of the description of the simulated GPU; NULL without one */
    const char *against;     /* --against: kernel library of the base build */
    const char *format;      /* --format: name of a format; default "text" */
    const char *reason;      /* accept --reason */
    const char *collector;   /* --collector: name of a backend; default "cupti" */
    struct device_list devices;
    int samples;    /* --samples: 1 to 1000; default 5 */
    double timeout; /* --timeout, seconds; 0: not given */
    enum color_mode color;
    bool quiet, verbose, help, version;
    bool is_static, simulate, whole, all, paired, power, drift_reference, lines;
    char **launches; /* --launch of swap, referee, task */
    size_t launch_count;
    const char *from_check; /* capture --from-check: a JSON report of a check */
    int first, skip, runs;  /* of a program: --first, 0: none was given; --skip; --runs, 0: as many as it takes */
    char **nvtx;            /* --nvtx: globs of ranges; strings are borrowed */
    size_t nvtx_count;
    const char *from_start;                      /* --from-start: on or off; NULL: on */
    const char *name, *build;                    /* --name; --build of bisect and init */
    const char *code, *tolerance, *type, *exact; /* of swap, as they are typed */
    int explain;                                 /* --explain, seconds; -1: none were given */
    int sessions;                                /* --sessions, default 10 */
    bool list_metrics;
    char **arguments; /* arguments that are no options, borrowed */
    size_t argument_count;
    bool behind_dashes;   /* they are behind "--" */
    enum subject subject; /* what all of these are about, */
    enum origin_name way; /* and how the run is to be made; where one is read, of */
    char *found[3];       /* paths that options_parse computed: defaults, and the description; owned */
    const struct command *command;
    void *own;            /* values of the options that the command alone takes: OWN; owned */
    struct config config; /* the cugate.ini that was found; options borrow from it */
};

/* ---- An option ---- */

enum kind {
    KIND_FLAG,         /* the field is a bool */
    KIND_TEXT,         /* the field is a const char * */
    KIND_TEXT_OR_FLAG, /* --name sets the bool, --name=TEXT also the text */
    KIND_LIST,         /* char **, followed in struct options by its count, a size_t */
    KIND_INTEGER,      /* the field is an int */
    KIND_SECONDS,      /* the field is a double */
    KIND_DEVICES,      /* the field is a struct device_list */
    KIND_COLOR,        /* the field is an enum color_mode */
    KIND_FORMAT,       /* const char *, the name of a format for `document` */
};

struct option_row {
    const char *name;     /* long name of the option; one letter: there is only -x */
    char letter;          /* short name of the option; 0: there is none */
    const char *argument; /* name of the argument for --help; NULL: it takes none */
    enum kind kind;
    size_t place;      /* offset of its field in struct options */
    bool own;          /* in struct own_options instead: OWN_PLACE */
    size_t place_2;    /* for KIND_TEXT_OR_FLAG: offset of the text */
    size_t place_more; /* offset of a list (KIND_LIST) for texts that begin with `+`, stored without it; 0: there is no
                          such list */
    long minimum, maximum; /* range of a number; for KIND_SECONDS minimum itself is excluded */
    enum document document;
    const char *doc; /* KIND_FORMAT: NULL, for the names of the formats are */
    unsigned ways;   /* of making a run that the option says something for, WAY bits; 0: all */
};

#define PLACE(field) offsetof(struct options, field)

/* Options that one command alone takes, and not cugate.ini, are fields of a `struct own_options` in its file. */
#define OWN_PLACE(field) offsetof(struct own_options, field), .own = true
#define OWN_DEFAULTS(...) .own = &(const struct own_options){__VA_ARGS__}, .own_size = sizeof(struct own_options)
#define OWN(options) ((const struct own_options *)(options)->own)

/* clang-format off */
/* A row for an option of one command, written in its `takes`. */
#define OPTION(...) &(const struct option_row){__VA_ARGS__}
/* clang-format on */

/* Options that several commands take; in options.c. */
extern const struct option_row option_k, option_output, option_save, option_replay, option_power, option_baselines,
    option_kernels, option_metrics, option_trades, option_collector, option_device, option_samples, option_timeout,
    option_format, option_report, option_first, option_skip, option_nvtx, option_from_start, option_name,
    option_simulate, option_suppress, option_whole, option_m, option_lines, option_runs, option_explain, option_launch,
    option_tolerance, option_type, option_exact;

/* ---- Commands: each is a file cmd_<name>.c and a row in commands.c ---- */

/* An exit code of a command, and what it means there; NULL: what it means everywhere. */
struct exit_words {
    enum exit_code code;
    const char *doc;
};
#define EXITS_END ((enum exit_code) - 1)
/* clang-format off */
#define EXITS(...) (const struct exit_words[]){__VA_ARGS__, {EXITS_END, NULL}}
/* clang-format on */

struct command {
    const char *name;
    const char *arguments;                 /* for the usage line: "BASE.json RUN.json" */
    const char *summary;                   /* one line */
    const char *details;                   /* paragraphs for --help, with exit codes where they need words */
    const struct exit_words *exits;        /* its exit codes: EXITS */
    const char *example;                   /* one line that works */
    const struct option_row *const *takes; /* beside those of every command, as --help lists them; ends in NULL */
    int minimum, maximum;                  /* count of arguments; maximum < 0: any */
    bool runs_arguments;                   /* a command of their own: options end at the first */
    bool reads_runs;                       /* run files, unless a command is behind "--" */
    bool replays_argument;                 /* its argument is a file of capsules, which it replays */
    bool makes_run_file;                   /* that is what it is for: --save - leaves standard output to it */
    unsigned ways;                         /* of making a run, WAY bits; 0: it makes none */
    const void *own;                       /* OWN_DEFAULTS; NULL: it has no options of its own */
    size_t own_size;
    int (*run)(const struct options *options); /* returns an exit_code */
};

/* Returns an option of the command by index: its own, then those of every command. NULL behind the last. */
const struct option_row *options_row(const struct command *command, size_t place);

/* Parses argv[1..argc) of a command; argv[0] is its name. Reorders argv. Options that argv lacks may come from
 * cugate.ini (config.h). Options that the command does not take are errors, and so are files that options_check_files
 * refuses. Returns 0, or -1 after error(), which names the argument, or file and line, and suggests what was meant.
 * Release *options in any case. */
int options_parse(struct options *options, const struct command *command, int argc, char **argv);
void options_release(struct options *options);

/* Whether the command has use for a key of cugate.ini. */
bool options_takes_key(const struct command *command, const char *name);

/* -1 after error() when a file would be both read and written, or written twice, or a --report names none. Standard
 * output may take several reports. */
int options_check_files(const struct options *options, const struct command *command);

/* The name of a file in the folder of --out: that of each format's report, then that of the run. NULL behind it. */
const char *options_out_name(size_t place);

/* Whether a word is named as a run file is, NAME.json. */
bool options_is_run_file(const char *word);

/* Whether two paths name one file, which may be linked to, or not be there yet. */
bool options_same_file(const char *a, const char *b);

/* Reads the metric files that --metrics names, by metrics_read_sets. Returns 0 or -1. In options_metrics.c. */
int options_read_metrics(const struct options *options, struct metrics *metrics);
/* Chooses the metrics that -m matches, and those that they are judged by; without -m all. *chosen borrows them, and its
 * list is the caller's to free. -1 after error() when a glob matches none. In options_metrics.c. */
int options_choose_metrics(struct metrics *chosen, const struct metrics *all, const struct options *options);

/* Whether the arguments are run files to be read, so that nothing is measured. In options_ways.c. */
bool options_read_runs(const struct options *options, const struct command *command);

/* What the command line is about; and which way of making a run it asks for, of those that the command has. The way
 * needs options->subject. In options_ways.c. */
enum subject options_subject(const struct options *options, const struct command *command);
enum origin_name options_way(const struct options *options, const struct command *command);

/* What asks for one of those ways on the command line of that command; NULL: nothing has to. */
const char *options_asked_by(unsigned ways, const struct command *command);

/* -1 after error() when an option, or a program, says nothing for that way. typed: by row, whether the command line has
 * the option; what cugate.ini gives is for commands of every way. */
int options_refuse_idle(const struct options *options, const struct command *command, const bool *typed);

/* Returns the path of the description of the GPU to simulate. It is the one that `gpu` names (by name or, with a slash,
 * by path), else the one that a file of capsules was taken on, else the one in cugate.ini. Else it is the only one,
 * or the only one with a baseline. Caller frees. NULL after error(), which lists those that exist. */
char *options_find_gpu(const struct options *options);

/* Returns the names of the GPUs that can be simulated, "nvidia-h100, nvidia-h200". Caller frees. */
char *options_gpu_names(const struct options *options);

/* Returns the part of a --report value behind its first '='; NULL without one. */
const char *options_report_file(const char *report);

/* Prints usage, summary, options, an example and the exit codes of a command, and what cugate.ini sets for it here. Of
 * a command with many options, what is seldom wanted is told only with `all`. */
void options_help(const struct command *command, bool all, FILE *stream);

/* Whether to write in colour to the stream: decided by --color, then by NO_COLOR and TERM=dumb, then by whether it is a
 * terminal. */
bool options_color(const struct options *options, FILE *stream);
