#include "library_read.h"

#include "backend.h"
#include "child.h"
#include "library.h"

/* ---- The child: sends one line for each fact, "KEY TEXT"; facts of a kernel follow its id. ---- */

static void put(FILE *stream, const char *key, const char *text)
{
    if (!text)
        return;
    OWNED_TEXT line = x_strdup(text);
    text_make_harmless(line, ' ');
    fprintf(stream, "%s %s\n", key, line);
}

/* Nothing is launched here, so where the CUDA runtime is not installed or not found, the simulator's replaces it. */
static int open_library(struct library *library, const char *path, struct problem *problem)
{
    struct problem ignored;
    if (library_open(library, path, problem) == 0)
        return 0;
    return strstr(problem->text, "libcudart.so") && sim_plugin_load(&ignored) ? library_open(library, path, problem)
                                                                              : -1;
}

/* Returns the facts as a message, or why there are none. Nothing runs the destructors of a library. */
static struct message facts_of(const char *path)
{
    struct library library;
    struct problem problem;
    if (open_library(&library, path, &problem) < 0)
        return (struct message){MESSAGE_UNUSABLE, x_strdup(problem.text)};
    struct message message = {MESSAGE_FACTS, NULL};
    FILE *stream = x_memstream(&message.text, NULL);
    put(stream, "compiler", library.table->compiler);
    put(stream, "flags", library.table->flags);
    EACH(const struct kernel, kernel, library.kernels, library.count) {
        put(stream, "kernel", kernel->id);
        put(stream, "doc", kernel->doc);
        put(stream, "not_built", kernel->not_built);
        put(stream, "transfer", kernel->transfer ? "" : NULL);
    }
    fclose(stream);
    if (!library.handle)
        library_close(&library);
    return message;
}

static void tell(int pipe, const void *path)
{
    const struct message message = facts_of(path);
    message_send(pipe, message.kind, message.text);
}

/* ---- The parent ---- */

static bool is_id(const char *text, bool of_program)
{
    const size_t family = name_length(text), length = id_length(text);
    /* names of families and variants have no special characters */
    return length > 0 && !text[length] &&
           (of_program || (text[family] == '/' && family + 1 + name_length(text + family + 1) == point_begin(text)));
}

/* Takes one line from the child; false when no library would send it. */
static bool take_line(struct library_facts *facts, char *line, bool of_program)
{
    char *text = strchr(line, ' ');
    if (!text)
        return false;
    *text++ = '\0';
    if (strcmp(line, "kernel") == 0) {
        if (!is_id(text, of_program))
            return false;
        *ARRAY_GROW(facts->kernels, facts->count) = (struct kernel_facts){.id = x_strdup(text)};
        return true;
    }
    struct kernel_facts *kernel = facts->count > 0 ? &facts->kernels[facts->count - 1] : NULL;
    if (kernel && strcmp(line, "transfer") == 0 && !kernel->transfer) {
        kernel->transfer = true;
        return true;
    }
    char **fact = !kernel && strcmp(line, "compiler") == 0   ? &facts->compiler
                  : !kernel && strcmp(line, "flags") == 0    ? &facts->flags
                  : kernel && strcmp(line, "doc") == 0       ? &kernel->doc
                  : kernel && strcmp(line, "not_built") == 0 ? &kernel->not_built
                                                             : NULL;
    if (!fact || *fact)
        return false;
    *fact = x_strdup(text);
    return true;
}

static bool take_facts(struct library_facts *facts, char *text, bool of_program)
{
    for (char *end; (end = strchr(text, '\n')); text = end + 1) {
        *end = '\0';
        if (!take_line(facts, text, of_program))
            return false;
    }
    return *text == '\0' && facts->count > 0;
}

static int take_message(struct library_facts *facts, const char *path, bool of_program, const struct message *message,
                        struct problem *problem)
{
    if (message->kind == MESSAGE_UNUSABLE) {
        problem_set(problem, "%s", message->text);
        return EXIT_USAGE;
    }
    if (message->kind == MESSAGE_FACTS && take_facts(facts, message->text, of_program))
        return 0;
    problem_set(problem, "%s sends invalid data: something in it writes to cugate's descriptors", path);
    return EXIT_NOT_MEASURED;
}

int library_facts_read(struct library_facts *facts, const char *path, double seconds, struct problem *problem)
{
    struct message message;
    OWNED_TEXT how = NULL;
    int code = EXIT_NOT_MEASURED;
    *facts = (struct library_facts){0};
    const bool of_program = capsules_is_file(path); /* else it has code, which runs when it is loaded */
    if (of_program)
        message = facts_of(path);
    switch (of_program ? CHILD_SAID : child_ask(tell, path, seconds, &message, &how)) {
    case CHILD_SAID:
    case CHILD_BABBLED:
        code = take_message(facts, path, of_program, &message, problem);
        break;
    case CHILD_ENDED:
        problem_set(problem, "the process that loads %s exited before it listed the kernels: %s", path,
                    how ? how : "the process was not started");
        break;
    case CHILD_QUIET:
        problem_set(problem, "%s was not loaded within %g s; set a longer limit with --timeout", path, seconds);
        break;
    case CHILD_INTERRUPTED:
        problem_set(problem, "interrupted");
        code = EXIT_INTERRUPTED;
    }
    free(message.text);
    if (code != 0)
        library_facts_release(facts);
    return code;
}
