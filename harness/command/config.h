/* config.h - reads cugate.ini: a repository's defaults for options, and where its pages link to.
 *
 *     # Defaults for every command below this folder; the command line wins.
 *     kernels = build/libmine.so
 *     baselines = perf/baselines
 *     samples = 9
 *
 *     [links]
 *     commit = https://example.org/mine/commit/{commit}
 *     line = https://example.org/mine/blob/{commit}/{path}#L{line}
 *
 * Keys are names of options with the same meaning; config.c lists them. Paths are relative to the file. Only the pages
 * (reports/) use [links]. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define CONFIG_FILE "cugate.ini"

struct config_key {
    const char *name; /* name of the option */
    char *value;      /* value of the key, a path made relative to the current folder; owned */
    int line;
    bool in_force;  /* the command takes it, and the command line does not override it */
    bool names_gpu; /* config_gpu returns the value of this key */
};

struct config {
    char *path; /* path of the file; NULL: there is none */
    struct config_key *keys;
    size_t count;
    char *words; /* the file and the keys in force, "../cugate.ini: kernels, samples"; NULL without any */
};

/* Looks for cugate.ini in the current folder and upwards, but not above the home folder, and reads the first one.
 * Returns 0, also without one; -1 after error() with file and line. Release *config in any case. A stranger's file in a
 * shared folder such as /tmp is ignored. A file that others could write to or replace is an error. */
int config_read(struct config *config);
void config_release(struct config *config);

/* Reads the text of such a file. path is for messages, and paths in the text are relative to it. */
int config_read_text(struct config *config, const char *path, const char *text);

/* Lists the names of at most `size` keys. Returns how many. */
size_t config_names(const char **names, size_t size);

/* Sets config->words, once in_force is known for each key. */
void config_word(struct config *config);

/* Returns the GPU model for computed counts or machine code when no model is named; NULL when cugate.ini names none. It
 * does not make a command compute or read machine code. */
const char *config_gpu(const struct config *config);

/* Whether the value of the option is from cugate.ini. */
bool config_gives(const struct config *config, const char *name);
