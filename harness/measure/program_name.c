/* What a program is called: after the user's script, whatever starts it. */
#include "program.h"

#include <ctype.h>

/* ---- What starts programs ---- */

#define ACCELERATE                                                                                                     \
    "cpu multi-gpu tpu ipex use-xpu use-mps-device use-deepspeed use-fsdp use-megatron-lm use-parallelism-config "     \
    "quiet q no-python module m debug enable-cpu-affinity same-network tpu-use-cluster no-tpu-use-cluster "            \
    "tpu-use-sudo dynamo-use-fullgraph dynamo-use-dynamic dynamo-use-regional-compilation"

/* Names and options are lists with a blank between two. Digits may follow a name, as in python3.12, and an option may
 * be written with one dash or two, and with underscores. */
static const struct starter {
    const char *names;
    const char *verb; /* the word that has to follow, such as run; or NULL */
    const char *options;
    bool are_flags;  /* all options take a value but these; otherwise these take one, or two where a + follows */
    size_t operands; /* words before the program's */
    char text;       /* the option whose value is the text of a program, */
    bool is_shell;   /* in which commands are found; 0: there is none */
} starters[] = {
    {.names = "python pypy ipython perl ruby julia", .options = "W X", .text = 'c'},
    {.names = "bash sh dash zsh", .options = "o O rcfile init-file", .text = 'c', .is_shell = true},
    {.names = "env", .options = "u unset C chdir"},
    {.names = "exec nohup setsid time"},
    {.names = "nice", .options = "n adjustment"},
    {.names = "timeout", .options = "k s kill-after signal", .operands = 1},
    {.names = "taskset", .operands = 1},
    {.names = "numactl", .options = "m N C i p cpunodebind membind physcpubind interleave preferred"},
    {.names = "torchrun torch.distributed.run torch.distributed.launch",
     .options = "standalone no-python run-path module m use-env",
     .are_flags = true},
    {.names = "accelerate", .verb = "launch", .options = ACCELERATE, .are_flags = true},
    {.names = "accelerate-launch accelerate.commands.launch", .options = ACCELERATE, .are_flags = true},
    {.names = "deepspeed deepspeed.launcher.runner",
     .options = "no-python module no-local-rank no-ssh no-ssh-check force-multi save-pid elastic-training "
                "bind-cores-to-rank",
     .are_flags = true},
    {.names = "mpirun mpiexec mpiexec.hydra orterun prterun",
     .options = "n np c N H host hosts hostfile machinefile f x wd wdir bind-to map-by rank-by rankfile rf path prefix "
                "output-filename timeout ppn npernode npersocket mca+ gmca+ pmixmca+ prtemca+ env+ genv+"},
    {.names = "srun",
     .options = "n ntasks N nodes p partition t time A account w nodelist x exclude c cpus-per-task J job-name G gpus "
                "gres o output e error i input D chdir q qos m distribution mem C constraint ntasks-per-node "
                "gpus-per-node gpus-per-task mpi jobid cpu-bind gpu-bind export r relative reservation W wait "
                "container-image container-mounts container-workdir container-name"},
    {.names = "uv",
     .verb = "run",
     .options = "with with-editable with-requirements p python extra group only-group no-group env-file project "
                "directory package index default-index index-url extra-index-url f find-links cache-dir config-file"},
    {.names = "conda mamba micromamba poetry pipenv pixi", .verb = "run", .options = "n name p prefix cwd e"},
};

/* Returns the word of a list that is the same as the first `length` characters of another, without regard to what is
 * between its parts; NULL: there is none. Digits and dots may follow a name. */
static const char *find_word(const char *list, const char *word, size_t length, bool is_name)
{
    for (const char *next = list; next && *next; next += strspn(next, " ")) {
        const size_t size = strcspn(next, " +");
        size_t same = 0;
        while (same < size && same < length && (word[same] == '_' && !is_name ? '-' : word[same]) == next[same])
            same++;
        if (same == size &&
            (same == length || (is_name && same + strspn(word + same, "0123456789.") == length && length > 0)))
            return next;
        next += strcspn(next, " ");
    }
    return NULL;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static const struct starter *find_starter(const char *word)
{
    const char *name = base_name(word);
    return FIND(starter, starters, ARRAY_SIZE(starters), find_word(starter->names, name, strlen(name), true));
}

/* Returns how many of the words that follow an option are its values. */
static size_t values_of(const struct starter *starter, const char *option)
{
    const char *name = option + strspn(option, "-");
    const char *listed = find_word(starter->options, name, strlen(name), false);
    if (strchr(option, '='))
        return 0;
    if (starter->are_flags)
        return listed ? 0 : 1;
    return !listed ? 0 : listed[strcspn(listed, " +")] == '+' ? 2 : 1;
}

static bool is_text(const struct starter *starter, const char *option)
{
    return starter->text && option[0] == '-' && option[1] != '-' && option[strlen(option) - 1] == starter->text;
}

/* Returns the arguments from the program's on, or from its text on; NULL: there is none. */
static char *const *find_program(const struct starter *starter, char *const *arguments, bool *is_module,
                                 bool *is_of_text)
{
    size_t operands = starter->operands + (starter->verb != NULL);
    *is_module = *is_of_text = false;
    for (char *const *next = arguments + 1; *next; next++) {
        if (strcmp(*next, "--") == 0)
            return next[1] && operands == 0 ? next + 1 : NULL;
        if (**next == '-') {
            *is_module |= strcmp(*next, "-m") == 0 || strcmp(*next, "--module") == 0;
            *is_of_text = is_text(starter, *next);
            if (*is_of_text)
                return next[1] ? next + 1 : NULL;
            for (size_t left = values_of(starter, *next); left > 0 && next[1]; left--)
                next++;
        } else if (!strchr(*next, '=') && operands == 0) {
            return next;
        } else if (!strchr(*next, '=')) {
            if (operands-- > starter->operands && starter->verb && strcmp(*next, starter->verb) != 0)
                return NULL;
        }
    }
    return NULL;
}

/* ---- Commands in the text of a shell ---- */

struct words {
    char **list; /* it ends in NULL */
    size_t count;
};

static void words_release(struct words *words)
{
    free_texts(words->list, words->count);
    *words = (struct words){0};
}

/* Takes the next word, without its quotes. Returns what follows. */
static const char *take_word(const char *text, struct words *words)
{
    char *word = x_calloc(strlen(text) + 1, 1), *end = word, quote = 0;
    for (; *text && (quote || !strchr(" \t\n;&|()<>", *text)); text++)
        if (quote ? *text == quote : *text == '"' || *text == '\'')
            quote = quote ? 0 : *text;
        else
            *end++ = *text;
    *ARRAY_GROW(words->list, words->count) = word;
    return text;
}

/* Whether a command only prepares for the others. */
static bool prepares(const struct words *words)
{
    const size_t first = FIRST(k, words->count, !strchr(words->list[k], '='));
    return first == words->count || find_word("cd export source . set ulimit umask module mkdir echo",
                                              words->list[first], strlen(words->list[first]), false);
}

/* Takes the one command of a text that is no preparation. Of a pipe it is the first part. None is left where there are
 * several, or a shell would replace words. */
static void take_command(const char *text, struct words *taken)
{
    size_t commands = 0;
    *taken = (struct words){0};
    while (*text) {
        struct words words = {0};
        while (*text && !strchr(";&|\n", *text))
            text = strchr(" \t()<>", *text) ? text + 1 : take_word(text, &words);
        if (*text == '|')
            text += strcspn(text, ";&\n");
        text += strspn(text, ";& \t\n");
        if (prepares(&words)) {
            words_release(&words);
            continue;
        }
        words_release(taken);
        *taken = words;
        commands++;
    }
    if (commands != 1)
        words_release(taken);
    else
        *ARRAY_GROW(taken->list, taken->count) = NULL;
}

/* ---- The name ---- */

static char *family_of(const char *path, bool is_module)
{
    const char *word = base_name(path);
    const char *dot = is_module ? NULL : strrchr(word, '.'); /* dots in the name of a module are no file ending */
    const int length = (int)(dot && dot != word ? (size_t)(dot - word) : strlen(word));
    char *name = x_sprintf("%.*s", length < PROGRAM_NAME_MAX ? length : PROGRAM_NAME_MAX, word);
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
    return name;
}

static char *name_of(char *const *arguments, bool is_module);

/* Returns the name of what a text of a shell runs; NULL: it does not tell. */
static char *name_of_text(const char *text)
{
    OWNED(words) words = {0};
    take_command(text, &words);
    size_t first = 0;
    while (first < words.count && words.list[first] && strchr(words.list[first], '='))
        first++;
    return words.count > 0 ? name_of(words.list + first, false) : NULL;
}

/* NULL: a shell would replace the word that tells. */
static char *name_of(char *const *arguments, bool is_module)
{
    const struct starter *starter = find_starter(arguments[0]);
    bool of_module = false, is_of_text = false;
    char *const *program = starter ? find_program(starter, arguments, &of_module, &is_of_text) : NULL;
    if (program && !is_of_text)
        return name_of(program, of_module);
    char *name = program && starter->is_shell ? name_of_text(*program) : NULL;
    return name || strpbrk(arguments[0], "$`") ? name : family_of(arguments[0], is_module);
}

char *program_name(char *const *arguments)
{
    char *name = name_of(arguments, false);
    return name ? name : family_of(arguments[0], false);
}
