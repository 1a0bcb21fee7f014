/* config.h - cugate.ini: a repository's defaults for options, and where its pages link to.
 *
 *     # What every command takes for given below this folder; what stands on the command line wins.
 *     kernels = build/libmine.so
 *     baselines = perf/baselines
 *     samples = 9
 *
 *     [links]
 *     commit = https://example.org/mine/commit/{commit}
 *     line = https://example.org/mine/blob/{commit}/{path}#L{line}
 *
 * Keys are names of options, with their meaning; those there are: config.c. Paths are relative to the file. Of [links]
 * the pages make use, reports/. */
#ifndef CONFIG_H
#define CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#define CONFIG_FILE "cugate.ini"

struct config_key {
    const char *name; /* of the option */
    char *value;      /* a path as the current directory has it; owned */
    int line;
    bool in_force;  /* the command takes it, and its command line does not have it */
    bool names_gpu; /* config_gpu */
};

struct config {
    char *path; /* NULL: there is none */
    struct config_key *keys;
    size_t count;
    char *words; /* "../cugate.ini: kernels, samples", those in force; NULL without any */
};

/* Looks for cugate.ini in the current directory and those above it, but not above the home directory, and reads the
 * first that there is: 0, also without one. -1 after error() with file and line. Release it either way. What somebody
 * else left in a folder for all, such as /tmp, is none; one that others can write to or replace is an error. */
int config_read(struct config *config);
void config_release(struct config *config);

/* The same of a text: the path is for messages, and what paths are relative to. */
int config_read_text(struct config *config, const char *path, const char *text);

/* The names of the keys; at most size of them, returns how many. */
size_t config_names(const char **names, size_t size);

/* Makes config->words, once in_force is known. */
void config_word(struct config *config);

/* The model of GPU that is meant where what is computed, or read of machine code, names none; it asks for neither.
 * NULL: cugate.ini does not say. */
const char *config_gpu(const struct config *config);

/* Whether the value of the option is that of cugate.ini. */
bool config_gives(const struct config *config, const char *name);

#endif
